#include "engine/artifact/find.h"

#include <elf.h>
#include <fcntl.h>

#include <algorithm>
#include <cstring>
#include <filesystem>

#include "engine/base/error.h"
#include "engine/base/file.h"
#include "engine/base/read_at.h"

namespace reg::artifact {
namespace {

namespace fs = std::filesystem;

bool has_compiled_name(const std::string& name) {
  constexpr const char* ends[] = {".whl", ".cubin", ".fatbin", ".ptx", ".hsaco", "_after_optimizations.txt"};
  return std::any_of(std::begin(ends), std::end(ends), [&](const char* end) { return name.ends_with(end); });
}

// Objects that a linker is still to join say nothing of what runs.
bool is_linked(const fs::path& path) {
  const Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file) return false;
  const auto header = value_at<Elf64_Ehdr>(read_at(file.get(), 0, sizeof(Elf64_Ehdr)), 0);
  return header && std::memcmp(header->e_ident, ELFMAG, SELFMAG) == 0 && header->e_type != ET_REL;
}

}  // namespace

std::vector<std::string> compiled_files(const std::string& folder) {
  std::error_code error;
  std::vector<std::string> found;
  for (fs::recursive_directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    std::error_code ignored;
    if (at->is_symlink(ignored) || !at->is_regular_file(ignored)) continue;
    if (has_compiled_name(at->path().filename()) || is_linked(at->path()))
      found.push_back(at->path().lexically_relative(folder).string());
  }
  if (error) throw system_error("reading " + folder, error.value());
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace reg::artifact
