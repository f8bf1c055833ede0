#include <fcntl.h>

#include "engine/base/file.h"
#include "engine/results/record.h"
#include "tests/fuzz/fuzz.h"

using namespace reg;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::refusable([&] {
    const std::string path = fuzz::file_of(fuzz::text(data, size));
    const Fd file = open_file(path, O_RDONLY);
    results::LineReader lines(file.get(), path, 0, size);
    results::Texts texts;
    std::size_t records = 0;
    const auto complaints = results::read_records(lines, texts, [&](const results::Record&) { ++records; });
    fuzz::promised(records + complaints.size() <= lines.count());
  });
  return 0;
}
