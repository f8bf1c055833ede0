#pragma once

#include <stdexcept>
#include <string>

namespace reg {

/// What sort of thing went wrong. Scripts see it as `err.kind`, so the names are part of the interface.
enum class ErrorKind {
  usage,         ///< the caller asked for something that makes no sense: a script's or a user's mistake
  not_found,     ///< the thing named is not there: a file, a revision, an image
  permission,    ///< refused, by the Policy or by the system
  unavailable,   ///< a part this machine lacks or cannot reach: docker, a registry, a GPU
  conflict,      ///< somebody else holds it, or it would overwrite work: a dirty tree, a locked store
  corrupt,       ///< data that is not what it says it is
  io,            ///< the system failed: disk full, broken pipe
  failed_trial,  ///< a run that gave no usable number; a sweep records it and goes on
  cancelled,     ///< the user asked to stop
  internal,      ///< a defect of regengine
};

const char* to_string(ErrorKind kind);

/// The one exception the engine throws: what happened (with the where of it, a path, a revision), and what to do.
/// A value that a caller expects (a revision that does not exist, a command's exit code) is returned, not thrown.
class Error : public std::runtime_error {
 public:
  /// A NUL byte in the message, which would be its end, is written as \0.
  Error(ErrorKind kind, std::string message, std::string hint = {});

  ErrorKind kind() const { return kind_; }
  const std::string& hint() const { return hint_; }

 private:
  ErrorKind kind_;
  std::string hint_;
};

/// io error made from errno: "<what>: No space left on device", with the hint that fits the code.
[[nodiscard]] Error system_error(const std::string& what, int code);

}  // namespace reg
