#include "engine/store/stored_runs.h"

#include <cmath>
#include <utility>

#include "engine/base/error.h"
#include "engine/store/number_text.h"

namespace reg::store {
namespace {

// A store may be somebody else's, and each number up to the largest takes some bytes.
constexpr std::int64_t kMostTexts = std::int64_t{1} << 24;

[[noreturn]] void fail_missing(const char* what) {
  throw Error(ErrorKind::corrupt, std::string(what) + " of a run are missing in the store");
}

}  // namespace

StoredTexts::StoredTexts(sqlite3* database) {
  Statement rows(database, "SELECT id, text FROM texts ORDER BY id");
  while (rows.step()) {
    const std::int64_t id = rows.integer(0);
    if (id < 0 || id > kMostTexts)
      throw Error(ErrorKind::corrupt, "a string of the store has the number " + std::to_string(id));
    const auto place = static_cast<std::size_t>(id);
    if (ids_.size() <= place) ids_.resize(place + 1);
    ids_[place] = texts_.id(rows.text(1));
  }
}

std::uint32_t StoredTexts::operator[](std::uint32_t id) const {
  if (id >= ids_.size()) fail_missing("texts");
  return ids_[id];
}

StoredRuns::StoredRuns(sqlite3* database)
    : texts_(database),
      shapes_(texts_.texts()),
      blocks_(database, "SELECT first, heads, words, spellings FROM run_blocks ORDER BY first"),
      columns_(database, "SELECT metric, numbers FROM run_numbers WHERE block = ?") {}

bool StoredRuns::next_block() {
  if (!blocks_.step()) return false;
  block_.first = blocks_.integer(0);
  block_.heads = list_of<RunHead>(blocks_.text(1));
  block_.words = blocks_.text(2);
  block_.spellings = blocks_.text(3);
  block_.columns.clear();
  column_at_.clear();
  columns_.bind(1, block_.first);
  while (columns_.step()) {
    const Column column = columns_.is_null(0) ? Column() : Column(columns_.text(0));
    block_.columns[column].numbers = list_of<double>(columns_.text(1));
  }
  columns_.reset();
  words_ = results::words_in(block_.words);
  at_ = words_at_ = next_word_ = spellings_at_ = 0;
  return true;
}

bool StoredRuns::next() {
  if (!block_.heads.empty()) spellings_at_ += head().spellings;
  if (++at_ >= block_.heads.size()) {
    do {
      if (!next_block()) return false;
    } while (block_.heads.empty());
  }
  words_at_ = next_word_;
  next_word_ += shape().words();
  read_numbers();
  return true;
}

void StoredRuns::read_numbers() {
  const std::uint32_t id = texts_[head().shape];
  if (stretches_.size() <= id) stretches_.resize(id + 1);
  if (stretches_[id].empty()) stretches_[id] = stretches_of(shape());
  numbers_.clear();
  for (const Stretch& stretch : stretches_[id]) {
    std::size_t& at = column_at_[stretch.column];
    const std::size_t begin = std::exchange(at, at + stretch.end - stretch.begin);
    const std::vector<double>& column = block_.columns[stretch.column].numbers;
    if (at > column.size()) fail_missing("numbers");
    numbers_.insert(numbers_.end(), column.begin() + static_cast<std::ptrdiff_t>(begin),
                    column.begin() + static_cast<std::ptrdiff_t>(at));
  }
}

std::optional<double> StoredRuns::timestamp() const {
  return std::isnan(head().timestamp) ? std::nullopt : std::optional<double>(head().timestamp);
}

results::Pieces StoredRuns::pieces() {
  if (spellings_at_ > block_.spellings.size()) fail_missing("spellings");
  const std::string_view spellings = std::string_view(block_.spellings).substr(spellings_at_, head().spellings);
  number_texts_ = number_texts(shape().kinds(), numbers_, spellings);
  if (next_word_ > words_.size()) fail_missing("words");
  const auto words = words_.begin() + static_cast<std::ptrdiff_t>(words_at_);
  return {model(),
          experiment(),
          {number_texts_.begin(), number_texts_.end()},
          {words, words + static_cast<std::ptrdiff_t>(next_word_ - words_at_)}};
}

std::string StoredRuns::plain_record() {
  results::Pieces all = pieces();
  for (std::size_t at = 0; at < numbers_.size(); ++at)
    if (!std::isfinite(numbers_[at]))
      all.numbers[at] = std::isnan(numbers_[at]) ? "null" : numbers_[at] > 0 ? "9e999" : "-9e999";
  return results::filled(text(head().shape), 0, 0, all);
}

}  // namespace reg::store
