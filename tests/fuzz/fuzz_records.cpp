#include <fcntl.h>

#include "engine/base/file.h"
#include "engine/results/run.h"
#include "tests/fuzz/fuzz.h"

using namespace reg;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::refusable([&] {
    const std::string path = fuzz::file_of(fuzz::text(data, size));
    const Fd file = open_file(path, O_RDONLY);
    results::LineReader lines(file.get(), path, 0, size);
    std::size_t runs = 0;
    for (results::Run run; results::next_run(lines, run);) ++runs;
    fuzz::promised(runs <= lines.number());
  });
  return 0;
}
