// How a store is opened to read it only: beside an engine that writes to it, and where nothing may be written at all.

#include <sqlite3.h>

#include <filesystem>
#include <fstream>

#include "engine/base/error.h"
#include "engine/base/file.h"
#include "engine/store/sqlite.h"

namespace reg::store {
namespace {

namespace fs = std::filesystem;

// The file as a URI that says that nobody changes it.
std::string unchanging(const std::string& path) {
  std::string uri = "file:";
  for (const char c : fs::absolute(path).string()) {
    if (c == '%' || c == '?' || c == '#') {
      constexpr const char* kHex = "0123456789abcdef";
      uri += {'%', kHex[static_cast<unsigned char>(c) >> 4], kHex[static_cast<unsigned char>(c) & 15]};
    } else {
      uri += c;
    }
  }
  return uri + "?immutable=1";
}

// Without the modes of the file: a boxed process sets none.
void copy_file(const std::string& from, const std::string& to) {
  std::ofstream copy(to, std::ios::binary);
  copy << std::ifstream(from, std::ios::binary).rdbuf();
  if (!copy.flush()) throw Error(ErrorKind::io, "cannot copy " + from + " to " + to, "Free some space.");
}

}  // namespace

bool Database::can_read() {
  const int code = sqlite3_exec(handle(), "SELECT 1 FROM sqlite_schema LIMIT 1", nullptr, nullptr, nullptr);
  if (code == SQLITE_OK) return true;
  if ((code & 0xFF) == SQLITE_CANTOPEN || (code & 0xFF) == SQLITE_READONLY) return false;
  fail(handle(), code);
}

// SQLite reads a store with its -shm file, which it must be able to make or to read. With write access it also removes
// its files at the end.
void Database::open_to_read(const std::string& path) {
  open(path, SQLITE_OPEN_READWRITE);
  if (!can_read()) {
    std::error_code error;
    const std::string log = path + "-wal";
    if (fs::file_size(log, error) == 0 || error) {
      open(unchanging(path), SQLITE_OPEN_READONLY | SQLITE_OPEN_URI);
    } else {
      // The newest trials are in the log alone.
      const auto made = std::make_shared<TemporaryFolder>(fs::temp_directory_path() / "regengine-");
      const std::string& folder = made->path();
      copy_ = made;
      copy_file(path, folder + "/store.db");
      copy_file(log, folder + "/store.db-wal");
      open(folder + "/store.db", SQLITE_OPEN_READWRITE);
    }
  }
  run("PRAGMA query_only = ON");
}

}  // namespace reg::store
