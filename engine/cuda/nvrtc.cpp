#include "engine/base/library.h"
#include "engine/cuda/driver.h"

namespace reg::cuda {
namespace {

struct Nvrtc {
  Library library;
#define REGENGINE_MEMBER(name, ...) int (*name)(__VA_ARGS__) = library.get<int(__VA_ARGS__)>(#name);
  REGENGINE_NVRTC(REGENGINE_MEMBER)
#undef REGENGINE_MEMBER
  const char* (*nvrtcGetErrorString)(int) = library.get<const char*(int)>("nvrtcGetErrorString");

  void check(int code, const char* doing) const {
    if (code != 0)
      throw Error(ErrorKind::unavailable, fmt::format("NVRTC cannot {}: {}", doing, nvrtcGetErrorString(code)));
  }
};

constexpr std::string_view kPackage = "cuda-nvrtc";
constexpr ToolkitLibrary kFiles{"libnvrtc.so.", "cuda_nvrtc", "11.2"};

// The version of CUDA that the driver supports, 12040 for 12.4; 0 without a driver, which compiling does not need.
int driver_supports() {
  int version = 0;
  try_to([&] { version = driver().version(); });
  return version;
}

const Nvrtc& nvrtc() {
  static const Nvrtc loaded = [] {
    const int major = driver_supports() / 1000;
    std::vector<std::string> files = toolkit_files(kFiles, major > 0 ? major : kNewestToolkit);
    for (auto& newer : toolkit_files(kFiles, kNewestToolkit, std::max(major + 1, kOldestToolkit)))
      files.push_back(std::move(newer));  // last: the driver loads nothing of theirs
    return Nvrtc{{files, "REGENGINE_NVRTC",
                  "Install NVRTC: in a virtual environment pip install " + package_of(kPackage, major) +
                      ", or the CUDA Toolkit. REGENGINE_NVRTC names a libnvrtc.so elsewhere."}};
  }();
  return loaded;
}

std::pair<int, int> own_version() {
  int major = 0, minor = 0;
  nvrtc().check(nvrtc().nvrtcVersion(&major, &minor), "say its version");
  return {major, minor};
}

void strip_end(std::string& text) {
  while (!text.empty() && (text.back() == '\0' || text.back() == '\n')) text.pop_back();
}

// A driver loads neither CUBIN nor PTX of a CUDA with a newer major version.
void check_driver_loads() {
  const int supported = driver_supports(), major = supported / 1000;
  if (supported == 0 || own_version().first <= major) return;
  throw Error(ErrorKind::unavailable,
              fmt::format("NVRTC {} is newer than the GPU driver supports: CUDA {}.{}", nvrtc_version(), major,
                          supported % 1000 / 10),
              fmt::format("Update the driver, or install an NVRTC of CUDA {}: pip install {}", major,
                          package_of(kPackage, major)));
}

}  // namespace

Compiled compile(const std::string& source, const std::string& arch, const std::string& name) {
  const Nvrtc& n = nvrtc();
  check_driver_loads();
  const bool cubin = arch.starts_with("sm_");
  if (!cubin && !arch.starts_with("compute_"))
    throw Error(ErrorKind::usage, "'" + arch + "' is not an architecture",
                "\"sm_90\" gives machine code, \"compute_90\" PTX");
  abi::Handle program = nullptr;
  n.check(n.nvrtcCreateProgram(&program, source.c_str(), name.c_str(), 0, nullptr, nullptr), "take the source");
  const std::shared_ptr<void> destroyed(nullptr, [&](void*) { n.nvrtcDestroyProgram(&program); });
  const auto text = [&](auto size_of, auto get) {
    std::size_t size = 0;
    n.check(size_of(program, &size), "say the size of its output");
    std::string bytes(size, '\0');
    if (size > 0) n.check(get(program, bytes.data()), "give its output");
    return bytes;
  };
  const std::string option = "--gpu-architecture=" + arch;
  const char* const words[] = {option.c_str()};
  const int code = n.nvrtcCompileProgram(program, 1, words);
  Compiled compiled;
  compiled.log = text(n.nvrtcGetProgramLogSize, n.nvrtcGetProgramLog);
  strip_end(compiled.log);
  if (code == abi::kNvrtcCompilation) throw Error(ErrorKind::usage, name + " does not compile:\n" + compiled.log);
  if (code == abi::kNvrtcInvalidOption)
    throw Error(ErrorKind::usage, "NVRTC " + nvrtc_version() + " does not know " + arch + ": " + compiled.log,
                "arch = \"compute_XX\" of an older GPU gives PTX, which the driver finishes");
  n.check(code, "compile");
  compiled.image = cubin ? text(n.nvrtcGetCUBINSize, n.nvrtcGetCUBIN) : text(n.nvrtcGetPTXSize, n.nvrtcGetPTX);
  if (!cubin) strip_end(compiled.image);
  return compiled;
}

std::string nvrtc_version() {
  const auto [major, minor] = own_version();
  return fmt::format("{}.{}", major, minor);
}

}  // namespace reg::cuda
