#include "engine/base/shortage.h"

#include <fmt/format.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>

#include "engine/base/text.h"

namespace reg {
namespace {

// Less than this, or than one percent of a small file system, is full: few writes fit exactly into what was free.
constexpr std::uint64_t kFreeBytes = std::uint64_t{16} << 20;
constexpr std::uint64_t kFreeFiles = 16;
constexpr std::uint64_t kSmall = 100;

// What follows the error: a failing make says more as it ends.
constexpr std::size_t kLines = 20;

std::uint64_t least(std::uint64_t limit, std::uint64_t whole) {
  return std::max<std::uint64_t>(1, std::min(limit, whole / kSmall));
}

// The line says so whichever system call failed.
bool says_full(std::string_view line) {
  return contains_any(
      line, {"no space left on device", "disk quota exceeded", "database or disk is full", "cannot allocate memory",
             "virtual memory exhausted", "too many open files", "stale file handle", "input/output error",
             "unable to create native thread", "can't start new thread", "killed signal terminated program"});
}

// EAGAIN is also what a socket says that has nothing to read: here a process or a thread was wanted.
bool says_no_process(std::string_view line) {
  return line.find("resource temporarily unavailable") != std::string_view::npos &&
         contains_any(line, {"fork", "clone", "spawn", "exec", "thread", "process", "what()"});
}

}  // namespace

std::string shortage_at(const std::string& path) {
  struct statvfs now {};
  if (::statvfs(path.c_str(), &now) != 0 || (now.f_flag & ST_RDONLY) != 0 || now.f_blocks == 0) return {};
  const bool root = ::geteuid() == 0;
  const std::uint64_t bytes = std::uint64_t{root ? now.f_bfree : now.f_bavail} * now.f_frsize;
  if (bytes < least(kFreeBytes, std::uint64_t{now.f_blocks} * now.f_frsize))
    return fmt::format("the disk is full: {} bytes free in {}", bytes, path);
  const std::uint64_t files = root ? now.f_ffree : now.f_favail;
  if (now.f_files > 0 && files < least(kFreeFiles, now.f_files))
    return fmt::format("the disk is full: room for {} more files in {}", files, path);
  return {};
}

std::string shortage_in(std::string_view output) {
  const auto all = lines(output);
  const std::size_t first = all.size() > kLines ? all.size() - kLines : 0;
  for (std::size_t i = all.size(); i-- > first;) {
    const std::string line = in_small_letters(all[i]);
    if (says_full(line) || says_no_process(line)) return std::string(trim(all[i]));
  }
  return {};
}

}  // namespace reg
