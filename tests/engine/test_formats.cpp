#include "engine/markdown/blocks.h"
#include "engine/results/run.h"
#include "tests/support/unit.h"

// What reads or writes the formats of others: Markdown, benchmark results, regular expressions.

using namespace reg::markdown;
using namespace reg::results;
using std::string;

namespace {

// Each block as "LINE INFO|TEXT;".
string shown(std::string_view text) {
  string out;
  for (const Block& block : blocks(text)) out += std::to_string(block.line) + " " + block.info + "|" + block.text + ";";
  return out;
}

const string kHead = R"({"model": {}, "experiment": {}, "metrics": )";

}  // namespace

TEST_CASE("a fenced block has its words, its text and its line") {
  CHECK(shown("words\n\n```lua\nprint(1)\n\nprint(2)\n```\nwords\n") == "4 lua|print(1)\n\nprint(2)\n;");
  CHECK(shown("```\na\n```\n~~~~ lua title=x \n```\n~~~~") == "5 lua title=x|```\n;");
  CHECK(shown("```lua\na\n  b") == "2 lua|a\n  b\n;");
  CHECK(shown("```lua") == "2 lua|;");
  CHECK(shown("words\n\n    ```lua\n    a\n    ```\n<!--\n```lua\na\n```\n-->\n").empty());
  CHECK(shown("").empty());
}

TEST_CASE("any bytes, and line ends of any kind") {
  CHECK(shown("```lua\ra\r```\r") == "2 lua|a\n;");
  CHECK(shown("\xEF\xBB\xBFwords\r\r\n```lua\na\n```") == "4 lua|a\n;");
  CHECK(shown("\xEF\xBB\xBF```lua\na\n```") == "2 lua|a\n;");
  CHECK(shown(string("```lua\na\0\xff\xc3(\n```", 16)) == "2 lua|a\xEF\xBF\xBD\xff\xc3(\n;");
}

TEST_CASE("marks within marks without end break nothing") {
  string quotes, lists;
  for (int i = 0; i < 50'000; ++i) quotes += "> ", lists += "- ";
  CHECK(shown(quotes + "```lua\na\n") == "2 lua|;");
  CHECK(shown(lists + "x\n```lua\na\n```") == "3 lua|a\n;");
}

TEST_CASE("options that are not a list of strings are refused") {
  for (const char* info :
       {"lua options=", "lua options=--x", "lua options=[1]", "lua options=[\"a\"", "lua options=[\"a\\",
        "lua options={}", "lua options=[\"\xff\"]", "lua seed=1x", "lua seed="})
    CHECK_THROWS_AS(read_info(info), Error);
}

TEST_CASE("results: a line that is not a result says why") {
  const auto complaint = [](const string& line) { return run_of(line).bad; };
  CHECK(complaint("[]") == "not a JSON object");
  CHECK(complaint("7") == "not a JSON object");
  CHECK(complaint("{}") == "it has no model");
  CHECK(complaint(R"({"model": 3, "experiment": {}, "metrics": {}})") == "it has no model");
  CHECK(complaint(R"({"model": {}, "metrics": {}})") == "it has no experiment");
  CHECK(complaint(R"({"model": {}, "experiment": {}, "metrics": []})") == "it has no metrics");
  CHECK(complaint(R"({"a": tru})").starts_with("column 10: "));
  CHECK(complaint(R"({"a": NaN, "b" 1})").starts_with("column "));
  CHECK(complaint(string(5000, '[')) == "nested too deep");
  CHECK(complaint(kHead + R"({}, "half": "\ud83d"})").starts_with("column "));
  CHECK(complaint(kHead + "{}}" + string(1, '\0')) == "column 47: a NUL byte");
  for (const char* broken :
       {"{\"a\": \"\xff\"}", "{\"a\": \"\t\"}", R"({"a": 01})", R"({"a": 1} x)", "NaNN", "nan", "-"})
    CHECK_FALSE(complaint(broken).empty());
  const string line = kHead + R"({"t": [1.5, NaN], "n": "a \"b\" \u00e9"}, "code": "PASS"})";
  for (std::size_t size = 1; size < line.size(); ++size) CHECK_FALSE(complaint(line.substr(0, size)).empty());
  CHECK(complaint(line).empty());
}

TEST_CASE(
    "regex: an invalid expression is refused with its position, and a runaway one with the length of the string") {
  REQUIRE_THROWS_WITH(regex_found("a(b", "ab"),
                      contains("not a valid regular expression: 'a(b': ") && contains("at byte 3"));
  REQUIRE_THROWS_WITH(regex_found("(a+)+$", string(64, 'a') + "b"), contains("string of 65 bytes"));
  CHECK_FALSE(regex_found("b", string("a\0a", 3)));
  CHECK(regex_found("b", string("a\0b", 3)));
}
