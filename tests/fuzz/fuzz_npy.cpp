#include "engine/arrays/npy_header.h"
#include "tests/fuzz/fuzz.h"

using namespace reg;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::refusable([&] {
    const arrays::NpyHeader header = arrays::read_npy_header(arrays::Bytes(fuzz::file_of(fuzz::text(data, size))));
    fuzz::promised(header.size <= size);
  });
  return 0;
}
