#include <cmath>

#include "engine/base/time.h"
#include "tests/fuzz/fuzz.h"

using namespace reg;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = fuzz::text(data, size);
  if (const auto time = parse_time(text)) fuzz::promised(parse_time(format_time(*time)) == time);
  if (const auto seconds = parse_duration(text)) {
    fuzz::promised(std::isfinite(*seconds) && *seconds >= 0);
    format_duration(*seconds);
  }
  return 0;
}
