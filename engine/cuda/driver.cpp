#include "engine/cuda/driver.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <map>

#include "engine/base/file.h"
#include "engine/base/ids.h"
#include "engine/base/library.h"

namespace reg::cuda {
namespace {

namespace fs = std::filesystem;

constexpr const char* kRemedy =
    "GPU work needs NVIDIA's driver (nvidia-smi shows whether it runs); in a container, --gpus all";

constexpr const char* kWhatToLoad = "give what reg.cuda.compile returned, or the bytes of a CUBIN or PTX file";

Library load_library() {
  try {
    return {{"libcuda.so.1"}, "REGENGINE_LIBCUDA", kRemedy};
  } catch (const Error& error) {
    throw Error(error.kind(), std::string("no GPU: ") + error.what(), error.hint());
  }
}

// CUDA numbers GPUs by their speed and NVML by their place on the bus: the numbers of a user are those of nvidia-smi.
int init(const Driver& d) {
  constexpr const char* kOrder = "CUDA_DEVICE_ORDER";
  const bool given = std::getenv(kOrder) != nullptr;
  if (!given) ::setenv(kOrder, "PCI_BUS_ID", 0);
  const int code = d.cuInit(0);
  if (!given) ::unsetenv(kOrder);  // the programs that the engine runs have their own
  return code;
}

Driver load() {
  const Library library = load_library();
  Driver d;
#define REGENGINE_GET(name, ...) d.name = library.get<int(__VA_ARGS__)>(#name);
  REGENGINE_CUDA_DRIVER(REGENGINE_GET)
#undef REGENGINE_GET
#define REGENGINE_FIND(name, ...) d.name = library.find<int(__VA_ARGS__)>(#name);
  REGENGINE_CUDA_DRIVER_OPTIONAL(REGENGINE_FIND)
#undef REGENGINE_FIND
  const int code = init(d);
  if (code == abi::kStubLibrary)
    throw Error(ErrorKind::unavailable, "no GPU: " + library.name() + " is the CUDA Toolkit's stub, not a driver",
                "take the toolkit's lib64/stubs out of LD_LIBRARY_PATH; " + std::string(kRemedy));
  if (code == abi::kNoDevice)
    throw Error(ErrorKind::unavailable, "no GPU: the driver is here and sees none",
                "CUDA_VISIBLE_DEVICES may hide it; in a container, --gpus all");
  d.check(code, "start the CUDA driver");
  return d;
}

struct Kind {
  ErrorKind kind;
  const char* hint;
};

Kind kind_of(int code) {
  static const std::map<int, Kind> kKinds{
      {abi::kInvalidValue, {ErrorKind::usage, ""}},
      {abi::kInvalidDevice, {ErrorKind::usage, ""}},
      {abi::kOutOfMemory, {ErrorKind::failed_trial, "nvidia-smi shows who else uses the GPU's memory"}},
      {abi::kNotInitialized, {ErrorKind::unavailable, kRemedy}},
      {abi::kStubLibrary, {ErrorKind::unavailable, kRemedy}},
      {abi::kNoDevice, {ErrorKind::unavailable, kRemedy}},
      {abi::kJitCompilerNotFound, {ErrorKind::unavailable, kRemedy}},
      {abi::kSystemNotReady,
       {ErrorKind::unavailable, "start the fabric manager: systemctl start nvidia-fabricmanager"}},
      {abi::kSystemDriverMismatch,
       {ErrorKind::unavailable, "restart the machine, or reload the driver's kernel module"}},
      {abi::kInvalidImage, {ErrorKind::corrupt, kWhatToLoad}},
      {abi::kInvalidPtx, {ErrorKind::corrupt, kWhatToLoad}},
      {abi::kUnsupportedPtxVersion,
       {ErrorKind::unavailable, "the driver is older than the compiler: update it, or compile to arch = \"sm_XX\""}},
      {abi::kInvalidHandle, {ErrorKind::usage, "was the event recorded?"}},
      {abi::kInvalidContext, {ErrorKind::usage, "open a GPU before: reg.cuda.open()"}},
      {abi::kNoBinaryForGpu,
       {ErrorKind::usage, "it was compiled for another GPU: give the context's arch to reg.cuda.compile"}},
      {abi::kNotFound, {ErrorKind::not_found, "kernels need extern \"C\", else their names are mangled"}},
      {abi::kLaunchOutOfResources, {ErrorKind::usage, "fewer threads in a block, or fewer registers: --maxrregcount"}},
      {abi::kNotPermitted, {ErrorKind::permission, ""}}};
  if (const auto known = kKinds.find(code); known != kKinds.end()) return known->second;
  // The 700s are a kernel's own failures.
  return {ErrorKind::failed_trial, code / 100 == 7 ? "the GPU takes no more work from this process: start again" : ""};
}

int attribute(const Driver& d, int which, abi::Device device) {
  int value = 0;
  d.check(d.cuDeviceGetAttribute(&value, which, device), "ask GPU ", device, " for attribute ", which);
  return value;
}

std::string uuid_text(const abi::Uuid& uuid) {
  std::string text = "GPU-";
  for (std::size_t i = 0; i < sizeof uuid.bytes; ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += fmt::format("{:02x}", static_cast<unsigned char>(uuid.bytes[i]));
  }
  return text;
}

DeviceInfo device_info(const Driver& d, int index) {
  abi::Device device = 0;
  d.check(d.cuDeviceGet(&device, index), "open GPU ", index);
  DeviceInfo info;
  info.index = index;
  std::array<char, 256> text{};
  d.check(d.cuDeviceGetName(text.data(), text.size(), device), "ask GPU ", index, " for its name");
  info.name = text.data();
  d.check(d.cuDeviceGetPCIBusId(text.data(), text.size(), device), "ask GPU ", index, " for its PCI id");
  info.pci_id = text.data();
  abi::Uuid uuid{};
  d.check(d.cuDeviceGetUuid(&uuid, device), "ask GPU ", index, " for its UUID");
  info.uuid = uuid_text(uuid);
  info.arch =
      fmt::format("sm_{}{}", attribute(d, abi::kCapabilityMajor, device), attribute(d, abi::kCapabilityMinor, device));
  d.check(d.cuDeviceTotalMem_v2(&info.memory_bytes, device), "ask GPU ", index, " for its memory");
  info.l2_bytes = static_cast<std::size_t>(attribute(d, abi::kL2CacheBytes, device));
  info.multiprocessors = attribute(d, abi::kMultiprocessors, device);
  info.clock_mhz = attribute(d, abi::kClockRate_kHz, device) / 1000.0;
  return info;
}

// The folder that Python is installed in, of the one that is first on PATH; "" for none. A virtual environment links
// its python3, so links are not followed. A relative folder in PATH would let the workspace stand in for it.
std::string python_on_path() {
  return fs::path(find_in_folders(variable("PATH"), "python3")).parent_path().parent_path();
}

// Folders of wheels: lib/python3.12/site-packages/nvidia.
std::vector<fs::path> wheel_folders() {
  const std::string active = variable("VIRTUAL_ENV"), first = python_on_path();
  std::vector<std::string> roots{active};
  if (first != active) roots.push_back(first);
  if (first == "/usr") roots.emplace_back("/usr/local");  // where Debian's pip installs for it
  std::vector<fs::path> found;
  for (const std::string& root : roots) {
    std::error_code none;
    if (root.empty()) continue;
    for (const auto& python : fs::directory_iterator(fs::path(root) / "lib", none))
      for (const char* packages : {"site-packages", "dist-packages"})
        if (const fs::path folder = python.path() / packages / "nvidia"; fs::is_directory(folder, none))
          found.push_back(folder);
  }
  return found;
}

}  // namespace

Error Driver::error(int code, const std::string& doing) const {
  const char* name = nullptr;
  const char* words = nullptr;
  cuGetErrorName(code, &name);
  cuGetErrorString(code, &words);
  const auto [kind, hint] = kind_of(code);
  return {kind,
          fmt::format("cannot {}: {} ({})", doing, words != nullptr ? words : "an error the driver has no words for",
                      name != nullptr ? name : std::to_string(code)),
          hint};
}

const Driver& driver() {
  static const Driver loaded = load();  // a failed attempt is made again at the next call
  return loaded;
}

const Driver& dry_driver() {
  static const Driver nothing = [] {
    Driver d;
#define REGENGINE_NOTHING(name, ...) d.name = [](auto...) { return abi::kSuccess; };
    REGENGINE_CUDA_DRIVER(REGENGINE_NOTHING)
#undef REGENGINE_NOTHING
    return d;
  }();
  return nothing;
}

Presence driver_status() { return presence_of(driver); }

std::vector<DeviceInfo> devices() {
  const Driver& d = driver();
  int count = 0;
  d.check(d.cuDeviceGetCount(&count), "count the GPUs");
  std::vector<DeviceInfo> all;
  for (int i = 0; i < count; ++i) all.push_back(device_info(d, i));
  return all;
}

int Driver::version() const {
  int version = 0;
  check(cuDriverGetVersion(&version), "ask the driver for its version");
  return version;
}

std::string driver_version() {
  const int version = driver().version();
  return fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

std::string package_of(std::string_view library, int driver_major) {
  const bool newest = driver_major == 0 || driver_major >= kNewestToolkit;
  return newest ? fmt::format("nvidia-{}", library) : fmt::format("nvidia-{}-cu{}", library, driver_major);
}

std::vector<std::string> toolkit_files(const ToolkitLibrary& library, int newest, int oldest) {
  const std::vector<fs::path> wheels = wheel_folders();
  std::vector<std::string> files;
  for (int major = std::min(newest, kNewestToolkit); major >= oldest; --major) {
    const std::string file = fmt::format("{}{}", library.file, major == 11 ? library.of_11 : std::to_string(major));
    for (const fs::path& folder : wheels) {
      const fs::path path =
          folder / (major >= 13 ? fmt::format("cu{}", major) : std::string(library.wheel)) / "lib" / file;
      if (std::error_code none; fs::exists(path, none)) files.push_back(path.string());
    }
    files.push_back(file);
    files.push_back("/usr/local/cuda/lib64/" + file);
  }
  return files;
}

}  // namespace reg::cuda
