#include "engine/base/error.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <new>
#include <system_error>
#include <utility>

namespace reg {
namespace {

// In the order of ErrorKind.
constexpr std::array kNames{"usage",   "not_found", "permission", "unavailable",  "network",   "conflict",
                            "corrupt", "io",        "paused",     "failed_trial", "cancelled", "internal"};
static_assert(kNames.size() == static_cast<std::size_t>(ErrorKind::internal) + 1);

std::string with_visible_nul(std::string text) {
  for (auto at = text.find('\0'); at != std::string::npos; at = text.find('\0', at)) text.replace(at, 1, "\\0");
  return text;
}

std::function<void(const std::string&)> show_notice = [](const std::string& line) {
  std::fprintf(stderr, "%s\n", line.c_str());
};

}  // namespace

Error::Error(ErrorKind kind, std::string message, std::string hint)
    : std::runtime_error(with_visible_nul(std::move(message))), kind_(kind), hint_(std::move(hint)) {}

const char* to_string(ErrorKind kind) { return kNames.at(static_cast<std::size_t>(kind)); }

std::optional<ErrorKind> error_kind(std::string_view name) {
  const auto found = std::find(kNames.begin(), kNames.end(), name);
  if (found == kNames.end()) return std::nullopt;
  return static_cast<ErrorKind>(found - kNames.begin());
}

Error system_error(const std::string& what, int code) {
  const std::string message = what + ": " + std::generic_category().message(code);
  switch (code) {
    case ENOENT:
      return {ErrorKind::not_found, message};
    case EACCES:
    case EPERM:
      return {ErrorKind::permission, message};
    case ENOSPC:
    case EDQUOT:
      return {ErrorKind::io, message, "Free some space."};
    case EFBIG:
      return {ErrorKind::io, message, "Raise the limit of a file's size: ulimit -f unlimited"};
    default:
      return {ErrorKind::io, message};
  }
}

Error as_error(const std::exception& error) {
  if (const auto* ours = dynamic_cast<const Error*>(&error); ours != nullptr) return *ours;
  if (const auto* file = dynamic_cast<const std::filesystem::filesystem_error*>(&error); file != nullptr)
    return system_error(file->path1().empty() ? "an empty path" : file->path1().string(), file->code().value());
  if (dynamic_cast<const std::bad_alloc*>(&error) != nullptr)
    return {ErrorKind::unavailable, "out of memory", "Use a smaller input, or a machine with more memory."};
  return {ErrorKind::internal, error.what()};
}

void notify(const std::string& line) { show_notice(line); }

void show_notices(std::function<void(const std::string&)> show) { show_notice = std::move(show); }

}  // namespace reg
