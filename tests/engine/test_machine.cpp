#include <sched.h>

#include "engine/gpu/lease.h"
#include "engine/machine/paths.h"
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
    serve(Fd(socket), Journal{Fd(journal), path}, kinds);
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
      const Kinds kinds{{"file", rewrite_file}};
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

}  // namespace

TEST_CASE("machine: a value that the kernel does not accept is reported as refused") {
  FakeMachine fake;
  const std::string path = fake.machine.cpu() + "/cpufreq/policy0/scaling_governor";
  make_folders(fs::path(path).parent_path());
  fs::create_symlink("/proc/self/comm", path);  // keeps 15 characters of what is written
  const std::string before = value_of(path);
  Wanted wanted;
  wanted.governor = "a_governor_of_many_letters";
  const Measure governor =
      tune(fake.machine, wanted, fake.guard, [&]() -> Ledger& { return fake.ledger(); }).record.at(0);
  CHECK(governor.measure == "governor");
  CHECK(governor.state == "refused");
  CHECK_THAT(governor.why, contains("stays at a_governor_of_m"));
  CHECK(governor.now == before);
  CHECK(value_of(path) == before);
}

TEST_CASE("machine: the CPUs near the GPU are those of its PCI device") {
  FakeMachine fake;
  fake.put("/sys/bus/pci/devices/0000:01:00.0/local_cpulist", "0-7");
  fake.put("/sys/bus/pci/devices/0000:41:00.0/local_cpulist", "8-11,24");
  CHECK(cpus_near(fake.machine, "00000000:41:00.0") == std::vector<int>{8, 9, 10, 11, 24});
  CHECK(cpus_near(fake.machine, "0000:01:00.0").size() == 8);
  for (const char* unknown : {"", "1", "00000000:AB:00.0"}) CHECK(cpus_near(fake.machine, unknown).empty());
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

// tests/scripts/test_gpu_lease.sh puts a link and a folder in its place.
TEST_CASE("gpu: a lock file that was removed is made again, and all meet at one") {
  const std::string uuid = "GPU-" + random_id(16);
  gpu::LockFile removed = gpu::LockFile::open(uuid);
  fs::remove(removed.path());
  REQUIRE(removed.take());
  CHECK_FALSE(gpu::LockFile::open(uuid).take());
  fs::remove(removed.path());
}

// tests/scripts/test_gpu_lock.sh has a guardian that was killed, and a journal that cannot be written.
TEST_CASE("restore: no acknowledgement, no change") {
  const TempFolder folder;
  const std::string state = folder / "state", file = folder / "a";
  const Kinds kinds{{"file", rewrite_file}};
  write_file(file, "old a");
  const auto refuses = [&](const Body& guardian, const std::string& target) {
    Ledger ledger(state, kinds, guardian);
    return std::string(error_of([&] { static_cast<void>(ledger.announce({"file", target, "old a"})); }).what());
  };
  CHECK_THAT(refuses(forked({}), file), contains("cannot ensure that " + file));
  CHECK_THAT(refuses(forked(kinds), file + "/none"), contains("/none"));  // the engine itself cannot open it
  CHECK(fs::is_empty(state));
  CHECK(read_file(file) == "old a");
}
