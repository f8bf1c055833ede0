#pragma once

#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "engine/results/lines.h"
#include "engine/results/texts.h"

namespace reg::results {

/// One line of a results.jsonl, in the format of pytorch/xla's benchmarks: a workload (`model`) that ran in a
/// configuration (`experiment`), its metrics' numbers and whatever else the line says. It is taken apart, because most
/// of it stands in the next line too: model, experiment and shape are ids among the texts of its Splitter.
struct Record {
  std::uint32_t model = 0, experiment = 0;  ///< JSON objects without blanks between their tokens
  /// The line with I for each whole number, F for each other one, S for each string, M for the model and E for the
  /// experiment: {"model":M,"experiment":E,"metrics":{"total_time":[F,F]},"timestamp":I}
  std::uint32_t shape = 0;
  std::vector<std::string_view> numbers;  ///< as they stand there, in order
  std::string words;                      ///< the strings with their quotes, one behind the other
};

/// Why a line is no record.
struct NoRecord : std::runtime_error {
  NoRecord(const std::string& what, bool is_json) : std::runtime_error(what), json(is_json) {}
  bool json;  ///< but it is JSON
};

/// Takes lines apart. What it says yes to is JSON as Python's reader takes it, to the last byte.
class Splitter {
 public:
  explicit Splitter(Texts& texts) : texts_(texts) {}

  /// The record is good until the next call, and while `line` is. Throws NoRecord.
  const Record& split(std::string_view line);

 private:
  [[noreturn]] void fail(const char* what) const;
  char peek() const { return at_ < end_ ? *at_ : '\0'; }
  char next_token();
  void expect(char c, const char* what);
  std::string_view string();
  void literal(std::string_view word);
  void digits();
  bool number();
  void value(int depth);
  void members(int depth);
  void elements(int depth);
  void record();
  void member_of_record(std::string_view name);
  std::uint32_t object_text();
  void mark(char stand_in, const char* begin);
  bool is_like_last();
  void parse();

  Texts& texts_;
  std::unordered_map<std::string_view, std::uint32_t, TextHash> cached_;  // models and experiments as lines have them
  std::deque<std::string> cached_texts_;
  const char *begin_ = nullptr, *at_ = nullptr, *end_ = nullptr;
  std::string* out_ = nullptr;  // where tokens go
  bool apart_ = true;           // numbers and strings go elsewhere
  bool has_model_ = false, has_experiment_ = false, has_metrics_ = false;
  std::string shape_, object_;
  struct Piece {
    std::string before;  // what stands between the stand-in before this one and this one
    char stand_in;       // nothing at the line's end
  };
  std::vector<Piece> last_;  // of the last line that was parsed
  const char* marked_ = nullptr;
  Record record_;
};

/// A line that is no record, and why. The last one is `truncated` where the writer was killed in it.
struct Complaint {
  std::size_t line = 0;
  std::string what;
  bool truncated = false;
};

/// Calls `each` for every record of the lines; what is no record, or what `each` throws NoRecord for, is skipped and
/// complained of, by its number among the lines of this reader. Empty lines are nothing.
std::vector<Complaint> read_records(LineReader& lines, Texts& texts, const std::function<void(const Record&)>& each);

}  // namespace reg::results
