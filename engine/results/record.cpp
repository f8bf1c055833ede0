#include "engine/results/record.h"

#include <cstring>

#include "engine/base/ascii.h"
#include "engine/base/text.h"

namespace reg::results {
namespace {

constexpr int kDeepest = 900;  // Python's reader gives up at about a thousand

// Of eight bytes at once: whether they are digits.
bool are_digits(const char* at) {
  constexpr std::uint64_t kHigh = 0xF0F0F0F0F0F0F0F0U, kZeros = 0x3030303030303030U, kSixes = 0x0606060606060606U;
  std::uint64_t word = 0;
  std::memcpy(&word, at, sizeof word);
  return (word & kHigh) == kZeros && ((word + kSixes) & kHigh) == kZeros;
}

// Of eight bytes at once: whether a string goes on through all of them as it is.
bool is_plain(const char* at) {
  constexpr std::uint64_t kOnes = 0x0101010101010101U, kTops = 0x8080808080808080U;
  std::uint64_t word = 0;
  std::memcpy(&word, at, sizeof word);
  const auto zeros = [](std::uint64_t x) { return (x - kOnes) & ~x & kTops; };
  const std::uint64_t control = (word - kOnes * 0x20) & ~word & kTops;
  return (control | zeros(word ^ kOnes * '"') | zeros(word ^ kOnes * '\\') | (word & kTops)) == 0;
}

}  // namespace

void Splitter::fail(const char* what) const {
  throw NoRecord("column " + std::to_string(at_ - begin_ + 1) + ": " + what, false);
}

char Splitter::next_token() {
  while (at_ < end_ && (*at_ == ' ' || *at_ == '\t' || *at_ == '\r' || *at_ == '\n')) ++at_;
  return peek();
}

void Splitter::expect(char c, const char* what) {
  if (next_token() != c) fail(what);
  ++at_;
  *out_ += c;
}

std::string_view Splitter::string() {
  const char* const begin = at_++;
  for (;;) {
    while (end_ - at_ >= 8 && is_plain(at_)) at_ += 8;
    const auto c = static_cast<unsigned char>(peek());
    if (c == '"') {
      ++at_;
      return {begin, static_cast<std::size_t>(at_ - begin)};
    }
    if (c < 0x20) fail(at_ == end_ ? "a string has no end" : "a control character stands in a string");
    if (c >= 0x80) {
      const std::size_t size = character_at({at_, static_cast<std::size_t>(end_ - at_)}).size;
      if (size == 0) fail("not valid UTF-8");
      at_ += size;
    } else if (c == '\\') {
      ++at_;
      if (peek() == 'u') {
        for (int k = 0; k < 4; ++k)
          if (++at_; std::strchr("0123456789abcdefABCDEF", peek()) == nullptr || peek() == '\0')
            fail("\\u needs four digits");
      } else if (peek() == '\0' || std::strchr("\"\\/bfnrt", peek()) == nullptr) {
        fail("not a valid escape");
      }
      ++at_;
    } else {
      ++at_;
    }
  }
}

void Splitter::literal(std::string_view word) {
  if (std::string_view(at_, static_cast<std::size_t>(end_ - at_)).substr(0, word.size()) != word) fail("not a value");
  at_ += word.size();
}

void Splitter::digits() {
  if (!is_digit(peek())) fail("a digit is missing");
  while (end_ - at_ >= 8 && are_digits(at_)) at_ += 8;
  while (is_digit(peek())) ++at_;
}

// Goes to the number's end; whether it is a whole one, to look at.
bool Splitter::number() {
  if (peek() == 'N') {
    literal("NaN");
    return false;
  }
  if (peek() == '-') ++at_;
  if (peek() == 'I') {
    literal("Infinity");
    return false;
  }
  if (!is_digit(peek())) fail("not a value");
  bool whole = true;
  if (peek() == '0')
    ++at_;
  else
    digits();
  if (peek() == '.') {
    ++at_;
    digits();
    whole = false;
  }
  if (peek() == 'e' || peek() == 'E') {
    ++at_;
    if (peek() == '+' || peek() == '-') ++at_;
    digits();
    whole = false;
  }
  return whole;
}

void Splitter::value(int depth) {
  if (depth > kDeepest) fail("this is nested too deep");
  switch (next_token()) {
    case '{':
      return members(depth);
    case '[':
      return elements(depth);
    case '"':
      if (apart_) {
        const char* const begin = at_;
        record_.words += string();
        mark('S', begin);
      } else {
        *out_ += string();
      }
      return;
    case 't':
      literal("true");
      *out_ += "true";
      return;
    case 'f':
      literal("false");
      *out_ += "false";
      return;
    case 'n':
      literal("null");
      *out_ += "null";
      return;
    default: {
      const char* const begin = at_;
      const bool whole = number();
      const std::string_view text(begin, static_cast<std::size_t>(at_ - begin));
      if (apart_) {
        record_.numbers.push_back(text);
        mark(whole ? 'I' : 'F', begin);
      } else {
        *out_ += text;
      }
    }
  }
}

void Splitter::members(int depth) {
  expect('{', "'{' is missing");
  if (next_token() != '}')
    for (;;) {
      if (next_token() != '"') fail("a name is missing");
      *out_ += string();
      expect(':', "':' is missing");
      value(depth + 1);
      if (next_token() != ',') break;
      expect(',', "");
    }
  expect('}', "',' or '}' is missing");
}

void Splitter::elements(int depth) {
  expect('[', "'[' is missing");
  if (next_token() != ']')
    for (;;) {
      value(depth + 1);
      if (next_token() != ',') break;
      expect(',', "");
    }
  expect(']', "',' or ']' is missing");
}

// The object that begins here. One that stood in an earlier line is told by its bytes alone: no object is the beginning
// of another one, so what equals it to its first '}' ends there.
std::uint32_t Splitter::object_text() {
  const void* const close = std::memchr(at_, '}', static_cast<std::size_t>(end_ - at_));
  if (close != nullptr) {
    const std::string_view raw(at_, static_cast<std::size_t>(static_cast<const char*>(close) + 1 - at_));
    if (const auto found = cached_.find(raw); found != cached_.end()) {
      at_ += raw.size();
      return found->second;
    }
  }
  const char* const begin = at_;
  object_.clear();
  out_ = &object_;
  apart_ = false;
  members(1);
  out_ = &shape_;
  apart_ = true;
  const std::uint32_t id = texts_.id(object_);
  const std::string_view raw(begin, static_cast<std::size_t>(at_ - begin));
  if (static_cast<const char*>(close) + 1 == at_) cached_.emplace(cached_texts_.emplace_back(raw), id);
  return id;
}

void Splitter::member_of_record(std::string_view name) {
  const bool is_object = next_token() == '{';
  if (is_object && name == "\"model\"" && !has_model_) {
    has_model_ = true;
    const char* const begin = at_;
    record_.model = object_text();
    mark('M', begin);
  } else if (is_object && name == "\"experiment\"" && !has_experiment_) {
    has_experiment_ = true;
    const char* const begin = at_;
    record_.experiment = object_text();
    mark('E', begin);
  } else {
    has_metrics_ = has_metrics_ || (is_object && name == "\"metrics\"");
    value(2);
  }
}

void Splitter::record() {
  if (next_token() != '{') {
    value(1);
    if (next_token() != '\0' || at_ < end_) fail("something stands behind the value");
    throw NoRecord("not a JSON object", true);
  }
  expect('{', "");
  if (next_token() != '}')
    for (;;) {
      if (next_token() != '"') fail("a name is missing");
      const std::string_view name = string();
      shape_ += name;
      expect(':', "':' is missing");
      member_of_record(name);
      if (next_token() != ',') break;
      expect(',', "");
    }
  expect('}', "',' or '}' is missing");
  if (next_token() != '\0' || at_ < end_) fail("something stands behind the object");
  if (!has_model_) throw NoRecord("it has no model", true);
  if (!has_experiment_) throw NoRecord("it has no experiment", true);
  if (!has_metrics_) throw NoRecord("it has no metrics", true);
}

// Something of the record's own stands from `begin` to here.
void Splitter::mark(char stand_in, const char* begin) {
  shape_ += stand_in;
  last_.push_back({std::string(marked_, begin), stand_in});
  marked_ = at_;
}

// Whether the line is the last one but for what is the records' own. All else is the same bytes, so it is JSON as that
// one was, and has its shape.
bool Splitter::is_like_last() {
  for (const Piece& piece : last_) {
    const std::size_t size = piece.before.size();
    if (static_cast<std::size_t>(end_ - at_) < size || std::memcmp(at_, piece.before.data(), size) != 0) return false;
    at_ += size;
    switch (piece.stand_in) {
      case 'M':
      case 'E':
        if (peek() != '{') return false;
        (piece.stand_in == 'M' ? record_.model : record_.experiment) = object_text();
        break;
      case 'S':
        if (peek() != '"') return false;
        record_.words += string();
        break;
      case '\0':
        return at_ == end_;
      default: {
        const char* const begin = at_;
        if ((number() ? 'I' : 'F') != piece.stand_in) return false;
        record_.numbers.emplace_back(begin, static_cast<std::size_t>(at_ - begin));
      }
    }
  }
  return false;  // there was none
}

void Splitter::parse() {
  at_ = marked_ = begin_;
  out_ = &shape_;
  apart_ = true;
  has_model_ = has_experiment_ = has_metrics_ = false;
  shape_.clear();
  last_.clear();
  record();
  last_.push_back({std::string(marked_, end_), '\0'});
  record_.shape = texts_.id(shape_);
}

const Record& Splitter::split(std::string_view line) {
  const auto begin = [&] {
    at_ = begin_;
    record_.numbers.clear();
    record_.words.clear();
  };
  begin_ = line.data();
  end_ = begin_ + line.size();
  begin();
  try {
    if (is_like_last()) return record_;
  } catch (const NoRecord&) {  // parse() says why in any case
  }
  begin();
  try {
    parse();
  } catch (const NoRecord&) {
    last_.clear();
    throw;
  }
  return record_;
}

std::vector<Complaint> read_records(LineReader& lines, Texts& texts, const std::function<void(const Record&)>& each) {
  std::vector<Complaint> complaints;
  Splitter splitter(texts);
  for (std::string_view line; lines.next(line);) {
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    try {
      each(splitter.split(line));
    } catch (const NoRecord& why) {
      complaints.push_back({lines.count(), why.what(), lines.cut_off() && !why.json});
    }
  }
  return complaints;
}

}  // namespace reg::results
