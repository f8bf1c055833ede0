#include <algorithm>

#include "engine/base/text.h"
#include "engine/terminal/plot.h"
#include "engine/terminal/table.h"
#include "tests/support/catch.h"

using namespace reg;
using namespace reg::terminal;
using std::string;

namespace {

constexpr std::int64_t operator""_i(unsigned long long n) { return static_cast<std::int64_t>(n); }

Plot step_plot(bool utf8) {
  Plot plot;
  PlotSeries series;
  for (int day = 1; day <= 20; ++day) {
    PlotPoint point{day * 1.0, 600.0 + day % 2};
    if (day > 12) point.y = 550.0 - day % 2;
    if (day == 5) point = {5, std::nullopt, true};
    series.points.push_back(point);
  }
  plot.series = {series};
  plot.labels = {{13, "08-23"}, {1, "08-11"}, {20, "08-30"}};
  plot.changes = {12.5};
  plot.width = 60;
  plot.height = 9;
  plot.utf8 = utf8;
  return plot;
}

std::size_t line_count(const string& text) { return lines(text).size(); }

std::size_t widest_line(const string& text) {
  std::size_t widest = 0;
  for (const auto line : lines(text)) widest = std::max(widest, display_width(line));
  return widest;
}

}  // namespace

TEST_CASE("a table aligns numbers right, with the decimals of their column, and text left") {
  const string table = render_table({"night", "mlups", "runs"}, {{"2023-08-24", 587.9, 3_i}, {"x", 12.25, 12_i}, {"y"}},
                                    {.utf8 = false});
  CHECK(table ==
        "night        mlups  runs\n"
        "----------  ------  ----\n"
        "2023-08-24  587.90     3\n"
        "x            12.25    12\n"
        "y\n");
}

TEST_CASE("a column with a string among its numbers is text") {
  CHECK(render_table({"v"}, {{1.5}, {"none"}}, {.utf8 = false}) == "v\n----\n1.5\nnone\n");
}

TEST_CASE("an integer among fractions has their decimals") {
  CHECK(render_table({"v"}, {{1.5}, {2_i}}, {.utf8 = false}) == "  v\n---\n1.5\n2.0\n");
}

TEST_CASE("a table aligns by display width, not by bytes") {
  CHECK(render_table({"a", "b"}, {{"日本", "x"}, {"é", "y"}}) == "a     b\n────  ─\n日本  x\né     y\n");
}

TEST_CASE("a table that is too wide truncates the widest text and keeps the numbers") {
  const string table = render_table({"what", "value"}, {{string(100, 'w'), 123456.0}, {"short", 1.0}}, {.width = 30});
  CHECK(widest_line(table) == 30);
  CHECK(table.find("…") != string::npos);
  CHECK(table.find("123456") != string::npos);
}

TEST_CASE("a cell cannot break the table or control the terminal") {
  const string table = render_table({"m"}, {{"two\nlines\x1b[2J"}}, {.utf8 = false});
  CHECK(lines(table).size() == 3);
  CHECK(table.find('\x1b') == string::npos);
}

TEST_CASE("fit truncates between characters, never inside one") {
  CHECK(fit("ééééé", 3) == "éé…");
  CHECK(fit("日本語", 4) == "日…");
  CHECK(fit("abc", 3) == "abc");
  CHECK(fit("abcd", 3, false) == "ab~");
  CHECK(fit("e\xcc\x81xyz", 3, false) == "e\xcc\x81x~");
  CHECK(fit("\xa0\xa0\xa0", 2, false) == "\xa0~");  // bytes that begin no character
  CHECK(fit("\xa0\xa0", 1, false) == "~");
}

TEST_CASE("numbers for display have five significant digits and no trailing zeros") {
  CHECK(format_number(587.9) == "587.9");
  CHECK(format_number(2.0 / 3) == "0.66667");
  CHECK(format_number(1234567.8) == "1234568");
  CHECK(format_number(0) == "0");
  CHECK(format_number(-0.001) == "-0.001");
  CHECK(format_number(2.5e-9) == "2.5e-09");
  CHECK(format_number(NAN) == "nan");
}

TEST_CASE("CSV is RFC 4180 and loses no digit") {
  CHECK(render_csv({"=id", "note"}, {{"@sum(a1)", "a=b"}, {"-x", "=\"a\""}}) ==
        "\"'=id\",note\r\n\"'@sum(a1)\",a=b\r\n-x,\"'=\"\"a\"\"\"\r\n");  // a spreadsheet runs formulas
  CHECK(render_csv({"id", "note"}, {{"a,b", "say \"hi\""}, {0.1 + 0.2, "two\nlines"}, {7_i}}) ==
        "id,note\r\n\"a,b\",\"say \"\"hi\"\"\"\r\n0.30000000000000004,\"two\nlines\"\r\n7,\r\n");
}

