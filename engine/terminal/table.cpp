#include "engine/terminal/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "engine/base/text.h"

namespace reg::terminal {
namespace {

constexpr int kSignificantDigits = 5;
constexpr int kMostDecimals = 9;
constexpr std::size_t kNarrowestColumn = 6;  // a text column is not made narrower than this
constexpr std::size_t kGap = 2;

bool is_text(const Cell& cell) { return std::holds_alternative<std::string>(cell); }

bool needs_exponent(double value) {
  const double size = std::fabs(value);
  return std::isfinite(value) && value != 0 && (size >= 1e15 || size < 1e-6);
}

// The decimals that show `value` with up to five significant digits and no trailing zeros.
int decimals_of(double value) {
  if (!std::isfinite(value) || value == 0 || needs_exponent(value)) return 0;
  const int before = static_cast<int>(std::floor(std::log10(std::fabs(value)))) + 1;
  const int most = std::clamp(kSignificantDigits - before, 0, kMostDecimals);
  const std::string text = fmt::format("{:.{}f}", value, most);
  const auto last = text.find_last_not_of('0');
  const auto point = text.find('.');
  return point == std::string::npos ? 0 : static_cast<int>(last - point);
}

std::string with_decimals(double value, int decimals) {
  if (needs_exponent(value)) return fmt::format("{:.{}g}", value, kSignificantDigits);
  return fmt::format("{:.{}f}", value, decimals);
}

struct Layout {
  bool right = false;
  int decimals = 0;
  std::size_t width = 0;
};

std::string text_of(const Cell& cell, const Layout& layout) {
  if (const auto* whole = std::get_if<std::int64_t>(&cell))
    return layout.decimals > 0 ? with_decimals(static_cast<double>(*whole), layout.decimals)
                               : fmt::format("{}", *whole);
  if (const auto* number = std::get_if<double>(&cell)) return with_decimals(*number, layout.decimals);
  if (const auto* text = std::get_if<std::string>(&cell)) return fit(*text, 0);
  return {};
}

std::string csv_field(const Cell& cell) {
  if (const auto* whole = std::get_if<std::int64_t>(&cell)) return fmt::format("{}", *whole);
  if (const auto* number = std::get_if<double>(&cell)) return fmt::format("{}", *number);
  const auto* text = std::get_if<std::string>(&cell);
  if (text == nullptr) return {};
  const bool formula = text->starts_with('=') || text->starts_with('@');  // to a spreadsheet, which would run it
  if (!formula && text->find_first_of(",\"\r\n") == std::string::npos) return *text;
  std::string quoted = formula ? "\"'" : "\"";
  for (const char c : *text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + '"';
}

Layout layout_of(const std::string& title, const std::vector<Row>& rows, std::size_t column) {
  Layout layout;
  layout.right = true;
  bool anything = false;
  for (const Row& row : rows) {
    if (column >= row.size() || std::holds_alternative<std::monostate>(row[column])) continue;
    anything = true;
    layout.right = layout.right && !is_text(row[column]);
    if (const auto* number = std::get_if<double>(&row[column]))
      layout.decimals = std::max(layout.decimals, decimals_of(*number));
  }
  layout.right = layout.right && anything;
  layout.width = display_width(title);
  for (const Row& row : rows)
    if (column < row.size()) layout.width = std::max(layout.width, display_width(text_of(row[column], layout)));
  return layout;
}

// Narrows the widest text column, one character at a time, until the table fits or no column can be narrowed.
void squeeze(std::vector<Layout>& layouts, std::size_t available) {
  std::size_t total = layouts.empty() ? 0 : kGap * (layouts.size() - 1);
  for (const Layout& layout : layouts) total += layout.width;
  while (total > available) {
    Layout* widest = nullptr;
    for (Layout& layout : layouts)
      if (!layout.right && layout.width > kNarrowestColumn && (widest == nullptr || layout.width > widest->width))
        widest = &layout;
    if (widest == nullptr) return;
    --widest->width;
    --total;
  }
}

void add_padded(std::string& line, const std::string& text, const Layout& layout) {
  const std::string blanks(layout.width - std::min(layout.width, display_width(text)), ' ');
  line += layout.right ? blanks + text : text + blanks;
}

void end_line(std::string& out, std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  out += line + '\n';
}

// The bytes of the first `columns` characters.
std::size_t bytes_of(std::string_view line, std::size_t columns) {
  std::size_t at = 0;
  for (; columns > 0 && at < line.size(); --columns) at += std::max<std::size_t>(1, character_at(line.substr(at)).size);
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

std::string format_number(double value) { return with_decimals(value, decimals_of(value)); }

std::string fit(std::string_view text, std::size_t width, bool utf8) {
  std::string line = printable(trim(text));
  std::replace_if(
      line.begin(), line.end(), [](char c) { return c == '\n' || c == '\t'; }, ' ');
  if (width == 0 || display_width(line) <= width) return line;
  std::string_view rest = line;
  for (std::size_t used = 0; !rest.empty();) {
    const std::string_view character = rest.substr(0, std::max<std::size_t>(1, character_at(rest).size));
    used += display_width(character);
    if (used >= width) break;  // the last column is for the ellipsis
    rest.remove_prefix(character.size());
  }
  line.resize(line.size() - rest.size());
  return line + (utf8 ? "…" : "~");
}

std::string render_table(const std::vector<std::string>& columns, const std::vector<Row>& rows, TableStyle style) {
  std::vector<Layout> layouts;
  for (std::size_t i = 0; i < columns.size(); ++i) layouts.push_back(layout_of(fit(columns[i], 0), rows, i));
  if (style.width > 0) squeeze(layouts, style.width);

  std::string out, header, rule;
  const std::string gap(kGap, ' ');
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (i > 0) header += gap, rule += gap;
    add_padded(header, fit(columns[i], layouts[i].width, style.utf8), layouts[i]);
    for (std::size_t n = 0; n < layouts[i].width; ++n) rule += style.utf8 ? "─" : "-";
  }
  end_line(out, header);
  end_line(out, rule);
  for (const Row& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      if (i > 0) line += gap;
      const std::string text = i < row.size() ? text_of(row[i], layouts[i]) : "";
      add_padded(line, layouts[i].right ? text : fit(text, layouts[i].width, style.utf8), layouts[i]);
    }
    end_line(out, line);
  }
  return out;
}

std::string render_csv(const std::vector<std::string>& columns, const std::vector<Row>& rows) {
  std::string out;
  const auto add_line = [&](std::size_t count, auto field) {
    for (std::size_t i = 0; i < count; ++i) out += (i > 0 ? "," : "") + field(i);
    out += "\r\n";
  };
  add_line(columns.size(), [&](std::size_t i) { return csv_field(columns[i]); });
  for (const Row& row : rows)
    add_line(columns.size(), [&](std::size_t i) { return i < row.size() ? csv_field(row[i]) : std::string(); });
  return out;
}

std::string wrapped(std::string_view text, std::size_t width) {
  if (width == 0) return std::string(text);
  std::string all;
  for (const std::string_view line : split(text, '\n'))
    all += (line.data() == text.data() ? "" : "\n") + (line.empty() ? "" : broken(std::string(line), width));
  return all;
}

}  // namespace reg::terminal
