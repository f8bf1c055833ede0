#include "engine/gpu/lease.h"
#include "tests/support/unit.h"

using namespace reg::gpu;

<<<<<<< HEAD
=======
namespace {

// The fake driver (tests/support/fakes/nvml), with this state.
class Driver {
 public:
  explicit Driver(const std::string& state = "") {
    set(state);
    const auto built = std::filesystem::canonical("/proc/self/exe").parent_path().parent_path() / "fakes/nvml.so";
    setenv("REGENGINE_NVML", built.c_str(), 1);
    setenv("REGENGINE_FAKE_NVML", path().c_str(), 1);
  }
  ~Driver() {
    unsetenv("REGENGINE_NVML");
    unsetenv("REGENGINE_FAKE_NVML");
    std::error_code ignored;
    for (const char* locks : {"/run/lock", "/tmp"})  // the files of locks stay; these GPUs were never there
      for (const auto& file : std::filesystem::directory_iterator(locks, ignored))
        if (file.path().filename().string().starts_with("regengine-" + uuid))
          std::filesystem::remove(file.path(), ignored);
  }
  Driver(const Driver&) = delete;
  Driver& operator=(const Driver&) = delete;

  void set(const std::string& state) const {
    write_file(path(), "gpu0.uuid=" + uuid + "\ngpu1.uuid=" + uuid + "-b\ngpu2.uuid=" + uuid + "-c\n" + state);
  }
  std::string log() const { return read_file_if_there(path() + ".log").value_or(""); }

  TempFolder folder;
  std::string uuid = "GPU-" + random_id(16);

 private:
  std::string path() const { return folder.path() + "/nvml"; }
};

Device first() { return Device::find(Nvml::open(), "0"); }

reg::restore::Kinds kinds() { return {{kSmClocks, reset_sm_clocks}, {kMemoryClocks, reset_memory_clocks}}; }

}  // namespace

TEST_CASE("gpu: event reasons are words, and idle is no bad one") {
  CHECK(reason_words(0).empty());
  CHECK(reason_words(0x1ff) == Strings{"idle", "application_clocks", "sw_power_cap", "hw_slowdown", "sync_boost",
                                       "sw_thermal", "hw_thermal", "hw_power_brake", "display_clock"});
  CHECK(reason_words(kBadReasons) ==
        Strings{"sw_power_cap", "hw_slowdown", "sw_thermal", "hw_thermal", "hw_power_brake"});
}

TEST_CASE("gpu: more processes than there was room for are all listed") {
  std::string processes;
  for (int pid = 900001; pid <= 900040; ++pid) processes += std::to_string(pid) + ":1024 ";
  const Driver driver("gpu0.procs=" + processes + "900041:0xffffffffffffffff\n");
  const std::vector<Process> found = first().processes();
  REQUIRE(found.size() == 41);
  CHECK(found[39].pid == 900040);
  CHECK(found[39].bytes == 1024U);
  CHECK(found[39].name == "/opt/fake/process-900040");
  CHECK_FALSE(found[40].bytes);  // the driver does not know
}

TEST_CASE("gpu: clocks that cannot be restored name the command for just these") {
  const Driver driver("rc.nvmlDeviceResetMemoryLockedClocks=999\nrc.nvmlDeviceResetGpuLockedClocks=999\n");
  const auto hint_of = [&](reg::restore::Undo (*reset)(const reg::restore::Entry&)) {
    return error_of([&] { reset({"", driver.uuid, ""})(); }).hint();
  };
  CHECK(hint_of(reset_memory_clocks) == "Run as root: nvidia-smi --reset-memory-clocks -i " + driver.uuid);
  CHECK(hint_of(reset_sm_clocks) == "Run as root: nvidia-smi --reset-gpu-clocks -i " + driver.uuid);
}

