#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>
#include <random>

#include "engine/results/decimal.h"
#include "engine/results/json_text.h"
#include "engine/results/record.h"
#include "engine/results/shape.h"
#include "tests/support/catch.h"

using namespace reg::results;

namespace {

const std::string kLine =
    R"({"model": {"suite_name": "torchbench", "model_name": "BERT"}, "experiment": {"xla": null, "batch_size": 16}, )"
    R"("repeat": 3, "metrics": {"total_time": [15.15, 0.031173147726804018, NaN], "note": "a \"b\" \u00e9"}, )"
    R"("timestamp": 1699680738.7234068, "code": "PASS"})";

std::string complaint(const std::string& line) {
  Texts texts;
  try {
    Splitter(texts).split(line);
  } catch (const NoRecord& why) {
    return why.what();
  }
  return "";
}

// The line again, from its parts.
std::string again(Splitter& splitter, const Texts& texts, const std::string& line) {
  const Record& record = splitter.split(line);
  return spaced(filled(texts[record.shape], 0, 0,
                       {texts[record.model], texts[record.experiment], record.numbers, words_in(record.words)}));
}

}  // namespace

TEST_CASE("results: a record is taken apart, and put together it is the same") {
  Texts texts;
  Splitter splitter(texts);
  const Record& record = splitter.split(kLine);
  CHECK(texts[record.model] == R"({"suite_name":"torchbench","model_name":"BERT"})");
  CHECK(texts[record.experiment] == R"({"xla":null,"batch_size":16})");
  CHECK(texts[record.shape] == R"({"model":M,"experiment":E,"repeat":I,"metrics":{"total_time":[F,F,F],"note":S},)"
                               R"("timestamp":F,"code":S})");
  CHECK(record.numbers ==
        std::vector<std::string_view>{"3", "15.15", "0.031173147726804018", "NaN", "1699680738.7234068"});
  CHECK(record.words == R"("a \"b\" \u00e9""PASS")");
  const Shape shape(texts[record.shape]);
  CHECK(timestamp_of(shape, record.numbers, record.words) == 1699680738.7234068);
  CHECK(Shape::numbers_of(*shape.metric("total_time")) == std::vector<std::size_t>{1, 2, 3});
  CHECK(shape.metric("total") == nullptr);
}

TEST_CASE("results: lines that are alike in any part, or in none, are each themselves") {
  Texts texts;
  Splitter splitter(texts);
  const std::string head =
      R"({"model": {"suite_name": "torchbench", "model_name": "T5"}, "experiment": {"xla": null, "batch_size": 16}, )";
  const std::vector<std::string> lines{
      kLine, kLine,
      head +
          R"("repeat": 4, "metrics": {"total_time": [1.5, 2.5, -Infinity], "note": "x"}, "timestamp": 1.5, "code": "FAIL"})",
      // a whole number where there was none, a null, and what may stand in a string
      head +
          R"("repeat": 4, "metrics": {"total_time": [1, null, 2.5], "note": "x"}, "timestamp": 1.5, "code": "FAIL"})",
      R"({"model": {}, "experiment": {"a": {"b": "}"}, "c": [1, {"d": 2}]}, "metrics": {"error": "}\\"}})",
      R"({"model": {}, "experiment": {"a": {"b": "}"}, "c": [1, {"d": 3}]}, "metrics": {"error": "{"}})",
      R"({"metrics": {}, "experiment": {}, "model": {"E": "I"}, "more": [[], {}, [[0, -0, 1E5, 0.10]], true, false]})",
      kLine};
  for (const std::string& line : lines) CHECK(again(splitter, texts, line) == line);
  CHECK(again(splitter, texts, "\t{\"model\":{ } ,\"experiment\" :{},\"metrics\": {\"a\":[ 1 ,2]}} \r") ==
        R"({"model": {}, "experiment": {}, "metrics": {"a": [1, 2]}})");
}

