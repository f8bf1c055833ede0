#include <sched.h>

#include <algorithm>
#include <filesystem>

#include "engine/base/file.h"
#include "engine/process/command.h"
#include "tests/support/catch.h"
#include "tests/support/git.h"

using namespace reg;
using namespace reg::test;
using process::Program;

namespace {

std::vector<Program> seen_of(const std::string& line, std::vector<int> cpus = {}) {
  Loop loop;
  process::Command command;
  command.argv = {"/bin/sh", "-c", line};
  command.conditions.cpus = std::move(cpus);
  command.programs = true;
  const auto op = process::run(loop, command);
  loop.run_until([&] { return op->done(); });
  return op->take().programs;
}

const Program* find(const std::vector<Program>& programs, const std::string& name) {
  const auto found =
      std::find_if(programs.begin(), programs.end(), [&](const Program& one) { return one.name == name; });
  return found == programs.end() ? nullptr : &*found;
}

// What `name` was seen to run with, where the line takes TIME: ever longer, until it is seen. A slow machine only takes
// longer.
Program seen(const std::string& line, const std::string& name) {
  for (double time = 0.1;; time *= 2) {
    std::string timed = line;
    for (auto at = timed.find("TIME"); at != std::string::npos; at = timed.find("TIME"))
      timed.replace(at, 4, std::to_string(time));
    const auto programs = seen_of(timed);
    if (const Program* program = find(programs, name)) return *program;
  }
}

// One of the CPUs that this process may use.
int some_cpu() {
  cpu_set_t allowed;
  REQUIRE(::sched_getaffinity(0, sizeof allowed, &allowed) == 0);
  int cpu = 0;
  while (!CPU_ISSET(cpu, &allowed)) ++cpu;
  return cpu;
}

// The shell, which `sh` is a link to.
std::string shell() { return std::filesystem::canonical("/bin/sh").filename().string(); }

const std::string kSpin = "i=0; while [ $i -lt 300000 ]; do i=$((i + 1)); done; ";

}  // namespace

TEST_CASE("programs: a program has the variables that a script around it sets") {
  const Program program = seen("export WITHIN=script; BEFORE=1 sleep TIME; :", "sleep");
  CHECK(program.variables->at("WITHIN") == "script");
  CHECK(program.variables->at("BEFORE") == "1");
  CHECK(program.cpu_s >= 0);
}

TEST_CASE("programs: variables that two of its processes have with different values are left out") {
  const Program program = seen("RANK=0 SAME=x sleep TIME & RANK=1 SAME=x sleep TIME; wait", "sleep");
  CHECK(program.variables->count("SAME") == 1);
  // Both of them were there at each look but perhaps the first.
  for (int i = 0; i < 5 && seen("RANK=0 sleep TIME & RANK=1 sleep TIME; wait", "sleep").variables->count("RANK") == 1;
       ++i)
    REQUIRE(i < 4);
}

TEST_CASE(
    "programs: variables that are empty are not known: a process has none for a moment while it begins a program") {
  CHECK_FALSE(seen("env -i /bin/sleep TIME; :", "sleep").variables);
}

TEST_CASE("programs: the one with the most CPU time comes first") {
  std::vector<Program> programs;
  for (double time = 0.1; programs.size() < 2; time *= 2)
    programs = seen_of(kSpin + "sleep " + std::to_string(time) + "; :");
  CHECK(programs.front().name == shell());
  CHECK(programs.front().cpu_s > programs.back().cpu_s);
}

TEST_CASE("programs: time in which it waits for a CPU that another has") {
  // Three of them share a CPU: each waits about twice as long as it computes. Other load only adds to that.
  const std::string busy = "( " + kSpin + ") & ";
  const auto programs = seen_of(busy + busy + busy + "wait", {some_cpu()});
  const Program* program = find(programs, shell());
  REQUIRE(program != nullptr);
  CHECK(program->cpu_delay_s > 0.7 * program->cpu_s);
}

TEST_CASE("programs: a command tells its own times to its end") {
  Loop loop;
  process::Command command;
  command.argv = {"/bin/sh", "-c", kSpin + kSpin};
  command.programs = true;
  const auto op = process::run(loop, command);
  loop.run_until([&] { return op->done(); });
  const auto outcome = op->take();
  const Program* program = find(outcome.programs, shell());
  REQUIRE(program != nullptr);
  CHECK(program->cpu_s > 0.95 * (outcome.user_s + outcome.sys_s));
}

TEST_CASE("programs: none is seen unless they are asked for") {
  Loop loop;
  process::Command command;
  command.argv = {"sleep", "0.05"};
  command.loaded_below = {"/"};
  const auto op = process::run(loop, command);
  loop.run_until([&] { return op->done(); });
  CHECK(op->take().programs.empty());
}
