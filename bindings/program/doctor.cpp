#include <fmt/format.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <lua.hpp>
#include <nlohmann/json.hpp>

#include "bindings/program/program.h"
#include "engine/base/error.h"
#include "engine/base/file.h"
#include "engine/base/ids.h"
#include "engine/base/library.h"
#include "engine/base/text.h"
#include "engine/box/box.h"
#include "engine/cuda/blas.h"
#include "engine/cuda/driver.h"
#include "engine/gpu/monitor.h"
#include "engine/guard/permissions.h"
#include "engine/machine/tuning.h"
#include "engine/process/command.h"
#include "engine/store/store.h"
#include "engine/terminal/console.h"
#include "engine/trace/injection.h"

namespace reg {
namespace {

namespace fs = std::filesystem;

constexpr double kTimeout_s = 10;
constexpr const char *kOk = "ok", *kMissing = "no", *kNote = "note";

struct Line {
  std::string what;
  const char* mark;
  std::string text;
};

std::string first_line(const std::string& text) { return std::string(split(trim(text), '\n').front()); }

// The outcome of a command; std::nullopt if it is not installed.
std::optional<process::Outcome> ask(Loop& loop, std::vector<std::string> argv) {
  process::Command command;
  command.argv = std::move(argv);
  command.timeout_s = kTimeout_s;
  std::optional<process::Outcome> outcome;
  try_to([&] { outcome = loop.wait_for(process::run(loop, std::move(command))); });
  return outcome;
}

// A program that tells its version, and what it is needed for.
Line program(Loop& loop, const char* without, const char* name, const std::string& purpose,
             const char* what = nullptr) {
  const std::string title = what == nullptr ? name : what;
  const auto outcome = ask(loop, {name, "--version"});
  if (!outcome) return {title, without, "not installed; needed " + purpose};
  if (outcome->code == 0) return {title, kOk, first_line(outcome->out)};
  return {title, without, "installed, but it fails: " + first_line(outcome->err)};
}

Line docker(Loop& loop) {
  const auto outcome = ask(loop, {"docker", "version", "--format", "{{.Server.Version}}"});
  if (outcome && outcome->code == 0 && !trim(outcome->out).empty())
    return {"docker", kOk, "server " + first_line(outcome->out)};
  const std::string why = outcome ? first_line(outcome->err) : "";
  return {"docker", kMissing,
          !outcome ? "not installed; needed for runtime = \"docker\". Install it: sudo apt-get install docker.io"
          : why.find("permission denied") != std::string::npos
              ? "you may not access its socket. Add yourself to its group: sudo usermod -aG docker $USER"
          : outcome->timed_out
              ? "installed, but its daemon does not respond"
              : "installed, but its daemon cannot be reached: " + why + " Start it: sudo systemctl start docker"};
}

bool loads(const char* file, const char* variable) {
  return try_to([&] { const Library library({file}, variable, ""); });
}

void add(std::vector<Line>& report, const std::vector<machine::Finding>& findings) {
  for (const machine::Finding& one : findings) {
    const std::string remedy = one.command.empty() ? "" : "; for steady timings: " + one.command;
    report.push_back({one.what, one.quiet ? kOk : kNote, one.words + remedy});
  }
}

Line gpus(const std::shared_ptr<gpu::Nvml>& session) {
  if (has_amd_gpus())
    return {"GPU", session ? kOk : kNote,
            (session ? fmt::format("{} x AMD GPU: ", session->count()) : "AMD GPU: not ") +
                "watched, not locked, not traced"};
  const std::size_t count = session ? session->count() : entries("/proc/driver/nvidia/gpus").size();
  if (count > 0) return {"GPU", kOk, fmt::format("{} NVIDIA", count)};
  if (fs::exists("/dev/nvidiactl")) return {"GPU", kOk, "NVIDIA, passed into this container"};
  return {"GPU", kMissing, "no NVIDIA GPU; needed for GPU tests and clock locks"};
}

void add_gpus(std::vector<Line>& report, const std::shared_ptr<gpu::Nvml>& session) {
  try {
    if (!session) return;
    for (const gpu::Device& device : gpu::Device::all(session)) add(report, gpu::survey(device));
    add(report, gpu::other_watchers(machine::this_machine()));
  } catch (const Error& error) {
    report.push_back({"GPU", kNote, error.what()});
  }
}

// `why`: why the session could not be opened.
Line driver(const std::shared_ptr<gpu::Nvml>& session, const Presence& why) {
  const bool amd = has_amd_gpus(), cuda = loads("libcuda.so.1", "REGENGINE_LIBCUDA");
  const std::string release = session ? session->driver().value_or("") : "";
  if (session && (amd || cuda))
    return {"GPU driver", kOk,
            (release.empty() ? "" : release + ", ") +
                (amd ? "libamd_smi loads" : "libcuda.so.1 and libnvidia-ml.so.1 load")};
  if (!session && (amd || cuda || loads("libnvidia-ml.so.1", "REGENGINE_NVML")))
    return {"GPU driver", kMissing, why.message + ". " + why.hint};
  return {"GPU driver", kMissing,
          std::string(session ? "libcuda.so.1 does not load" : "not installed") +
              "; needed for GPU timing and clock locks. Install it: sudo apt-get install nvidia-driver (Ubuntu: sudo "
              "ubuntu-drivers install)"};
}

// Whether a specification (CDI) tells container engines what a GPU is; podman knows no other way.
bool describes_gpus() {
  for (const char* folder : {"/etc/cdi", "/var/run/cdi"})
    for (const std::string& file : entries(machine::this_machine().root + folder))
      if (read_file_if_there(file).value_or("").find("nvidia.com/gpu") != std::string::npos) return true;
  return false;
}

Line gpu_in_containers(Loop& loop) {
  constexpr const char* kWhat = "GPU in containers";
  if (has_amd_gpus()) return {kWhat, kNote, "an AMD GPU needs its devices: --device /dev/kfd --device /dev/dri"};
  Line line = program(loop, kMissing, "nvidia-ctk",
                      "for gpus = \"all\" in a container. Install it (from NVIDIA's repository): sudo apt-get install "
                      "nvidia-container-toolkit",
                      kWhat);
  if (line.mark == kOk && !describes_gpus()) {
    line.mark = kNote;
    line.text +=
        "; podman also needs a description of the GPUs: sudo nvidia-ctk cdi generate "
        "--output=/etc/cdi/nvidia.yaml";
  }
  return line;
}

// A library that is loaded to see its version; its error names the package.
Line library(const char* without, const char* what, const char* purpose, std::string (*version_of)()) {
  std::string version;
  const Presence found = presence_of([&] { version = version_of(); });
  if (found.ok) return {what, kOk, version};
  return {what, without,
          fmt::format("not found; needed for {}. {}", purpose, found.hint.empty() ? found.message : found.hint)};
}

Line load() {
  double average = 0;
  getloadavg(&average, 1);
  const auto cores = static_cast<double>(sysconf(_SC_NPROCESSORS_ONLN));
  const std::string words = fmt::format("{:.1f} on {:.0f} cores", average, cores);
  if (average < 0.3 * cores) return {"load", kOk, words};
  return {"load", kNote, words + "; other processes are running, which makes timings noisy"};
}

// What untrusted scripts and their programs run in.
Line sandbox() {
  const std::string why_not = process::sandbox_support().why_not;
  if (!why_not.empty())
    return {"sandbox", kMissing, why_not + "; programs of untrusted scripts run with all your rights"};
  if (::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, nullptr) != 0 && errno != EFAULT)
    return {"sandbox", kMissing, "this kernel has no seccomp filters; untrusted scripts run outside a sandbox"};
  constexpr int kTruncate = 3, kSignals = 6;
  const int version = box::landlock_version();
  const std::string words =
      fmt::format("Landlock version {}, seccomp: untrusted scripts and their programs run in a sandbox", version);
  if (version < kTruncate)
    return {"sandbox", kNote, words + "; the programs can still empty your files and end your other programs"};
  if (version < kSignals) return {"sandbox", kNote, words + "; the programs can still end your other programs"};
  return {"sandbox", kOk, words};
}

}  // namespace

