#include <algorithm>

#include "engine/base/text.h"
#include "engine/terminal/table.h"
#include "tests/support/catch.h"

using namespace reg;
using namespace reg::terminal;
using std::string;

namespace {

constexpr std::int64_t operator""_i(unsigned long long n) { return static_cast<std::int64_t>(n); }

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
