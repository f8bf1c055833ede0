#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string_view>

namespace reg::lua {

/// A malformed pattern, or an invalid capture index.
class PatternError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Matches Lua's patterns (section 6.4.1 of the manual) exactly as Lua does, and counts its steps: a pattern can take
/// practically forever, and Lua's own matcher cannot be stopped. It knows no Lua state. Both strings must outlive it.
class Pattern {
 public:
  static constexpr int kMostCaptures = 32;

  /// `check(steps)` is called from time to time with the steps since the last call, and may throw.
  Pattern(std::string_view text, std::string_view pattern, std::function<void(std::int64_t)> check);

  /// The end of the match that begins at `from` (within the text), or nullptr. The captures are valid until the next
  /// match.
  const char* match(const char* from);

  /// The first match at or, unless the pattern is anchored with ^, after `from`. Sets `begin` to its start.
  const char* search(const char* from, const char*& begin);

  bool anchored() const { return anchored_; }
  int captures() const { return level_; }

  struct Piece {
    const char* begin = nullptr;
    std::ptrdiff_t length = 0;
    bool is_position = false;
  };
  /// Capture `index`, from 0, of a match from `begin` to `end`; without captures, capture 0 is the whole match.
  Piece capture(int index, const char* begin, const char* end) const;

  /// The steps since the last call of check().
  std::int64_t steps() const { return steps_; }

 private:
  struct Capture {
    const char* begin;
    std::ptrdiff_t length;  // or kOpen, kPosition
  };
  static constexpr std::ptrdiff_t kOpen = -1;
  static constexpr std::ptrdiff_t kPosition = -2;

  char at(const char* p) const { return p < pattern_end_ ? *p : '\0'; }
  void count(std::int64_t steps) {
    steps_ += steps;
    if (steps_ >= kStepsBetweenChecks) report_steps();
  }
  void report_steps();

  const char* match_here(const char* s, const char* p);
  static bool is_special(char letter);
  const char* match_special(const char* s, const char*& p);
  const char* class_end(const char* p) const;
  bool one(const char* s, const char* p, const char* end) const;
  bool in_set(unsigned char c, const char* p, const char* last) const;
  const char* most(const char* s, const char* p, const char* end);
  const char* fewest(const char* s, const char* p, const char* end);
  const char* open_capture(const char* s, const char* p, std::ptrdiff_t what);
  const char* close_capture(const char* s, const char* p);
  const char* balanced(const char* s, const char* p);
  bool at_frontier(const char* s, const char* p, const char* end) const;
  const char* same_as_capture(const char* s, char digit);

  static constexpr std::int64_t kStepsBetweenChecks = 1 << 20;

  const char* text_;
  const char* text_end_;
  const char* pattern_;
  const char* pattern_end_;
  bool anchored_ = false;
  std::function<void(std::int64_t)> check_;
  std::int64_t steps_ = 0;
  int depth_ = 0;
  int level_ = 0;
  std::array<Capture, kMostCaptures> captures_;  // the first level_ are in use
};

}  // namespace reg::lua
