#include "engine/trace/injection.h"

#include <fmt/format.h>

#include <cstdint>
#include <filesystem>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/file.h"
#include "engine/base/ids.h"
#include "engine/base/library.h"

namespace reg::trace {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFile = "libregengine_inject.so";
constexpr const char* kLibraryInside = "/opt/regengine/libregengine_inject.so";
constexpr const char* kFolderInside = "/opt/regengine/trace";

Library gpu_driver() {
  return {{"libcuda.so.1"}, "REGENGINE_LIBCUDA", "install the NVIDIA driver; no program uses CUDA without"};
}

}  // namespace

std::string injection_library() { return helper_file(kFile, "tracing"); }

void check_available() {
  injection_library();
  try {
    gpu_driver();
  } catch (const Error& error) {
    throw Error(ErrorKind::unavailable, std::string("no GPU driver: ") + error.what(), error.hint());
  }
}

// inject/cupti.c looks beside the program's own CUDA libraries first, which differ from program to program.
std::string cupti_version() {
  std::vector<std::string> files;
  for (const char* folder : {"", "/usr/local/cuda/extras/CUPTI/lib64/", "/usr/local/cuda/lib64/"})
    for (const char* major : {"14", "13", "12"}) files.push_back(std::string(folder) + "libcupti.so." + major);
  const Library library(files, "REGENGINE_CUPTI",
                        "Install the CUDA Toolkit; REGENGINE_CUPTI names a libcupti.so elsewhere.");
  try {
    gpu_driver();  // without it the version is 0, and CUPTI 13.2 crashes when it is asked
  } catch (const Error&) {
    return library.name() + " (CUPTI tells its version only with a GPU driver)";
  }
  std::uint32_t version = 0;
  if (const int code = library.get<int(std::uint32_t*)>("cuptiGetVersion")(&version); code != 0)
    return fmt::format("{} (it does not tell its version: error {})", library.name(), code);
  return "API version " + std::to_string(version);
}

Place make_place(const std::string& folder, bool in_container) {
  const std::string library = injection_library();
  const fs::path path =
      folder.empty() ? fs::temp_directory_path() / ("regengine-trace-" + random_id()) : fs::absolute(folder);
  make_folders(path.string());
  if (!fs::is_empty(path))
    throw Error(ErrorKind::conflict, "the folder for the trace is not empty: " + path.string(), "name another one");
  if (in_container) fs::permissions(path, fs::perms::all);  // the command may be another user there
  Place place;
  place.folder = path.string();
  const std::string lib = in_container ? kLibraryInside : library;
  place.env = {{"CUDA_INJECTION64_PATH", lib},
               {"NVTX_INJECTION64_PATH", lib},
               {"REGENGINE_TRACE_DIR", in_container ? kFolderInside : place.folder}};
  if (in_container) place.mounts = {{library, std::string(kLibraryInside) + ":ro"}, {place.folder, kFolderInside}};
  return place;
}

}  // namespace reg::trace
