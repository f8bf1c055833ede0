#include "engine/results/shape.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "engine/results/json_text.h"

namespace reg::results {
namespace {

// Calls `each` for every token of the text that stands for something of the record, and `other` for what lies between.
template <class Each, class Other>
void for_tokens(std::string_view text, const Each& each, const Other& other) {
  constexpr std::string_view kStandIns = "IFSME";
  for (std::size_t at = 0; at < text.size(); ++at) {
    std::size_t end = at + 1;
    if (text[at] == '"') end = string_end(text, at);
    if (kStandIns.find(text[at]) != std::string_view::npos)
      each(text[at]);
    else
      other(text.substr(at, end - at));
    at = end - 1;
  }
}

}  // namespace

Shape::Shape(const std::string& text) : fields_(parts_of(text, 0, 0)) {
  if (const Part* metrics = field("metrics"))
    if (metrics->text.front() == '{') metrics_ = parts_of(metrics->text, metrics->number, metrics->word);
  for_tokens(
      text,
      [&](char token) {
        if (token == 'I' || token == 'F') kinds_ += token;
        if (token == 'S') ++words_;
      },
      [](std::string_view) {});
}

std::vector<Shape::Part> Shape::parts_of(std::string_view json, std::size_t number, std::size_t word) {
  std::vector<Part> parts;
  for_members(json, [&](std::string_view name, std::size_t begin, std::size_t end) {
    const std::string_view text = json.substr(begin, end - begin);
    const std::size_t first = number;
    parts.push_back({name.empty() ? "" : unescaped(name), text, number, word});
    for_tokens(
        text,
        [&](char token) {
          number += token == 'I' || token == 'F' ? 1 : 0;
          word += token == 'S' ? 1 : 0;
        },
        [](std::string_view) {});
    parts.back().numbers = number - first;
  });
  return parts;
}

const Shape::Part* Shape::find(const std::vector<Part>& parts, std::string_view name) {
  const auto found = std::find_if(parts.begin(), parts.end(), [&](const Part& part) { return part.name == name; });
  return found == parts.end() ? nullptr : &*found;
}

std::vector<std::size_t> Shape::numbers_of(const Part& part) {
  const auto is_number = [](std::string_view text) { return text == "I" || text == "F"; };
  if (is_number(part.text)) return {part.number};
  std::vector<std::size_t> numbers;
  if (part.text.front() != '[') return numbers;
  for (const Part& element : elements(part))
    if (is_number(element.text)) numbers.push_back(element.number);
  return numbers;
}

std::vector<std::string_view> words_in(std::string_view words) {
  std::vector<std::string_view> list;
  for (std::size_t at = 0; at < words.size();) {
    const std::size_t end = string_end(words, at);
    list.push_back(words.substr(at, end - at));
    at = end;
  }
  return list;
}

std::string filled(std::string_view text, std::size_t number, std::size_t word, const Pieces& pieces) {
  std::string json;
  for_tokens(
      text,
      [&](char token) {
        switch (token) {
          case 'M':
            json += pieces.model;
            break;
          case 'E':
            json += pieces.experiment;
            break;
          case 'S':
            json += pieces.words.at(word++);
            break;
          default:
            json += pieces.numbers.at(number++);
        }
      },
      [&](std::string_view other) { json += other; });
  return json;
}

std::string spaced(std::string_view json) {
  std::string text;
  text.reserve(json.size() + json.size() / 8);
  for (std::size_t at = 0; at < json.size(); ++at) {
    const std::size_t end = json[at] == '"' ? string_end(json, at) : at + 1;
    text += json.substr(at, end - at);
    if (json[at] == ',' || json[at] == ':') text += ' ';
    at = end - 1;
  }
  return text;
}

std::optional<double> timestamp_of(const Shape& shape, const std::vector<std::string_view>& numbers,
                                   std::string_view words) {
  const Shape::Part* part = shape.field("timestamp");
  if (part == nullptr) return std::nullopt;
  std::string text;
  if (part->text == "I" || part->text == "F")
    text = numbers[part->number];
  else if (part->text == "S")
    text = unescaped(words_in(words)[part->word]);
  double seconds = 0;
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, seconds);
  if (read.ec != std::errc{} || read.ptr != end || !std::isfinite(seconds)) return std::nullopt;
  return seconds;
}

}  // namespace reg::results
