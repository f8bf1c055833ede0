#include "engine/base/error.h"
#include "engine/results/regex.h"
#include "tests/support/catch.h"

using reg::regex_found;

TEST_CASE("regex: matches anywhere, ignores case, and honors anchors") {
  CHECK(regex_found("^alexnet$", "AlexNet"));
  CHECK_FALSE(regex_found("^alexnet$", "alexnet_quantized"));
  CHECK(regex_found("bert|gpt", "hf_GPT2_large"));
  CHECK(regex_found("(?:a)|(?:t\\d+)", "hf_T5"));
  CHECK(regex_found("", "anything"));
}

TEST_CASE(
    "regex: an invalid expression is refused with its position, and a runaway one with the length of the string") {
  REQUIRE_THROWS_WITH(regex_found("a(b", "ab"),
                      contains("not a valid regular expression: 'a(b': ") && contains("at byte 3"));
  REQUIRE_THROWS_WITH(regex_found("(a+)+$", std::string(64, 'a') + "b"), contains("string of 65 bytes"));
  CHECK_FALSE(regex_found("b", std::string("a\0a", 3)));
  CHECK(regex_found("b", std::string("a\0b", 3)));
}
