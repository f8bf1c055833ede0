#include "engine/gpu/lease.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <pwd.h>
#include <sched.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "engine/base/text.h"
#include "engine/base/time.h"
#include "engine/gpu/elsewhere.h"
#include "engine/machine/paths.h"

namespace reg::gpu {
namespace {

constexpr double kPeriod_s = 0.1;
constexpr int kTries = 10;
constexpr useconds_t kPause_us = 1000;

std::vector<std::string> indexes_of(const std::vector<Part>& parts) {
  std::vector<std::string> indexes;
  for (const Part& part : parts) indexes.push_back(part.index);
  return indexes;
}

// "0, 1 NVIDIA H100; 2 NVIDIA A100", one part for each model.
std::vector<std::string> models_of(const std::vector<Part>& parts) {
  std::map<std::string, std::vector<std::string>> by_name;
  for (const Part& part : parts) by_name[part.name].push_back(part.index);
  std::vector<std::string> models;
  for (const auto& [name, gpus] : by_name) models.push_back(fmt::format("{} {}", join(gpus, ", "), name));
  return models;
}

// Without those that this process may not use, as in a container that has a part of the machine.
std::vector<int> usable_cpus_near(const Device& device) {
  std::vector<int> cpus = machine::cpus_near(machine::this_machine(), device.pci());
  cpu_set_t own;
  CPU_ZERO(&own);
  if (::sched_getaffinity(0, sizeof own, &own) != 0) return cpus;
  std::erase_if(cpus, [&](int cpu) { return !CPU_ISSET(cpu, &own); });
  return cpus;
}

// Of the process; "" if it is gone.
std::string user_of(pid_t pid) {
  struct stat found {};
  if (::stat(fmt::format("/proc/{}", pid).c_str(), &found) != 0) return {};
  std::array<char, 4096> room{};
  struct passwd entry {
  }, *known = nullptr;
  if (::getpwuid_r(found.st_uid, &entry, room.data(), room.size(), &known) != 0 || known == nullptr)
    return fmt::to_string(found.st_uid);
  return known->pw_name;
}

// The GPUs of a pool that others have, by their pid; 0 if that is unknown.
using Holders = std::map<pid_t, std::vector<std::string>>;

std::string describe(pid_t pid, const std::string& gpus) {
  if (pid == ::getpid()) return "this regengine uses " + gpus;
  if (pid == 0) return "another regengine uses " + gpus;
  const std::string user = user_of(pid);
  return fmt::format("regengine, pid {}{}, uses {}", pid, user.empty() ? "" : " of user " + user, gpus);
}

std::string describe(const LeaseRequest& request, const Holders& holders) {
  std::vector<std::string> words;
  for (const auto& [pid, gpus] : holders) words.push_back(describe(pid, title_of(gpus)));
  const std::vector<std::string> pool = indexes_of(request.pool);
  const std::string wanted = request.count == pool.size() ? title_of(pool)
                             : request.count == 1         ? "a free GPU of " + join(pool, ", ")
                                                  : fmt::format("{} free GPUs of {}", request.count, join(pool, ", "));
  return fmt::format("{}: {}", wanted, join(words, "; "));
}

// Once for the same GPUs and holders, however many trials wait for them, and however often.
void say_waiting(const LeaseRequest& request, const Holders& holders) {
  static std::set<std::vector<std::string>> said;
  std::vector<std::string> about{fmt::to_string(request.count)};
  for (const Part& part : request.pool) about.push_back(part.uuid);
  for (const auto& [pid, gpus] : holders) about.push_back(fmt::to_string(pid));
  if (said.insert(about).second) notify("waiting for " + describe(request, holders));
}

LockFile open_lock(const Part& part, const char* kind) {
  LockFile lock = LockFile::open(part.uuid + kind);
  if (!lock)
    throw Error(ErrorKind::permission, "cannot lease GPU " + part.index + ": no access to " + lock.path(),
                "Make it writable for all users: chmod 0666 " + lock.path());
  return lock;
}

constexpr const char* kWait = "-wait";

// A process that holds these waits for the GPUs. Without them a second user would wait for the end of the whole
// investigation of the first, whose next trial begins a moment after the one before.
std::vector<LockFile> marks_of_a_wait(const std::vector<Part>& pool) {
  std::vector<LockFile> marks;
  for (const Part& part : pool) {
    marks.push_back(open_lock(part, kWait));
    for (int i = 0; i < kTries && !marks.back().share(); ++i) ::usleep(kPause_us);  // somebody looks: for a moment
  }
  return marks;
}

bool anybody_waits(const std::vector<Part>& pool) {
  return std::any_of(pool.begin(), pool.end(), [](const Part& part) { return !open_lock(part, kWait).take(); });
}

// As many GPUs of a pool as a lease needs, and their locks.
struct Taken {
  std::vector<Part> parts;
  std::vector<LockFile> locks;
};

// nullptr where too few are free; then `holders` has the others.
std::shared_ptr<Taken> take(const LeaseRequest& request, Holders& holders) {
  auto taken = std::make_shared<Taken>();
  for (const Part& part : request.pool) {
    LockFile lock = open_lock(part, "-lease");
    if (!lock.take()) {
      holders[lock.holder()].push_back(part.index);
      continue;
    }
    taken->parts.push_back(part);
    taken->locks.push_back(std::move(lock));
    if (taken->parts.size() == request.count) return taken;
  }
  return nullptr;
}

// Another user may create the file between two attempts, and it is open to all only a moment later.
constexpr int kOpenings = 100;
constexpr useconds_t kBetween_us = 1000;

// The same folder for every user, so it is chosen by its mode and not by who asks: some systems let only root write to
// /run/lock.
const char* folder() {
  struct stat found {};
  constexpr mode_t kShared = S_ISVTX | S_IWOTH;
  const bool shared =
      ::stat("/run/lock", &found) == 0 && S_ISDIR(found.st_mode) && (found.st_mode & kShared) == kShared;
  return shared ? "/run/lock" : "/tmp";
}

// In a world-writable folder the kernel lets only the owner open an existing file with O_CREAT, hence two attempts.
Fd open_or_create(const std::string& path) {
  Fd existing(::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  if (existing || errno != ENOENT) return existing;
  Fd created(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666));
  if (created) static_cast<void>(::fchmod(created.get(), 0666));  // whatever the umask
  return created;
}

}  // namespace

std::string title_of(const std::vector<std::string>& indexes) { return "GPU " + join(indexes, ", "); }

std::string title_of(const std::vector<Part>& gpus) { return title_of(indexes_of(gpus)); }

void check_request(const LeaseRequest& request) {
  const std::size_t there = request.pool.size();
  if (request.count < 1 || request.count > there)
    throw Error(ErrorKind::usage,
                fmt::format("cannot lease {} of {} GPU{}: {}", request.count, there, there == 1 ? "" : "s",
                            join(indexes_of(request.pool), ", ")),
                fmt::format("Choose from 1 to {}.", there));
  const std::vector<std::string> models = models_of(request.pool);
  if (models.size() > 1 && request.count < there)
    throw Error(ErrorKind::usage, "GPUs of different models: " + join(models, "; "), "Choose GPUs of one model.");
}

Lease::Lease(const std::vector<Part>& parts, double waited_s, std::shared_ptr<void> held)
    : waited_s_(waited_s), held_(std::move(held)) {
  for (const Part& part : parts) gpus_.push_back({part, usable_cpus_near(part.device)});
}

std::shared_ptr<Lease> Lease::pretend(const LeaseRequest& request) {
  const auto end = request.pool.begin() + static_cast<std::ptrdiff_t>(request.count);
  return std::make_shared<Lease>(std::vector<Part>(request.pool.begin(), end), 0, nullptr);
}

std::vector<int> Lease::cpus() const {
  std::set<int> all;
  for (const Gpu& gpu : gpus_) all.insert(gpu.cpus.begin(), gpu.cpus.end());
  return {all.begin(), all.end()};
}

Op<std::shared_ptr<Lease>> lease(Loop& loop, LeaseRequest request, std::optional<double> patience_s) {
  check_request(request);
  if (elsewhere()) {
    Elsewhere::Uuids pool;
    for (const Part& part : request.pool) pool.push_back(part.uuid);
    const Op<Elsewhere::Leased> asked = elsewhere()->lease(pool, request.count, patience_s);
    const Elsewhere::Leased leased = co_await asked;
    std::vector<Part> parts;
    for (const Part& part : request.pool)
      if (std::find(leased.uuids.begin(), leased.uuids.end(), part.uuid) != leased.uuids.end()) parts.push_back(part);
    co_return std::make_shared<Lease>(parts, leased.waited_s, leased.held);
  }
  const double start = seconds_now();
  const bool at_once = patience_s && *patience_s <= 0;
  if (!at_once && anybody_waits(request.pool)) co_await sleep(loop, 2 * kPeriod_s);
  std::vector<LockFile> waiting;
  for (;;) {
    Holders holders;
    if (auto taken = take(request, holders))
      co_return std::make_shared<Lease>(taken->parts, waiting.empty() ? 0 : seconds_now() - start, taken);
    if (patience_s && seconds_now() - start >= *patience_s)
      throw Error(ErrorKind::conflict, "cannot lease " + describe(request, holders),
                  "Wait until it ends, or choose other GPUs.");
    say_waiting(request, holders);
    if (waiting.empty()) waiting = marks_of_a_wait(request.pool);
    co_await sleep(loop, kPeriod_s);
  }
}

LockFile LockFile::open(const std::string& name) {
  LockFile file;
  file.path_ = fmt::format("{}/regengine-{}.lock", folder(), name);
  for (int i = 0; i < kOpenings && !file.file_; ++i) {
    if (i > 0) ::usleep(kBetween_us);
    file.file_ = open_or_create(file.path_);
    if (!file.file_ && errno != EACCES && errno != ENOENT) break;
  }
  struct stat found {};
  const bool plain = file.file_ ? ::fstat(file.file_.get(), &found) == 0 && S_ISREG(found.st_mode) && found.st_nlink < 2
                                : errno != ELOOP;
  // The pid would be written over what a link leads to.
  if (!plain)
    throw Error(ErrorKind::permission, "not a plain file: " + file.path_,
                "Find out who made it (ls -l), and remove it.");
  return file;
}

bool LockFile::lock(int how) {
  while (::flock(file_.get(), how | LOCK_NB) == 0) {
    // The file may have been removed, and another one made, after it was opened.
    if (is_at(file_.get(), path_)) return true;
    file_ = open_or_create(path_);
    if (!file_) throw system_error(path_, errno);
  }
  return false;
}

bool LockFile::take() {
  if (!lock(LOCK_EX)) return false;
  const std::string own = fmt::format("{}\n", ::getpid());
  // For messages only, so it may fail: a full disk does not stop a measurement.
  [[maybe_unused]] const bool written =
      ::ftruncate(file_.get(), 0) == 0 && ::pwrite(file_.get(), own.data(), own.size(), 0) > 0;
  return true;
}

pid_t LockFile::holder() const { return std::max<pid_t>(whole_number<pid_t>(machine::value_of(path_)).value_or(0), 0); }

}  // namespace reg::gpu
