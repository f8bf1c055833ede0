#include "engine/store/jsonl.h"
#include "tests/fuzz/fuzz.h"

using namespace reg;

// One store for all inputs: what one left there may not trip the next.
int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::string folder = [] {
    char name[] = "/tmp/fuzz_import_XXXXXX";
    fuzz::promised(mkdtemp(name) != nullptr);
    return std::string(name);
  }();
  static const std::shared_ptr<store::Store> store = store::Store::try_open(folder + "/store.db");
  fuzz::refusable([&] { store::Import(fuzz::file_of(fuzz::text(data, size))).into(*store); });
  return 0;
}
