#include <sched.h>

#include "engine/process/command.h"
#include "engine/process/run.h"
#include "tests/support/unit.h"

// What is seen of a command's processes while it runs: what they load, and which programs they are.

using process::build_id_of;
using process::Command;
using process::Outcome;
using process::Program;

namespace fs = std::filesystem;

namespace {

// A copy of a program of this machine; its path.
std::string copy_of(const std::string& program, const std::string& to) {
  fs::copy_file(find_in_folders(process::own_path(), program), to);
  return fs::canonical(to);
}

Outcome outcome_of(const std::string& line, const std::function<void(Command&)>& set) {
  Loop loop;
  Command command;
  command.argv = {"/bin/sh", "-c", line};
  set(command);
  return wait_for(loop, process::run(loop, command));
}

// What a shell line loaded from a folder, by path.
std::map<std::string, std::string> loaded_by(const std::string& line, const std::string& folder) {
  return outcome_of(line, [&](Command& command) { command.loaded_below = {folder}; }).loaded;
}

std::vector<Program> programs_of(const std::string& line, const std::vector<int>& cpus = {}) {
  return outcome_of(line, [&](Command& command) { command.on_cpus = cpus, command.programs = true; }).programs;
}

const Program* find(const std::vector<Program>& programs, const std::string& name) {
  const auto found =
      std::find_if(programs.begin(), programs.end(), [&](const Program& one) { return one.name == name; });
  return found == programs.end() ? nullptr : &*found;
}

// With ever longer times in place of TIME until something is seen: a slow machine only takes longer.
template <class See>
auto seen(const std::string& line, See see) {
  for (double time = 0.1;; time *= 2) {
    std::string timed = line;
    for (auto at = timed.find("TIME"); at != std::string::npos; at = timed.find("TIME"))
      timed.replace(at, 4, std::to_string(time));
    if (auto found = see(timed); !found.empty()) return found;
  }
}

std::map<std::string, std::string> seen_loaded(const std::string& line, const std::string& folder) {
  return seen(line, [&](const std::string& timed) { return loaded_by(timed, folder); });
}

// What `sleep` was seen to run with.
Program seen_sleep(const std::string& line) {
  return seen(line, [](const std::string& timed) {
    const auto programs = programs_of(timed);
    const Program* sleep = find(programs, "sleep");
    return sleep == nullptr ? std::vector<Program>{} : std::vector{*sleep};
  })[0];
}

// The shell, which `sh` is a link to.
std::string shell() { return fs::canonical("/bin/sh").filename().string(); }

const std::string kSpin = "i=0; while [ $i -lt 300000 ]; do i=$((i + 1)); done; ";

}  // namespace

TEST_CASE("process: what a command and its children load from below a folder is noted with its build-id") {
  const TempFolder folder;
  fs::create_directory(folder / "tree");
  const std::string sleep = copy_of("sleep", folder / "tree/sleep");
  const std::string other = copy_of("sleep", folder / "other");
  const std::string tree = folder / "tree";
  const auto seen = seen_loaded(sleep + " TIME; " + other + " TIME", tree);
  REQUIRE(seen.size() == 1);
  CHECK(seen.begin()->first == sleep);
  const std::string id = build_id_of(sleep);
  CHECK(seen.begin()->second == (id.empty() ? "sha256:" + hash_of_path(sleep) : id));
  CHECK(loaded_by("sleep 0.1", tree).empty());

  // Without the note its contents stand for it; once they change, so does the id.
  std::string bytes = read_file(sleep);
  const std::string gnu("GNU\0", 4);
  for (std::size_t at = bytes.find(gnu); at != std::string::npos; at = bytes.find(gnu, at)) bytes[at] = 'X';
  write_file(sleep, bytes, 0755);
  const auto hashed = seen_loaded("(exec " + sleep + " TIME)", tree);
  REQUIRE(hashed.size() == 1);
  CHECK(hashed.begin()->second == "sha256:" + hash_of_path(sleep));
  write_file(sleep, bytes + "more", 0755);
  CHECK(seen_loaded("exec " + sleep + " TIME", tree) != hashed);
}

TEST_CASE("process: a program that is removed while it runs, and one behind a symbolic link") {
  const TempFolder folder;
  fs::create_directory(folder / "tree");
  const std::string sleep = copy_of("sleep", folder / "tree/sleep");
  fs::create_directory_symlink(folder / "tree", folder / "link");
  CHECK(seen_loaded(folder / "link/sleep TIME", folder / "link").count(sleep) == 1);
  CHECK(loaded_by("cd " + (folder / "tree") + "; ./sleep 0.3 & sleep 0.1; rm sleep; wait", folder / "tree").empty());
}

TEST_CASE("programs: a program has the variables that a script around it sets, and where processes agree on them") {
  const Program program = seen_sleep("export WITHIN=script; BEFORE=1 sleep TIME; :");
  CHECK(program.variables->at("WITHIN") == "script");
  CHECK(program.variables->at("BEFORE") == "1");
  CHECK(program.cpu_s >= 0);
  CHECK(seen_sleep("RANK=0 SAME=x sleep TIME & RANK=1 SAME=x sleep TIME; wait").variables->count("SAME") == 1);
  // Both of them were there at each look but perhaps the first.
  for (int i = 0; i < 5 && seen_sleep("RANK=0 sleep TIME & RANK=1 sleep TIME; wait").variables->count("RANK") == 1; ++i)
    REQUIRE(i < 4);
  // Without variables they are not known: a process has none for a moment while it begins a program.
  CHECK_FALSE(seen_sleep("env -i /bin/sleep TIME; :").variables);
}

TEST_CASE("programs: the one with the most CPU time comes first, and none is seen unless they are asked for") {
  std::vector<Program> programs;
  for (double time = 0.1; programs.size() < 2; time *= 2)
    programs = programs_of(kSpin + "sleep " + std::to_string(time) + "; :");
  CHECK(programs.front().name == shell());
  CHECK(programs.front().cpu_s > programs.back().cpu_s);
  CHECK(outcome_of("sleep 0.05; :", [](Command& command) { command.loaded_below = {"/"}; }).programs.empty());
}

TEST_CASE("programs: time in which it waits for a CPU that another has") {
  // Three of them share a CPU: each waits about twice as long as it computes. Other load only adds to that.
  cpu_set_t allowed;
  REQUIRE(::sched_getaffinity(0, sizeof allowed, &allowed) == 0);
  int cpu = 0;
  while (!CPU_ISSET(cpu, &allowed)) ++cpu;
  const std::string busy = "( " + kSpin + ") & ";
  const auto programs = programs_of(busy + busy + busy + "wait", {cpu});
  const Program* program = find(programs, shell());
  REQUIRE(program != nullptr);
  CHECK(program->cpu_delay_s > 0.7 * program->cpu_s);
}

TEST_CASE("programs: a command tells its own times to its end") {
  const Outcome outcome = outcome_of(kSpin + kSpin, [](Command& command) { command.programs = true; });
  const Program* program = find(outcome.programs, shell());
  REQUIRE(program != nullptr);
  CHECK(program->cpu_s > 0.95 * (outcome.user_s + outcome.sys_s));
}
