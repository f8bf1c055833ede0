#include "engine/cuda/toolkit.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <sstream>

#include "engine/base/ids.h"

namespace reg::cuda {
namespace {

namespace fs = std::filesystem;

// The folder that Python is installed in, of the one that is first on PATH; "" for none. A virtual environment links
// its python3, so links are not followed. A relative folder in PATH would let the workspace stand in for it.
std::string python_on_path() {
  std::istringstream path(variable("PATH"));
  for (std::string folder; std::getline(path, folder, ':');)
    if (folder.starts_with('/') && access((fs::path(folder) / "python3").c_str(), X_OK) == 0)
      return (fs::path(folder) / "python3").parent_path().parent_path().string();
  return "";
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
