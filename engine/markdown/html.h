#pragma once

#include <string_view>

namespace reg::markdown {

/// CommonMark's seven ways in which a line begins a piece of HTML, within which nothing is Markdown.
enum class Html { none, raw_text, comment, instruction, declaration, cdata, block_tag, any_tag };

/// The one that `rest`, a line from its first character that is no blank, begins.
Html html_start(std::string_view rest);

/// Whether that piece of HTML ends in this line. A tag's ends before the next empty line, and never in a line.
bool html_ends(Html kind, std::string_view line);

/// Whether an empty line ends it.
inline bool html_ends_at_blank(Html kind) { return kind == Html::block_tag || kind == Html::any_tag; }

}  // namespace reg::markdown
