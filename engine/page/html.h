#pragma once

#include <string>
#include <string_view>

namespace reg::page {

/// Escapes untrusted text for HTML content and quoted attributes. Invalid UTF-8 becomes U+FFFD; control characters
/// except newline and tab, and bidirectional controls, are removed.
std::string escape_html(std::string_view text);

/// The parts of a page. All are trusted, including `body`, which is HTML, and the data, except the title.
struct Page {
  std::string title;
  std::string body;
  std::string data_json;  ///< for `script`, in the element with the id "data"; without "<"
  std::string_view style;
  std::string_view library;  ///< a script that `script` depends on
  std::string_view script;
  int refresh_s = 0;  ///< how often a browser loads the file again; 0: never
};

/// One self-contained document. Its Content-Security-Policy allows the style and the scripts by their hashes: nothing
/// else runs, and nothing is loaded or sent, whatever the text in it.
std::string render_page(const Page& page);

}  // namespace reg::page
