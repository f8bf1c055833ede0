#include <algorithm>
#include <filesystem>

#include "engine/base/file.h"
#include "engine/store/runs.h"
#include "engine/store/store.h"
#include "tests/fuzz/fuzz.h"

using namespace reg;

namespace {

// All of what a query gives, of a few thousand rows.
void ask(store::Store& store, const char* sql) {
  store::Statement rows(store.reader().handle(), sql);
  while (rows.step())
    for (int column = 0; column < rows.columns(); ++column) static_cast<void>(rows.text(column));
}

}  // namespace

// The bytes are a store by somebody else, with the header that lets it be opened at all.
int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::string folder = [] {
    char name[] = "/tmp/fuzz_store_XXXXXX";
    fuzz::promised(mkdtemp(name) != nullptr);
    return std::string(name);
  }();
  const std::string path = folder + "/foreign.db";
  for (const char* ending : {"", "-wal", "-shm", "-journal"}) std::filesystem::remove(path + ending);
  std::string bytes(fuzz::text(data, size));
  if (bytes.size() < 100) return 0;
  bytes.replace(0, 16, "SQLite format 3", 16);
  bytes.replace(68, 4, "RGNG");
  write_file(path, bytes);
  fuzz::refusable([&] {
    const auto store = store::Store::try_open(path, store::Access::read);
    fuzz::refusable([&] { store->each_trial({}, [](const store::Trial&) {}); });
    for (const char* sql :
         {"SELECT * FROM results LIMIT 5000", "SELECT * FROM runs LIMIT 5000", "SELECT * FROM measurements LIMIT 5000"})
      fuzz::refusable([&] { ask(*store, sql); });
  });
  fuzz::refusable([&] { store::export_runs(path, folder + "/runs.jsonl"); });
  return 0;
}
