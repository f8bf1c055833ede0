#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

// JSON as Python reads and writes it, with NaN and Infinity. nlohmann's, which reads all other JSON here, refuses
// those, and keeps of a number its value alone: 0.10 would not come out of a store as it went in. Taking apart a line
// of unknown text is the Splitter's (record.h); these functions read texts that were found to be JSON.

namespace reg::results {

/// A JSON value with its type; nothing is null. Of what is nested only its JSON text is kept.
using Scalar = std::variant<std::monostate, bool, std::int64_t, double, std::string>;
using Scalars = std::vector<std::pair<std::string, Scalar>>;

/// The end of the string that begins, with its quote, at `at`.
std::size_t string_end(std::string_view json, std::size_t at);

/// The text that a JSON string, quotes and all, stands for.
std::string unescaped(std::string_view string);

/// The number of a text that is a JSON number, NaN, Infinity or -Infinity.
double number_of(std::string_view text);

/// Puts the number behind the text as Python's json writes it: the shortest form that reads as the same number, with a
/// ".0" where it is whole.
void append_number(std::string& text, double value);

Scalar scalar_of(std::string_view json);

/// The values of an object without blanks between its tokens, by name, in order.
Scalars scalars_of(std::string_view object);

/// Calls `each` with the place of every element of an array, or every value of an object, and the object's name for it
/// with its quotes.
void for_members(std::string_view json,
                 const std::function<void(std::string_view name, std::size_t, std::size_t)>& each);

}  // namespace reg::results
