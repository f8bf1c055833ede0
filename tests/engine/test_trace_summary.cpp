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

TEST_CASE("text that could drive a terminal is made visible") {
  const auto summary =
      parse_summary(traced(kTimes, R"({"name":"a\u001b[2J","count":1,"total_ns":1,"min_ns":1,"max_ns":1})"), "x.json");
  CHECK(summary.kernels[0].name.find('\x1b') == std::string::npos);
}