int run_doctor(Loop& loop) {
  std::shared_ptr<gpu::Nvml> session;
  const Presence present = presence_of([&] { session = gpu::Nvml::open(); });
  std::vector<Line> all{
      {"regengine", kOk, version() + ", Lua " LUA_VERSION_MAJOR "." LUA_VERSION_MINOR "." LUA_VERSION_RELEASE},
      program(loop, kMissing, "git", "to clone and fetch. Install it: apt-get install git"),
      docker(loop),
      program(loop, kMissing, "podman", "for runtime = \"podman\". Install it: sudo apt-get install podman"),
      program(loop, kNote, "gnuplot", "for PNG and SVG plots. Install it: apt-get install gnuplot-nox"),
      gpus(session),
      driver(session, present),
      gpu_in_containers(loop)};
  if (session && !has_amd_gpus()) {
    all.push_back(library(kMissing, "NVRTC", "kernels from source", cuda::nvrtc_version));
    all.push_back(library(kMissing, "cuBLAS", "matmul.lua", cuda::cublas_version));
    all.push_back(
        library(kNote, "CUPTI", "reg.trace of programs that bring none (PyTorch and JAX do)", trace::cupti_version));
    all.push_back(program(loop, kNote, "nsys",
                          "for reg.nsys. Install it (from NVIDIA's repository): sudo apt-get install "
                          "nsight-systems-cli"));
  }
  add_gpus(all, session);
  all.push_back({"CPU", kOk, fmt::format("{} x {}", sysconf(_SC_NPROCESSORS_ONLN), cpu_model())});
  add(all, machine::survey(machine::this_machine()));
  all.insert(all.end(), {load(), sandbox()});
  std::string text;
  for (const Line& line : all) text += fmt::format("{:<4}  {:<17}  {}\n", line.mark, line.what, printable(line.text));
  terminal::console().write_out(text);
  return 0;
}

int check_store(const std::string& path) {
  if (!fs::exists(path)) throw Error(ErrorKind::not_found, "no such store: " + path, "Name the file of --store.");
  const auto store = store::Store::try_open(path, store::Access::read);
  std::int64_t sound = 0;
  const int damaged = store->each_trial({}, [&](const store::Trial& trial) {
    for (const std::string* text :
         {&trial.config_json, &trial.result.command_json, &trial.result.env_json, &trial.result.info_json})
      if (!nlohmann::json::accept(*text)) throw Error(ErrorKind::corrupt, "not valid JSON");
    ++sound;
  });
  store::Statement check(store->writer().handle(), "PRAGMA integrity_check(1)");
  const std::string said = check.step() ? std::string(check.text(0)) : "";
  const std::string found = said != "ok"  ? "the file is damaged: " + first_line(said)
                            : damaged > 0 ? fmt::format("{} damaged", damaged)
                                          : "nothing is damaged";
  terminal::console().write_out(
      fmt::format("{}: {} trial{}, {}\n", path, sound, sound == 1 ? "" : "s", printable(found)));
  if (said != "ok") terminal::console().write_out("Copy what can be read: " + store::recovery_of(path) + "\n");
  return said == "ok" && damaged == 0 ? 0 : 1;
}

}  // namespace reg
