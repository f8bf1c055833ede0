#pragma once

#include <string>
#include <vector>

namespace reg {

/// The prompt's history, in a file that several prompts may share: each entry is appended at once, so that neither
/// kill -9 nor another prompt loses one. Only its owner can read the file. It knows nothing of terminals.
class History {
 public:
  /// Reads the newest `most` entries of the file; with "" nothing is saved. Read and write errors are ignored: the
  /// prompt works without a history file.
  History(std::string file, std::size_t most);

  /// Oldest first; an entry may have several lines.
  const std::vector<std::string>& entries() const { return entries_; }

  /// Appends the entry unless it equals the newest one.
  void add(const std::string& entry);

 private:
  void load();
  void append(const std::string& line);
  void shorten();

  std::string file_;
  std::size_t most_;
  std::vector<std::string> entries_;
};

/// Converts an entry to one line of the file, and back. Lines in libedit's own format are read too.
std::string history_line(const std::string& entry);
std::string history_entry(std::string_view line);

}  // namespace reg
