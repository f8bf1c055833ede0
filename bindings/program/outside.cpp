#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <filesystem>
#include <iterator>
#include <nlohmann/json.hpp>

#include "bindings/nouns/bind.h"
#include "bindings/program/program.h"
#include "engine/base/error.h"
#include "engine/base/file.h"
#include "engine/base/ids.h"
#include "engine/box/box.h"
#include "engine/broker/broker.h"
#include "engine/container/settings.h"
#include "engine/guard/effect.h"
#include "engine/process/command.h"
#include "engine/trace/injection.h"

namespace reg {
namespace {

namespace fs = std::filesystem;
using broker::Json;

constexpr long kCloseRange = 436;

// A head that computes is cut off here: what it declares later is refused.
constexpr double kHead_s = 10;

// The box opens what is there: a file outside that the script may write, and is not there yet, is made.
void make_new_files(const Patterns& permitted) {
  const auto files = permitted.all().find(EffectKind::files);
  if (files == permitted.all().end()) return;
  for (const std::string& pattern : files->second)
    if (pattern.starts_with('/') && pattern.find('*') == std::string::npos && !pattern.ends_with(kReadOnly))
      const Fd made(::open(pattern.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644));
}

// No script reads variables, and commands get theirs from the broker.
void forget_secrets() {
  for (const auto& [name, value] : variables())
    if (names_secret(name)) ::unsetenv(name.c_str());
}

// The most memory of the boxed process, in bytes: what the script and SQLite may hold, and the engine's own. 0: no
// limit, since the driver of a GPU reserves more than there is.
std::uint64_t most_memory(const Patterns& permitted, const Invocation& invocation) {
  if (permitted.all().contains(EffectKind::gpu)) return 0;
  constexpr std::uint64_t kOwn = std::uint64_t{2} << 30, kMost = std::uint64_t{1} << 50;
  return 2 * std::min<std::uint64_t>(invocation.line.settings.memory, kMost) + kOwn;
}

struct Started {
  pid_t pid;
  Fd socket;
};

// Starts this program again, in a box. `head`: only to tell what the script's head declares, unheard.
Started start(const Invocation& invocation, const Permissions& permissions, const box::Reach& reach, bool head,
              const std::string& temporary) {
  const bool reads_script = invocation.script == "-";
  if (reads_script) ::lseek(STDIN_FILENO, 0, SEEK_SET);
  auto [ours, theirs] = broker::make_channel();
  std::vector<std::string> texts = invocation.line.words;
  texts.insert(texts.begin() + 1, kBoxed);
  std::vector<char*> arguments;
  for (std::string& text : texts) arguments.push_back(text.data());
  arguments.push_back(nullptr);
  const pid_t parent = ::getpid(), pid = ::fork();
  if (pid < 0) throw system_error("fork", errno);
  if (pid == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) ::_exit(127);
    if (!invocation.reads_only)
      ::setsid();  // signals of the terminal come through the broker, and it does not control it
    if (!temporary.empty()) ::setenv("TMPDIR", temporary.c_str(), 1);
    forget_secrets();
    ::signal(SIGTTOU, SIG_IGN);  // it may write there all the same
    const Fd nothing = open_file("/dev/null", O_RDWR);
    if (head && !reads_script) ::dup2(nothing.get(), STDIN_FILENO);
    for (const int fd : {STDOUT_FILENO, STDERR_FILENO})
      if (head) ::dup2(nothing.get(), fd);
    const Fd high(::fcntl(theirs.get(), F_DUPFD_CLOEXEC, 64));
    ::dup2(high.get(), kBoxedSocket);
    ::syscall(kCloseRange, kBoxedSocket + 1, ~0U, 0);  // glibc has had it since 2.34
    ::execv("/proc/self/exe", arguments.data());
    ::_exit(127);
  }
  const Setup setup{head,
                    !invocation.line.audit_file.empty(),
                    invocation.reads_only,
                    invocation.outputs,
                    most_memory(permissions.permitted(), invocation),
                    reach,
                    box::filter_of(pid),
                    permissions.decision()};
  broker::send(ours.get(), broker::pack(setup));
  return {pid, std::move(ours)};
}

// It is about to end, or is killed soon.
int reap(pid_t pid) {
  constexpr int kLooks = 4000;
  constexpr useconds_t kPause_us = 500;
  int status = 0;
  for (int look = 0; ::waitpid(pid, &status, WNOHANG) == 0; ++look) {
    if (look == kLooks) ::kill(pid, SIGKILL);
    ::usleep(kPause_us);
  }
  return status;
}

void note(Permissions& permissions, const broker::Message& message) {
  const Json json = broker::unpack(message.text);
  if (json.contains("join")) {
    permissions.join(json["join"], json.at("text").get<std::string>(), false);
  } else if (const auto kind = effect_kind(json.at("declare").get<std::string>())) {
    permissions.declare(*kind, json.at("pattern"));
  }
}

void only_to_read(box::Reach& reach) {
  std::move(reach.write.begin(), reach.write.end(), std::back_inserter(reach.read));
  reach.write.clear();
}

void read_head(Loop& loop, Permissions& permissions, const Invocation& invocation, box::Reach reach) {
  only_to_read(reach);
  Started head = start(invocation, permissions, reach, true, "");
  bool ended = false;
  const auto channel = broker::listen(
      loop, std::move(head.socket),
      [&](const broker::Message& message) {
        try {
          note(permissions, message);
        } catch (const std::exception&) {
          ended = true;  // the script itself will say what is wrong with it
        }
      },
      [&] { ended = true; });
  const auto limit = loop.after(kHead_s, [&] { ended = true; });
  loop.run_until([&] { return ended; });
  ::kill(head.pid, SIGKILL);
  reap(head.pid);
}

// What computes on is in a call that looks at no signal: the kernel ends it.
void limit_cpu(pid_t pid) {
  constexpr rlim_t kPatience_s = 10;  // to stop and to say what was found
  clockid_t clock{};
  timespec used{};
  if (::clock_getcpuclockid(pid, &clock) != 0 || ::clock_gettime(clock, &used) != 0) return;
  const rlim_t most = static_cast<rlim_t>(used.tv_sec) + kPatience_s;
  const rlimit limit{most, most};
  ::prlimit(pid, RLIMIT_CPU, &limit, nullptr);
}

// Signals that were meant for this process go to the boxed one, which stops the script. The second one does not wait.
void pass_on_signals(Loop& loop, pid_t pid) {
  constexpr double kPatience_s = 3;
  loop.on_stop_signal(
      [&loop, pid, seen = 0, timer = std::shared_ptr<void>()](int signal) mutable {
        ::kill(pid, signal);
        limit_cpu(pid);
        if (++seen < 2) return;
        process::kill_everything();
        timer = loop.after(kPatience_s, [pid] { ::kill(pid, SIGKILL); });
      },
      [](int) {});
}

// Devices and the like are its user's to give: the boxed engine may not say that they were typed.
void permit_typed(Permissions& permissions, const std::vector<std::string>& typed) {
  for (const container::Setting& setting : container::settings())
    if (setting.grants)
      for (const std::string& value : values_of(typed, setting.option, ""))
        permissions.grant(EffectKind::container, std::string(setting.option) + "=" + value, true);
}

// Whoever can write the log can also take lines out of it.
void check_audit_file(const Invocation& invocation, const box::Reach& reach) {
  if (invocation.line.audit_file.empty()) return;
  const std::string file = real_path(invocation.line.audit_file);
  for (const std::string& folder : reach.write)
    if (lies_in(file, real_path(folder)))
      throw Error(ErrorKind::usage,
                  "the script could change its own audit log: " + one_line(invocation.line.audit_file) + " is in " +
                      one_line(folder) + ", which the script may write",
                  "Name a file outside that folder with --audit.");
}

}  // namespace

