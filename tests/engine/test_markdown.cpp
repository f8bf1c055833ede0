#include "engine/base/error.h"
#include "engine/markdown/blocks.h"
#include "engine/markdown/reported.h"
#include "tests/support/catch.h"

using namespace reg;
using namespace reg::markdown;
using std::string;

namespace {

// Each block as "LINE INFO|TEXT", those that were not closed with a '!'.
string shown(std::string_view text) {
  string out;
  for (const Block& block : blocks(text))
    out += std::to_string(block.line) + (block.closed ? "" : "!") + " " + block.info + "|" + block.text + ";";
  return out;
}

}  // namespace

TEST_CASE("a fenced block has its info, its text and its line") {
  CHECK(shown("words\n\n```lua\nprint(1)\n\nprint(2)\n```\nwords\n") == "4 lua|print(1)\n\nprint(2)\n;");
  CHECK(shown("```lua\n```") == "2 lua|;");
  CHECK(shown("```\na\n```\n~~~ lua title=x\nb\n~~~") == "2 |a\n;5 lua title=x|b\n;");
  CHECK(shown("no block at all").empty());
  CHECK(shown("").empty());
}

TEST_CASE("the closing fence is of the same mark, as long at least, and alone") {
  CHECK(shown("````lua\n```\na\n```\n````\n") == "2 lua|```\na\n```\n;");
  CHECK(shown("```\n~~~\n````  \nrest") == "2 |~~~\n;");
  CHECK(shown("~~~lua\n```\n~~~ no\n~~~~\t\n") == "2 lua|```\n~~~ no\n;");
  CHECK(shown("``\na\n``").empty());
  CHECK(shown("```lua`x\na\n").empty());  // `` ` `` behind a fence of them: a code span
  CHECK(shown("~~~lua`x\na\n~~~") == "2 lua`x|a\n;");
}

TEST_CASE("a fence that is not closed goes to the end") {
  CHECK(shown("```lua\na\n  b") == "2! lua|a\n  b\n;");
  CHECK(shown("```lua") == "2! lua|;");
}

TEST_CASE("a fence is indented by three columns at most, and so far its lines") {
  CHECK(shown("   ```lua\n   a\n  b\n     c\n   ```") == "2 lua|a\nb\n  c\n;");
  CHECK(shown("    ```lua\n    a\n    ```").empty());
  CHECK(shown("```\na\n    ```\n```") == "2 |a\n    ```\n;");
  CHECK(shown("words\n    ```lua\nwords").empty());  // the paragraph goes on
  CHECK(shown("\t```lua\n\ta\n").empty());
}

TEST_CASE("a fence ends a paragraph, a heading or a rule before it") {
  CHECK(shown("words\n```lua\na\n```") == "3 lua|a\n;");
  CHECK(shown("# Title\n```lua\na\n```") == "3 lua|a\n;");
  CHECK(shown("Title\n---\n```lua\na\n```") == "4 lua|a\n;");
  CHECK(shown("- - -\n  ```lua\n  a\n  ```") == "3 lua|a\n;");
}

TEST_CASE("line ends of any kind, and none") {
  CHECK(shown("```lua\r\na\r\n\r\nb\r\n```\r\n") == "2 lua|a\n\nb\n;");
  CHECK(shown("```lua\ra\r```\r") == "2 lua|a\n;");
  CHECK(shown("\xEF\xBB\xBF```lua\na\n```") == "2 lua|a\n;");
}

TEST_CASE("NUL becomes U+FFFD, and bytes that are no UTF-8 stay") {
  CHECK(shown(string("```lua\na\0b\n```", 14)) ==
        "2 lua|a\xEF\xBF\xBD"
        "b\n;");
  CHECK(shown("```lua\n\xff\xc3(\n```") == "2 lua|\xff\xc3(\n;");
}

TEST_CASE("tabs in a block stay as they are; one that a mark took a part of becomes spaces") {
  CHECK(shown("```lua\n\ta\n```") == "2 lua|\ta\n;");
  CHECK(shown("> ```lua\n> \ta\n> ```") == "2 lua|\ta\n;");
  CHECK(shown("> ```lua\n>\ta\n> ```") == "2 lua|  a\n;");
  CHECK(shown(" ```lua\n\ta\n ```") == "2 lua|   a\n;");
}

TEST_CASE("a quote takes its marks off, and ends a block where it ends") {
  CHECK(shown("> ```lua\n> a\n>  b\n>\n> c\n> ```\n") == "2 lua|a\n b\n\nc\n;");
  CHECK(shown(">```lua\n>a\n>```\n") == "2 lua|a\n;");
  CHECK(shown("> > ```lua\n> > a\n> > ```") == "2 lua|a\n;");
  CHECK(shown("> ```lua\n> a\nb\n```\n") == "2! lua|a\n;5! |;");
  CHECK(shown("> words\n```lua\na\n```") == "3 lua|a\n;");
  CHECK(shown("On Monday Ann wrote:\r\n> see\r\n>\r\n> ```lua\r\n> a\r\n> ```\r\n") == "5 lua|a\n;");
}

