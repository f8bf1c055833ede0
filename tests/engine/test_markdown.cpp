#include "engine/base/error.h"
#include "engine/markdown/blocks.h"
#include "tests/support/catch.h"

using namespace reg;
using namespace reg::markdown;
using std::string;

namespace {

// Each block as "LINE INFO|TEXT;".
string shown(std::string_view text) {
  string out;
  for (const Block& block : blocks(text)) out += std::to_string(block.line) + " " + block.info + "|" + block.text + ";";
  return out;
}

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
