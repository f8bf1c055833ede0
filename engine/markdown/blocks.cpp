#include "engine/markdown/blocks.h"

#include <cmark.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "engine/base/error.h"
#include "engine/base/text.h"

namespace reg::markdown {
namespace {

// Lines as CommonMark ends them: by \n, \r\n or \r.
std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> all;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of("\r\n"), text.size());
    all.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + (text.substr(end, 2) == "\r\n" ? 2 : 1), text.size()));
  }
  return all;
}

std::vector<std::string> strings_of(std::string_view list) {
  const auto json = parse_json<nlohmann::json>(list);
  if (!json.is_array() || !std::all_of(json.begin(), json.end(), [](const auto& word) { return word.is_string(); }))
    throw Error(ErrorKind::usage, "the options behind the fence are not a list of strings",
                "as in options=[\"--from\",\"2024-03-01\"], in one line");
  return json.get<std::vector<std::string>>();
}

}  // namespace

std::vector<Block> blocks(std::string_view text) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  const std::unique_ptr<cmark_node, decltype(&cmark_node_free)> document(
      cmark_parse_document(text.data(), text.size(), CMARK_OPT_DEFAULT), cmark_node_free);
  const std::unique_ptr<cmark_iter, decltype(&cmark_iter_free)> walk(cmark_iter_new(document.get()), cmark_iter_free);
  const auto lines = lines_of(text);
  std::vector<Block> found;
  while (cmark_iter_next(walk.get()) != CMARK_EVENT_DONE) {
    cmark_node* node = cmark_iter_get_node(walk.get());
    if (cmark_node_get_type(node) != CMARK_NODE_CODE_BLOCK || *cmark_node_get_fence_info(node) == '\0') continue;
    // From the line itself: CommonMark would take the backslashes out of the JSON in it.
    const auto line = static_cast<std::size_t>(cmark_node_get_start_line(node));
    std::string_view info = lines.at(line - 1).substr(static_cast<std::size_t>(cmark_node_get_start_column(node)) - 1);
    info = trim(info.substr(info.find_first_not_of(info.front())));
    found.push_back({std::string(info), cmark_node_get_literal(node), line + 1});
  }
  return found;
}

std::string language(const Block& block) {
  return in_small_letters(block.info.substr(0, block.info.find_first_of(" \t")));
}

Reported read_info(std::string_view info) {
  Reported reported;
  while (!info.empty()) {
    const std::size_t end_of_name = std::min(info.find_first_of(" \t="), info.size());
    const std::string_view name = info.substr(0, end_of_name);
    const bool has_value = info.substr(end_of_name).starts_with('=');
    info.remove_prefix(std::min(end_of_name + 1, info.size()));
    if (!has_value) continue;
    const bool list = info.starts_with('[');  // which ends with the last bracket: only the seed follows it
    const std::string_view value =
        info.substr(0, list ? info.rfind(']') + 1 : std::min(info.find_first_of(" \t"), info.size()));
    info.remove_prefix(value.size());
    if (name == "title") reported.title = value;
    if (name == "module") reported.module = value;
    if (name == "options") reported.options = strings_of(value);
    if (name == "seed") reported.seed = whole_number<std::int64_t>(value);
    if (name == "seed" && !reported.seed)
      throw Error(ErrorKind::usage, "the seed behind the fence is not an integer", "Write it as seed=7.");
  }
  return reported;
}

}  // namespace reg::markdown
