#include "engine/markdown/blocks.h"

#include <algorithm>
#include <optional>

#include "engine/base/ascii.h"
#include "engine/markdown/html.h"

// After the reference implementation's way of going through a text: each line first goes on with the blocks that are
// open, outermost first; then it may open new ones; what is left of it is text. Only what decides whether a line is a
// fence is kept: no inline marks, no tables, no headings' texts.

namespace reg::markdown {
namespace {

constexpr std::size_t kTab = 4;
constexpr std::size_t kIndented = 4;          // columns from which a line is indented code
constexpr std::size_t kMostContainers = 100;  // quotes and lists in one another; deeper ones are text

// A place in a line, in bytes and in columns: a tab goes to the next multiple of four, and may be taken in parts.
class Cursor {
 public:
  explicit Cursor(std::string_view line) : line_(line) {}

  // Columns of blanks from here to the next other character.
  std::size_t indent() const { return column_at(first_word()) - column_; }
  bool blank() const { return first_word() == line_.size(); }
  std::string_view word() const { return line_.substr(first_word()); }  // from that character on

  void to_word() {
    const std::size_t to = first_word();
    column_ = column_at(to);
    in_tab_ = in_tab_ && to == at_;
    at_ = to;
  }
  void skip_bytes(std::size_t count) {  // of no tabs
    at_ += count;
    column_ += count;
  }
  bool skip_column() {  // of blanks
    if (at_ >= line_.size() || !is_blank(line_[at_])) return false;
    ++column_;
    in_tab_ = line_[at_] == '\t' && column_ % kTab != 0;
    if (!in_tab_) ++at_;
    return true;
  }
  void skip_columns(std::size_t count) {
    while (count > 0 && skip_column()) --count;
  }
  // What is left; of a tab that was taken in part, the rest as spaces.
  std::string rest() const {
    if (!in_tab_) return std::string(line_.substr(at_));
    return std::string(kTab - column_ % kTab, ' ') + std::string(line_.substr(at_ + 1));
  }

