#include "engine/arrays/npy.h"
#include "tests/fuzz/fuzz.h"

using namespace reg;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::refusable([&] {
    arrays::Npy array(fuzz::file_of(fuzz::text(data, size)));
    fuzz::promised(array.count() <= size);
    std::vector<arrays::Number> numbers(array.count());
    array.read(0, numbers.size(), numbers.data());
  });
  return 0;
}
