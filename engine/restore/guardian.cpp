#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <climits>
#include <csignal>
#include <nlohmann/json.hpp>
#include <string_view>
#include <thread>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/packets.h"
#include "engine/restore/ledger.h"

namespace reg::restore {
namespace {

using Json = nlohmann::json;

constexpr int kReplyTimeout_ms = 20'000;  // without driver persistence, opening the first session may take seconds
constexpr int kTries = 12;                // with pauses that double: more than a minute in all
constexpr auto kFirstPause = std::chrono::milliseconds(20);
constexpr std::string_view kMark = "REGENGINE_RUN=";
constexpr long kCloseRange = 436;  // glibc has had it since 2.34

// Runs between fork and exec: only async-signal-safe calls.
void reset_signals() {
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE}) ::signal(number, SIG_IGN);
  ::signal(SIGCHLD, SIG_DFL);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
}

// A reader of the engine's output must see its end when the engine exits, not when the guardian does.
void close_inherited(int socket, int journal) {
  const auto [low, high] = std::minmax({socket, journal});
  for (const auto& [first, last] :
       {std::pair{STDERR_FILENO + 1, low - 1}, std::pair{low + 1, high - 1}, std::pair{high + 1, INT_MAX}})
    if (first <= last) ::syscall(kCloseRange, first, last, 0);
  const Fd nothing(::open("/dev/null", O_RDWR | O_CLOEXEC));
  for (const int standard : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) ::dup2(nothing.get(), standard);
  [[maybe_unused]] const int ignored = ::chdir("/");  // the working folder must stay unmountable
}

using Pending = std::map<EntryId, PendingUndo>;

std::string handle(Pending& pending, const Kinds& kinds, packets::Message message) {
  try {
    const Json json = Json::parse(message.text);
    if (json.contains("undone")) {
      pending.erase(json.at("undone").get<EntryId>());
      return "ok";
    }
    const Entry entry{json.at("kind"), json.at("target"), json.at("value")};
    pending[json.at("did").get<EntryId>()] = {prepare(kinds, entry),
                                              message.files.empty() ? Fd() : std::move(message.files[0])};
    return "ok";
  } catch (const std::exception& error) {
    return error.what();
  }
}

void undo_all(Pending& pending, const Journal& journal) {
  auto pause = kFirstPause;
  for (int round = 0; round < kTries && !pending.empty(); ++round, pause *= 2) {
    if (round > 0) std::this_thread::sleep_for(pause);
    for (auto at = pending.end(); at != pending.begin();) {
      --at;
      try {
        run_undo(at->second.undo);
      } catch (const std::exception&) {
        continue;
      }
      journal.mark_undone(at->first);
      at = pending.erase(at);
    }
  }
  if (pending.empty()) journal.remove();
}

}  // namespace

Body this_program_again() {
  // An engine above this one must not end it as an orphan.
  std::vector<const char*> environment{"REGENGINE_GUARDIAN=1"};
  for (char** variable = environ; *variable != nullptr; ++variable)
    if (!std::string_view(*variable).starts_with(kMark)) environment.push_back(*variable);
  environment.push_back(nullptr);
  return [environment](int socket, int journal, const std::string& path) {
    // Duplicated to high numbers first, since either descriptor may occupy the other's final number.
    const int from = ::fcntl(socket, F_DUPFD_CLOEXEC, 64), lines = ::fcntl(journal, F_DUPFD_CLOEXEC, 64);
    ::dup2(from, kGuardianSocket);
    ::dup2(lines, kGuardianJournal);
    const std::array<const char*, 4> argv{"regengine", "--guardian", path.c_str(), nullptr};
    ::execve("/proc/self/exe", const_cast<char* const*>(argv.data()), const_cast<char* const*>(environment.data()));
    ::_exit(127);
  };
}

bool started_as_guardian(const std::string& journal_path) {
  struct stat socket {};
  return ::fstat(kGuardianSocket, &socket) == 0 && S_ISSOCK(socket.st_mode) && is_at(kGuardianJournal, journal_path);
}

Fd start_guardian(const Body& body, const Journal& journal) {
  auto [ours, theirs] = packets::make_channel();
  // While this process is a subreaper, its orphans become its children. The guardian must not become one: whoever kills
  // this process with all its descendants would kill the guardian too.
  int reaper = 0;
  ::prctl(PR_GET_CHILD_SUBREAPER, &reaper);
  ::prctl(PR_SET_CHILD_SUBREAPER, 0);
  const pid_t child = ::fork();
  if (child == 0) {
    ::close(ours.get());
    ::setsid();
    if (const pid_t guardian = ::fork(); guardian != 0) ::_exit(guardian < 0 ? 1 : 0);
    reset_signals();
    try {
      body(theirs.get(), journal.file.get(), journal.path);
    } catch (const std::exception&) {
      ::_exit(1);  // never return into the engine's code
    }
    ::_exit(0);
  }
  const int code = errno;
  while (child > 0 && ::waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
  }
  ::prctl(PR_SET_CHILD_SUBREAPER, reaper);
  if (child < 0) throw system_error("fork", code);
  return std::move(ours);
}

std::string tell_guardian(const Fd& guardian, const std::string& line, int held) {
  std::string gone = "the guardian process has exited";
  if (!packets::send(guardian.get(), line, held < 0 ? std::vector<int>{} : std::vector<int>{held})) return gone;
  pollfd answer{guardian.get(), POLLIN, 0};
  int ready = -1;
  do ready = ::poll(&answer, 1, kReplyTimeout_ms);
  while (ready < 0 && errno == EINTR);
  if (ready == 0) return "the guardian process does not respond";
  const auto received = packets::receive(guardian.get());
  return received ? received->text : gone;
}

void serve(Fd socket, const Journal& journal, const Kinds& kinds) {
  close_inherited(socket.get(), journal.file.get());
  Pending pending;
  while (auto message = packets::receive(socket.get()))
    packets::send(socket.get(), handle(pending, kinds, std::move(*message)));
  undo_all(pending, journal);
}

}  // namespace reg::restore
