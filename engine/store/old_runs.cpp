#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <nlohmann/json.hpp>

#include "engine/base/error.h"
#include "engine/base/text.h"
#include "engine/results/run.h"
#include "engine/store/sqlite.h"

namespace reg::store {
namespace {

using results::string_end;

// What a block has of each run at its head.
struct Head {
  double timestamp;
  std::uint32_t model, experiment, shape;  // ids in texts
  std::uint32_t spellings;                 // bytes
};
static_assert(sizeof(Head) == 24);

[[noreturn]] void fail_missing(const char* what) {
  throw Error(ErrorKind::corrupt, std::string(what) + " of a run are missing in the store");
}

template <class T>
T item(std::string_view bytes, std::size_t at, const char* what) {
  if (at >= bytes.size() / sizeof(T)) fail_missing(what);
  T value;
  std::memcpy(&value, bytes.data() + at * sizeof(T), sizeof(T));
  return value;
}

std::string unquoted(std::string_view string) {
  const auto value = nlohmann::json::parse(string, nullptr, false);
  return value.is_string() ? value.get<std::string>() : std::string(string);
}

// With a blank behind each comma and colon, as Python writes JSON.
std::string spaced(std::string_view json) {
  std::string text;
  for (std::size_t at = 0; at < json.size();) {
    const std::size_t end = json[at] == '"' ? string_end(json, at) : at + 1;
    text += json.substr(at, end - at);
    if (json[at] == ',' || json[at] == ':') text += ' ';
    at = end;
  }
  return text;
}

// As Python's json writes a number.
std::string json_number(double value, bool whole) {
  constexpr double kWholeUpTo = 9007199254740992;  // 2^53: every integer below is a double
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "Infinity" : "-Infinity";
  if (whole && std::fabs(value) <= kWholeUpTo) return std::to_string(static_cast<std::int64_t>(value));
  return results::python_number(value);
}

// Numbers that Python would write in another way, by their place in the record: "4 0.10 7 1E5 ".
std::map<std::size_t, std::string> spelled(std::string_view spellings) {
  std::map<std::size_t, std::string> all;
  const auto parts = words(spellings);
  for (std::size_t i = 0; i + 1 < parts.size(); i += 2)
    all[whole_number<std::size_t>(parts[i]).value_or(0)] = parts[i + 1];
  return all;
}

// A store of format 2 or 3 took each record apart: its model, its experiment and what is left of it without numbers and
// strings, its shape, are in the table `texts`; its strings in `run_blocks`; and each metric's numbers in
// `run_numbers`, with some hundred runs to the block.
class OldRuns {
 public:
  explicit OldRuns(Database& database)
      : blocks_(database.handle(), "SELECT first, heads, words, spellings FROM run_blocks ORDER BY first"),
        columns_(database.handle(), "SELECT metric, numbers FROM run_numbers WHERE block = ?") {
    Statement rows(database.handle(), "SELECT id, text FROM texts");
    while (rows.step()) texts_[rows.integer(0)] = rows.text(1);
  }

  void each(const std::function<void(std::string_view line)>& take) {
    while (blocks_.step()) {
      read_block();
      for (std::size_t at = 0; at < heads_.size() / sizeof(Head); ++at) take(line_of(item<Head>(heads_, at, "heads")));
    }
  }

 private:
  using Column = std::optional<std::string>;  // the metric of a number; nothing for numbers outside of metrics
  struct Numbers {
    std::string bytes;
    std::size_t at = 0;
  };

  const std::string& text(std::uint32_t id) const {
    const auto found = texts_.find(id);
    if (found == texts_.end()) fail_missing("texts");
    return found->second;
  }

  void read_block() {
    heads_ = blocks_.text(1);
    words_ = blocks_.text(2);
    spellings_ = blocks_.text(3);
    word_ = spelling_ = 0;
    numbers_.clear();
    columns_.bind(1, blocks_.integer(0));
    while (columns_.step())
      numbers_[columns_.is_null(0) ? Column() : Column(columns_.text(0))] = {std::string(columns_.text(1)), 0};
    columns_.reset();
  }

  std::string line_of(const Head& head) {
    if (head.spellings > spellings_.size() - spelling_) fail_missing("spellings");
    const std::string_view spellings = std::string_view(spellings_).substr(spelling_, head.spellings);
    spelling_ += head.spellings;
    return spaced(record(text(head.shape), text(head.model), text(head.experiment), spellings));
  }

  std::string_view next_string() {
    if (word_ >= words_.size()) fail_missing("words");
    const std::size_t begin = std::exchange(word_, string_end(words_, word_));
    return std::string_view(words_).substr(begin, word_ - begin);
  }

  double next_number(const Column& column) {
    Numbers& numbers = numbers_[column];
    return item<double>(numbers.bytes, numbers.at++, "numbers");
  }

  // A shape has I for each whole number, F for each other one, S for each string, M for the model and E for the
  // experiment: {"model":M,"experiment":E,"metrics":{"total_time":[F,F]},"timestamp":I}
  std::string record(std::string_view shape, std::string_view model, std::string_view experiment,
                     std::string_view spellings) {
    const auto by_place = spelled(spellings);
    std::string json, field;
    Column metric;
    bool in_metrics = false, seen_metrics = false;
    int depth = 0;
    std::size_t place = 0;
    for (std::size_t at = 0; at < shape.size(); ++at) {
      const char c = shape[at];
      if (c == 'I' || c == 'F') {
        const double number = next_number(metric);
        const auto found = by_place.find(place++);
        json += found != by_place.end() ? found->second : json_number(number, c == 'I');
      } else if (c == 'S') {
        json += next_string();
      } else if (c == 'M' || c == 'E') {
        json += c == 'M' ? model : experiment;
      } else if (c == '"') {
        const std::string_view name = shape.substr(at, string_end(shape, at) - at);
        if (depth == 1) field = unquoted(name);
        if (depth == 2 && in_metrics) metric = unquoted(name);
        json += name;
        at += name.size() - 1;
      } else {
        json += c;
        depth += c == '{' || c == '[' ? 1 : c == '}' || c == ']' ? -1 : 0;
        if (depth == 2 && field == "metrics" && !std::exchange(seen_metrics, true)) in_metrics = c == '{';
        if (depth == 1) {
          in_metrics = false;
          metric.reset();
        }
      }
    }
    if (!by_place.empty() && by_place.rbegin()->first >= place)
      throw Error(ErrorKind::corrupt, "the store spells a number that its run does not have");
    return json;
  }

  std::map<std::int64_t, std::string> texts_;
  Statement blocks_, columns_;
  std::string heads_, words_, spellings_;
  std::size_t word_ = 0, spelling_ = 0;
  std::map<Column, Numbers> numbers_;
};

}  // namespace

void each_old_run(Database& database, const std::function<void(std::string_view line)>& take) {
  OldRuns(database).each(take);
}

}  // namespace reg::store