 private:
  std::size_t first_word() const {
    return static_cast<std::size_t>(
        std::find_if_not(line_.begin() + static_cast<std::ptrdiff_t>(at_), line_.end(), is_blank) - line_.begin());
  }
  std::size_t column_at(std::size_t to) const {
    std::size_t column = column_;
    for (std::size_t i = at_; i < to; ++i) column = line_[i] == '\t' ? (column / kTab + 1) * kTab : column + 1;
    return column;
  }
  std::string_view line_;
  std::size_t at_ = 0, column_ = 0;
  bool in_tab_ = false;  // the tab at at_ was taken in part
};

struct Container {
  bool quote = false;
  std::size_t width = 0;  // of a list item: columns its text is indented by
  bool empty = true;      // of a list item: nothing in it yet
};

struct Fence {
  char mark = '`';
  std::size_t length = 0;
  std::size_t indent = 0;
  std::string_view info;
};

std::size_t count_of(std::string_view text, char c) { return std::min(text.find_first_not_of(c), text.size()); }

std::string_view without_blanks(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

std::optional<Fence> fence_at(std::string_view word, std::size_t indent) {
  if (!word.starts_with("```") && !word.starts_with("~~~")) return std::nullopt;
  Fence fence{word.front(), count_of(word, word.front()), indent, {}};
  fence.info = without_blanks(word.substr(fence.length));
  if (fence.mark == '`' && fence.info.find('`') != std::string_view::npos) return std::nullopt;
  return fence;
}

bool closes(const Fence& fence, std::string_view word) {
  const std::size_t length = count_of(word, fence.mark);
  return length >= fence.length && without_blanks(word.substr(length)).empty();
}

bool is_thematic_break(std::string_view word) {
  const char mark = word.empty() ? ' ' : word.front();
  if (mark != '*' && mark != '-' && mark != '_') return false;
  if (!std::all_of(word.begin(), word.end(), [mark](char c) { return c == mark || is_blank(c); })) return false;
  return std::count(word.begin(), word.end(), mark) >= 3;
}

bool is_heading(std::string_view word) {
  const std::size_t marks = count_of(word, '#');
  return marks >= 1 && marks <= 6 && (marks == word.size() || is_blank(word[marks]));
}

// The line of = or - that makes the paragraph above it a heading.
bool is_underline(std::string_view word) {
  const char mark = word.empty() ? ' ' : word.front();
  return (mark == '=' || mark == '-') && without_blanks(word.substr(count_of(word, mark))).empty();
}

// How long the marker of a list item is, 0 where there is none. In a paragraph fewer things are one.
std::size_t marker_length(std::string_view word, bool in_paragraph) {
  std::size_t length = 0;
  if (!word.empty() && (word.front() == '-' || word.front() == '+' || word.front() == '*')) {
    length = 1;
  } else {
    std::size_t digits = 0;
    while (digits < word.size() && digits < 10 && is_digit(word[digits])) ++digits;
    if (digits == 0 || digits == 10 || digits == word.size()) return 0;
    if (word[digits] != '.' && word[digits] != ')') return 0;
    if (in_paragraph && word.substr(0, digits) != "1") return 0;
    length = digits + 1;
  }
  if (length < word.size() && !is_blank(word[length])) return 0;
  if (in_paragraph && without_blanks(word.substr(length)).empty()) return 0;
  return length;
}

class Reader {
 public:
  void line(std::string_view text) {
    ++number_;
    Cursor at(text);
    const std::size_t matched = go_on(at);
    const bool all = matched == containers_.size();
    if (all && leaf_ == Leaf::fence) return fence_line(at);
    if (all && leaf_ == Leaf::html && !(at.blank() && html_ends_at_blank(html_))) {
      if (html_ends(html_, at.rest())) leaf_ = Leaf::none;
      return;
    }
    if (all && leaf_ == Leaf::html) leaf_ = Leaf::none;
    if (all && leaf_ == Leaf::indented && (at.blank() || at.indent() >= kIndented)) return;
    open_new(at, matched);
  }

  std::vector<Block> take() { return std::move(blocks_); }

 private:
  enum class Leaf { none, paragraph, fence, indented, html };

  static void pass_quote_mark(Cursor& at) {
    at.to_word();
    at.skip_bytes(1);
    at.skip_column();
  }

  // How many of the open containers the line goes on with.
  std::size_t go_on(Cursor& at) const {
    std::size_t matched = 0;
    for (const Container& container : containers_) {
      if (container.quote) {
        if (at.indent() >= kIndented || !at.word().starts_with('>')) break;
        pass_quote_mark(at);
      } else if (at.indent() >= container.width) {
        at.skip_columns(container.width);
      } else if (at.blank() && !container.empty) {
        at.to_word();
      } else {
        break;
      }
      ++matched;
    }
    return matched;
  }

  void fence_line(Cursor& at) {
    Block& block = blocks_.back();
    if (at.indent() < kIndented && closes(fence_, at.word())) {
      block.closed = true;
      leaf_ = Leaf::none;
      return;
    }
    at.skip_columns(fence_.indent);
    for (const char c : at.rest()) block.text += c == '\0' ? std::string("\xEF\xBF\xBD") : std::string(1, c);
    block.text += '\n';
  }

  void close_leaf() { leaf_ = Leaf::none; }

  // Containers that the line does not go on with end here, and with them what was open in them.
  void close_to(std::size_t matched) {
    close_leaf();
    containers_.resize(matched);
  }

  void add_child() {
    close_leaf();
    if (!containers_.empty()) containers_.back().empty = false;
  }

  void open_fence(const Fence& fence) {
    add_child();
    leaf_ = Leaf::fence;
    fence_ = fence;
    blocks_.push_back({std::string(fence.info), "", number_ + 1, false});
    fence_.info = {};
  }

  void open_html(Html kind, std::string_view word) {
    add_child();
    html_ = kind;
    leaf_ = html_ends(kind, word) ? Leaf::none : Leaf::html;
  }

  void open_quote(Cursor& at) {
    add_child();
    pass_quote_mark(at);
    containers_.push_back({.quote = true});
  }

  void open_item(Cursor& at, std::size_t marker) {
    add_child();
    const std::size_t indent = at.indent();
    at.to_word();
    at.skip_bytes(marker);
    const std::size_t blanks = at.indent();
    const bool plain = at.blank() || blanks > kIndented;  // the text is one column behind the marker, whatever follows
    at.skip_columns(plain ? 1 : blanks);
    containers_.push_back({.quote = false, .width = indent + marker + (plain ? 1 : blanks)});
  }

  void open_new(Cursor& at, std::size_t matched) {
    const bool paragraph_goes_on = leaf_ == Leaf::paragraph;  // in whatever depth: its next line may be a lazy one
    bool all = matched == containers_.size();
    const auto reach = [&] {  // the line opens something where it stands
      if (!all) close_to(matched);
      all = true;
    };
    while (true) {
      const bool in_paragraph = all && leaf_ == Leaf::paragraph;
      const std::string_view word = at.word();
      if (word.empty()) break;
      if (at.indent() >= kIndented) {
        if (leaf_ == Leaf::paragraph) break;
        reach();
        add_child();
        leaf_ = Leaf::indented;
        return;
      }
      const bool room = containers_.size() < kMostContainers;
      if (word.front() == '>' && room) {
        reach();
        open_quote(at);
        continue;
      }
      if (is_heading(word)) {
        reach();
        return add_child();
      }
      if (const auto fence = fence_at(word, at.indent())) {
        reach();
        return open_fence(*fence);
      }
      const Html html = html_start(word);
      // A lone tag ends no paragraph; CommonMark means a lazy line too, GitHub does not.
      if (html != Html::none && !(html == Html::any_tag && in_paragraph)) {
        reach();
        return open_html(html, word);
      }
      if (in_paragraph && is_underline(word)) return close_leaf();
      if (is_thematic_break(word)) {
        reach();
        return add_child();
      }
      const std::size_t marker = room ? marker_length(word, in_paragraph) : 0;
      if (marker == 0) break;
      reach();
      open_item(at, marker);
    }
    if (!all && !at.blank() && paragraph_goes_on && leaf_ == Leaf::paragraph) return;  // lazy: all stays open
    if (!all) close_to(matched);
    if (at.blank()) return close_leaf();
    if (leaf_ == Leaf::paragraph) return;
    add_child();
    leaf_ = Leaf::paragraph;
  }

  std::size_t number_ = 0;
  std::vector<Container> containers_;
  Leaf leaf_ = Leaf::none;
  Html html_ = Html::none;
  Fence fence_;
  std::vector<Block> blocks_;
};

}  // namespace

std::vector<Block> blocks(std::string_view text) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  Reader reader;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of("\r\n"), text.size());
    reader.line(text.substr(0, end));
    text.remove_prefix(end);
    if (text.starts_with("\r\n")) text.remove_prefix(1);
    if (!text.empty()) text.remove_prefix(1);
  }
  return reader.take();
}

std::string language(const Block& block) {
  return in_small_letters(block.info.substr(0, block.info.find_first_of(" \t")));
}

}  // namespace reg::markdown
