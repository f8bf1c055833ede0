#include "engine/base/text.h"

#include <algorithm>

#include "engine/terminal/console.h"

namespace reg::terminal {
namespace {

// The bytes of what fits into `columns`.
std::size_t bytes_of(std::string_view line, std::size_t columns) {
  std::size_t at = 0;
  for (std::size_t used = 0; at < line.size();) {
    const std::size_t size = std::max<std::size_t>(1, character_at(line.substr(at)).size);
    used += display_width(line.substr(at, size));
    if (used > columns) break;
    at += size;
  }
  return at;
}

// Where the line goes on: below its last column that begins in the left half, else below its first letter.
std::size_t indent_of(std::string_view line, std::size_t width) {
  const std::size_t half = bytes_of(line, width / 2), first = line.find_first_not_of(' ');
  std::size_t indent = std::min(first, line.size());
  for (auto gap = line.find("  ", indent); gap < half; gap = line.find("  ", gap)) {
    gap = line.find_first_not_of(' ', gap);
    if (gap <= half) indent = gap;
  }
  return display_width(line.substr(0, indent));
}

std::string broken(std::string line, std::size_t width) {
  if (line.find_first_not_of(" -\u2500") == line.npos) return line.substr(0, bytes_of(line, width));
  const std::string indent(indent_of(line, width), ' ');
  std::string text;
  while (bytes_of(line, width) < line.size() && !trim(line).starts_with("regengine ")) {
    const auto command = line.find(": regengine ");
    auto at = line.find_last_of(" \t", bytes_of(line, width + 1) - 1);
    if (command != line.npos) at = std::min(at, command + 1);
    if (at == line.npos || at <= indent.size()) break;
    text += line.substr(0, line.find_last_not_of(" \t", at) + 1) + "\n";
    const std::string rest(trim(std::string_view(line).substr(at)));
    line.assign(indent).append(rest);
  }
  return text + line;
}

}  // namespace

std::string fit(std::string_view text, std::size_t width, bool utf8) {
  std::string line = printable(trim(text));
  std::replace_if(
      line.begin(), line.end(), [](char c) { return c == '\n' || c == '\t'; }, ' ');
  if (width == 0 || display_width(line) <= width) return line;
  line.resize(bytes_of(line, width - 1));  // the last column is for the ellipsis
  return line + (utf8 ? "…" : "~");
}

std::string wrapped(std::string_view text, std::size_t width) {
  if (width == 0) return std::string(text);
  std::string all;
  for (const std::string_view line : split(text, '\n'))
    all += (line.data() == text.data() ? "" : "\n") + (line.empty() ? "" : broken(std::string(line), width));
  return all;
}

}  // namespace reg::terminal
