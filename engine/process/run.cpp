#include <fcntl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <utility>
// GCC 12 needs <utility> before Asio.
#include <algorithm>
#include <array>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/write.hpp>
#include <chrono>
#include <csignal>
#include <optional>

#include "engine/base/error.h"
#include "engine/base/text.h"
#include "engine/nvtx/phase.h"
#include "engine/process/command.h"
#include "engine/process/loaded.h"
#include "engine/process/oom.h"
#include "engine/process/output.h"
#include "engine/process/spawn.h"
#include "engine/process/tree.h"

namespace reg::process {
namespace {

namespace asio = boost::asio;
using Clock = std::chrono::steady_clock;
using Stream = asio::posix::stream_descriptor;

// How long a stream may stay open after the command has ended: `exec > >(tee log)` needs a moment to drain.
constexpr double kDrain_s = 1;
constexpr double kPoll_s = 0.005;
// The first look at what is loaded, and the longest time between two.
constexpr double kFirstLook_s = 0.002;
constexpr double kLongestLook_s = 4;

double seconds(const timeval& t) { return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6; }

// What dead engines left running would disturb already the first measurement.
void reap_orphans_once() { [[maybe_unused]] static const int ended = reap_orphans(); }

// The command as it is started: one with leased GPUs sees those alone, and runs on CPUs near them.
Command placed(Command command) {
  if (!command.leased) return command;
  command.env["CUDA_VISIBLE_DEVICES"] = join(command.leased->uuids, ",");
  if (!command.leased->cpus.empty()) command.conditions.cpus = command.leased->cpus;
  return command;
}

// One command from its start to its Outcome. It keeps itself alive through the handlers it waits with.
class Run : public std::enable_shared_from_this<Run> {
 public:
  Run(Loop& loop, Command command)
      : loop_(loop),
        command_(placed(std::move(command))),
        phase_(std::in_place, "process", shell_words(command_.argv)),
        loaded_(command_.loaded_below, command_.mounts),
        out_(command_.keep_bytes, command_.file_bytes),
        err_(command_.keep_bytes, command_.file_bytes) {}

  const Op<Outcome>& operation() const { return operation_; }

  void start() {
    open_files();
    const std::string mark = command_.alone ? "" : next_mark();
    adopt_orphans();
    reap_orphans_once();
    started_ = Clock::now();
    Child child = spawn(loop_, command_, mark);
    pid_ = child.pid;
    tree_.emplace(child.pid, mark);
    operation_->on_cancel([self = shared_from_this()] { self->cancel(); });
    if (child.in) feed(std::move(child.in));
    read(out_stream_.emplace(loop_.context(), child.out.release()), out_, out_buffer_);
    read(err_stream_.emplace(loop_.context(), child.err.release()), err_, err_buffer_);
    wait();
    if (loaded_.wanted()) look_after(kFirstLook_s);
    if (command_.timeout_s) {
      timeout_ = loop_.after(*command_.timeout_s, [self = shared_from_this()] {
        self->outcome_.timed_out = true;
        self->stop();
      });
    }
  }

 private:
  void open_files() {
    const auto open = [](const std::string& path) {
      return std::make_shared<Fd>(open_file(path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND));
    };
    std::shared_ptr<Fd> out_file;
    if (!command_.out_file.empty()) out_.to_file(out_file = open(command_.out_file), command_.out_file);
    if (command_.err_file.empty()) return;
    err_.to_file(command_.err_file == command_.out_file ? out_file : open(command_.err_file), command_.err_file);
  }

  void feed(Fd fd) {
    auto stream = std::make_shared<Stream>(loop_.context(), fd.release());
    asio::async_write(*stream, asio::buffer(command_.input),
                      [self = shared_from_this(), stream](const auto&, std::size_t) {
                        // A command may end without reading its input; either way the pipe closes with the stream.
                      });
  }

  void read(Stream& stream, Output& output, std::array<char, 65536>& buffer) {
    stream.async_read_some(asio::buffer(buffer), [this, self = shared_from_this(), &stream, &output, &buffer](
                                                     const boost::system::error_code& error, std::size_t size) {
      if (error) {
        ++streams_ended_;
        return finish_if_ready();
      }
      try {
        output.add({buffer.data(), size});
      } catch (const Error&) {
        // Nothing more can be kept, so there is no point in letting it run on.
        if (!failure_) failure_ = std::current_exception();
        stop();
        output = Output(0, 0);
      }
      read(stream, output, buffer);
    });
  }

  void wait() {
    const int fd = static_cast<int>(::syscall(SYS_pidfd_open, pid_, 0));
    if (fd < 0) return poll_child();  // an old kernel, or a sandbox that does not know the call
    exit_.emplace(loop_.context(), fd);
    exit_->async_wait(Stream::wait_read, [self = shared_from_this()](const auto&) { self->poll_child(); });
  }

