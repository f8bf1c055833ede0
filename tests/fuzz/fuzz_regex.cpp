#include "engine/results/run.h"
#include "tests/fuzz/fuzz.h"

using namespace reg;

// The expression is the first line, the text the rest.
int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = fuzz::text(data, size);
  const std::size_t end = std::min(text.find('\n'), text.size());
  fuzz::refusable(
      [&] { results::regex_found(std::string(text.substr(0, end)), text.substr(std::min(end + 1, size))); });
  return 0;
}
