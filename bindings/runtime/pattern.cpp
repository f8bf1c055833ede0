#include "bindings/runtime/pattern.h"

#include <cctype>
#include <cstring>
#include <string>
#include <utility>

namespace reg::lua {
namespace {

constexpr int kMaxDepth = 200;  // the same as Lua's; each level takes a few frames of the C stack

unsigned char byte(char c) { return static_cast<unsigned char>(c); }

bool in_class(unsigned char c, char letter) {
  bool is = false;
  switch (std::tolower(byte(letter))) {
    case 'a':
      is = std::isalpha(c) != 0;
      break;
    case 'c':
      is = std::iscntrl(c) != 0;
      break;
    case 'd':
      is = std::isdigit(c) != 0;
      break;
    case 'g':
      is = std::isgraph(c) != 0;
      break;
    case 'l':
      is = std::islower(c) != 0;
      break;
    case 'p':
      is = std::ispunct(c) != 0;
      break;
    case 's':
      is = std::isspace(c) != 0;
      break;
    case 'u':
      is = std::isupper(c) != 0;
      break;
    case 'w':
      is = std::isalnum(c) != 0;
      break;
    case 'x':
      is = std::isxdigit(c) != 0;
      break;
    case 'z':  // from Lua 5.1, still supported
      is = c == 0;
      break;
    default:
      return byte(letter) == c;
  }
  return std::isupper(byte(letter)) != 0 ? !is : is;
}

}  // namespace

Pattern::Pattern(std::string_view text, std::string_view pattern, std::function<void(std::int64_t)> check)
    : text_(text.data()),
      text_end_(text.data() + text.size()),
      pattern_(pattern.data()),
      pattern_end_(pattern.data() + pattern.size()),
      anchored_(pattern.starts_with('^')),
      check_(std::move(check)) {
  if (anchored_) ++pattern_;
}

const char* Pattern::match(const char* from) {
  level_ = 0;
  depth_ = 0;
  return match_here(from, pattern_);
}

const char* Pattern::search(const char* from, const char*& begin) {
  for (begin = from;; ++begin) {
    if (const char* end = match(begin); end != nullptr) return end;
    if (anchored_ || begin == text_end_) return nullptr;
  }
}

Pattern::Piece Pattern::capture(int index, const char* begin, const char* end) const {
  if (index >= level_) {
    if (index != 0) throw PatternError("invalid capture index %" + std::to_string(index + 1));
    return {begin, end - begin, false};
  }
  const Capture& capture = captures_[static_cast<std::size_t>(index)];
  if (capture.length == kOpen) throw PatternError("unfinished capture");
  if (capture.length == kPosition) return {capture.begin, capture.begin - text_ + 1, true};
  return {capture.begin, capture.length, false};
}

void Pattern::report_steps() { check_(std::exchange(steps_, 0)); }

// The depth counts only calls that make the C stack grow. One function, because the time is spent here.
const char* Pattern::match_here(const char* s, const char* p) {
  if (++depth_ > kMaxDepth) throw PatternError("pattern too complex");
  while (s != nullptr && p != pattern_end_) {
    count(1);
    if (*p == '(') {
      s = at(p + 1) == ')' ? open_capture(s, p + 2, kPosition) : open_capture(s, p + 1, kOpen);
      break;
    }
    if (*p == ')') {
      s = close_capture(s, p + 1);
      break;
    }
    if (*p == '$' && p + 1 == pattern_end_) {
      if (s != text_end_) s = nullptr;
      break;
    }
    if (*p == '%' && is_special(at(p + 1))) {
      s = match_special(s, p);
      continue;
    }
    const char* const end = class_end(p);
    const char repeat = at(end);
    if (!one(s, p, end)) {
      if (repeat != '*' && repeat != '?' && repeat != '-') s = nullptr;
      p = end + 1;  // zero repetitions are enough
      continue;
    }
    if (repeat == '*' || repeat == '+') {
      s = most(repeat == '+' ? s + 1 : s, p, end);
      break;
    }
    if (repeat == '-') {
      s = fewest(s, p, end);
      break;
    }
    if (repeat == '?') {
      const char* found = match_here(s + 1, end + 1);
      if (found != nullptr) {
        s = found;
        break;
      }
      p = end + 1;
      continue;
    }
    ++s;
    p = end;
  }
  --depth_;
  return s;
}

bool Pattern::is_special(char letter) { return letter == 'b' || letter == 'f' || std::isdigit(byte(letter)) != 0; }

// Matches %b, %f or %1 at p and moves p past it.
const char* Pattern::match_special(const char* s, const char*& p) {
  const char* const item = p;
  if (item[1] == 'b') {
    p = item + 4;
    return balanced(s, item + 2);
  }
  if (item[1] == 'f') {
    if (at(item + 2) != '[') throw PatternError("missing '[' after '%f' in pattern");
    p = class_end(item + 2);
    return at_frontier(s, item + 2, p) ? s : nullptr;
  }
  p = item + 2;
  return same_as_capture(s, item[1]);
}

const char* Pattern::class_end(const char* p) const {
  if (*p == '%') {
    if (p + 1 == pattern_end_) throw PatternError("malformed pattern (ends with '%')");
    return p + 2;
  }
  if (*p != '[') return p + 1;
  ++p;
  if (at(p) == '^') ++p;
  do {  // a ']' in first position is literal
    if (p == pattern_end_) throw PatternError("malformed pattern (missing ']')");
    if (*p++ == '%' && p < pattern_end_) ++p;
  } while (at(p) != ']');
  return p + 1;
}

// Whether the character at s matches the class from p to `end`.
bool Pattern::one(const char* s, const char* p, const char* end) const {
  if (s >= text_end_) return false;
  switch (*p) {
    case '.':
      return true;
    case '%':
      return in_class(byte(*s), p[1]);
    case '[':
      return in_set(byte(*s), p, end - 1);
    default:
      return *p == *s;
  }
}

// `p` is at the '[', `last` at its ']'.
bool Pattern::in_set(unsigned char c, const char* p, const char* last) const {
  const bool wanted = at(p + 1) != '^';
  if (!wanted) ++p;
  while (++p < last) {
    if (*p == '%') {
      ++p;
      if (in_class(c, *p)) return wanted;
    } else if (p[1] == '-' && p + 2 < last) {
      p += 2;
      if (byte(p[-2]) <= c && c <= byte(*p)) return wanted;
    } else if (byte(*p) == c) {
      return wanted;
    }
  }
  return !wanted;
}

const char* Pattern::most(const char* s, const char* p, const char* end) {
  std::ptrdiff_t times = 0;
  while (one(s + times, p, end)) ++times;
  count(times);
  for (; times >= 0; --times)
    if (const char* found = match_here(s + times, end + 1); found != nullptr) return found;
  return nullptr;
}

const char* Pattern::fewest(const char* s, const char* p, const char* end) {
  while (true) {
    if (const char* found = match_here(s, end + 1); found != nullptr) return found;
    if (!one(s, p, end)) return nullptr;
    count(1);
    ++s;
  }
}

const char* Pattern::open_capture(const char* s, const char* p, std::ptrdiff_t what) {
  if (level_ >= kMostCaptures) throw PatternError("too many captures");
  captures_[static_cast<std::size_t>(level_)] = {s, what};
  ++level_;
  const char* found = match_here(s, p);
  if (found == nullptr) --level_;
  return found;
}

const char* Pattern::close_capture(const char* s, const char* p) {
  int open = level_ - 1;
  while (open >= 0 && captures_[static_cast<std::size_t>(open)].length != kOpen) --open;
  if (open < 0) throw PatternError("invalid pattern capture");
  Capture& capture = captures_[static_cast<std::size_t>(open)];
  capture.length = s - capture.begin;
  const char* found = match_here(s, p);
  if (found == nullptr) capture.length = kOpen;
  return found;
}

// %bxy: p is at the x.
const char* Pattern::balanced(const char* s, const char* p) {
  if (p + 1 >= pattern_end_) throw PatternError("malformed pattern (missing arguments to '%b')");
  if (s >= text_end_ || *s != *p) return nullptr;
  std::ptrdiff_t open = 1;
  const char* begin = s;
  while (++s < text_end_) {
    if (*s == p[1]) {
      if (--open == 0) break;
    } else if (*s == *p) {
      ++open;
    }
  }
  count(s - begin);
  return s < text_end_ ? s + 1 : nullptr;
}

bool Pattern::at_frontier(const char* s, const char* p, const char* end) const {
  const char before = s == text_ ? '\0' : s[-1];
  const char here = s < text_end_ ? *s : '\0';
  return !in_set(byte(before), p, end - 1) && in_set(byte(here), p, end - 1);
}

const char* Pattern::same_as_capture(const char* s, char digit) {
  const int index = digit - '1';
  if (index < 0 || index >= level_ || captures_[static_cast<std::size_t>(index)].length == kOpen)
    throw PatternError("invalid capture index %" + std::to_string(index + 1));
  const Capture& capture = captures_[static_cast<std::size_t>(index)];
  if (capture.length == kPosition || text_end_ - s < capture.length) return nullptr;
  count(capture.length);
  return std::memcmp(capture.begin, s, static_cast<std::size_t>(capture.length)) == 0 ? s + capture.length : nullptr;
}

}  // namespace reg::lua
