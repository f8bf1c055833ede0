#include <string>

#include "engine/process/loaded.h"
#include "tests/fuzz/fuzz.h"

using namespace reg;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string id = process::build_id_of(fuzz::file_of(fuzz::text(data, size)));
  fuzz::promised(id.size() <= 128 && id.find_first_not_of("0123456789abcdef") == std::string::npos);
  return 0;
}
