#include "engine/base/path_hash.h"

#include <algorithm>
#include <filesystem>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/ids.h"

namespace reg {

namespace fs = std::filesystem;

std::string hash_of_path(const std::string& path) {
  if (!fs::is_directory(path)) return sha256_of_file(path);
  std::error_code error;
  std::vector<fs::path> files;
  for (fs::recursive_directory_iterator at(path, error), end; !error && at != end; at.increment(error))
    if (at->is_symlink() || !at->is_directory()) files.push_back(at->path());
  if (error) throw system_error("reading " + path, error.value());
  std::sort(files.begin(), files.end());
  std::string lines;
  for (const fs::path& file : files) {
    const std::string contents = fs::is_symlink(file) ? fs::read_symlink(file).string() : sha256_of_file(file);
    lines += file.lexically_relative(path).string() + '\0' + contents + '\n';
  }
  return sha256(lines);
}

}  // namespace reg
