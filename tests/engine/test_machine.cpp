#include <fmt/format.h>
#include <sched.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>

#include "engine/base/error.h"
#include "engine/base/file.h"
#include "engine/machine/paths.h"
#include "engine/machine/survey.h"
#include "engine/machine/tuning.h"
#include "tests/support/catch.h"
#include "tests/support/git.h"

using namespace reg;
using namespace reg::machine;
using reg::test::TempFolder;

namespace {

namespace fs = std::filesystem;

// A folder with the layout of "/" on a machine with two frequency policies, and the ledger that restores it.
class FakeMachine {
 public:
  FakeMachine() {
    for (const int policy : {0, 10}) {
      put(fmt::format("cpufreq/policy{}/scaling_governor", policy), policy == 0 ? "powersave" : "schedutil");
      put(fmt::format("cpufreq/policy{}/scaling_available_governors", policy), "performance powersave schedutil");
      put(fmt::format("cpufreq/policy{}/scaling_min_freq", policy), policy == 0 ? "800000" : "400000");
      put(fmt::format("cpufreq/policy{}/scaling_max_freq", policy), policy == 0 ? "3600000" : "2400000");
    }
  }

  void put(const std::string& name, const std::string& value) const {
    const std::string path = machine.cpu() + "/" + name;
    make_folders(fs::path(path).parent_path());
    write_file(path, value + "\n");
  }

  restore::Ledger& ledger() {
    if (!ledger_) {
      const restore::Kinds kinds{{"file", restore::rewrite_file}, {kControlGroup, remove_control_group}};
      ledger_.emplace(folder.path() + "/state", kinds, [kinds](int socket, int journal, const std::string& path) {
        restore::serve(Fd(socket), restore::Journal(Fd(journal), path), kinds);
      });
    }
    return *ledger_;
  }

  TempFolder folder;
  SystemPaths machine{folder.path() + "/root"};
  Guard guard{allow_all()};

 private:
  std::optional<restore::Ledger> ledger_;
};

std::unique_ptr<Tuning> make_quiet(FakeMachine& fake, const Wanted& wanted) {
  return std::make_unique<Tuning>(fake.machine, wanted, fake.guard,
                                  [&fake]() -> restore::Ledger& { return fake.ledger(); });
}

Measure find(const Tuning& quiet, const std::string& name) {
  for (const Measure& measure : quiet.record())
    if (measure.measure == name) return measure;
  FAIL("no measure " << name);
  return {};
}

}  // namespace

TEST_CASE("machine: a value that the kernel does not accept is reported as refused") {
  FakeMachine fake;
  fs::remove_all(fake.machine.cpu() + "/cpufreq/policy10");
  const std::string path = fake.machine.cpu() + "/cpufreq/policy0/scaling_governor";
  fs::remove(path);
  fs::remove(fake.machine.cpu() + "/cpufreq/policy0/scaling_available_governors");
  fs::create_symlink("/proc/self/comm", path);  // keeps 15 characters of what is written
  const std::string before = value_of(path);
  Wanted wanted;
  wanted.governor = "a_governor_of_many_letters";
  const auto quiet = make_quiet(fake, wanted);
  CHECK(find(*quiet, "governor").state == State::refused);
  CHECK_THAT(find(*quiet, "governor").why, contains("stays at a_governor_of_m"));
  CHECK(find(*quiet, "governor").now == before);
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

Wanted shielded(const std::vector<int>& cpus) {
  Wanted wanted;
  wanted.shield = cpus;
  return wanted;
}

}  // namespace

TEST_CASE("machine: an impossible shield is not supported, or refused with its command") {
  FakeMachine fake;
  const auto tried = [&](const std::vector<int>& cpus) { return find(*make_quiet(fake, shielded(cpus)), "shield"); };
  CHECK(tried({1}).state == State::not_supported);
  CHECK_THAT(tried({1}).why, contains("no version 2 cpuset controller"));
  add_control_groups(fake);
  CHECK(tried({8}).state == State::not_supported);
  CHECK_THAT(tried({8}).why, contains("0-7"));
  CHECK_THAT(tried({0, 1, 2, 3, 4, 5, 6, 7}).why, contains("no CPU would be left"));
  write_file(fake.machine.control_groups() + "/cgroup.subtree_control", "cpu memory\n");
  const Measure refused = tried({1});
  CHECK(refused.state == State::refused);
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
    const std::string folder = fake.machine.pci() + "/" + address;
    make_folders(folder);
    write_file(folder + "/vendor", vendor + "\n");
    write_file(folder + "/class", kind + "\n");
    write_file(folder + "/local_cpulist", address.substr(5, 2) == "41" ? "8-11,24\n" : "0-7\n");
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
  const std::string& root = fake.machine.root;
  const auto put = [&](const std::string& name, const std::string& value) {
    make_folders(fs::path(root + name).parent_path());
    write_file(root + name, value + "\n");
  };
  CHECK(cpu_sensor(fake.machine).empty());
  CHECK_FALSE(load(fake.machine, "").average);
  put("/proc/loadavg", "0.52 0.58 0.59 2/345 6789");
  CHECK_FALSE(load(fake.machine, "").crowded_s);
  put("/proc/pressure/cpu", "some avg10=1.50 avg60=0.40 avg300=0.10 total=2500000");
  CHECK(load(fake.machine, "").crowded_s == 2.5);
  put("/sys/class/thermal/thermal_zone0/type", "acpitz");
  put("/sys/class/thermal/thermal_zone0/temp", "27800");
  CHECK(cpu_sensor(fake.machine).empty());  // that of the board
  put("/sys/class/thermal/thermal_zone1/type", "x86_pkg_temp");
  put("/sys/class/thermal/thermal_zone1/temp", "61000");
  CHECK(load(fake.machine, cpu_sensor(fake.machine)).cpu_c == 61);
  put("/sys/class/hwmon/hwmon0/name", "nvme");
  put("/sys/class/hwmon/hwmon0/temp1_input", "40850");
  put("/sys/class/hwmon/hwmon3/name", "coretemp");
  put("/sys/class/hwmon/hwmon3/temp1_input", "62500");
  const Load now = load(fake.machine, cpu_sensor(fake.machine));
  CHECK(now.average == 0.52);
  CHECK(now.cpu_c == 62.5);
}
