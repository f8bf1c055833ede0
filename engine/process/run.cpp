#include <fcntl.h>
#include <fmt/format.h>
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
#include <csignal>
#include <cstdlib>
#include <filesystem>

#include "engine/base/ids.h"
#include "engine/base/text.h"
#include "engine/nvtx/nvtx.h"
#include "engine/process/run.h"

namespace reg::process {
namespace {

namespace asio = boost::asio;
using Stream = asio::posix::stream_descriptor;

// How long a stream may stay open after the command has ended: `exec > >(tee log)` needs a moment to drain.
constexpr double kDrain_s = 1;
constexpr double kPoll_s = 0.005;
// The first look at the processes, and the longest time between two.
constexpr double kFirstLook_s = 0.002;
constexpr double kLongestLook_s = 4;
// How much longer each wait for a look is than the one before. What is loaded stays; times go on, and the last ones of
// a process are not seen.
constexpr double kLonger = 2;
constexpr double kLongerForTimes = 1.125;

double seconds(const timeval& t) { return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6; }

// How often progress is looked for, and what counts as some: programs that wait read a few bytes a second to wake up.
constexpr double kProgressLook_s = 1;
constexpr std::uint64_t kProgressBytes = 100;

// Bytes that the processes have read; nullopt where the kernel does not tell.
std::optional<std::uint64_t> bytes_read(const std::vector<pid_t>& pids) {
  constexpr std::string_view key = "rchar: ";
  std::optional<std::uint64_t> sum;
  for (const pid_t pid : pids) {
    const auto text = read_file_if_there(fmt::format("/proc/{}/io", pid)).value_or("");
    if (text.starts_with(key)) sum = sum.value_or(0) + std::strtoull(text.c_str() + key.size(), nullptr, 10);
  }
  return sum;
}

// The command as it is started: in its sandbox; with leased GPUs it sees those alone, and runs on CPUs near them.
Command placed(Command command) {
  if (command.bounds) {
    put_into_sandbox(command);
    expect_sandboxed();
  }
  if (!command.leased) return command;
  command.env[visible_devices()] = join(command.leased->uuids, ",");
  if (!command.leased->cpus.empty()) command.on_cpus = command.leased->cpus;
  return command;
}

// Looked at right after it failed: a failing build may remove what filled the disk.
std::string shortage_of(const Command& command) {
  std::vector<std::string> folders{command.cwd.empty() ? "." : command.cwd,
                                   std::filesystem::path(command.out_file).parent_path().string()};
  const auto own = command.env.find("TMPDIR");
  const std::string temporary = own != command.env.end() ? own->second : variable("TMPDIR");
  folders.push_back(temporary.empty() ? "/tmp" : temporary);
  for (const auto& [inside, host] : command.mounts) folders.push_back(host);
  for (const std::string& folder : folders)
    if (std::string shortage = shortage_at(folder); !shortage.empty()) return shortage;
  return {};
}

// One command from its start to its Outcome. It keeps itself alive through the handlers it waits with.
class Run : public std::enable_shared_from_this<Run> {
 public:
  Run(Loop& loop, Command command)
      : loop_(loop),
        command_(placed(std::move(command))),
        phase_(std::in_place, "process", shell_words(command_.argv)),
        loaded_(command_.loaded_below, command_.mounts) {}

  const Op<Outcome>& operation() const { return operation_; }

  void start() {
    open_files();
    const std::string mark = command_.alone ? "" : next_mark();
    adopt_orphans();
    if (command_.count) {
      check_counter(*command_.count);
      counter_.emplace(*command_.count);
    }
    started_ = Clock::now();
    Child child = spawn(loop_, command_, mark, counter_ ? &*counter_ : nullptr);
    if (counter_) counter_->receive();
    pid_ = child.pid;
    tree_.emplace(child.pid, mark);
    operation_->on_cancel([self = shared_from_this()] { self->cancel(); });
    if (child.in) feed(std::move(child.in));
    out_.stream.emplace(loop_.context(), child.out.release());
    err_.stream.emplace(loop_.context(), child.err.release());
    read(out_);
    read(err_);
    wait();
    if (loaded_.wanted() || command_.programs) look_after(kFirstLook_s);
    if (command_.stall_s) watch_progress();
    if (command_.timeout_s)
      after("timeout", *command_.timeout_s, [this] {
        outcome_.timed_out = true;
        stop();
      });
  }

