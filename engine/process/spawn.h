#pragma once

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "engine/base/file.h"
#include "engine/process/command.h"

namespace reg::process {

/// A command that was started: its pid, which nobody has waited for yet, and our ends of its pipes.
struct Child {
  pid_t pid = -1;
  Fd in;  ///< only where the command has input
  Fd out;
  Fd err;
};

/// Starts it as the leader of a session of its own, with default signal handling. If this engine dies, it is killed, or
/// with Command::alone asked to end by TERM.
/// `mark` becomes REGENGINE_RUN in its environment; without one, REGENGINE_CLIENT names this engine. Throws not_found,
/// permission or io. `counter`: that of Command::count, to be received from the child then; nullptr without one.
Child spawn(Loop& loop, const Command& command, const std::string& mark, const Counter* counter);

/// One stream of a command as it comes: whole (up to a limit) into a file, and its first quarter and its end into
/// memory, however much there is of it.
class Output {
 public:
  Output(std::size_t keep_bytes, std::uint64_t file_bytes);

  /// Also writes to `file`, which another stream may share.
  void to_file(std::shared_ptr<Fd> file, std::string path);

  /// Throws io when the file cannot be written; what was written stays.
  void add(std::string_view data);

  std::uint64_t bytes() const { return bytes_; }

  /// What is in memory, a line in the place of what was left out.
  std::string text() const;

 private:
  std::size_t keep_;
  std::uint64_t file_left_;
  std::uint64_t bytes_ = 0;
  std::string head_;
  std::string tail_;
  std::shared_ptr<Fd> file_;
  std::string path_;
};

}  // namespace reg::process
