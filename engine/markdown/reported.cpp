#include "engine/markdown/reported.h"

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>

#include "engine/base/error.h"
#include "engine/base/json.h"

namespace reg::markdown {
namespace {

// Where the JSON list that `text` begins with ends; its size where it does not.
std::size_t end_of_list(std::string_view text) {
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (quoted && text[i] == '\\')
      ++i;
    else if (text[i] == '"')
      quoted = !quoted;
    else if (text[i] == ']' && !quoted)
      return i + 1;
  }
  return text.size();
}

std::vector<std::string> words_of(std::string_view list) {
  const auto json = parse_json<nlohmann::json>(list);
  const bool texts =
      json.is_array() && std::all_of(json.begin(), json.end(), [](const auto& word) { return word.is_string(); });
  if (!texts)
    throw Error(ErrorKind::usage, "the options behind the fence are not a list of strings",
                "as in options=[\"--from\",\"2024-03-01\"], in one line");
  return json.get<std::vector<std::string>>();
}

std::int64_t number_of(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size())
    throw Error(ErrorKind::usage, "the seed behind the fence is not an integer", "Write it as seed=7.");
  return number;
}

}  // namespace

Reported read_info(std::string_view info) {
  Reported reported;
  while (!info.empty()) {
    const std::size_t end_of_name = std::min(info.find_first_of(" \t="), info.size());
    const std::string_view name = info.substr(0, end_of_name);
    info.remove_prefix(end_of_name);
    if (!info.starts_with('=')) {
      info.remove_prefix(std::min<std::size_t>(1, info.size()));
      continue;
    }
    info.remove_prefix(1);
    const std::size_t end =
        info.starts_with('[') ? end_of_list(info) : std::min(info.find_first_of(" \t"), info.size());
    const std::string_view value = info.substr(0, end);
    info.remove_prefix(end);
    if (name == "title") reported.title = value;
    if (name == "module") reported.module = value;
    if (name == "options") reported.options = words_of(value);
    if (name == "seed") reported.seed = number_of(value);
  }
  return reported;
}

}  // namespace reg::markdown