TEST_CASE("a list takes its indentation off") {
  CHECK(shown("- words\n\n  ```lua\n  a\n    b\n\n  c\n  ```\n- more") == "4 lua|a\n  b\n\nc\n;");
  CHECK(shown("1. ```lua\n   a\n   ```") == "2 lua|a\n;");
  CHECK(shown("10) x\n    ```lua\n    a\n    ```") == "3 lua|a\n;");
  CHECK(shown("- a\n  - b\n    ```lua\n    c\n    ```") == "4 lua|c\n;");
  CHECK(shown("- ```lua\n  a\nb\n") == "2! lua|a\n;");  // the item ends, and the block with it
  CHECK(shown("-\n  ```lua\n  a\n  ```") == "3 lua|a\n;");
  CHECK(shown("-\n\n  ```lua\n  a\n  ```") == "4 lua|a\n;");
  CHECK(shown("- ```lua\n \n   \n\n  a\n  ```") == "2 lua|\n \n\na\n;");  // blanks of an empty line go too
  CHECK(shown("-     ```lua\n").empty());                                 // five blanks: indented code
  CHECK(shown("- a\n\n      ```lua\n").empty());                          // four more than the item's text
  CHECK(shown("words\n2. ```lua\n").empty());                             // only 1. ends a paragraph
  CHECK(shown("words\n1. ```lua\n   a\n") == "3! lua|a\n;");
  CHECK(shown("1234567890. ```lua\n").empty());
  CHECK(shown("-```lua\na\n").empty());
}

TEST_CASE("quotes in lists and lists in quotes") {
  CHECK(shown("- > ```lua\n  > a\n  > ```") == "2 lua|a\n;");
  CHECK(shown("> 1. x\n>\n>    ```lua\n>    a\n>    ```") == "4 lua|a\n;");
  CHECK(shown("> - x\nlazy\n>   ```lua\n>   a\n>   ```") == "4 lua|a\n;");
}

TEST_CASE("what GitHub shows as HTML, or does not show at all, is no code") {
  CHECK(shown("<!--\n```lua\nhidden()\n```\n-->\n```lua\na\n```") == "7 lua|a\n;");
  CHECK(shown("<!-- one line -->\n```lua\na\n```") == "3 lua|a\n;");
  CHECK(shown("<details>\n<summary>script</summary>\n\n```lua\na\n```\n\n</details>") == "5 lua|a\n;");
  CHECK(shown("<details>\n```lua\na\n```\n").empty());  // no empty line between: text
  CHECK(shown("<pre>\n\n```lua\na\n```\n</pre>").empty());
  CHECK(shown("<script>\n\n```lua\n\n</SCRIPT>\n```lua\na\n```") == "7 lua|a\n;");
  CHECK(shown("<?php\n```lua\n?>\n<!X\n```lua\n>\n<![CDATA[\n\n```lua\n]]>\n").empty());
  CHECK(shown("<custom-tag a=\"x>\" b='y' c=z d>\n```lua\na\n```\n\n```lua\nb\n```") == "7 lua|b\n;");
  CHECK(shown("words\n<span>\n```lua\na\n```") == "4 lua|a\n;");  // a lone tag ends no paragraph
  CHECK(shown("> words\n<span>\n~~~lua\n").empty());
  CHECK(shown("<span>words\n```lua\na\n```") == "3 lua|a\n;");  // and is none with words behind it
  CHECK(shown("</div>\n```lua\n").empty());
  CHECK(shown("<http://example.org>\n```lua\na\n```") == "3 lua|a\n;");
  CHECK(shown("> <!--\n```lua\na\n```") == "3 lua|a\n;");  // the quote ends, and the comment with it
}

TEST_CASE("marks in one another without end are text at last, and quick") {
  string deep;
  for (int i = 0; i < 50'000; ++i) deep += "> ";
  CHECK(shown(deep + "```lua\na\n").empty());
  deep.clear();
  for (int i = 0; i < 50'000; ++i) deep += "- ";
  CHECK(shown(deep + "x\n```lua\na\n```").ends_with(" lua|a\n;"));
}

TEST_CASE("the language is the first word, in small letters") {
  const auto of = [](string info) { return language({std::move(info), "", 0, true}); };
  CHECK(of("lua") == "lua");
  CHECK(of("Lua title=nightly.lua") == "lua");
  CHECK(of("LUA\tx") == "lua");
  CHECK(of("luau") == "luau");
  CHECK(of("").empty());
}

TEST_CASE("what share writes behind the fence is read back") {
  const Reported all = read_info(R"(lua title=nightly.lua options=["--test","a b]\"c","--every","\u0060"] seed=-7)");
  CHECK(all.title == "nightly.lua");
  CHECK(all.module.empty());
  CHECK(all.options == std::vector<string>{"--test", "a b]\"c", "--every", "`"});
  CHECK(all.seed == -7);
  CHECK(read_info("lua module=quickstart_repo").module == "quickstart_repo");
  const Reported none = read_info("lua");
  CHECK((none.title.empty() && none.options.empty() && !none.seed));
  CHECK(read_info("lua linenos=true options=[]").options.empty());
  CHECK(read_info("lua title=").title.empty());
}

TEST_CASE("options that are not a list of strings are refused") {
  for (const char* info :
       {"lua options=", "lua options=--x", "lua options=[1]", "lua options=[\"a\"", "lua options=[\"a\\",
        "lua options={}", "lua options=[\"\xff\"]", "lua seed=1x", "lua seed="})
    CHECK_THROWS_AS(read_info(info), Error);
}
