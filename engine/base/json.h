#pragma once

#include <string_view>

namespace reg {

/// The levels of JSON text that are read: each takes a frame of the C stack where it is copied or written.
inline constexpr int kDeepestJson = 200;

/// Whether the text nests deeper than that. Counts brackets only, so it is safe for any text.
bool nests_too_deep(std::string_view json);

/// JSON text of others as a value of nlohmann's; discarded where it is not valid or nests too deep.
template <class Json>
Json parse_json(std::string_view text) {
  return nests_too_deep(text) ? Json(Json::value_t::discarded) : Json::parse(text, nullptr, false);
}

}  // namespace reg
