#include "engine/cuda/nvrtc.h"

#include <algorithm>

#include "engine/base/library.h"
#include "engine/base/text.h"

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

constexpr ToolkitLibrary kFiles{"libnvrtc.so.", "cuda_nvrtc", "11.2"};

// The version of CUDA that the driver supports, 12040 for 12.4; 0 without a driver, which compiling does not need.
int driver_supports() {
  try {
    return driver().version();
  } catch (const Error&) {
    return 0;
  }
}

std::string package(int driver_major) {
  return driver_major == 0 || driver_major >= kNewestToolkit ? "nvidia-cuda-nvrtc"
                                                             : fmt::format("nvidia-cuda-nvrtc-cu{}", driver_major);
}

const Nvrtc& nvrtc() {
  static const Nvrtc loaded = [] {
    const int major = driver_supports() / 1000;
    std::vector<std::string> files = toolkit_files(kFiles, major > 0 ? major : kNewestToolkit);
    for (auto& newer : toolkit_files(kFiles, kNewestToolkit, std::max(major + 1, kOldestToolkit)))
      files.push_back(std::move(newer));  // last: the driver loads nothing of theirs
    return Nvrtc{{files, "REGENGINE_NVRTC",
                  "Install NVRTC: in a virtual environment pip install " + package(major) +
                      ", or the CUDA Toolkit. REGENGINE_NVRTC names a libnvrtc.so elsewhere."}};
  }();
  return loaded;
}

std::pair<int, int> own_version() {
  int major = 0, minor = 0;
  nvrtc().check(nvrtc().nvrtcVersion(&major, &minor), "say its version");
  return {major, minor};
}

class Program {
 public:
  Program(const std::string& source, const std::string& name) {
    nvrtc().check(nvrtc().nvrtcCreateProgram(&handle_, source.c_str(), name.c_str(), 0, nullptr, nullptr),
                  "take the source");
  }
  ~Program() { nvrtc().nvrtcDestroyProgram(&handle_); }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  int compile(const std::vector<std::string>& options) {
    std::vector<const char*> words;
    words.reserve(options.size());
    for (const std::string& option : options) words.push_back(option.c_str());
    return nvrtc().nvrtcCompileProgram(handle_, static_cast<int>(words.size()), words.data());
  }

  using Size = int (*)(abi::Handle, std::size_t*);
  using Get = int (*)(abi::Handle, char*);
  std::string text(Size size_of, Get get, const char* doing) const {
    std::size_t size = 0;
    nvrtc().check(size_of(handle_, &size), doing);
    std::string bytes(size, '\0');
    if (size > 0) nvrtc().check(get(handle_, bytes.data()), doing);
    return bytes;
  }

 private:
  abi::Handle handle_ = nullptr;
};

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
              fmt::format("Update the driver, or install an NVRTC of CUDA {}: pip install {}", major, package(major)));
}

// Options whose value does not name a file.
constexpr std::string_view kPlain =
    "arch gpu-architecture std maxrregcount fmad ftz prec-div prec-sqrt dopt jump-table-density opt-info "
    "optimization-info split-compile builtin-initializer-list";

}  // namespace

Compiled compile(const std::string& source, const CompileOptions& options) {
  const Nvrtc& n = nvrtc();
  check_driver_loads();
  const bool cubin = options.arch.starts_with("sm_");
  if (!cubin && !options.arch.starts_with("compute_"))
    throw Error(ErrorKind::usage, "'" + options.arch + "' is not an architecture",
                "\"sm_90\" gives machine code, \"compute_90\" PTX");
  std::vector<std::string> words{"--gpu-architecture=" + options.arch};
  words.insert(words.end(), options.options.begin(), options.options.end());

  Program program(source, options.name);
  const int code = program.compile(words);
  Compiled compiled;
  compiled.log = program.text(n.nvrtcGetProgramLogSize, n.nvrtcGetProgramLog, "give its log");
  strip_end(compiled.log);
  if (code == abi::kNvrtcCompilation)
    throw Error(ErrorKind::usage, options.name + " does not compile:\n" + compiled.log);
  if (code == abi::kNvrtcInvalidOption)
    throw Error(ErrorKind::usage, "NVRTC " + nvrtc_version() + " refuses the options: " + compiled.log,
                "for a GPU that it does not know yet, arch = \"compute_XX\" of an older one gives PTX, which the "
                "driver finishes");
  n.check(code, "compile");
  if (cubin) {
    compiled.image = program.text(n.nvrtcGetCUBINSize, n.nvrtcGetCUBIN, "give the CUBIN");
  } else {
    compiled.image = program.text(n.nvrtcGetPTXSize, n.nvrtcGetPTX, "give the PTX");
    strip_end(compiled.image);
  }
  return compiled;
}

std::string nvrtc_version() {
  const auto [major, minor] = own_version();
  return fmt::format("{}.{}", major, minor);
}

std::vector<Need> needs_to_compile(const std::vector<std::string>& options) {
  std::vector<Need> needs{{EffectKind::gpu, {"run"}}};
  for (const std::string& option : options) {
    const auto begin = option.find_first_not_of('-');
    if (begin == std::string::npos || option.starts_with("-D") || option.starts_with("-U")) continue;
    const auto at = option.find('=');
    const std::string name = option.substr(begin, at == std::string::npos ? at : at - begin);
    if (begin == 0)  // the value of the option before it
      needs.push_back(writes(option));
    else if (option.starts_with("-I") && option.size() > 2)
      needs.push_back(reads(option.substr(2)));
    else if (at != std::string::npos && !has_word(kPlain, name))
      needs.push_back(writes(option.substr(at + 1)));
  }
  return needs;
}

}  // namespace reg::cuda
