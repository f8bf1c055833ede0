#include <string>

#include "engine/artifact/compiled.h"
#include "tests/fuzz/fuzz.h"

using namespace reg;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string path = fuzz::file_of(fuzz::text(data, size));
  for (const std::string& hash : {artifact::hash_of_program(path), artifact::hash_of_archive(path)})
    fuzz::promised(hash.empty() || hash.size() == 64);
  return 0;
}
