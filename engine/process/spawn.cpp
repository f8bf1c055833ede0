#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <utility>

#include "engine/process/run.h"
// GCC 12 needs <utility> before Asio, and Process v2 of Boost 1.81 needs these two before itself.
#include <boost/asio/io_context.hpp>
#include <boost/optional.hpp>
//
#include <algorithm>
#include <array>
#include <boost/process/v2/default_launcher.hpp>
#include <boost/process/v2/process.hpp>
#include <boost/process/v2/start_dir.hpp>
#include <boost/process/v2/stdio.hpp>
#include <csignal>
#include <filesystem>

#include "engine/base/ids.h"
#include "engine/base/text.h"

namespace reg::process {
namespace {

namespace bp = boost::process::v2;

struct Pipe {
  Fd read;
  Fd write;
};

Pipe make_pipe() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) throw system_error("pipe", errno);
  return {Fd(ends[0]), Fd(ends[1])};
}

std::vector<std::string> environment_of(const Command& command, const std::string& mark) {
  std::vector<std::string> texts;
  for (const auto& [name, value] : variables()) {
    // HIP counts these among the GPUs that ROCR_VISIBLE_DEVICES leaves.
    const bool of_hip = command.env.count("ROCR_VISIBLE_DEVICES") != 0 &&
                        has_word("HIP_VISIBLE_DEVICES CUDA_VISIBLE_DEVICES GPU_DEVICE_ORDINAL", name);
    const bool dropped = of_hip || command.env.count(name) != 0 || has_word("REGENGINE_RUN REGENGINE_CLIENT", name) ||
                         std::find(command.unset.begin(), command.unset.end(), name) != command.unset.end();
    if (!dropped) texts.push_back(fmt::format("{}={}", name, value));
  }
  for (const auto& [name, value] : command.env) texts.push_back(fmt::format("{}={}", name, value));
  texts.push_back(mark.empty() ? "REGENGINE_CLIENT=" + engine_id() : "REGENGINE_RUN=" + mark);
  return texts;
}

bool write_to(const char* path, std::string_view text) {
  const int file = ::open(path, O_WRONLY | O_CLOEXEC);
  if (file < 0) return false;
  const bool written = ::write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  return ::close(file) == 0 && written;
}

// Folders that a command, and what it starts, sees at other paths: mounts in a namespace of its own, which ends with
// its last process. Without the right to mount, that namespace is one of users, too, in which the command keeps its
// user and group.
struct Mounts {
  // Makes system calls only. False if the system refuses; errno says why.
  bool enter() const {
    if (folders.empty()) return true;
    if (::unshare(CLONE_NEWNS) != 0 && !enter_user_namespace()) return false;
    // Otherwise the rest of the machine would see the mounts.
    if (::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) return false;
    for (const auto& [inside, folder] : folders)
      if (::mount(folder.c_str(), inside.c_str(), nullptr, MS_BIND | MS_REC, nullptr) != 0) return false;
    return true;
  }

  bool enter_user_namespace() const {
    return ::unshare(CLONE_NEWUSER | CLONE_NEWNS) == 0 && write_to("/proc/self/uid_map", users) &&
           write_to("/proc/self/setgroups", "deny") && write_to("/proc/self/gid_map", groups);
  }

  std::map<std::string, std::string> folders;  // by the path at which the command sees them
  std::string users = fmt::format("{0} {0} 1", ::geteuid());
  std::string groups = fmt::format("{0} {0} 1", ::getegid());
};

constexpr std::array<int, 3> kStops{SIGINT, SIGTERM, SIGHUP};

// Added to errno where the mounts were refused: a number is all that the child can tell.
constexpr int kMountsRefused = 4096;

// What the child does between fork and exec. Only calls that are safe there.
struct ChildSetup {
  const char* const* environment;
  pid_t parent;
  const cpu_set_t* cpus;  // nullptr: those of the engine
  const Mounts& mounts;
  const std::string& folder;  // to start in, below a mount perhaps
  int death_signal;           // when the engine dies
  const Counter* counter;     // nullptr: nothing is counted
  const box::Landlock* box;   // nullptr: it may reach what the engine may

