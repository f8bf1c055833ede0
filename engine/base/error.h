#pragma once

#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

namespace reg {

/// The kind of an error. Scripts see it as `err.kind`, so the names are part of the interface.
enum class ErrorKind {
  usage,         ///< a mistake of the script or the user
  not_found,     ///< the named thing does not exist: a file, a revision, an image
  permission,    ///< refused by the Policy or the system
  unavailable,   ///< missing on this machine or out of reach: docker, a registry, a GPU
  network,       ///< a registry or another server failed or was out of reach: the same may work later
  conflict,      ///< in use by somebody else, or it would overwrite work: a dirty tree, a locked store
  corrupt,       ///< damaged or malformed data
  io,            ///< the system failed: disk full, broken pipe
  paused,        ///< the machine or the test broke, not what was measured: the same command goes on once it is repaired
  failed_trial,  ///< a run without a usable number; a sweep records it and continues
  cancelled,     ///< the user asked to stop
  internal,      ///< a bug in regengine
};

const char* to_string(ErrorKind kind);
std::optional<ErrorKind> error_kind(std::string_view name);

/// The only exception the engine throws: what went wrong and where (a path, a revision), and a hint that says what to
/// do. An expected result (a revision that does not exist, a command's exit code) is returned, not thrown.
class Error : public std::runtime_error {
 public:
  /// A NUL byte in the message, which would end it, is written as \0.
  Error(ErrorKind kind, std::string message, std::string hint = {});

  ErrorKind kind() const { return kind_; }
  const std::string& hint() const { return hint_; }

 private:
  ErrorKind kind_;
  std::string hint_;
};

/// The Error for an errno value: "<what>: No space left on device", with a hint where there is one.
[[nodiscard]] Error system_error(const std::string& what, int code);

/// Any exception as an Error: those of the standard library get a kind, and name the file.
[[nodiscard]] Error as_error(const std::exception& error);

/// Whether an optional part of the machine is available; if not, why and what to do.
struct Presence {
  bool ok = false;
  std::string message;  ///< one line; "" if it is available
  std::string hint;
};

/// Not available if `check` throws an Error, with the message and hint of that Error.
template <class Check>
Presence presence_of(const Check& check) {
  try {
    check();
    return {true, "", ""};
  } catch (const Error& error) {
    return {false, error.what(), error.hint()};
  }
}

/// Does the work as far as it goes; false if it threw an Error.
template <class Work>
bool try_to(const Work& work) {
  return presence_of(work).ok;
}

/// Tells the user something while work goes on: one line, without its end. Before show_notices was called, to stderr.
void notify(const std::string& line);

/// How notices are shown from now on.
void show_notices(std::function<void(const std::string&)> show);

}  // namespace reg