 private:
  // A stream of the command, while it is read.
  struct Captured {
    Output output;
    std::optional<Stream> stream = {};
    std::array<char, 65536> buffer = {};
  };

  // Until it has ended. One at a time of each name.
  void after(const char* name, double seconds, std::function<void()> f) {
    timers_[name] = loop_.after(seconds, [self = shared_from_this(), f = std::move(f)] { f(); });
  }

  void open_files() {
    const auto open = [](const std::string& path) {
      return std::make_shared<Fd>(open_file(path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND));
    };
    std::shared_ptr<Fd> out_file;
    if (!command_.out_file.empty()) out_.output.to_file(out_file = open(command_.out_file), command_.out_file);
    if (command_.err_file.empty()) return;
    err_.output.to_file(command_.err_file == command_.out_file ? out_file : open(command_.err_file), command_.err_file);
  }

  void feed(Fd fd) {
    auto stream = std::make_shared<Stream>(loop_.context(), fd.release());
    asio::async_write(*stream, asio::buffer(command_.input),
                      [self = shared_from_this(), stream](const auto&, std::size_t) {
                        // A command may end without reading its input; either way the pipe closes with the stream.
                      });
  }

  void read(Captured& from) {
    from.stream->async_read_some(
        asio::buffer(from.buffer),
        [this, self = shared_from_this(), &from](const boost::system::error_code& error, std::size_t size) {
          if (error) {
            ++streams_ended_;
            return finish_if_ready();
          }
          try {
            from.output.add({from.buffer.data(), size});
          } catch (const Error&) {
            // Nothing more can be kept: letting it run on is of no use.
            if (!failure_) failure_ = std::current_exception();
            stop();
            from.output = Output(0, 0);
          }
          read(from);
        });
  }

  void wait() {
    const int fd = static_cast<int>(::syscall(SYS_pidfd_open, pid_, 0));
    if (fd < 0) return poll_child();  // an old kernel, or a sandbox that does not know the call
    exit_.emplace(loop_.context(), fd);
    try {
      exit_time_ = exit_time(Fd(::fcntl(fd, F_DUPFD_CLOEXEC, 0)));
    } catch (const std::exception&) {
      // Without a thread to spare the loop's own time must do: the command runs already.
    }
    exit_->async_wait(Stream::wait_read, [self = shared_from_this()](const auto&) { self->poll_child(); });
  }

  // Longer by a factor after each look: what runs as long as everything before it is seen, and looking takes a fixed
  // part of the time.
  void look_after(double wait_s) {
    after("look", wait_s, [this, wait_s] {
      const pid_t client_of = command_.client_of;
      for (const pid_t pid : client_of > 0 ? pids_inside(client_of) : tree_->descendants()) {
        if (loaded_.wanted()) loaded_.look_at(pid);
        if (command_.programs) programs_.look_at(pid);
      }
      look_after(std::min((command_.programs ? kLongerForTimes : kLonger) * wait_s, kLongestLook_s));
    });
  }

  void watch_progress() {
    after("progress", kProgressLook_s, [this] {
      const auto bytes = bytes_read(tree_->descendants());
      const bool stands = bytes && bytes_read_ && *bytes < *bytes_read_ + kProgressBytes;
      if (!stands) progress_ = Clock::now();
      bytes_read_ = bytes;
      if (std::chrono::duration<double>(Clock::now() - progress_).count() < *command_.stall_s) return watch_progress();
      outcome_.timed_out = outcome_.stalled = true;
      stop();
    });
  }

