#include <sched.h>
#include <sys/stat.h>

#include "engine/machine/paths.h"
#include "engine/machine/survey.h"
#include "engine/machine/tuning.h"
#include "engine/restore/ledger.h"
#include "tests/support/unit.h"

using namespace reg::machine;
using namespace reg::restore;

namespace {

namespace fs = std::filesystem;

// The guardian as a fork of the test process.
Body forked(const Kinds& kinds) {
  return [kinds](int socket, int journal, const std::string& path) {
    serve(Fd(socket), Journal(Fd(journal), path), kinds);
  };
}

// A folder with the layout of "/", and the ledger that restores it.
class FakeMachine {
 public:
  // A file by its path on the machine; without a leading slash it is one of the CPUs.
  void put(const std::string& name, const std::string& value) const {
    const std::string path = name[0] == '/' ? machine.root + name : machine.cpu() + "/" + name;
    make_folders(fs::path(path).parent_path());
    write_file(path, value + "\n");
  }

  Ledger& ledger() {
    if (!ledger_) {
      const Kinds kinds{{"file", rewrite_file}, {kControlGroup, remove_control_group}};
      ledger_.emplace(folder.path() + "/state", kinds, forked(kinds));
    }
    return *ledger_;
  }

  TempFolder folder;
  SystemPaths machine{folder.path() + "/root"};
  Guard guard{allow_all()};

 private:
  std::optional<Ledger> ledger_;
};

Measure tuned(FakeMachine& fake, const Wanted& wanted, const std::string& name) {
  const Tuning tuning = tune(fake.machine, wanted, fake.guard, [&fake]() -> Ledger& { return fake.ledger(); });
  for (const Measure& measure : tuning.record)
    if (measure.measure == name) return measure;
  FAIL("no measure " << name);
  return {};
}

}  // namespace

TEST_CASE("machine: a value that the kernel does not accept is reported as refused") {
  FakeMachine fake;
  const std::string path = fake.machine.cpu() + "/cpufreq/policy0/scaling_governor";
  make_folders(fs::path(path).parent_path());
  fs::create_symlink("/proc/self/comm", path);  // keeps 15 characters of what is written
  const std::string before = value_of(path);
  Wanted wanted;
  wanted.governor = "a_governor_of_many_letters";
  const Measure governor = tuned(fake, wanted, "governor");
  CHECK(governor.state == "refused");
  CHECK_THAT(governor.why, contains("stays at a_governor_of_m"));
  CHECK(governor.now == before);
  CHECK(value_of(path) == before);
}

namespace {

// The tree of control groups.
void add_control_groups(const FakeMachine& fake) {
  make_folders(fake.machine.control_groups() + "/mine");
  make_folders(fs::path(fake.machine.own_control_groups()).parent_path());
  write_file(fake.machine.own_control_groups(), "1:cpuset:/other\n0::/mine\n");
  write_file(fake.machine.control_groups() + "/cpuset.cpus.effective", "0-7\n");
  write_file(fake.machine.control_groups() + "/cgroup.subtree_control", "cpu cpuset memory\n");
}

}  // namespace

TEST_CASE("machine: an impossible shield is not supported, or refused with its command") {
  FakeMachine fake;
  const auto tried = [&](const std::vector<int>& cpus) {
    Wanted wanted;
    wanted.shield = cpus;
    return tuned(fake, wanted, "shield");
  };
  CHECK(tried({1}).state == "not supported");
  CHECK_THAT(tried({1}).why, contains("no version 2 cpuset controller"));
  add_control_groups(fake);
  CHECK(tried({8}).state == "not supported");
  CHECK_THAT(tried({8}).why, contains("0-7"));
  CHECK_THAT(tried({0, 1, 2, 3, 4, 5, 6, 7}).why, contains("no CPU would be left"));
  write_file(fake.machine.control_groups() + "/cgroup.subtree_control", "cpu memory\n");
  const Measure refused = tried({1});
  CHECK(refused.state == "refused");
  CHECK_THAT(refused.why, contains("does not list cpuset"));
  CHECK_THAT(refused.command, contains("echo 1 > cpuset.cpus && echo root > cpuset.cpus.partition"));
}

