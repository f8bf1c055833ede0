#include <linux/perf_event.h>

#include "engine/guard/permissions.h"
#include "engine/process/command.h"
#include "tests/support/unit.h"

using process::Command;
using process::Outcome;

namespace {

// The engine's main() ignores SIGPIPE: a command may end without reading its input.
[[maybe_unused]] const auto kNoSigpipe = std::signal(SIGPIPE, SIG_IGN);

Command shell(const std::string& line) {
  Command command;
  command.argv = {"/bin/sh", "-c", line};
  return command;
}

Outcome run(Command command) {
  Loop loop;
  return wait_for(loop, process::run(loop, std::move(command)));
}

// Whether it is there and no zombie.
bool runs(pid_t pid) {
  const std::string stat = read_file_if_there(fmt::format("/proc/{}/stat", pid)).value_or("");
  const auto name_end = stat.rfind(") ");
  return name_end != std::string::npos && stat[name_end + 2] != 'Z' && stat[name_end + 2] != 'X';
}

// In the roles of its parent and of a bystander. A test that hangs here has found a survivor.
void wait_until_gone(pid_t pid) {
  while (runs(pid)) std::this_thread::sleep_for(std::chrono::milliseconds(2));
  ::waitpid(pid, nullptr, WNOHANG);
}

// Handles events until the file is there with a whole line in it.
void wait_for_line(Loop& loop, const std::string& path) {
  while (!read_file_if_there(path).value_or("").ends_with('\n')) {
    loop.poll();
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
}

// A shell line that detaches `line` into a session of its own, waits for its pid in the file `pid`, and goes on.
std::string detach(const std::string& line, const std::string& folder) {
  return fmt::format(
      "setsid sh -c 'echo $$ > {0}/new && mv {0}/new {0}/pid; {1}' & "
      "while [ ! -e {0}/pid ]; do sleep 0.01; done; ",
      folder, line);
}

pid_t pid_in(const std::string& path) { return std::stoi(read_file(path)); }

}  // namespace

TEST_CASE("the wall time ends with the command, not when the loop hears of it") {
  Loop loop;
  const auto op = process::run(loop, shell("sleep 0.05"));
  std::this_thread::sleep_for(std::chrono::seconds(3));  // something else keeps the loop's thread busy
  const Outcome outcome = wait_for(loop, op);
  CHECK(outcome.wall_s >= 0.05);
  CHECK(outcome.wall_s < 3);
}

// By a counter that every machine has: nanoseconds of processor time.
TEST_CASE("a counter counts the command and its children, and no other command") {
  const process::Counted time{PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK};
  try {
    process::check_counter(time);
  } catch (const Error& refused) {
    CHECK(refused.kind() == ErrorKind::unavailable);
    return;
  }
  const std::string work = "i=0; while [ $i -lt 50000 ]; do i=$((i+1)); done";
  Loop loop;
  Command counted = shell("/bin/sh -c '" + work + "'; (" + work + ") & wait; exit 0"), idle = shell("read line");
  counted.count = idle.count = time;
  idle.input = "line\n";
  const auto first = process::run(loop, idle), second = process::run(loop, counted);
  const Outcome busy = wait_for(loop, second), other = wait_for(loop, first);
  REQUIRE(busy.counted);
  REQUIRE(other.counted);
  const double used_ns = (busy.user_s + busy.sys_s) * 1e9;
  CHECK(static_cast<double>(*busy.counted) > 0.8 * used_ns);
  CHECK(static_cast<double>(*busy.counted) < 1.2 * used_ns);
  CHECK(*other.counted < *busy.counted / 2);
  CHECK_FALSE(run(shell("true")).counted);
}

TEST_CASE("process: a command run alone leaves what it started, and gives it no mark") {
  const TempFolder folder;
  Command command = shell(detach("exec sleep 1000 < /dev/null > /dev/null 2>&1", folder.path()) + "env");
  command.alone = true;
  CHECK(run(command).out.find("REGENGINE_RUN") == std::string::npos);
  const pid_t left = pid_in(folder / "pid");
  CHECK(runs(left));
  ::kill(left, SIGKILL);
  CHECK(run(shell("env")).out.find("REGENGINE_RUN=") != std::string::npos);
}

TEST_CASE("process: a stream goes to a file as it comes, up to a limit") {
  const TempFolder folder;
  Command command = shell("head -c 100000 /dev/zero | tr '\\0' x");
  command.out_file = folder / "long";
  command.file_bytes = 1000;
  CHECK(run(command).out_bytes == 100000);
  CHECK(read_file(folder / "long") == std::string(1000, 'x') + "\n[... the rest was omitted ...]\n");
}

TEST_CASE("process: a relative folder in PATH is one of where it was looked up, and not of where the command starts") {
  const TempFolder folder;
  const auto here = std::filesystem::current_path();
  for (const char* place : {"top", "sub/top"}) {
    const std::string file = folder / place;
    make_folders(std::filesystem::path(file).parent_path());
    write_file(file, "#!/bin/sh\necho " + std::string(place));
    std::filesystem::permissions(file, std::filesystem::perms::owner_all);
  }
  Command command;
  command.argv = {"top"};
  command.env["PATH"] = ".";
  command.cwd = "sub";
  std::filesystem::current_path(folder.path());
  const Outcome outcome = run(command);
  std::filesystem::current_path(here);
  CHECK(outcome.out == "top\n");
}

TEST_CASE("process: kill_everything ends every tree at once") {
  const TempFolder folder;
  Loop loop;
  std::vector<Op<Outcome>> ops;
  for (const std::string name : {"a", "b"}) {
    ops.push_back(process::run(loop, shell("trap '' TERM; echo $$ > " + (folder / name) + "; sleep 1000; sleep 1000")));
    wait_for_line(loop, folder / name);
  }
  process::kill_everything();
  for (const auto& op : ops) CHECK(wait_for(loop, op).signal == SIGKILL);
}

TEST_CASE("process: the end of one command leaves another's processes alone") {
  const TempFolder folder;
  Loop loop;
  const auto slow = process::run(
      loop,
      shell(detach("while [ ! -e " + (folder / "go") + " ]; do sleep 0.01; done; echo late", folder.path()) + "wait"));
  wait_for_line(loop, folder / "pid");
  for (int i = 0; i < 3; ++i) wait_for(loop, process::run(loop, shell("sleep 1000 > /dev/null 2>&1 &")));
  CHECK(runs(pid_in(folder / "pid")));
  write_file(folder / "go", "");
  CHECK(wait_for(loop, slow).out == "late\n");
}

TEST_CASE("process: two hundred runs leave no descriptor open and no zombie") {
  Loop loop;
  const auto round = [&](int i) {
    Command command = shell("sleep 1000 > /dev/null 2>&1 & echo out; cat");
    if (i % 2 == 0) command.input = "input";
    if (i % 10 == 0) command.argv = {"/no/such/program"};
    try {
      wait_for(loop, process::run(loop, command));
    } catch (const Error&) {
      CHECK(i % 10 == 0);
    }
    loop.poll();
  };
  const auto open_descriptors = [] { return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {}); };
  for (int i = 0; i < 20; ++i) round(i);
  const auto before = open_descriptors();
  for (int i = 0; i < 200; ++i) round(i);
  CHECK(open_descriptors() == before);
  siginfo_t zombie{};
  ::waitid(P_ALL, 0, &zombie, WEXITED | WNOHANG | WNOWAIT);
  CHECK(zombie.si_pid == 0);
}

TEST_CASE("process: what a sandboxed command leaves behind is ended, even if it says that it is a guardian") {
  if (const std::string why_not = process::sandbox_support().why_not; !why_not.empty()) {
    WARN("SKIPPED: " << why_not);
    return;
  }
  const TempFolder folder;
  const std::string path = std::filesystem::canonical(folder.path());
  Command command = shell("env -i REGENGINE_GUARDIAN=1 PATH=\"$PATH\" " + detach("exec sleep 1000", path));
  command.cwd = path;
  CHECK(run(command).code == 0);
  const pid_t guardian = pid_in(path + "/pid");
  CHECK(runs(guardian));  // as the one of an engine that this command might have run
  ::kill(guardian, SIGKILL);
  std::filesystem::remove(path + "/pid");
  command.bounds = Bounds{path, {}, {path}};
  CHECK(run(command).code == 0);
  const pid_t left = pid_in(path + "/pid");
  wait_until_gone(left);
}
