#include "engine/restore/guardian.h"

#include <dirent.h>
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
#include <csignal>
#include <memory>
#include <nlohmann/json.hpp>
#include <string_view>
#include <thread>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/packets.h"
#include "engine/base/text.h"

namespace reg::restore {
namespace {

using Json = nlohmann::json;

constexpr int kReplyTimeout_ms = 20'000;  // without driver persistence, opening the first session may take seconds
constexpr int kTries = 12;                // with pauses that double: more than a minute in all
constexpr auto kFirstPause = std::chrono::milliseconds(20);
constexpr const char* kMark = "REGENGINE_RUN=";

// At most one descriptor; -1 for none.
bool send(int socket, const std::string& text, int held) {
  return packets::send(socket, text, held < 0 ? std::vector<int>{} : std::vector<int>{held});
}

// --- detaching the guardian ------------------------------------------------------------------------------------------
// While this process is a subreaper, its orphans become its children. The guardian must not become one: whoever kills
// this process with all its descendants would kill the guardian too.
class NoReaper {
 public:
  NoReaper() {
    ::prctl(PR_GET_CHILD_SUBREAPER, &before_);
    ::prctl(PR_SET_CHILD_SUBREAPER, 0);
  }
  ~NoReaper() { ::prctl(PR_SET_CHILD_SUBREAPER, before_); }
  NoReaper(const NoReaper&) = delete;
  NoReaper& operator=(const NoReaper&) = delete;

 private:
  int before_ = 0;
};

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
  std::vector<int> others;
  {
    const std::unique_ptr<DIR, int (*)(DIR*)> folder(::opendir("/proc/self/fd"), ::closedir);
    while (const dirent* entry = folder ? ::readdir(folder.get()) : nullptr) {
      const int number = whole_number<int>(entry->d_name).value_or(-1);
      if (number > STDERR_FILENO && number != socket && number != journal) others.push_back(number);
    }
  }
  for (const int number : others) ::close(number);
  const int nothing = ::open("/dev/null", O_RDWR);
  for (const int standard : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) ::dup2(nothing, standard);
  if (nothing > STDERR_FILENO) ::close(nothing);
  [[maybe_unused]] const int ignored = ::chdir("/");  // the working folder must stay unmountable
}

// --- what the guardian has to restore --------------------------------------------------------------------------------
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

bool try_undo(const Undo& undo) {
  try {
    run_undo(undo);
    return true;
  } catch (const std::exception&) {
    return false;
  }
}

void undo_all(Pending& pending, Journal& journal) {
  auto pause = kFirstPause;
  for (int round = 0; round < kTries && !pending.empty(); ++round, pause *= 2) {
    if (round > 0) std::this_thread::sleep_for(pause);
    std::vector<EntryId> ids;
    for (const auto& [id, unused] : pending) ids.push_back(id);
    std::reverse(ids.begin(), ids.end());
    for (const EntryId id : ids) {
      if (!try_undo(pending[id].undo)) continue;
      pending.erase(id);
      journal.mark_undone(id);
    }
  }
  if (pending.empty()) journal.remove();
}

}  // namespace

Body this_program_again() {
  struct Environment {
    std::vector<std::string> texts;
    std::vector<char*> pointers;
  };
  const auto environment = std::make_shared<Environment>();
  for (char** variable = environ; *variable != nullptr; ++variable)
    if (!std::string_view(*variable).starts_with(kMark)) environment->texts.emplace_back(*variable);
  environment->texts.emplace_back("REGENGINE_GUARDIAN=1");  // an engine above this one must not end it as an orphan
  for (std::string& text : environment->texts) environment->pointers.push_back(text.data());
  environment->pointers.push_back(nullptr);
  return [environment](int socket, int journal, const std::string& path) {
    // Duplicated to high numbers first, since either descriptor may occupy the other's final number.
    const int from = ::fcntl(socket, F_DUPFD_CLOEXEC, 64), lines = ::fcntl(journal, F_DUPFD_CLOEXEC, 64);
    ::dup2(from, kGuardianSocket);
    ::dup2(lines, kGuardianJournal);
    const std::array<const char*, 4> argv{"regengine", "--guardian", path.c_str(), nullptr};
    ::execve("/proc/self/exe", const_cast<char* const*>(argv.data()), environment->pointers.data());
    ::_exit(127);
  };
}

bool started_as_guardian(const std::string& journal_path) {
  struct stat socket {
  }, open{}, named{};
  return ::fstat(kGuardianSocket, &socket) == 0 && S_ISSOCK(socket.st_mode) && ::fstat(kGuardianJournal, &open) == 0 &&
         ::stat(journal_path.c_str(), &named) == 0 && open.st_dev == named.st_dev && open.st_ino == named.st_ino;
}

Guardian::Guardian(const Body& body, const Journal& journal) {
  auto [ours, theirs] = packets::make_channel();
  socket_ = std::move(ours);
  const NoReaper no_reaper;
  const pid_t child = ::fork();
  if (child < 0) throw system_error("fork", errno);
  if (child == 0) {
    ::close(socket_.get());
    ::setsid();
    if (const pid_t guardian = ::fork(); guardian != 0) ::_exit(guardian < 0 ? 1 : 0);
    reset_signals();
    try {
      body(theirs.get(), journal.descriptor(), journal.path());
    } catch (const std::exception&) {
      ::_exit(1);  // never return into the engine's code
    }
    ::_exit(0);
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
}

void Guardian::announce(EntryId id, const Entry& entry, int held) {
  const Json message{{"did", id}, {"kind", entry.kind}, {"target", entry.target}, {"value", entry.value}};
  const std::string answer = ask(message.dump(), held);
  if (answer != "ok")
    throw Error(ErrorKind::unavailable, "not changed: cannot ensure that " + entry.target + " is restored: " + answer);
}

void Guardian::mark_undone(EntryId id) { ask(Json{{"undone", id}}.dump(), -1); }

std::string Guardian::ask(const std::string& message, int held) const {
  std::string gone = "the guardian process has exited";
  if (!send(socket_.get(), message, held)) return gone;
  pollfd answer{socket_.get(), POLLIN, 0};
  int ready = -1;
  do ready = ::poll(&answer, 1, kReplyTimeout_ms);
  while (ready < 0 && errno == EINTR);
  if (ready == 0) return "the guardian process does not respond";
  const auto received = packets::receive(socket_.get());
  return received ? received->text : gone;
}

void serve(Fd socket, Journal journal, const Kinds& kinds) {
  close_inherited(socket.get(), journal.descriptor());
  Pending pending;
  while (auto message = packets::receive(socket.get())) {
    const std::string answer = handle(pending, kinds, std::move(*message));
    send(socket.get(), answer, -1);
  }
  undo_all(pending, journal);
}

}  // namespace reg::restore