TEST_CASE("machine: processes left in a shield move to the engine's control group") {
  FakeMachine fake;
  add_control_groups(fake);
  const std::string mine = fake.machine.control_groups() + "/mine", group = mine + "/shield";
  make_folders(group);
  write_file(group + "/cgroup.procs", "41\n");
  CHECK(shield(fake.machine, {1}).back == mine);
  CHECK_THROWS_AS(remove_control_group({kControlGroup, group, mine})(), Error);  // a plain folder that is not empty
  CHECK(read_file(mine + "/cgroup.procs") == "41");
}

TEST_CASE("machine: the kernel removes a control group, and a process in it keeps running") {
  const std::string root = fs::exists("/sys/fs/cgroup/unified") ? "/sys/fs/cgroup/unified" : "/sys/fs/cgroup";
  const std::string group = fmt::format("{}/regengine-test-{}", root, ::getpid());
  if (!fs::exists(root + "/cgroup.procs") || ::mkdir(group.c_str(), 0755) != 0) {
    WARN("SKIPPED: control groups of version 2 are not ours to make here");
    return;
  }
  const pid_t child = ::fork();
  if (child == 0)
    for (;;) ::pause();
  append_file(group + "/cgroup.procs", fmt::to_string(child));
  CHECK(value_of(group + "/cgroup.procs") == fmt::to_string(child));
  remove_control_group({kControlGroup, group, group + "/gone"})();
  CHECK_FALSE(fs::exists(group));
  CHECK(::waitpid(child, nullptr, WNOHANG) == 0);
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
}

TEST_CASE("machine: the CPUs near the GPU are those of its PCI device") {
  FakeMachine fake;
  const auto device = [&](const std::string& address, const std::string& vendor, const std::string& kind) {
    const std::string folder = "/sys/bus/pci/devices/" + address;
    fake.put(folder + "/vendor", vendor);
    fake.put(folder + "/class", kind);
    fake.put(folder + "/local_cpulist", address.substr(5, 2) == "41" ? "8-11,24" : "0-7");
  };
  device("0000:01:00.0", "0x10de", "0x040300");  // its audio
  device("0000:02:00.0", "0x8086", "0x030000");  // another graphics card
  CHECK(cpus_near_gpu(fake.machine).empty());
  device("0000:41:00.0", "0x10de", "0x030200");
  CHECK(cpus_near_gpu(fake.machine) == std::vector<int>{8, 9, 10, 11, 24});
  CHECK(cpus_near(fake.machine, "00000000:41:00.0") == std::vector<int>{8, 9, 10, 11, 24});
  CHECK(cpus_near(fake.machine, "0000:01:00.0").size() == 8);
  for (const char* unknown : {"", "1", "00000000:AB:00.0"}) CHECK(cpus_near(fake.machine, unknown).empty());
}

TEST_CASE("machine: parses and formats CPU lists") {
  CHECK(machine::parse_cpus("0-3,8") == std::vector<int>{0, 1, 2, 3, 8});
  CHECK(machine::parse_cpus(" 5 , 1-1") == std::vector<int>{1, 5});
  CHECK(machine::format_cpus({0, 1, 2, 3, 8}) == "0-3,8");
  CHECK(machine::format_cpus({}).empty());
  for (const char* wrong : {"", "a", "1-", "-1", "3-1", "1,,2", "0-99999", "1 2"}) {
    INFO(wrong);
    REQUIRE_THROWS_AS(machine::parse_cpus(wrong), Error);
  }
}

TEST_CASE("machine: load and temperature are those of the kernel's files, as far as it has them") {
  FakeMachine fake;
  CHECK(cpu_sensor(fake.machine).empty());
  CHECK_FALSE(load(fake.machine, "").average);
  fake.put("/proc/loadavg", "0.52 0.58 0.59 2/345 6789");
  CHECK_FALSE(load(fake.machine, "").crowded_s);
  fake.put("/proc/pressure/cpu", "some avg10=1.50 avg60=0.40 avg300=0.10 total=2500000");
  CHECK(load(fake.machine, "").crowded_s == 2.5);
  fake.put("/sys/class/thermal/thermal_zone0/type", "acpitz");
  fake.put("/sys/class/thermal/thermal_zone0/temp", "27800");
  CHECK(cpu_sensor(fake.machine).empty());  // that of the board
  fake.put("/sys/class/thermal/thermal_zone1/type", "x86_pkg_temp");
  fake.put("/sys/class/thermal/thermal_zone1/temp", "61000");
  CHECK(load(fake.machine, cpu_sensor(fake.machine)).cpu_c == 61);
  fake.put("/sys/class/hwmon/hwmon0/name", "nvme");
  fake.put("/sys/class/hwmon/hwmon0/temp1_input", "40850");
  fake.put("/sys/class/hwmon/hwmon3/name", "coretemp");
  fake.put("/sys/class/hwmon/hwmon3/temp1_input", "62500");
  const Load now = load(fake.machine, cpu_sensor(fake.machine));
  CHECK(now.average == 0.52);
  CHECK(now.cpu_c == 62.5);
}