TEST_CASE("gpu: a session stays open as long as the clocks are locked") {
  const Driver driver;
  const auto open_here = [&] {
    const std::string own = " " + std::to_string(::getpid()) + " ";
    const std::string log = driver.log();
    int count = 0;
    for (std::size_t at = 0; (at = log.find(own, at)) != std::string::npos; ++at) {
      if (log.compare(at + own.size(), 4, "Init") == 0) ++count;
      if (log.compare(at + own.size(), 8, "Shutdown") == 0) --count;
    }
    return count;
  };
  reg::restore::Ledger ledger(driver.folder.path() + "/state", kinds(),
                              [](int socket, int journal, const std::string& path) {
                                reg::restore::serve(Fd(socket), reg::restore::Journal{Fd(journal), path}, kinds());
                              });
  {
    const ClockLock held(first(), plan_clocks(first(), parse_clock_request("80%"), std::nullopt), ledger);
    CHECK(open_here() > 0);
  }
  CHECK(open_here() == 0);
}

TEST_CASE("gpu: a monitor samples at once and at its end, however long its period is") {
  const Driver driver("gpus=2\ngpu1.temperature=80\ngpu1.power_mw=100000\n");
  const auto stop = monitor(Device::all(Nvml::open()), 1000);
  driver.set("gpus=2\ngpu1.temperature=90\ngpu1.power_mw=100000\n");
  const auto result = stop();
  CHECK(result[0].samples >= 2);
  REQUIRE(result.size() == 3);
  CHECK(result[0].temperature_c->max == 90);
  CHECK(result[0].temperature_c->min == 45);
  CHECK(result[2].power_w->median == 100);
  CHECK(result[0].power_w->max == 350);
}

TEST_CASE("gpu: the server of MPS is nobody's work, and other processes are") {
  const Driver driver;
  int adopts = 0;  // orphans, as an engine does that other tests started here
  ::prctl(PR_GET_CHILD_SUBREAPER, &adopts);
  ::prctl(PR_SET_CHILD_SUBREAPER, 0);
  const auto start = [&](const std::string& name) {  // as init's child
    const std::string program = driver.folder.path() + "/" + name;
    std::filesystem::copy_file("/bin/sleep", program);
    const std::string pid_file = program + ".pid";
    REQUIRE(std::system(("setsid " + program + " 60 >/dev/null 2>&1 & echo $! >" + pid_file).c_str()) == 0);
    return std::stoi(read_file(pid_file));
  };
  const int server = start("nvidia-cuda-mps-server"), other = start("other-program");
  ::prctl(PR_SET_CHILD_SUBREAPER, adopts);
  const auto named = [](int pid) { return read_file_if_there(fmt::format("/proc/{}/comm", pid)).value_or(""); };
  for (int i = 0; i < 1000 && (named(server) != "nvidia-cuda-mps\n" || named(other) != "other-program\n"); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  driver.set(fmt::format("gpu0.procs={}:1024 {}:1024\n", server, other));
  const auto stop = monitor(Device::all(Nvml::open()), 1000);
  const auto foreign = stop().at(0).foreign;
  ::kill(server, SIGKILL);
  ::kill(other, SIGKILL);
  REQUIRE(foreign.size() == 1);
  CHECK(foreign[0].pid == static_cast<unsigned>(other));
}

>>>>>>> 4e1c2a56 (restore, process, machine, base: headers with one reader go, and what was declared twice is written once)
TEST_CASE(
    "gpu: a lock file that was removed is made again; a link in its place is refused, and nothing is written there") {
  const TempFolder folder;
  const std::string uuid = "GPU-" + random_id(16);
  LockFile removed = LockFile::open(uuid);
  std::filesystem::remove(removed.path());
  REQUIRE(removed.take());
  CHECK_FALSE(LockFile::open(uuid).take());  // all meet at one

  const std::string path = LockFile::open(uuid).path(), victim = folder / "victim";
  write_file(victim, "precious");
  const auto refused = [&] { return error_of([&] { LockFile::open(uuid); }).kind() == ErrorKind::permission; };
  std::filesystem::remove(path);
  std::filesystem::create_symlink(victim, path);
  CHECK(refused());
  std::filesystem::remove(path);
  std::error_code across_devices;
  std::filesystem::create_hard_link(victim, path, across_devices);
  if (!across_devices) CHECK(refused());
  std::filesystem::remove(path);
  std::filesystem::create_directory(path);
  CHECK_FALSE(LockFile::open(uuid));
  CHECK(read_file(victim) == "precious");
  std::filesystem::remove(path);
}
