#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace reg::results {

/// Lines of results, wherever they are.
class Lines {
 public:
  virtual ~Lines() = default;

  /// The next line without its end, valid until the next call; false after the last one. Throws Error(io).
  virtual bool next(std::string_view& line) = 0;
  virtual std::size_t number() const = 0;         ///< of the last line that next() returned
  virtual bool cut_off() const { return false; }  ///< whether it had no newline: its writer was stopped in it
};

/// The lines of an open file that begin in [begin, end), with a buffer of a few MiB however long the file is. Each of
/// several readers can have a part of it; they are numbered from 1 in each part.
class LineReader : public Lines {
 public:
  LineReader(int fd, const std::string& path, std::uint64_t begin, std::uint64_t end);

  bool next(std::string_view& line) override;
  std::size_t number() const override { return count_; }
  bool cut_off() const override { return cut_off_; }

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
