#include "bindings/program/signals.h"

#include <sys/prctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <thread>
#include <utility>

#include "engine/base/error.h"
#include "engine/base/signals.h"
#include "engine/process/command.h"

namespace reg {
namespace {

constexpr std::chrono::seconds kPatience{1};

[[noreturn]] void end_everything() {
  process::kill_everything();
  _exit(128 + SIGINT);
}

// Gives the terminal to a process group. Who is not in front is stopped for that, unless it ignores the signal.
void give_terminal(pid_t group) {
  struct sigaction ignore {
  }, before{};
  ignore.sa_handler = SIG_IGN;
  ::sigaction(SIGTTOU, &ignore, &before);
  ::tcsetpgrp(STDIN_FILENO, group);
  ::sigaction(SIGTTOU, &before, nullptr);
}

// In the child, between fork and exec.
[[noreturn]] void become(char* const* arguments, pid_t parent) {
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (::getppid() != parent) ::_exit(127);
  ::setpgid(0, 0);
  give_terminal(::getpid());
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGTSTP, SIGCONT, SIGPIPE, SIGXFSZ}) ::signal(number, SIG_DFL);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::execv("/proc/self/exe", arguments);
  ::_exit(127);
}

int wait_for(pid_t pid) {
  int status = 0;
  while (::waitpid(pid, &status, WUNTRACED) < 0 || WIFSTOPPED(status)) {
    if (!WIFSTOPPED(status)) {
      if (errno == EINTR) continue;
      throw system_error("waitpid", errno);
    }
    give_terminal(::getpgrp());
    ::kill(0, SIGSTOP);  // the shell sees its job stop
    give_terminal(pid);
    ::kill(-pid, SIGCONT);
    status = 0;
  }
  return status;
}

}  // namespace

struct StopSignals::State {
  std::atomic<int> seen = 0;
  std::atomic<bool> running = true;
};

StopSignals::StopSignals(Loop& loop, std::function<void(int)> stop) : state_(std::make_shared<State>()) {
  loop.on_stop_signal(
      [state = state_, stop = std::move(stop)](int signal) {
        if (state->seen > 1) end_everything();
        stop(signal);
      },
      // What runs is known to the loop's thread: it has its chance first.
      [state = state_](int) {
        count_interrupt();
        if (!state->running || ++state->seen < 2) return;
        std::thread([] {
          std::this_thread::sleep_for(kPatience);
          end_everything();
        }).detach();
      });
}

void StopSignals::begin() {
  state_->seen = 0;
  state_->running = true;
}

void StopSignals::end() {
  state_->running = false;
  state_->seen = 0;
}

int run_in_foreground(std::vector<std::string> words) {
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  termios mode{};
  const bool has_mode = ::tcgetattr(STDIN_FILENO, &mode) == 0;
  const pid_t parent = ::getpid(), pid = ::fork();
  if (pid < 0) throw system_error("fork", errno);
  if (pid == 0) become(arguments.data(), parent);
  ::setpgid(pid, pid);
  process::leave_alone(pid);
  const int status = wait_for(pid);
  give_terminal(::getpgrp());
  if (has_mode) ::tcsetattr(STDIN_FILENO, TCSADRAIN, &mode);
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

}  // namespace reg
