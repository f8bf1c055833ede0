#include "engine/markdown/html.h"

#include <algorithm>
#include <array>
#include <string>

#include "engine/base/ascii.h"

namespace reg::markdown {
namespace {

constexpr std::array<std::string_view, 4> kRawText{"pre", "script", "style", "textarea"};

constexpr auto kBlockTags = std::to_array<std::string_view>(
    {"address",  "article",    "aside",  "base",    "basefont", "blockquote", "body",     "caption",  "center",
     "col",      "colgroup",   "dd",     "details", "dialog",   "dir",        "div",      "dl",       "dt",
     "fieldset", "figcaption", "figure", "footer",  "form",     "frame",      "frameset", "h1",       "h2",
     "h3",       "h4",         "h5",     "h6",      "head",     "header",     "hr",       "html",     "iframe",
     "legend",   "li",         "link",   "main",    "menu",     "menuitem",   "nav",      "noframes", "ol",
     "optgroup", "option",     "p",      "param",   "search",   "section",    "summary",  "table",    "tbody",
     "td",       "tfoot",      "th",     "thead",   "title",    "tr",         "track",    "ul"});

// Walks through a tag; each step says whether it was there.
class Tag {
 public:
  explicit Tag(std::string_view rest) : rest_(rest) {}

  bool take(char c) {
    if (!rest_.starts_with(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }
  template <class Is>
  std::string_view take_while(Is is) {
    const auto end = std::find_if_not(rest_.begin(), rest_.end(), is);
    const std::string_view taken = rest_.substr(0, static_cast<std::size_t>(end - rest_.begin()));
    rest_.remove_prefix(taken.size());
    return taken;
  }
  bool blanks() { return !take_while(is_blank).empty(); }
  std::string_view name() {
    if (rest_.empty() || !is_letter(rest_.front())) return {};
    return take_while([](char c) { return is_letter(c) || is_digit(c) || c == '-'; });
  }
  // name, or name = value
  bool attribute() {
    if (rest_.empty() || !(is_letter(rest_.front()) || rest_.front() == '_' || rest_.front() == ':')) return false;
    take_while([](char c) { return is_letter(c) || is_digit(c) || std::string_view("_.:-").find(c) != rest_npos; });
    const std::string_view before = rest_;
    blanks();
    if (!take('=')) {
      rest_ = before;
      return true;
    }
    blanks();
    return value();
  }
  bool at_end() {
    blanks();
    return rest_.empty();
  }

 private:
  static constexpr auto rest_npos = std::string_view::npos;
  bool value() {
    for (const char quote : {'"', '\''}) {
      if (!take(quote)) continue;
      take_while([quote](char c) { return c != quote; });
      return take(quote);
    }
    return !take_while([](char c) { return !is_blank(c) && std::string_view("\"'=<>`").find(c) == rest_npos; }).empty();
  }
  std::string_view rest_;
};

// An opening or closing tag, whole, and nothing behind it.
bool is_lone_tag(std::string_view rest) {
  Tag tag(rest);
  tag.take('<');
  const bool closing = tag.take('/');
  if (tag.name().empty()) return false;
  if (!closing) {
    while (tag.blanks() && tag.attribute()) {
    }
    tag.take('/');
  } else {
    tag.blanks();
  }
  return tag.take('>') && tag.at_end();
}

bool contains(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

}  // namespace

Html html_start(std::string_view rest) {
  if (!rest.starts_with('<')) return Html::none;
  if (rest.starts_with("<!--")) return Html::comment;
  if (rest.starts_with("<?")) return Html::instruction;
  if (rest.starts_with("<![CDATA[")) return Html::cdata;
  if (rest.starts_with("<!") && rest.size() > 2 && is_letter(rest[2])) return Html::declaration;
  Tag tag(rest.substr(1));
  const bool closing = tag.take('/');
  const std::string name = in_small_letters(tag.name());
  const std::string_view behind = rest.substr(1 + (closing ? 1 : 0) + name.size());
  const bool word_ends = behind.empty() || is_blank(behind.front()) || behind.front() == '>';
  if (!closing && word_ends && std::find(kRawText.begin(), kRawText.end(), name) != kRawText.end())
    return Html::raw_text;
  if ((word_ends || behind.starts_with("/>")) && std::binary_search(kBlockTags.begin(), kBlockTags.end(), name))
    return Html::block_tag;
  return is_lone_tag(rest) ? Html::any_tag : Html::none;
}

bool html_ends(Html kind, std::string_view line) {
  switch (kind) {
    case Html::raw_text: {
      const std::string text = in_small_letters(line);
      return std::any_of(kRawText.begin(), kRawText.end(),
                         [&](std::string_view name) { return contains(text, "</" + std::string(name) + ">"); });
    }
    case Html::comment:
      return contains(line, "-->");
    case Html::instruction:
      return contains(line, "?>");
    case Html::declaration:
      return contains(line, ">");
    case Html::cdata:
      return contains(line, "]]>");
    default:
      return false;
  }
}

}  // namespace reg::markdown