std::optional<int> run_boxed(Loop& loop, Guard& guard, Permissions& permissions, const Invocation& invocation) {
  if (box::landlock_version() == 0) {
    permissions.ask_to_run_unboxed();
    return std::nullopt;
  }
  if (invocation.may_ask) {
    read_head(loop, permissions, invocation, reach_of_engine(permissions.permitted(), invocation));
    permissions.ask_ahead();
  }
  // The engine grants it to a script that traces, where it is installed; the broker decides for itself.
  try_to([&] { permissions.grant(EffectKind::process, trace::injection_library(), true); });
  permit_typed(permissions, invocation.line.rest);
  // For the boxed process alone: those of commands are made where no boxed one can put a link in their place.
  const TemporaryFolder temporary(fs::temp_directory_path() / "regengine-");
  if (!invocation.reads_only) make_new_files(permissions.permitted());
  box::Reach reach = reach_of_engine(permissions.permitted(), invocation);
  if (invocation.reads_only) {
    only_to_read(reach);
    // Readers of a store that is being written take part in its locks.
    std::copy_if(invocation.read.begin(), invocation.read.end(), std::back_inserter(reach.write),
                 [](const std::string& path) { return path.ends_with("-shm"); });
  }
  check_audit_file(invocation, reach);
  reach.write.push_back(temporary.path());
  permissions.grant(EffectKind::files, temporary.path(), true);  // traced programs write there
  Started engine = start(invocation, permissions, reach, false, temporary.path());
  process::leave_alone(engine.pid);
  pass_on_signals(loop, engine.pid);
  const auto broker_ended = broker::start_broker(
      loop, permissions,
      [&guard](const Effect& effect, std::string_view verdict, std::string_view by) {
        guard.audit(effect, verdict, by);
      },
      std::move(engine.socket), machine_ledger, invocation.outputs,
      [&](const std::string& output, std::string_view text) {
        output.empty() ? invocation.take(text) : write_file(output, text);
      });
  loop.run_until(broker_ended);
  const int status = reap(engine.pid);
  if (!WIFSIGNALED(status)) return WEXITSTATUS(status);
  if (WTERMSIG(status) == SIGVTALRM)
    throw Error(ErrorKind::permission, "the script was stopped in a call that computed beyond the limit",
                "Split the work, or raise the limit with --instructions N.");
  if (WTERMSIG(status) != SIGKILL)
    notify(fmt::format("regengine: signal {} ended the process that ran the script", WTERMSIG(status)));
  return 128 + WTERMSIG(status);
}

}  // namespace reg
