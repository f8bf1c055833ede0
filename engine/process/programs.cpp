#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "engine/base/file.h"
#include "engine/base/text.h"
#include "engine/process/command.h"
#include "engine/process/tree.h"

namespace reg::process {
namespace {

// "" of a process that has ended, or is not ours to read.
std::string program_of(pid_t pid) {
  std::error_code unreadable;
  std::string name = std::filesystem::read_symlink(fmt::format("/proc/{}/exe", pid), unreadable).filename().string();
  constexpr std::string_view gone = " (deleted)";
  if (name.ends_with(gone)) name.resize(name.size() - gone.size());
  return name;
}

std::map<std::string, std::string> variables_of(pid_t pid) {
  std::map<std::string, std::string> found;
  const auto text = read_file_if_there(fmt::format("/proc/{}/environ", pid)).value_or("");
  for (const auto variable : split(text, '\0')) {
    const auto equals = variable.find('=');
    if (equals != std::string_view::npos && equals > 0)
      found.emplace(variable.substr(0, equals), variable.substr(equals + 1));
  }
  return found;
}

}  // namespace

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
