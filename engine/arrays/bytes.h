#pragma once

#include <cstdint>
#include <string>

#include "engine/base/error.h"
#include "engine/base/file.h"

namespace reg::arrays {

/// A regular file that is read by place.
class Bytes {
 public:
  explicit Bytes(std::string path);

  const std::string& path() const { return path_; }
  std::uint64_t size() const { return size_; }  ///< when it was opened

  /// Exactly `count` bytes from `at` on; throws Error(corrupt) where there are fewer, `what` being what they are.
  void read(std::uint64_t at, std::size_t count, char* out, const char* what) const;

  /// "<path>: <what>", of kind corrupt.
  [[nodiscard]] Error corrupt(const std::string& what) const;

 private:
  std::string path_;
  Fd fd_;
  std::uint64_t size_ = 0;
};

/// Foreign bytes for one line of a message: short, and without what would move a terminal.
std::string excerpt(std::string_view text);

}  // namespace reg::arrays