  // Twice as long after each look: what runs as long as everything before it is seen, and looking takes a fixed part of
  // the time.
  void look_after(double wait_s) {
    look_ = loop_.after(wait_s, [self = shared_from_this(), wait_s] {
      if (self->command_.client_of > 0)
        self->loaded_.look_inside(self->command_.client_of);
      else
        for (const pid_t pid : self->tree_->descendants()) self->loaded_.look_at(pid);
      self->look_after(std::min(2 * wait_s, kLongestLook_s));
    });
  }

  void poll_child() {
    int status = 0;
    rusage usage{};
    const pid_t waited = ::wait4(pid_, &status, WNOHANG, &usage);
    if (waited == 0) {
      poll_ = loop_.after(kPoll_s, [self = shared_from_this()] { self->poll_child(); });
      return;
    }
    outcome_.wall_s = std::chrono::duration<double>(Clock::now() - started_).count();
    outcome_.user_s = seconds(usage.ru_utime);
    outcome_.sys_s = seconds(usage.ru_stime);
    outcome_.peak_bytes = static_cast<std::int64_t>(usage.ru_maxrss) * 1024;
    outcome_.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    outcome_.code = outcome_.signal != 0 ? 128 + outcome_.signal : WEXITSTATUS(status);
    outcome_.oom = outcome_.code == 128 + SIGKILL && !outcome_.timed_out && oom_kills_of_machine() > oom_kills_before_;
    exited_ = true;
    exit_.reset();
    timeout_.reset();
    look_.reset();
    if (streams_ended_ < 2) drain_ = loop_.after(kDrain_s, [self = shared_from_this()] { self->close_streams(); });
    finish_if_ready();
  }

  // Somebody the command left behind holds a pipe open.
  void close_streams() {
    if (!command_.alone) tree_->end_leftovers();
    boost::system::error_code ignored;
    out_stream_->close(ignored);
    err_stream_->close(ignored);
  }

  void stop() {
    if (stopping_ || exited_) return;
    stopping_ = true;
    signal(SIGTERM);
    signal(SIGCONT);  // a stopped process cannot hear TERM
    kill_ = loop_.after(command_.kill_after_s, [self = shared_from_this()] {
      if (!self->exited_) self->signal(SIGKILL);
    });
  }

  void signal(int number) {
    if (command_.alone)
      ::kill(pid_, number);
    else
      tree_->signal(number);
  }

  void cancel() {
    if (!failure_) failure_ = std::make_exception_ptr(Error(ErrorKind::cancelled, "stopped"));
    stop();
  }

  void finish_if_ready() {
    if (!exited_ || streams_ended_ < 2) return;
    drain_.reset();
    kill_.reset();
    if (!command_.alone) tree_->end_leftovers();
    tree_.reset();
    phase_.reset();
    outcome_.out = out_.text();
    outcome_.err = err_.text();
    outcome_.out_bytes = out_.bytes();
    outcome_.err_bytes = err_.bytes();
    if (!loaded_.any()) return settle();
    const auto ids = on_worker(loop_, [loaded = std::move(loaded_)] { return loaded.ids(); });
    ids->then([self = shared_from_this(), ids] {
      self->outcome_.loaded = ids->take();
      self->settle();
    });
  }

  void settle() {
    if (failure_) return operation_->reject(failure_);
    operation_->resolve(std::move(outcome_));
  }

  Loop& loop_;
  Command command_;
  Op<Outcome> operation_ = std::make_shared<Operation<Outcome>>();
  Outcome outcome_;
  std::int64_t oom_kills_before_ = oom_kills_of_machine();
  std::optional<nvtx::Phase> phase_;
  std::exception_ptr failure_;
  Clock::time_point started_;
  pid_t pid_ = -1;
  std::optional<Tree> tree_;
  Loaded loaded_;
  Output out_, err_;
  std::optional<Stream> out_stream_, err_stream_, exit_;
  std::array<char, 65536> out_buffer_, err_buffer_;
  int streams_ended_ = 0;
  bool exited_ = false;
  bool stopping_ = false;
  std::shared_ptr<void> timeout_, kill_, drain_, poll_, look_;
};

}  // namespace

Op<Outcome> run(Loop& loop, Command command) {
  if (command.argv.empty() || command.argv[0].empty())
    throw Error(ErrorKind::usage, "a command needs at least one word");
  const auto run = std::make_shared<Run>(loop, std::move(command));
  auto operation = run->operation();
  try {
    run->start();
  } catch (const Error&) {
    operation->reject(std::current_exception());
  }
  return operation;
}

}  // namespace reg::process
