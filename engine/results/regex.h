#pragma once

#include <string>
#include <string_view>

namespace reg {

/// Whether the regular expression (PCRE, as Python's `re` reads it in all but corners) matches anywhere in the text,
/// without regard to case. Throws Error(usage) for an expression that is none, with the place where it breaks, and for
/// one that takes more than a million steps on this text.
bool regex_found(const std::string& expression, std::string_view text);

}  // namespace reg