TEST_CASE("results: what is no record is told, and where it breaks") {
  CHECK(complaint("[]") == "not a JSON object");
  CHECK(complaint("{}") == "it has no model");
  CHECK(complaint(R"({"model": 3, "experiment": {}, "metrics": {}})") == "it has no model");
  CHECK(complaint(R"({"model": {}, "metrics": {}})") == "it has no experiment");
  CHECK(complaint(R"({"model": {}, "experiment": {}, "metrics": []})") == "it has no metrics");
  CHECK(complaint(R"({"model": {} "experiment": {}})") == "column 14: ',' or '}' is missing");
  CHECK(complaint(R"({"model": {}, "x": 01})") == "column 21: ',' or '}' is missing");
  CHECK(complaint("{\"a\": \"\xff\"}") == "column 8: not valid UTF-8");
  CHECK(complaint("{\"a\": \"\t\"}") == "column 8: a control character stands in a string");
  CHECK(complaint(R"({"a": tru})") == "column 7: not a value");
  CHECK(complaint(R"({"a": "cut)") == "column 11: a string has no end");
  CHECK(complaint(std::string(5000, '[')) == "column 901: this is nested too deep");
  CHECK(complaint(kLine + "x").find("something stands behind the object") != std::string::npos);
}

TEST_CASE("results: the reader takes exactly what is JSON") {
  std::mt19937 random(20231111);
  const std::string alphabet = "{}[]\",:0123456789.-+eEtruefalsn\\u \t\xc3\xa9\xff";
  const std::string plain = std::string(kLine).replace(kLine.find("NaN"), 3, "1e5");  // which alone is not JSON
  Texts texts;
  Splitter splitter(texts);
  int taken = 0;
  for (int round = 0; round < 20'000; ++round) {
    std::string line = plain;
    for (unsigned edits = random() % 3 + 1; edits > 0; --edits) {
      const std::size_t at = random() % line.size();
      const char c = alphabet[random() % alphabet.size()];
      if (random() % 2 == 0)
        line[at] = c;
      else if (random() % 2 == 0)
        line.insert(at, 1, c);
      else
        line.erase(at, random() % 3 + 1);
    }
    bool is_json = true;
    try {
      splitter.split(line);
      ++taken;
    } catch (const NoRecord& why) {
      is_json = why.json;
    }
    INFO(line);
    bool expected = true;
    try {
      expected = !nlohmann::json::parse(line).is_discarded();
    } catch (const nlohmann::json::out_of_range&) {
      expected = is_json;  // 1e999: Python takes it
    } catch (const nlohmann::json::exception&) {
      expected = false;
    }
    REQUIRE(is_json == expected);
    splitter.split(plain);  // what the next one is held against
  }
  CHECK(taken > 1000);
}

TEST_CASE("results: a line that was cut anywhere is none") {
  Texts texts;
  Splitter splitter(texts);
  splitter.split(kLine);
  for (std::size_t size = 1; size < kLine.size(); ++size)
    CHECK_THROWS_AS(splitter.split(std::string_view(kLine).substr(0, size)), NoRecord);
}

TEST_CASE("results: decimals are read as the standard library reads them, and known as the shortest where they are") {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> power(-6, 9);
  int exact = 0, shortest = 0;
  for (int round = 0; round < 100'000; ++round) {
    const double x = std::pow(10, power(random));
    std::array<char, 64> buffer;
    const auto fixed = [&](double value) {
      return std::string(buffer.data(),
                         std::to_chars(buffer.data(), buffer.data() + 64, value, std::chars_format::fixed).ptr);
    };
    std::string text = fixed(x);
    if (round % 4 == 1) text += '0';
    if (round % 4 == 2) text.back() = static_cast<char>('0' + random() % 10);
    if (round % 4 == 3) text = text.substr(0, text.size() - random() % 5);
    double value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value);
    INFO(text);
    REQUIRE(number_of(text) == value);
    const auto decimal = read_decimal(text);
    if (!decimal) continue;
    ++exact;
    shortest += decimal->shortest ? 1 : 0;
    REQUIRE(decimal->value == value);
    if (decimal->shortest) REQUIRE(fixed(value) == text);
  }
  CHECK(exact > 80'000);
  CHECK(shortest > 20'000);
  for (const char* text : {"1.5e3", "7", "-", ".", "1.", "nan", "12345678901234567890.5", "0.0"})
    CHECK_FALSE(read_decimal(text).has_value());
  CHECK(read_decimal("-2.75")->value == -2.75);
}

TEST_CASE("results: numbers as Python writes them into JSON, and what they are too large for") {
  const auto written = [](double value) {
    std::string text;
    append_number(text, value);
    return text;
  };
  CHECK(written(0.1) == "0.1");
  CHECK(written(1) == "1.0");
  CHECK(written(1e-5) == "1e-05");
  CHECK(written(0.0001) == "0.0001");
  CHECK(written(1e16) == "1e+16");
  CHECK(written(123456789012345.0) == "123456789012345.0");
  CHECK(written(-0.0) == "-0.0");
  CHECK(written(5e-324) == "5e-324");
  CHECK(written(NAN) == "NaN");
  CHECK(written(-INFINITY) == "-Infinity");
  CHECK(number_of("1e400") == INFINITY);
  CHECK(number_of("-1e400") == -INFINITY);
  CHECK(number_of("1e-400") == 0);
  CHECK(number_of(std::string(400, '9')) == INFINITY);
  CHECK(number_of("0." + std::string(400, '0') + "1") == 0);
  CHECK(std::isnan(number_of("NaN")));
  CHECK(number_of("-Infinity") == -INFINITY);
}

TEST_CASE("results: strings stand for what JSON says") {
  CHECK(unescaped(R"("a\"\\\/\b\f\n\r\tz")") == "a\"\\/\b\f\n\r\tz");
  CHECK(unescaped(R"("\u0041\u00e9\u20ac\ud83d\ude00")") == "A\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80");
  CHECK(unescaped(R"("\ud83d.\ude00")") == "\xef\xbf\xbd.\xef\xbf\xbd");
}
