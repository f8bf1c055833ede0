#pragma once

#include <string>
#include <vector>

namespace reg {

/// What was typed in earlier sessions, in a file that several prompts may have open: each entry is appended at once, so
/// that neither kill -9 nor another prompt loses one. Readable by its owner alone. It knows nothing of terminals.
class History {
 public:
  /// Reads the file's newest `most` entries; "" keeps nothing. What cannot be read or written is not kept, without a
  /// word: the prompt works all the same.
  History(std::string file, std::size_t most);

  /// Oldest first; an entry may have several lines.
  const std::vector<std::string>& entries() const { return entries_; }

  /// Appends it, unless it is the newest entry already.
  void add(const std::string& entry);

 private:
  void load();
  void append(const std::string& line);
  void shorten();

  std::string file_;
  std::size_t most_;
  std::vector<std::string> entries_;
};

/// An entry as one line of the file, and back. A line that libedit's own history wrote is read too.
std::string history_line(const std::string& entry);
std::string history_entry(std::string_view line);

}  // namespace reg
