#include <fmt/format.h>

#include <array>
#include <charconv>
#include <limits>
#include <utility>

#include "engine/arrays/array.h"
#include "engine/arrays/bytes.h"

namespace reg::arrays {
namespace {

constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 30;
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

class JsonArray : public Array {
 public:
  JsonArray(const std::string& path, Shape shape, std::vector<double> values)
      : Array(path, std::move(shape), false), values_(std::move(values)) {}

  std::string type() const override { return "json"; }

  void read(std::uint64_t first, std::size_t count, Number* out) override {
    for (std::size_t i = 0; i < count; ++i) out[i] = static_cast<Number>(values_.at(first + i));
  }

 private:
  std::vector<double> values_;
};

// Nested lists of numbers. No recursion: how deep foreign brackets nest is not ours to say. nlohmann's reader would not
// do, since it refuses Python's NaN.
class Reader {
 public:
  explicit Reader(Bytes bytes) : bytes_(std::move(bytes)) {
    if (bytes_.size() > kMostBytes)
      throw Error(ErrorKind::unavailable,
                  fmt::format("{}: {} bytes of JSON, which is read as a whole: {} are the most", bytes_.path(),
                              bytes_.size(), kMostBytes),
                  "dump it as .npy or as raw bytes: those are read piece by piece");
    text_.resize(bytes_.size());
    bytes_.read(0, text_.size(), text_.data(), "its text");
  }

  std::unique_ptr<Array> read() {
    do value();
    while (!over());
    if (at_ < text_.size()) throw broken("the end belongs");
    Shape shape;
    for (const auto& extent : extents_) shape.push_back(extent.value());
    return std::make_unique<JsonArray>(bytes_.path(), std::move(shape), std::move(values_));
  }

 private:
  char peek() {
    const auto next = text_.find_first_not_of(" \t\r\n", at_);
    at_ = next == std::string::npos ? text_.size() : next;
    return at_ < text_.size() ? text_[at_] : '\0';
  }

  bool take(char c) {
    if (peek() != c) return false;
    ++at_;
    return true;
  }

  [[nodiscard]] Error broken(const std::string& what) const {
    const std::string there =
        at_ < text_.size() ? "'" + excerpt(std::string_view(text_).substr(at_, 20)) + "'" : "the end";
    return bytes_.corrupt(fmt::format("byte {}: {} where {}", at_ + 1, there, what));
  }

  // A number, with every bracket that stands before it; or an empty list.
  void value() {
    while (take('[')) {
      if (counts_.size() == numbers_at_) throw broken("a number belongs, as before");
      if (counts_.size() == kMostAxes)
        throw broken(fmt::format("no deeper list belongs: {} levels are the most", kMostAxes));
      counts_.push_back(0);
      if (counts_.size() > extents_.size()) extents_.emplace_back();
      if (take(']')) return close();
    }
    if (extents_.size() > counts_.size()) throw broken("a list belongs, as before");
    numbers_at_ = counts_.size();
    values_.push_back(number());
  }

  // What stands behind a value: the brackets that end there, and a comma, unless it is all over.
  bool over() {
    while (!counts_.empty()) {
      ++counts_.back();
      if (take(',')) return false;
      if (!take(']')) throw broken("',' or ']' belongs");
      close();
    }
    peek();
    return true;
  }

  void close() {
    std::optional<std::uint64_t>& extent = extents_.at(counts_.size() - 1);
    if (extent.value_or(counts_.back()) != counts_.back())
      throw bytes_.corrupt(fmt::format("byte {}: a list of {} ends beside lists of {}", at_, counts_.back(), *extent));
    extent = counts_.back();
    counts_.pop_back();
  }

  double number() {
    constexpr double kInfinite = std::numeric_limits<double>::infinity();
    constexpr std::array<std::pair<std::string_view, double>, 6> kWords{
        {{"NaN", kNaN}, {"null", kNaN}, {"Infinity", kInfinite}, {"-Infinity", -kInfinite}, {"true", 1}, {"false", 0}}};
    peek();
    const std::string_view rest = std::string_view(text_).substr(at_);
    for (const auto& [word, value] : kWords) {
      if (rest.substr(0, word.size()) != word) continue;
      at_ += word.size();
      return value;
    }
    const std::string_view digits = rest.substr(rest.substr(0, 1) == "-" ? 1 : 0);
    double value = 0;
    const auto read = std::from_chars(rest.data(), rest.data() + rest.size(), value);
    if (digits.empty() || digits[0] < '0' || digits[0] > '9' || read.ec != std::errc{})
      throw broken("a number of a double's range belongs");
    at_ += static_cast<std::size_t>(read.ptr - rest.data());
    return value;
  }

  Bytes bytes_;
  std::string text_;
  std::size_t at_ = 0;
  std::vector<std::uint64_t> counts_;                  // of the open lists, outermost first
  std::vector<std::optional<std::uint64_t>> extents_;  // of the levels, where a list has ended there
  std::optional<std::size_t> numbers_at_;              // the level on which numbers stand
  std::vector<double> values_;
};

}  // namespace

std::unique_ptr<Array> open_json(const std::string& path) { return Reader(Bytes(path)).read(); }

}  // namespace reg::arrays
