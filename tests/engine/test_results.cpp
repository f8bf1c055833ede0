#include <cmath>

#include "engine/base/error.h"
#include "engine/base/file.h"
#include "engine/results/run.h"
#include "engine/results/speedups.h"
#include "engine/store/runs.h"
#include "tests/support/catch.h"
#include "tests/support/git.h"

using namespace reg;
using namespace reg::results;
using reg::store::read_speedups;
using reg::test::TempFolder;

namespace {

std::string file_of(const std::string& text) {
  static const TempFolder folder;
  static int count = 0;
  std::string path = folder / std::to_string(++count) + ".jsonl";
  write_file(path, text);
  return path;
}

std::string record(const std::string& model, const std::string& dynamo, const std::string& batch, double timestamp,
                   const std::string& times) {
  return R"({"model":{"suite_name":"torchbench","model_name":")" + model +
         R"("},"experiment":{"accelerator_model":"One of Tesla V100-SXM2-16GB, ...","xla":)" +
         (dynamo == "\"openxla\"" ? "\"PJRT\"" : "null") + R"(,"dynamo":)" + dynamo +
         R"(,"test":"eval","batch_size":)" + batch + R"(},"metrics":{"total_time":)" + times + R"(},"timestamp":)" +
         std::to_string(timestamp) + "}\n";
}

Query query() {
  Query q;
  q.backends = {{"inductor", {{"dynamo", "inductor"}}}, {"openxla", {{"dynamo", "openxla"}, {"xla", "PJRT"}}}};
  return q;
}

