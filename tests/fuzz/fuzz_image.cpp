#include "engine/container/image.h"
#include "tests/fuzz/fuzz.h"

using namespace reg;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = fuzz::text(data, size);
  fuzz::refusable([&] {
    const container::ImageName name = container::check_image(text);
    fuzz::promised(!text.empty() && text.front() != '-' && text.find('\0') == std::string_view::npos);
    fuzz::promised(!name.registry.empty() && !name.repository.empty());
    fuzz::promised(!name.tag.empty() || !name.digest.empty());
  });
  return 0;
}
