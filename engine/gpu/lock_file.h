#pragma once

#include <sys/types.h>

#include <string>

#include "engine/base/file.h"

namespace reg::gpu {

/// A file on which the engines of all users of this machine agree who uses something. Whoever takes it holds a flock on
/// it, which the kernel drops with the process, however that ends. The file itself stays, one for each name; it has the
/// pid of the last holder. It does not wait.
class LockFile {
 public:
  LockFile() = default;  ///< no file

  /// The file for `name`. It is empty if this user has no access to it. Throws permission if it is not a plain file: a
  /// link, for instance, that another user placed there.
  static LockFile open(const std::string& name);

  /// False if somebody else holds it, in this process or in another one.
  bool take();

  /// Holds it together with others who share it. Nobody can take it meanwhile.
  bool share();

  /// The pid that the holder wrote; 0 if there is none.
  pid_t holder() const;

  /// The descriptor, on which the flock ends when its last copy is closed.
  Fd release() { return std::move(file_); }

  const std::string& path() const { return path_; }
  explicit operator bool() const { return static_cast<bool>(file_); }

 private:
  bool lock(int how);
  bool is_current() const;

  std::string path_;
  Fd file_;
};

}  // namespace reg::gpu
