#include <dirent.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <utility>

#include "engine/base/ids.h"
#include "engine/base/text.h"
#include "engine/process/run.h"

namespace reg::process {
namespace {

// Of the loop's thread alone.
std::set<Tree*> running;
std::set<pid_t> running_leaders;

// Children of this process that are nobody's leftovers: those it had before its first command, and what a command left
// behind on purpose.
std::set<pid_t> spared;

// The ids that are names in a folder of /proc.
std::vector<pid_t> ids_in(const std::string& folder) {
  std::vector<pid_t> ids;
  const std::unique_ptr<DIR, int (*)(DIR*)> open(opendir(folder.c_str()), closedir);
  while (const dirent* entry = open ? readdir(open.get()) : nullptr)
    if (const auto id = whole_number<pid_t>(entry->d_name)) ids.push_back(*id);
  return ids;
}

// Every process that this one can see.
std::vector<pid_t> all_pids() { return ids_in("/proc"); }

std::string namespace_of(pid_t pid) {
  std::error_code unreadable;
  return std::filesystem::read_symlink(fmt::format("/proc/{}/ns/pid", pid), unreadable).string();
}

struct Status {
  char state;
  pid_t parent;
  pid_t session;
};

std::optional<Status> status_of(pid_t pid) {
  const auto fields = stat_of(std::to_string(pid));
  if (fields.size() < 4) return std::nullopt;
  return Status{fields[0].empty() ? '?' : fields[0][0], whole_number<pid_t>(fields[1]).value_or(0),
                whole_number<pid_t>(fields[3]).value_or(0)};
}

std::string mark_of(pid_t pid) { return variable_of(pid, "REGENGINE_RUN"); }

// Orphans of commands that were reparented to us are nobody else's to wait for.
void reap(pid_t pid) {
  if (::waitpid(pid, nullptr, WNOHANG) == pid) spared.erase(pid);
}

template <class List, class Which>
void kill_until_gone(List list, Which which) {
  constexpr int kRounds = 50;  // a process may fork while the others are being ended
  bool found = true;
  for (int round = 0; found && round < kRounds; ++round) {
    if (round > 0) ::usleep(1000);
    found = false;
    for (const pid_t pid : list())
      if (which(pid) && ::kill(pid, SIGKILL) == 0) found = true;
  }
}

// The children that one thread started. nullopt where the kernel does not list children.
std::optional<std::vector<pid_t>> children_of(pid_t pid, pid_t thread) {
  const auto text = read_file_if_there(fmt::format("/proc/{}/task/{}/children", pid, thread));
  if (!text) return std::nullopt;
  std::vector<pid_t> children;
  for (const auto word : split(*text, ' '))
    if (const auto child = whole_number<pid_t>(word)) children.push_back(*child);
  return children;
}

bool sandboxed_was_started = false;

// Unlike its environment, a process cannot change that back.
bool gave_up_privileges(pid_t pid) {
  const auto status = read_file_if_there(fmt::format("/proc/{}/status", pid));
  return !status || status->find("\nNoNewPrivs:\t0\n") == std::string::npos;
}

// Of an engine that ran below a command of this one.
bool is_guardian(pid_t pid) {
  return !variable_of(pid, "REGENGINE_GUARDIAN").empty() && !(sandboxed_was_started && gave_up_privileges(pid));
}

bool is_adopted(pid_t pid) { return running_leaders.count(pid) == 0 && spared.count(pid) == 0 && !is_guardian(pid); }

// Orphans of commands that are children of this process now. nullopt where the kernel does not list children.
std::optional<std::vector<pid_t>> adopted_children() {
  auto adopted = children_of(getpid(), getpid());
  if (adopted) std::erase_if(*adopted, [](pid_t pid) { return !is_adopted(pid); });
  return adopted;
}

void spare_adopted() {
  for (const pid_t pid : adopted_children().value_or(std::vector<pid_t>()))
    if (mark_of(pid).empty()) spared.insert(pid);
}

}  // namespace

Tree::Tree(pid_t leader, std::string mark) : leader_(leader), mark_(std::move(mark)) {
  running.insert(this);
  running_leaders.insert(leader);
}

Tree::~Tree() {
  if (mark_.empty()) spare_adopted();
  running.erase(this);
  running_leaders.erase(leader_);
}

std::vector<pid_t> Tree::members() const {
  std::set<pid_t> found{leader_};
  // Which of several commands an orphan without a mark comes from cannot be told: the last of them to end takes it. As
  // process 1 this engine has everybody's orphans.
  const bool has_orphans = !mark_.empty() && running.size() == 1 && getpid() != 1;
  std::vector<std::pair<pid_t, pid_t>> parents;
  for (const pid_t pid : all_pids()) {
    const auto status = status_of(pid);
    if (!status || pid == getpid()) continue;
    if (status->state == 'Z') {
      if (status->parent == getpid() && running_leaders.count(pid) == 0) reap(pid);
      continue;
    }
    parents.emplace_back(pid, status->parent);
    const bool orphan = has_orphans && status->parent == getpid() && is_adopted(pid);
    if (orphan || status->session == leader_ || (!mark_.empty() && mark_of(pid) == mark_)) found.insert(pid);
  }
  // A child that cleared its environment still has a parent.
  for (bool grew = true; grew;) {
    grew = false;
    for (const auto& [pid, parent] : parents)
      if (found.count(parent) != 0 && found.insert(pid).second) grew = true;
  }
  return {found.begin(), found.end()};
}

std::vector<pid_t> Tree::descendants() const {
  std::vector<pid_t> found{leader_};
  for (std::size_t i = 0; i < found.size(); ++i)
    for (const pid_t thread : threads_of(found[i]))
      if (const auto children = children_of(found[i], thread))
        found.insert(found.end(), children->begin(), children->end());
  return found;
}

void Tree::signal(int number) const {
  for (const pid_t pid : members()) ::kill(pid, number);
}

// Whatever a command leaves behind hangs on a chain of parents whose top came back to us when the leader died.
bool Tree::may_have_leftovers() const {
  if (::kill(-leader_, 0) == 0) return true;
  const auto adopted = adopted_children();
  return !adopted || !adopted->empty();
}

void Tree::end_leftovers() const {
  kill_until_gone([this] { return may_have_leftovers() ? members() : std::vector<pid_t>(); },
                  [this](pid_t pid) { return pid != leader_; });
}

std::vector<pid_t> pids_inside(pid_t pid) {
  const std::string inside = namespace_of(pid);
  if (inside.empty() || inside == namespace_of(::getpid())) return {};
  std::vector<pid_t> found = all_pids();
  std::erase_if(found, [&](pid_t one) { return namespace_of(one) != inside; });
  return found;
}

std::vector<pid_t> threads_of(pid_t pid) { return ids_in(fmt::format("/proc/{}/task", pid)); }

std::string next_mark() {
  static int count = 0;
  return fmt::format("{}/{}", engine_id(), ++count);
}

// Those of dead engines.
static void end_orphans() {
  std::set<pid_t> ours;  // this engine may itself run below a command of a dead one
  for (pid_t pid = getpid(); pid > 1 && ours.insert(pid).second;) {
    const auto status = status_of(pid);
    pid = status ? status->parent : 0;
  }
  const auto orphan = [&](pid_t pid) {
    if (ours.count(pid) != 0) return false;
    const std::string mark = mark_of(pid);
    return !mark.empty() && !engine_alive(mark.substr(0, mark.find('/')));
  };
  kill_until_gone(all_pids, orphan);
}

void adopt_orphans() {
  static bool first = true;
  if (first) spare_adopted();
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  if (std::exchange(first, false)) end_orphans();
}

void expect_sandboxed() { sandboxed_was_started = true; }

void leave_alone(pid_t child) { running_leaders.insert(child); }

void kill_everything() {
  for (const Tree* tree : running) tree->signal(SIGKILL);
}

std::vector<pid_t> orphans_alone() {
  std::vector<pid_t> found;
  for (const pid_t pid : all_pids()) {
    const auto status = status_of(pid);
    if (!status || status->state == 'Z' || status->session != pid) continue;  // what it left behind has its environment
    const std::string engine = variable_of(pid, "REGENGINE_CLIENT");
    if (!engine.empty() && !engine_alive(engine)) found.push_back(pid);
  }
  return found;
}

}  // namespace reg::process
