#pragma once

#include <fmt/format.h>

#include <charconv>
#include <map>
#include <string>
#include <variant>

#include "engine/base/error.h"

namespace reg::score {

/// The options of a command line, and where their values go.
using Options = std::map<std::string, std::variant<bool*, int*, std::string*>>;

/// Throws reg::Error "usage" with one line that says what is wrong.
inline void parse_options(int argc, char** argv, const Options& options) {
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const auto option = options.find(word);
    if (option == options.end()) throw Error(ErrorKind::usage, fmt::format("unknown option '{}'", word));
    if (bool* const* flag = std::get_if<bool*>(&option->second)) {
      **flag = true;
      continue;
    }
    if (++i == argc) throw Error(ErrorKind::usage, fmt::format("{} needs a value", word));
    const std::string value = argv[i];
    if (std::string* const* text = std::get_if<std::string*>(&option->second)) {
      **text = value;
      continue;
    }
    int& number = *std::get<int*>(option->second);
    const char* end = value.data() + value.size();
    const auto [stop, failure] = std::from_chars(value.data(), end, number);
    if (failure != std::errc{} || stop != end || number < 0)
      throw Error(ErrorKind::usage, fmt::format("{} needs a whole number, not '{}'", word, value));
  }
}

}  // namespace reg::score