  void poll_child() {
    if (command_.programs) programs_.look_at(pid_);  // as long as it has not been waited for
    int status = 0;
    rusage usage{};
    const pid_t waited = ::wait4(pid_, &status, WNOHANG, &usage);
    if (waited == 0) return after("poll", kPoll_s, [this] { poll_child(); });
    Clock::time_point ended = Clock::now();
    if (exit_time_) {
      exit_time_->wait({});
      ended = std::min(ended, exit_time_->load());
    }
    outcome_.wall_s = std::chrono::duration<double>(ended - started_).count();
    outcome_.user_s = seconds(usage.ru_utime);
    outcome_.sys_s = seconds(usage.ru_stime);
    outcome_.minor_faults = usage.ru_minflt;
    outcome_.major_faults = usage.ru_majflt;
    outcome_.voluntary_switches = usage.ru_nvcsw;
    outcome_.involuntary_switches = usage.ru_nivcsw;
    outcome_.peak_bytes = static_cast<std::int64_t>(usage.ru_maxrss) * 1024;
    if (counter_) outcome_.counted = counter_->read();
    outcome_.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    outcome_.code = outcome_.signal != 0 ? 128 + outcome_.signal : WEXITSTATUS(status);
    outcome_.oom = ran_out_of_memory();
    if (outcome_.code != 0) outcome_.shortage = shortage_of(command_);
    exited_ = true;
    exit_.reset();
    timers_.clear();
    if (streams_ended_ < 2) after("drain", kDrain_s, [this] { close_streams(); });
    finish_if_ready();
  }

  bool ran_out_of_memory() const {
    if (outcome_.timed_out) return false;
    const OomKills now = oom_kills();
    return now.count > oom_kills_before_.count && (!now.of_machine || outcome_.code == 128 + SIGKILL);
  }

  // Somebody the command left behind holds a pipe open.
  void close_streams() {
    if (!command_.alone) tree_->end_leftovers();
    boost::system::error_code ignored;
    out_.stream->close(ignored);
    err_.stream->close(ignored);
  }

  void stop() {
    if (stopping_ || exited_) return;
    stopping_ = true;
    signal(SIGTERM);
    signal(SIGCONT);  // a stopped process cannot hear TERM
    after("kill", command_.kill_after_s, [this] { signal(SIGKILL); });
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
    timers_.clear();
    if (!command_.alone) tree_->end_leftovers();
    tree_.reset();
    phase_.reset();
    outcome_.out = out_.output.text();
    outcome_.err = err_.output.text();
    outcome_.out_bytes = out_.output.bytes();
    outcome_.err_bytes = err_.output.bytes();
    outcome_.programs = programs_.seen();
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
  OomKills oom_kills_before_ = oom_kills();
  std::optional<nvtx::Range> phase_;
  std::exception_ptr failure_;
  Clock::time_point started_;
  std::shared_ptr<const ExitTime> exit_time_;
  std::optional<Counter> counter_;
  pid_t pid_ = -1;
  std::optional<Tree> tree_;
  Loaded loaded_;
  Programs programs_;
  Captured out_{{command_.keep_bytes, command_.file_bytes}}, err_{{command_.keep_bytes, command_.file_bytes}};
  std::optional<Stream> exit_;
  int streams_ended_ = 0;
  bool exited_ = false;
  bool stopping_ = false;
  std::optional<std::uint64_t> bytes_read_;
  Clock::time_point progress_ = Clock::now();
  std::map<std::string_view, std::shared_ptr<void>> timers_;
};

std::function<Op<Outcome>(Command)> elsewhere;

}  // namespace

void run_elsewhere(std::function<Op<Outcome>(Command)> runner) { elsewhere = std::move(runner); }

Op<Outcome> run(Loop& loop, Command command) {
  if (command.argv.empty() || command.argv[0].empty())
    throw Error(ErrorKind::usage, "a command needs at least one word");
  if (elsewhere) return elsewhere(std::move(command));
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