  template <class Launcher>
  bp::error_code on_setup(Launcher& launcher, const bp::filesystem::path&, const char* const*&) const {
    launcher.env = environment;
    return {};
  }

  template <class Launcher>
  bp::error_code on_exec_setup(Launcher&, const bp::filesystem::path&, const char* const*&) const {
    if (!mounts.enter()) {
      errno += kMountsRefused;
      return bp::error_code(errno, bp::system_category());
    }
    // It is in the folder already, but perhaps in the one that a mount hides.
    if (!folder.empty() && ::chdir(folder.c_str()) != 0) return bp::error_code(errno, bp::system_category());
    ::setsid();
    ::prctl(PR_SET_PDEATHSIG, death_signal);
    if (::getppid() != parent) ::_exit(127);                    // the engine died before the line above
    for (const int number : kStops) ::signal(number, SIG_IGN);  // drops one that was meant for the engine
    for (const int number : {SIGPIPE, SIGXFSZ, SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGCHLD}) ::signal(number, SIG_DFL);
    sigset_t none;
    ::sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    const bool placed = (cpus == nullptr || ::sched_setaffinity(0, sizeof *cpus, cpus) == 0) &&
                        (counter == nullptr || counter->open()) &&
                        (box == nullptr || (few_processes() && box->enter()));
    return placed ? bp::error_code() : bp::error_code(errno, bp::system_category());
  }

  // Of all processes and threads of the user, so that a program which starts more and more leaves room for others.
  static bool few_processes() {
    constexpr rlim_t kMost = 16384;
    rlimit limit{};
    if (::getrlimit(RLIMIT_NPROC, &limit) != 0) return false;
    limit = {std::min(limit.rlim_cur, kMost), std::min(limit.rlim_max, kMost)};
    return ::setrlimit(RLIMIT_NPROC, &limit) == 0;
  }

  // Boost would call exit() now, which writes the engine's buffered output a second time.
  template <class Launcher>
  void on_exec_error(Launcher&, const bp::filesystem::path&, const char* const*&, const bp::error_code&) const {
    ::_exit(127);
  }
};

std::string why_refused(int code) {
  return code == ENOSPC ? "user.max_mnt_namespaces or user.max_user_namespaces is reached"
                        : std::generic_category().message(code);
}

[[noreturn]] void throw_start_error(const Command& command, const std::string& program, int code) {
  const std::string what = "cannot run '" + command.argv[0] + "'";
  if (code >= kMountsRefused)
    throw Error(ErrorKind::unavailable,
                what + ": this machine refuses mounts in a namespace: " + why_refused(code - kMountsRefused),
                "Allow unprivileged user namespaces.");
  if (!command.cwd.empty() && !std::filesystem::is_directory(command.cwd))
    throw Error(ErrorKind::not_found, what + ": no folder " + command.cwd + " to run it in");
  if (!command.cwd.empty() && ::access(command.cwd.c_str(), X_OK) != 0)
    throw Error(ErrorKind::permission, what + ": the folder " + command.cwd + " may not be entered");
  if (code == ENOEXEC)
    throw Error(ErrorKind::usage, what + ": neither a program nor a script with a #! line",
                "run it by its interpreter: sh " + command.argv[0]);
  if (code == ENOENT && std::filesystem::exists(program))
    throw Error(ErrorKind::not_found, what + ": the interpreter of its #! line is missing");
  if (code == EACCES && command.box && ::access(program.c_str(), X_OK) == 0)
    throw Error(ErrorKind::permission, what + ": in the sandbox it cannot reach the interpreter of its #! line",
                "Declare the folder of the interpreter: reg.needs { files = \"FOLDER/*:ro\" }.");
  if (code == EACCES)
    throw Error(ErrorKind::permission, what + ": it is not executable", "chmod +x it, or run it by its interpreter");
  throw system_error(what, code);
}

}  // namespace