Datapoint geomean(const Reading& reading, std::size_t moment, std::size_t backend) {
  return reading.moments.at(moment).backends.at(backend).geomean;
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

TEST_CASE("results: the speedups of two days, against values worked out by hand") {
  const double day = 1699680738;
  const std::string path = file_of(record("bert", "\"inductor\"", "16", day, "[15.0, 9, 9, 0.04, 0.04]") +
                                   record("bert", "\"openxla\"", "16", day, "[15.0, 9, 9, 0.05, 0.05]") +
                                   record("resnet", "\"inductor\"", "1", day, "[15.0, 9, 9, 0.02, 0.02]") +
                                   record("bert", "\"inductor\"", "16", day + 86400, "[15.0, 9, 9, 0.02, 0.02]") +
                                   record("bert", "\"openxla\"", "16", day + 86400, "[15.0, 9, 9, 0.01, 0.03]") +
                                   record("resnet", "\"inductor\"", "1", day + 86400, "[15.0, 9, 9, 0.01, 0.01]"));
  const Reading reading = read_speedups({path}, query());
  CHECK(reading.records == 6);
  REQUIRE(reading.moments.size() == 2);
  CHECK(geomean(reading, 0, 0).average == Approx(1));
  CHECK(geomean(reading, 0, 1).average == Approx(0.8));
  CHECK(geomean(reading, 1, 0).average == Approx(2));  // both models twice as fast
  CHECK(geomean(reading, 1, 1).average == Approx(2));  // 0.04 / 0.02
  // One model: the relative deviation of 0.01 and 0.03 is sqrt(2) / 2, and so is that of the geometric mean.
  CHECK(geomean(reading, 1, 1).deviation == Approx(2 * std::sqrt(2.0) / 2));
  const Summary& last = reading.moments[1].backends[0];
  CHECK(last.speedups.size() == 2);
  CHECK(last.p5 == Approx(2));

  Query latest = query();
  latest.latest = true;
  CHECK(geomean(read_speedups({path}, latest), 0, 0).average == Approx(0.5));
  Query compile = query();
  compile.compile = true;
  CHECK(geomean(read_speedups({path}, compile), 0, 0).average == Approx(1));
  Query filtered = query();
  filtered.filter = "^BERT$";
  CHECK(read_speedups({path}, filtered).moments[0].backends[0].speedups.size() == 1);
  filtered.exclude = "bert";
  CHECK(read_speedups({path}, filtered).moments.empty());
}

TEST_CASE("results: of two records of one thing the last counts, and batch sizes are one model's") {
  const std::string text =
      record("bert", "\"inductor\"", "1", 1, "[9,9,9,5]") + record("bert", "\"inductor\"", "1", 1, "[9,9,9,1]") +
      record("bert", "\"inductor\"", "4", 1, "[9,9,9,1]") + record("bert", "\"inductor\"", "1", 2, "[9,9,9,0.5]") +
      record("bert", "\"inductor\"", "4", 2, "[9,9,9,0.125]");
  const Reading reading = read_speedups({file_of(text)}, query());
  const Summary& second = reading.moments.at(1).backends[0];
  REQUIRE(second.speedups.size() == 1);
  CHECK(second.geomean.average == Approx(4));  // of 2 and 8
}

TEST_CASE("results: failures, nulls and unknown rows are no reason to stop, and broken lines are named") {
  const std::string good = record("bert", "\"inductor\"", "1", 1, "[9,9,9,1]");
  const std::string text =
      good + record("bert", "\"inductor\"", "2", 1, "null") + record("bert", "\"inductor\"", "3", 1, "[]") +
      record("bert", "\"eager\"", "1", 1, "[9,9,9,1]") + record("bert", "\"inductor\"", "4", 1, "[9,9,9,null]") +
      "\n{\"model\": 3}\nnot json\n" +
      R"({"model":{"model_name":"x"},"experiment":{"a":1},"metrics":{"error":"SKIP"},"timestamp":1})" + "\n[]\n" +
      R"({"model":{"model_name":"cut )";
  const Reading reading = read_speedups({file_of(text)}, query());
  CHECK(reading.records == 6);
  REQUIRE(reading.moments.size() == 1);
  CHECK(reading.moments[0].backends[0].speedups.size() == 1);
  REQUIRE(reading.bad.size() == 4);
  CHECK(reading.bad[0].line == 7);
  CHECK(reading.bad[0].what == "it has no model");
  CHECK(reading.bad[1].line == 8);
  CHECK_FALSE(reading.bad[1].truncated);
  CHECK(reading.bad[2].line == 10);
  CHECK(reading.bad[3].line == 11);
  CHECK(reading.bad[3].truncated);
  CHECK_THROWS_AS(read_speedups({"/nowhere/results.jsonl"}, query()), Error);
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
                                 R"("a": [NaN, "NaN"], "b": "\ud83d.\ude00\ud83d\ude00", "c": -Infinity})");
  REQUIRE(run.bad.empty());
  CHECK_FALSE(run.standard);
  const std::vector<double> values = values_of(run.record["metrics"]["t"]).value();
  REQUIRE(values.size() == 6);
  CHECK(std::isnan(values[0]));
  CHECK(std::vector(values.begin() + 1, values.end()) ==
        std::vector<double>{INFINITY, -INFINITY, INFINITY, -INFINITY, 2.5});
  CHECK_FALSE(run.seconds().has_value());
  CHECK(run.record["a"].dump() == R"(["NaN","NaN"])");
  CHECK(run.record["b"] == "\xef\xbf\xbd.\xef\xbf\xbd\xf0\x9f\x98\x80");
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
  CHECK(complaint(kHead + "{}}" + std::string(1, '\0')) == "column 47: a NUL byte");
  for (const char* broken :
       {"{\"a\": \"\xff\"}", "{\"a\": \"\t\"}", R"({"a": 01})", R"({"a": 1} x)", "NaNN", "nan", "-"})
    CHECK_FALSE(complaint(broken).empty());
  const std::string line = kHead + R"({"t": [1.5, NaN], "n": "a \"b\" \u00e9"}, "code": "PASS"})";
  for (std::size_t size = 1; size < line.size(); ++size) CHECK_FALSE(complaint(line.substr(0, size)).empty());
  CHECK(complaint(line).empty());
}

TEST_CASE("results: statistics are numpy's; a NaN is in all that it is part of") {
  const Statistics even = statistics_of({9, 1, 4, 2});
  CHECK((even.min == 1 && even.median == 3 && even.max == 9));
  CHECK((even.mean == 7.0 / 3 && even.deviation == 1.247219128924647));
  const Statistics one = statistics_of({5});
  CHECK((one.min == 5 && one.median == 5 && one.max == 5 && !one.has_rest));
  const Statistics first = statistics_of({NAN, 2, 4});
  CHECK((std::isnan(first.min) && std::isnan(first.median) && std::isnan(first.max) && first.mean == 3));
  const Statistics later = statistics_of({1, NAN, 4});
  CHECK((std::isnan(later.min) && std::isnan(later.mean) && std::isnan(later.deviation)));
}
