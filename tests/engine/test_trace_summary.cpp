#include <filesystem>

#include "engine/base/error.h"
#include "engine/base/file.h"
#include "engine/base/ids.h"
#include "engine/trace/summary.h"
#include "tests/support/catch.h"

// What the injection library writes is tested with it, in tests/lua/test_trace.lua; here is what is made of such files.

using namespace reg;
using namespace reg::trace;

namespace {

std::string traced(const std::string& more, const std::string& kernels, const std::string& ranges = "") {
  return R"({"regengine_trace":1,"pid":7,"command":"app","status":"ok","records":3,"dropped":0,"overhead_ns":0,"complete":true,)" +
         more + R"(,"kernels":[)" + kernels + R"(],"copies":[],"ranges":[)" + ranges + "]}";
}

const std::string kTimes = R"("first_ns":1000,"last_ns":5000,"busy_ns":2000)";

std::string complaint(const std::string& text) {
  try {
    parse_summary(text, "x.json");
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::corrupt);
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("names that are one when they are demangled are one kernel") {
  const auto summary =
      parse_summary(traced(kTimes, R"json({"name":"_Z1fi","count":1,"total_ns":10,"min_ns":10,"max_ns":10},
                        {"name":"f(int)","count":2,"total_ns":30,"min_ns":5,"max_ns":25})json"),
                    "x.json");
  REQUIRE(summary.kernels.size() == 1);
  CHECK(summary.kernels[0].name == "f(int)");
  CHECK(summary.kernels[0].count == 3);
  CHECK(summary.kernels[0].total_s == Approx(40e-9));
  CHECK(summary.kernels[0].min_s == Approx(5e-9));
  CHECK(summary.kernels[0].max_s == Approx(25e-9));
}

TEST_CASE("a range counts what is inside it once, by the way that leads to it") {
  const auto summary = parse_summary(traced(kTimes, "",
                                            R"({"name":"step","parent":0,"count":1,"kernels":1,"self_ns":10},
                {"name":"inner","parent":1,"count":1,"kernels":2,"self_ns":20},
                {"name":"deep","parent":2,"count":1,"kernels":4,"self_ns":40},
                {"name":"inner","parent":0,"count":1,"kernels":1,"self_ns":1})"),
                                     "x.json");
  REQUIRE(summary.ranges.size() == 4);
  CHECK(summary.ranges[0].name == "step");
  CHECK(summary.ranges[0].total_s == Approx(70e-9));
  CHECK(summary.ranges[0].self_s == Approx(10e-9));
  CHECK(summary.ranges[0].kernels == 7);
  CHECK(summary.ranges[1].name == "step > inner");
  CHECK(summary.ranges[1].total_s == Approx(60e-9));
  CHECK(summary.ranges[2].name == "step > inner > deep");
  CHECK(summary.ranges[3].name == "inner");
}

TEST_CASE("a foreign file is refused with one reason, whatever it holds") {
  const std::string good = traced(kTimes, "");
  REQUIRE(complaint(good).empty());
  CHECK(complaint("") == "x.json is not a trace summary: it is not JSON");
  CHECK(complaint("[]") == "x.json is not a trace summary: an object was expected");
  CHECK(complaint("{}") == "x.json is not a trace summary: it has no 'regengine_trace'");
  CHECK(complaint(R"({"regengine_trace":2})") ==
        "x.json is not a trace summary: it was written by another version of regengine");
  CHECK(complaint(traced(R"("first_ns":2,"last_ns":1,"busy_ns":0)", "")) ==
        "x.json is not a trace summary: it ends before it begins");
  CHECK(complaint(traced(R"("first_ns":0,"last_ns":-1,"busy_ns":0)", "")) ==
        "x.json is not a trace summary: its 'last_ns' is not a count");
  CHECK(complaint(traced(kTimes, "7")) == "x.json is not a trace summary: an object was expected");
  CHECK(complaint(traced(kTimes, R"({"name":7})")) == "x.json is not a trace summary: its 'name' is not a string");
  CHECK(complaint(traced(kTimes, "", R"({"name":"a","parent":1,"count":1,"kernels":0,"self_ns":0})")) ==
        "x.json is not a trace summary: a range lies in one that comes after it");
  for (std::size_t cut = 0; cut < good.size(); ++cut) CHECK_FALSE(complaint(good.substr(0, cut)).empty());
}

TEST_CASE("text that could drive a terminal is made visible") {
  const auto summary =
      parse_summary(traced(kTimes, R"({"name":"a\u001b[2J","count":1,"total_ns":1,"min_ns":1,"max_ns":1})"), "x.json");
  CHECK(summary.kernels[0].name.find('\x1b') == std::string::npos);
}

TEST_CASE("a folder without summaries says that no CUDA was initialized, and half-written files are passed over") {
  const auto folder = std::filesystem::temp_directory_path() / ("trace-" + random_id());
  make_folders(folder);
  write_file(folder / "1-2.json.new", "{");
  const auto summary = read_summaries(folder);
  CHECK_FALSE(summary.ok);
  CHECK_FALSE(summary.measured);
  CHECK(summary.why == "no CUDA was initialized in the command");
  std::filesystem::remove_all(folder);
  CHECK_THROWS_AS(read_summaries(folder), Error);
}
