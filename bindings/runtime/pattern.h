#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string_view>

namespace reg::lua {

/// A pattern that is none, or an index of a capture that is not there.
class PatternError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Matches Lua's patterns (the manual, 6.4.1) as Lua does, byte for byte, and counts its steps: a pattern can take
/// longer than anybody waits, and Lua's own matcher cannot be stopped. It knows no Lua state. Neither text may go while
/// it is used.
class Pattern {
 public:
  static constexpr int kMostCaptures = 32;

  /// `look(steps)` is called now and then with the steps since it was called last, and may throw.
  Pattern(std::string_view text, std::string_view pattern, std::function<void(std::int64_t)> look);

  /// Where the match that begins at `from` (within the text) ends; nullptr when there is none. The captures are those
  /// of this match until the next one.
  const char* match(const char* from);

  /// match() at `from` and, unless the pattern is anchored with ^, wherever else up to the end; `begin` is where it was
  /// found.
  const char* search(const char* from, const char*& begin);

  bool anchored() const { return anchored_; }
  int captures() const { return level_; }

  struct Piece {
    const char* begin = nullptr;
    std::ptrdiff_t length = 0;
    bool is_position = false;
  };
  /// Capture `index` from 0 of a match from `begin` to `end`, which is capture 0 itself where the pattern has none.
  Piece capture(int index, const char* begin, const char* end) const;

  /// The steps since look() was called.
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
    if (steps_ >= kStepsBetweenLooks) look_around();
  }
  void look_around();

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

  static constexpr std::int64_t kStepsBetweenLooks = 1 << 20;

  const char* text_;
  const char* text_end_;
  const char* pattern_;
  const char* pattern_end_;
  bool anchored_ = false;
  std::function<void(std::int64_t)> look_;
  std::int64_t steps_ = 0;
  int depth_ = 0;
  int level_ = 0;
  std::array<Capture, kMostCaptures> captures_;  // the first level_ of them
};

}  // namespace reg::lua
