#include <cmath>

#include "engine/base/text.h"
#include "engine/terminal/console.h"
#include "tests/support/catch.h"

using namespace reg;
using namespace reg::terminal;
using std::string;

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
