#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace reg::results {

/// The lines of an open file that begin in [begin, end), with a buffer of a few MiB however long the file is. Each of
/// several readers can have a part of it.
class LineReader {
 public:
  LineReader(int fd, const std::string& path, std::uint64_t begin, std::uint64_t end);

  /// The next line without its end; false after the last one. It is good until the next call. Throws Error(io).
  bool next(std::string_view& line);

  /// Whether the line that next() gave last had no newline behind it: its writer was stopped in it.
  bool cut_off() const { return cut_off_; }
  std::size_t count() const { return count_; }  ///< lines so far

 private:
  bool fill();

  int fd_;
  std::string path_;
  std::uint64_t at_;  // of the file, where the buffer's end belongs
  std::uint64_t end_;
  std::vector<char> buffer_;
  std::size_t from_ = 0, to_ = 0;  // what of the buffer is not yet given out
  std::size_t count_ = 0;
  bool skip_first_;  // it began before our part
  bool cut_off_ = false;
  bool over_ = false;
};

}  // namespace reg::results
