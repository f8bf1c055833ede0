#include <elf.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <mutex>
#include <thread>
#include <tuple>
#include <utility>

#include "engine/base/error.h"
#include "engine/base/ids.h"
#include "engine/base/packets.h"
#include "engine/base/text.h"
#include "engine/guard/effect.h"
#include "engine/process/run.h"

namespace reg::process {
namespace {

// Of the calling process, or -1 with errno.
int open_counter(const Counted& counted) {
  perf_event_attr wanted{};
  wanted.size = sizeof wanted;
  wanted.type = counted.type;
  wanted.config = counted.config;
  wanted.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
  wanted.disabled = wanted.enable_on_exec = wanted.inherit = 1;
  wanted.exclude_kernel = wanted.exclude_hv = 1;
  return static_cast<int>(::syscall(SYS_perf_event_open, &wanted, 0, -1, -1, PERF_FLAG_FD_CLOEXEC));
}

// The number in the line "oom_kill N"; nullopt where there is none.
std::optional<std::int64_t> oom_kills_in(const std::string& path) {
  constexpr std::string_view key = "oom_kill ";
  const auto text = read_file_if_there(path);
  if (!text) return std::nullopt;
  for (const auto line : lines(*text))
    if (line.starts_with(key)) return whole_number<std::int64_t>(line.substr(key.size())).value_or(0);
  return std::nullopt;
}

}  // namespace

const Counted kInstructions{PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS};

void check_counter(const Counted& counted) {
  const Fd counter(open_counter(counted));
  if (counter.get() >= 0) return;
  if (errno == EACCES || errno == EPERM)
    throw Error(ErrorKind::unavailable, "this machine does not permit counting instructions",
                "Run: sudo sysctl kernel.perf_event_paranoid=2. A container must be allowed to call perf_event_open.");
  if (errno == ENOENT || errno == EOPNOTSUPP || errno == ENODEV || errno == ENOSYS)
    throw Error(ErrorKind::unavailable, "this machine has no instruction counter",
                "Virtual machines often have none. Use another metric, such as @cpu.");
  throw system_error("perf_event_open", errno);
}

Counter::Counter(const Counted& counted) : counted_(counted) { std::tie(ours_, childs_) = packets::make_channel(); }

bool Counter::open() const {
  const int counter = open_counter(counted_);
  return counter >= 0 && packets::send_file(childs_.get(), counter);
}

void Counter::receive() {
  auto message = packets::receive(ours_.get(), MSG_DONTWAIT);
  if (message && !message->files.empty()) counter_ = std::move(message->files.front());
}

std::optional<std::uint64_t> Counter::read() const {
  std::array<std::uint64_t, 3> values{};  // the count, and how long it was to count and did
  if (counter_.get() < 0 || ::read(counter_.get(), values.data(), sizeof values) != sizeof values) return std::nullopt;
  if (values[1] == 0 || values[2] < values[1]) return std::nullopt;
  return values[0];
}

std::optional<std::int64_t> oom_kills_beside(int pid) {
  const auto groups = read_file_if_there("/proc/" + std::to_string(pid) + "/cgroup");
  if (pid <= 0 || !groups) return std::nullopt;
  std::optional<std::int64_t> sum;
  for (const auto line : lines(*groups)) {  // "4:memory:/docker/abc" (version 1), "0::/docker/abc" (version 2)
    const auto parts = split(line, ':');
    if (parts.size() < 3) continue;
    const std::string group(line.substr(parts[0].size() + parts[1].size() + 2));
    std::optional<std::int64_t> count;
    if (parts[1] == "memory") count = oom_kills_in("/sys/fs/cgroup/memory" + group + "/memory.oom_control");
    if (parts[1].empty()) count = oom_kills_in("/sys/fs/cgroup" + group + "/memory.events");
    if (count) sum = sum.value_or(0) + *count;
  }
  return sum;
}

OomKills oom_kills() {
  if (const auto count = oom_kills_beside(::getpid())) return {*count, false};
  return {oom_kills_in("/proc/vmstat").value_or(0), true};
}

std::shared_ptr<const ExitTime> exit_time(Fd pidfd) {
  const auto ended = std::make_shared<ExitTime>();
  std::thread([ended, pidfd = std::move(pidfd)]() mutable {
    sigset_t all;  // signals are for the other threads
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_BLOCK, &all, nullptr);
    pollfd end{pidfd.get(), POLLIN, 0};
    while (::poll(&end, 1, -1) < 0 && errno == EINTR) {
    }
    const Clock::time_point now = Clock::now();
    ::close(pidfd.release());  // whoever sees the time finds no descriptor left
    *ended = now;
    ended->notify_all();
  }).detach();
  return ended;
}

// The file of a line of /proc/PID/maps that is mapped to be executed; "" for any other line:
// "7f2c00-7f2d00 r-xp 00001000 08:01 1234    /path/of/lib.so"
static std::string_view executed_file(std::string_view line) {
  const auto permissions = line.find(' ');
  const auto path = line.find('/');
  if (permissions == std::string_view::npos || path == std::string_view::npos) return {};
  if (line.substr(permissions + 1, 4).find('x') == std::string_view::npos) return {};
  return line.substr(path);
}

