#include "engine/results/run.h"
#include "tests/fuzz/fuzz.h"

using namespace reg;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::refusable([&] {
    const std::string path = fuzz::file_of(fuzz::text(data, size));
    results::FileLines lines(path);
    std::size_t runs = 0;
    for (results::Run run; results::next_run(lines, run);) ++runs;
    fuzz::promised(runs <= lines.number());
  });
  return 0;
}
