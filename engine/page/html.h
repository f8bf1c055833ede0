#pragma once

#include <string>
#include <string_view>

namespace reg::page {

/// Foreign text as it may stand in HTML, between tags and in a quoted attribute. Bytes that are no UTF-8 become U+FFFD;
/// control characters but newline and tab, and those that turn the direction of writing, are left out.
std::string escape_html(std::string_view text);

/// JSON as it may stand in a <script> element: the same value, with nothing in it that could end the element.
std::string json_in_html(std::string_view json);

/// What a program wrote for a terminal, as it is read afterwards: without escape sequences, and of a line that was
/// overwritten (a bar of progress) what stood there last.
std::string plain_log(std::string_view text);

/// What a page is made of. The parts are trusted, and so is `body`, which is HTML; title and data may be anything.
struct Page {
  std::string title;
  std::string body;
  std::string data_json;  ///< for `script`, which finds it in the element with the id "data"
  std::string_view style;
  std::string_view library;  ///< a script that `script` stands on
  std::string_view script;
};

/// One self-contained document. Its Content-Security-Policy names the style and the scripts by their hashes: nothing
/// else runs, nothing is loaded, and nothing is sent, whatever the text in it may be.
std::string render_page(const Page& page);

}  // namespace reg::page