namespace {

// A file with a value.
Kinds test_kinds() { return {{"file", rewrite_file}}; }

struct TwoFiles {
  TempFolder folder;
  std::string state = folder.path() + "/state";
  std::string a = folder.path() + "/a";
  std::string b = folder.path() + "/b";
  TwoFiles() {
    write_file(a, "old a");
    write_file(b, "old b");
  }
  std::size_t journals() const {
    std::error_code none;
    const std::filesystem::directory_iterator entries(state, none);
    return none ? 0 : static_cast<std::size_t>(std::distance(begin(entries), end(entries)));
  }
};

}  // namespace

TEST_CASE("restore: no acknowledgement, no change") {
  const TwoFiles machine;
  const auto refuses = [&](const std::string& state, const Body& guardian, const std::string& target) {
    Ledger ledger(state, test_kinds(), guardian);
    return std::string(error_of([&] { static_cast<void>(ledger.announce({"file", target, "old a"})); }).what());
  };
  const Body gone = [](int, int, const std::string&) { ::_exit(1); };
  CHECK_THAT(refuses(machine.state, gone, machine.a), contains("the guardian process has exited"));
  CHECK_THAT(refuses(machine.state, forked({}), machine.a), contains("cannot ensure that " + machine.a));
  // The engine itself cannot open what undoing needs, or the journal cannot be written.
  CHECK_THAT(refuses(machine.state, forked(test_kinds()), machine.a + "/none"), contains("/none"));
  CHECK_FALSE(refuses("/dev/null/state", forked(test_kinds()), machine.a).empty());
  CHECK(machine.journals() == 0);
  CHECK(read_file(machine.a) == "old a");
}

TEST_CASE("restore: the next start undoes what the journal of a dead engine lists") {
  const TwoFiles machine;
  std::filesystem::create_directories(machine.state);
  const std::string path = machine.state + "/dead-1.journal";
  const std::string boot = engine_id().substr(0, engine_id().find('-'));
  const std::string dead = boot + "-999999999-1";
  const auto journal = [&](const std::string& engine, const std::string& host) {
    write_file(path,
               fmt::format("{{\"engine\":\"{}\",\"host\":\"{}\"}}\n", engine, host) +
                   fmt::format("{{\"did\":1,\"kind\":\"file\",\"target\":\"{}\",\"value\":\"old a\"}}\n", machine.a) +
                   fmt::format("{{\"did\":2,\"kind\":\"file\",\"target\":\"{}\",\"value\":\"old b\"}}\n", machine.b) +
                   "{\"undone\":2}\n{\"did\":3,\"ki");  // a power cut in the middle of a line
  };
  write_file(machine.a, "new a");
  write_file(machine.b, "not ours");
  // Another machine that shares the folder: none of our business.
  journal("00000bad-12-1", "another-host");
  CHECK(recover(machine.state, test_kinds()).undone.empty());
  CHECK(read_file(machine.a) == "new a");
  CHECK(machine.journals() == 1);
  // What fails stays in the journal, with the reason.
  journal(dead, host_name());
  const Recovered failed = recover(machine.state, {});
  REQUIRE(failed.failed.size() == 1);
  CHECK_THAT(failed.failed[0].second, contains("unknown kind of change in the journal: 'file'"));
  CHECK(machine.journals() == 1);
  const Recovered recovered = recover(machine.state, test_kinds());
  REQUIRE(recovered.undone.size() == 1);
  CHECK(recovered.undone[0].target == machine.a);
  CHECK(recovered.failed.empty());
  CHECK(read_file(machine.a) == "old a");
  CHECK(read_file(machine.b) == "not ours");
  CHECK(machine.journals() == 0);
  // A target that is there no more needs nothing.
  journal(dead, host_name());
  std::filesystem::remove(machine.a);
  CHECK(recover(machine.state, test_kinds()).failed.empty());
  CHECK(machine.journals() == 0);
}
