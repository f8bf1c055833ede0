#pragma once

#include <string>
#include <string_view>

namespace reg {

/// Whether the regular expression (PCRE, nearly the syntax of Python's `re`) matches anywhere in the text, ignoring
/// case. Throws Error(usage) for an invalid expression, with the position of the error, and for one that takes more
/// than a million steps on this text.
bool regex_found(const std::string& expression, std::string_view text);

}  // namespace reg
