#include "engine/base/file.h"
#include "engine/results/run.h"
#include "tests/support/catch.h"
#include "tests/support/git.h"

using namespace reg;
using namespace reg::results;
using reg::test::TempFolder;

namespace {

std::string file_of(const std::string& text) {
  static const TempFolder folder;
  static int count = 0;
  std::string path = folder / std::to_string(++count) + ".jsonl";
  write_file(path, text);
  return path;
}

}  // namespace

TEST_CASE("results: the lines of a file, however long they are") {
  const std::string long_line(3'000'000, 'x');
  const std::string path = file_of("first\n\nthird\n" + long_line + "\nlast, without an end");
  FileLines lines(path);
  for (const std::string& wanted : {std::string("first"), std::string(), std::string("third"), long_line}) {
    std::string_view line;
    REQUIRE(lines.next(line));
    CHECK((line == wanted && !lines.cut_off()));
  }
  std::string_view line;
  REQUIRE(lines.next(line));
  CHECK((line == "last, without an end" && lines.cut_off() && lines.number() == 5));
  CHECK_FALSE(lines.next(line));
  CHECK_FALSE(FileLines(file_of("")).next(line));
  CHECK_THROWS_WITH(FileLines("/nowhere/results.jsonl"), contains("/nowhere/results.jsonl"));
  FileLines folder("/tmp");
  CHECK_THROWS_WITH(folder.next(line), contains("/tmp"));
}

namespace {

const std::string kHead = R"({"model": {}, "experiment": {}, "metrics": )";

}  // namespace

TEST_CASE("results: a line that is not a result says why") {
  const auto complaint = [](const std::string& line) { return run_of(line).bad; };
  CHECK(complaint("[]") == "not a JSON object");
  CHECK(complaint("7") == "not a JSON object");
  CHECK(complaint("{}") == "it has no model");
  CHECK(complaint(R"({"model": 3, "experiment": {}, "metrics": {}})") == "it has no model");
  CHECK(complaint(R"({"model": {}, "metrics": {}})") == "it has no experiment");
  CHECK(complaint(R"({"model": {}, "experiment": {}, "metrics": []})") == "it has no metrics");
  CHECK(complaint(R"({"a": tru})").starts_with("column 10: "));
  CHECK(complaint(R"({"a": NaN, "b" 1})").starts_with("column "));
  CHECK(complaint(std::string(5000, '[')) == "nested too deep");
  CHECK(complaint(kHead + R"({}, "half": "\ud83d"})").starts_with("column "));
  CHECK(complaint(kHead + "{}}" + std::string(1, '\0')) == "column 47: a NUL byte");
  for (const char* broken :
       {"{\"a\": \"\xff\"}", "{\"a\": \"\t\"}", R"({"a": 01})", R"({"a": 1} x)", "NaNN", "nan", "-"})
    CHECK_FALSE(complaint(broken).empty());
  const std::string line = kHead + R"({"t": [1.5, NaN], "n": "a \"b\" \u00e9"}, "code": "PASS"})";
  for (std::size_t size = 1; size < line.size(); ++size) CHECK_FALSE(complaint(line.substr(0, size)).empty());
  CHECK(complaint(line).empty());
}

TEST_CASE(
    "regex: an invalid expression is refused with its position, and a runaway one with the length of the string") {
  REQUIRE_THROWS_WITH(regex_found("a(b", "ab"),
                      contains("not a valid regular expression: 'a(b': ") && contains("at byte 3"));
  REQUIRE_THROWS_WITH(regex_found("(a+)+$", std::string(64, 'a') + "b"), contains("string of 65 bytes"));
  CHECK_FALSE(regex_found("b", std::string("a\0a", 3)));
  CHECK(regex_found("b", std::string("a\0b", 3)));
}
