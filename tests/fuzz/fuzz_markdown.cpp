#include <algorithm>

#include "engine/markdown/blocks.h"
#include "tests/fuzz/fuzz.h"

using namespace reg;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = fuzz::text(data, size);
  const auto line_count = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')) + 2 +
                          static_cast<std::size_t>(std::count(text.begin(), text.end(), '\r'));
  for (const markdown::Block& block : markdown::blocks(text)) {
    fuzz::promised(block.line >= 1 && block.line <= line_count);
    fuzz::promised(block.text.empty() || block.text.back() == '\n');
    markdown::language(block);
  }
  return 0;
}