Child spawn(Loop& loop, const Command& command, const std::string& mark, const Counter* counter) {
  const std::string program = find_program(command);
  if (program.empty())
    throw Error(ErrorKind::not_found, "cannot run '" + command.argv[0] + "': no such program",
                "it is in no folder of PATH (" + path_of(command) + ")");
  const std::vector<std::string> texts = environment_of(command, mark);
  std::vector<const char*> environment;  // as execve wants it
  for (const std::string& text : texts) environment.push_back(text.c_str());
  environment.push_back(nullptr);
  Pipe in = command.input.empty() ? Pipe{open_file("/dev/null", O_RDONLY), Fd()} : make_pipe();
  Pipe out = make_pipe();
  Pipe err = make_pipe();

  std::vector<std::string> arguments(command.argv.begin() + 1, command.argv.end());
  bp::default_process_launcher launcher;
  bp::error_code error;
  cpu_set_t cpus;
  CPU_ZERO(&cpus);
  for (const int cpu : command.on_cpus) CPU_SET(cpu, &cpus);
  const Mounts mounts{command.client_of > 0 ? std::map<std::string, std::string>() : command.mounts};
  const std::string folder = command.cwd.empty() ? "" : std::filesystem::absolute(command.cwd).string();
  const ChildSetup setup{environment.data(),
                         ::getpid(),
                         command.on_cpus.empty() ? nullptr : &cpus,
                         mounts,
                         folder,
                         command.alone ? SIGTERM : SIGKILL,
                         counter,
                         command.box.get()};
  bp::process_stdio stdio{in.read.get(), out.write.get(), err.write.get()};
  pid_t pid = -1;
  {
    // Until the child has its own handlers it has the engine's, which write what they catch into a pipe that the engine
    // reads: one Ctrl-C in between would count as two, and the second one ends the engine. The child ends the blocking.
    sigset_t stops, before;
    ::sigemptyset(&stops);
    for (const int number : kStops) ::sigaddset(&stops, number);
    ::pthread_sigmask(SIG_BLOCK, &stops, &before);
    const std::shared_ptr<void> unblocked(nullptr, [&](void*) { ::pthread_sigmask(SIG_SETMASK, &before, nullptr); });
    auto process = command.cwd.empty()
                       ? launcher(loop.context().get_executor(), error, program, arguments, stdio, setup)
                       : launcher(loop.context().get_executor(), error, program, arguments, stdio,
                                  bp::process_start_dir(command.cwd), setup);
    if (!error) {
      pid = process.id();
      process.detach();  // run() waits itself, with wait4: only that tells what the child used
    }
  }
  if (error) {
    if (launcher.pid > 0) ::waitpid(launcher.pid, nullptr, 0);
    throw_start_error(command, program, error.value());
  }
  return {pid, std::move(in.write), std::move(out.read), std::move(err.read)};
}

Output::Output(std::size_t keep_bytes, std::uint64_t file_bytes) : keep_(keep_bytes), file_left_(file_bytes) {}

void Output::to_file(std::shared_ptr<Fd> file, std::string path) {
  file_ = std::move(file);
  path_ = std::move(path);
}

void Output::add(std::string_view data) {
  bytes_ += data.size();
  if (file_ && file_left_ > 0) {
    const auto part = data.substr(0, static_cast<std::size_t>(std::min<std::uint64_t>(file_left_, data.size())));
    file_left_ -= part.size();
    write_all(file_->get(), part, path_);
    if (file_left_ == 0) write_all(file_->get(), "\n[... the rest was omitted ...]\n", path_);
  }
  const std::size_t head_room = keep_ / 4 - std::min(keep_ / 4, head_.size());
  head_ += data.substr(0, head_room);
  data.remove_prefix(std::min(head_room, data.size()));
  const std::size_t tail_size = keep_ - keep_ / 4;
  if (data.size() > tail_size) data.remove_prefix(data.size() - tail_size);
  tail_ += data;
  // Cut only now and then, so that each byte is moved about once.
  if (tail_.size() > 2 * tail_size) tail_.erase(0, tail_.size() - tail_size);
}

std::string Output::text() const {
  const std::size_t tail_size = std::min(tail_.size(), keep_ - keep_ / 4);
  const std::string_view end = std::string_view(tail_).substr(tail_.size() - tail_size);
  const std::uint64_t left_out = bytes_ - head_.size() - end.size();
  if (left_out == 0) return fmt::format("{}{}", head_, end);
  return fmt::format("{}\n[... {} bytes omitted ...]\n{}", head_, left_out, end);
}

}  // namespace reg::process