TEST_CASE("a plot with levels marks the points, and names what is measured above the axis") {
  Plot plot = step_plot(false);
  plot.levels = {{1, 12.5, 600.5}, {12.5, 20, 549.5}};
  plot.y_label = "MLUPS";
  const string ascii = render_plot(plot);
  INFO(ascii);
  const auto rows = lines(ascii);
  CHECK(rows[0] == "MLUPS");
  CHECK(rows[1].find("o**o") != string::npos);
  CHECK(ascii.rfind("o**o") > ascii.find("560"));
  plot.x_label = "night";
  const string named = render_plot(plot);
  INFO(named);
  CHECK(lines(named).back().find("     night") != string::npos);
  plot.utf8 = true;
  plot.width = 200;
  const string braille = render_plot(plot);
  INFO(braille);
  std::size_t points = 0;
  for (std::size_t at = braille.find("•"); at != string::npos; at = braille.find("•", at + 1)) ++points;
  CHECK(points == 19);
}

TEST_CASE("a plot in UTF-8 is as wide as asked, in braille") {
  const string plot = render_plot(step_plot(true));
  INFO(plot);
  CHECK(widest_line(plot) == 60);
  CHECK(lines(plot).size() == 11);
  CHECK(plot.find("×") != string::npos);
  CHECK(plot.find("│") != string::npos);
  CHECK(plot.find("\xE2\xA1") != string::npos);
}

TEST_CASE("letters of a dense line keep a distance, and points without a line all have theirs") {
  Plot plot;
  plot.series = {{"a", {}}, {"b", {{0, 5.0}}}};
  for (int i = 0; i < 500; ++i) plot.series[0].points.push_back({i * 1.0, 1.0});
  const auto letters = [&] {
    const string drawn = render_plot(plot);
    const string drawing = drawn.substr(0, drawn.find("└"));
    return std::count(drawing.begin(), drawing.end(), 'A');
  };
  CHECK(letters() > 5);
  CHECK(letters() < 20);
  plot.joined = false;
  CHECK(letters() > 60);
}

TEST_CASE("a plot handles flat, single, empty, infinite and crowded series") {
  Plot plot;
  CHECK(render_plot(plot).find("nothing to plot") != string::npos);
  const auto points = [&](std::vector<PlotPoint> list) { plot.series = {{"", std::move(list)}}; };
  points({{1, std::nullopt}});
  CHECK(render_plot(plot).find("nothing to plot") != string::npos);
  points({{1, 5.0}});
  CHECK(line_count(render_plot(plot)) == 14);
  points({{1, 0.0}, {2, 0.0}});
  CHECK(render_plot(plot).find("0") != string::npos);
  points({{1, 1.0}, {2, INFINITY}, {3, NAN}, {INFINITY, 3.0}, {NAN, 3.0}});
  CHECK(render_plot(plot).find("×") != string::npos);
  std::vector<PlotPoint> many;
  for (int i = 0; i < 5000; ++i) many.push_back({i * 1.0, i % 7 + 1e-7 * i});
  points(many);
  plot.labels = {{0, "a"}, {9999, "b"}, {NAN, "c"}};
  plot.changes = {0, 2500, 4999, 9999, NAN};
  plot.reference = 1e9;
  plot.width = 1;
  plot.height = 1;
  CHECK_FALSE(render_plot(plot).empty());
}

TEST_CASE("text is broken at blanks, and commands stay whole") {
  CHECK(wrapped("one two three", 0) == "one two three");
  CHECK(wrapped("one two three\n\nfour\n", 9) == "one two\nthree\n\nfour\n");
  CHECK(wrapped("  --to  what it is about", 16) == "  --to  what it\n        is about");
  CHECK(wrapped("abcdefghijkl mn", 5) == "abcdefghijkl mn");  // a word that is too long
  CHECK(wrapped("\u00e9\u00e9 \u00e9\u00e9 \u00e9\u00e9", 5) == "\u00e9\u00e9 \u00e9\u00e9\n\u00e9\u00e9");
  CHECK(wrapped("----------", 4) == "----");
  CHECK(wrapped("  Run this to go on: regengine bisect --repo a --good b", 20) ==
        "  Run this to go on:\n  regengine bisect --repo a --good b");
  CHECK(wrapped("regengine: a message is broken", 20) == "regengine: a message\nis broken");
}
