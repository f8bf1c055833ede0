#pragma once

#include <sys/types.h>

#include <string>

namespace reg {

/// A new folder with a random name, for its user alone. Removed with this object, by the process that made it and not
/// by one that was forked.
class TemporaryFolder {
 public:
  /// `begin`: the path up to the random letters. Throws where it cannot be made.
  explicit TemporaryFolder(const std::string& begin);
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::string& path() const { return path_; }

 private:
  std::string path_;
  pid_t maker_;
};

}  // namespace reg
