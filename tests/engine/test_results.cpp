#include <cmath>

#include "engine/base/error.h"
#include "engine/base/file.h"
#include "engine/results/run.h"
#include "engine/store/runs.h"
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

std::vector<Run> runs_of(const std::string& text) {
  const auto lines = store::open_results(file_of(text));
  std::vector<Run> runs;
  for (Run run; next_run(*lines, run);) runs.push_back(run);
  return runs;
}

const std::string kHead = R"({"model": {}, "experiment": {}, "metrics": )";

}  // namespace

TEST_CASE("results: a run holds all that its line says, in its order and with its types") {
  const std::vector<Run> runs =
      runs_of(R"({"model":{"model_name":"m","size":3},"experiment":{"xla":null,"cuda":true,"flags":["-a"],"x":0.50},)"
              R"("metrics":{"z":[1,null],"a":2,"t":"fast","e":[]},"timestamp":7,"repeat":null, "more": [{"a" : "]"}]})"
              "\n\n" +
              kHead + R"({"error":"SKIP"}})" + "\n[]\n{}\n{\"mod");
  REQUIRE(runs.size() == 5);
  const Json& record = runs[0].record;
  CHECK(record["model"].dump() == R"({"model_name":"m","size":3})");
  CHECK(record["experiment"].dump() == R"({"xla":null,"cuda":true,"flags":["-a"],"x":0.5})");
  CHECK(record["more"].dump() == R"([{"a":"]"}])");
  const Json& metrics = record["metrics"];
  CHECK(metrics.begin().key() == "z");
  CHECK(values_of(metrics["z"])->at(0) == 1);
  CHECK(std::isnan(values_of(metrics["z"])->at(1)));
  CHECK(values_of(metrics["a"]) == std::vector<double>{2});
  CHECK_FALSE(values_of(metrics["t"]).has_value());
  CHECK(values_of(metrics["e"])->empty());
  CHECK(runs[0].seconds() == 7);
  CHECK_FALSE(runs[1].seconds().has_value());
  CHECK(runs[1].line == 3);
  CHECK((!runs[2].bad.empty() && !runs[2].truncated));
  CHECK((runs[3].bad == "it has no model" && !runs[3].truncated));
  CHECK((!runs[4].bad.empty() && runs[4].truncated && runs[4].line == 6));
}

TEST_CASE("results: what Python writes beyond the standard is read") {
  const Run run = run_of(kHead + R"({"t": [NaN, Infinity, -Infinity, 1e999, -1e999, 2.5]}, "timestamp": NaN, )"
                                 R"("a": [NaN, "NaN"], "b": "\ud83d\ude00", "c": -Infinity})");
  REQUIRE(run.bad.empty());
  CHECK_FALSE(run.standard);
  const std::vector<double> values = values_of(run.record["metrics"]["t"]).value();
  REQUIRE(values.size() == 6);
  CHECK(std::isnan(values[0]));
  CHECK(std::vector(values.begin() + 1, values.end()) ==
        std::vector<double>{INFINITY, -INFINITY, INFINITY, -INFINITY, 2.5});
  CHECK_FALSE(run.seconds().has_value());
  CHECK(run.record["a"].dump() == R"(["NaN","NaN"])");
  CHECK(run.record["b"] == "\xf0\x9f\x98\x80");
  CHECK(run_of(kHead + "{}}").standard);
  CHECK(run_of(kHead + R"({}, "timestamp": "12.5"})").seconds() == 12.5);
}

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