// The note is near the headers: the sizes of its name and of the id, its type, its name, and the id.
std::string build_id_of(const std::string& path) {
  constexpr std::size_t kSearched = std::size_t{64} << 10, kLongest = 64;
  constexpr std::string_view kSize("\4\0\0\0", 4), kNote("\3\0\0\0GNU\0", 8);
  const Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  const std::string start = file ? read_at(file.get(), 0, kSearched) : "";
  if (!start.starts_with(ELFMAG)) return {};
  for (auto at = start.find(kNote, 8); at != std::string::npos; at = start.find(kNote, at + 1)) {
    std::uint32_t size = 0;
    std::memcpy(&size, start.data() + at - 4, sizeof size);
    const std::string id = start.substr(at + kNote.size(), size);
    if (start.compare(at - 8, 4, kSize) == 0 && id.size() == size && size > 0 && size <= kLongest)
      return hex(reinterpret_cast<const unsigned char*>(id.data()), id.size());
  }
  return {};
}

// "" if the file is gone.
static std::string known_id_of(const std::string& path) {
  static std::mutex access;
  static std::map<std::array<std::int64_t, 5>, std::string> known;
  struct stat file {};
  if (::stat(path.c_str(), &file) != 0 || !S_ISREG(file.st_mode)) return {};
  const std::scoped_lock hold(access);
  // The same as long as nobody writes the file.
  std::string& id = known[{static_cast<std::int64_t>(file.st_dev), static_cast<std::int64_t>(file.st_ino), file.st_size,
                           file.st_mtim.tv_sec * 1'000'000'000 + file.st_mtim.tv_nsec,
                           file.st_ctim.tv_sec * 1'000'000'000 + file.st_ctim.tv_nsec}];
  if (id.empty()) id = build_id_of(path);
  if (id.empty()) try_to([&] { id = "sha256:" + sha256_of_file(path); });
  return id;
}

// Where the file lies that a command with these mounts sees at `path`.
static std::string behind_mounts(const std::map<std::string, std::string>& folders, const std::string& path) {
  for (const auto& [inside, folder] : folders)
    if (lies_in(path, inside)) return folder + path.substr(inside.size());
  return path;
}

Loaded::Loaded(const std::vector<std::string>& folders, const std::map<std::string, std::string>& mounts) {
  for (const auto& [inside, folder] : mounts) mounts_.emplace(real_path(inside), folder);
  for (const std::string& folder : folders) {
    const std::string path = real_path(folder);
    folders_.push_back(path == "/" ? path : path + "/");
  }
}

void Loaded::look_at(pid_t pid) {
  const auto maps = read_file_if_there(fmt::format("/proc/{}/maps", pid));
  if (!maps) return;
  for (const auto line : lines(*maps)) {
    const auto file = executed_file(line);
    if (std::ranges::any_of(folders_, [&](const std::string& folder) { return file.starts_with(folder); }))
      files_.emplace(file);
  }
}

std::map<std::string, std::string> Loaded::ids() const {
  std::map<std::string, std::string> ids;
  for (const std::string& file : files_)
    if (std::string id = known_id_of(behind_mounts(mounts_, file)); !id.empty()) ids.emplace(file, std::move(id));
  return ids;
}

// "" of a process that has ended, or is not ours to read.
static std::string program_of(pid_t pid) {
  std::error_code unreadable;
  std::string name = std::filesystem::read_symlink(fmt::format("/proc/{}/exe", pid), unreadable).filename().string();
  constexpr std::string_view gone = " (deleted)";
  if (name.ends_with(gone)) name.resize(name.size() - gone.size());
  return name;
}

// /proc/PID/task/TID/schedstat: "CPU-TIME TIME-ON-THE-RUN-QUEUE TURNS", in nanoseconds. A kernel without it tells none.
void Programs::add_times(pid_t pid, const std::string& name) {
  for (const pid_t thread : threads_of(pid)) {
    const auto text = read_file_if_there(fmt::format("/proc/{}/task/{}/schedstat", pid, thread)).value_or("");
    const auto fields = split(text, ' ');
    if (fields.size() < 3) continue;
    const auto cpu = whole_number<std::uint64_t>(fields[0]), delay = whole_number<std::uint64_t>(fields[1]);
    if (!cpu || !delay) continue;
    Thread& times = threads_[thread];
    times = {name, std::max(times.cpu_ns, *cpu), std::max(times.delay_ns, *delay)};
  }
}

void Programs::add_variables(const std::string& name, Variables variables) {
  auto& common = variables_[name];
  if (variables.empty()) return;
  if (!common) common = variables;
  std::erase_if(*common, [&](const auto& variable) {
    const auto other = variables.find(variable.first);
    return other != variables.end() && other->second != variable.second;
  });
}

void Programs::look_at(pid_t pid) {
  const std::string now = program_of(pid);
  if (!now.empty()) {
    Variables variables = variables_of(pid);
    if (program_of(pid) != now) return;  // an exec in between: the next look sees what came of it
    add_variables(now, std::move(variables));
    names_[pid] = now;
  }
  if (const auto known = names_.find(pid); known != names_.end()) add_times(pid, known->second);
}

std::vector<Program> Programs::seen() const {
  std::map<std::string, Program> by_name;
  for (const auto& [name, common] : variables_) by_name[name] = {name, 0, 0, common};
  for (const auto& [thread, times] : threads_) {
    Program& program = by_name[times.program];
    program.cpu_s += static_cast<double>(times.cpu_ns) * 1e-9;
    program.cpu_delay_s += static_cast<double>(times.delay_ns) * 1e-9;
  }
  std::vector<Program> list;
  for (auto& [name, program] : by_name) list.push_back(std::move(program));
  std::stable_sort(list.begin(), list.end(), [](const Program& a, const Program& b) { return a.cpu_s > b.cpu_s; });
  return list;
}

}  // namespace reg::process
