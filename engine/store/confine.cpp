// What a connection to SQLite may do, and what of a file that may be anybody's it opens.

#include <fcntl.h>
#include <fmt/format.h>
#include <sqlite3.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <string_view>
#include <utility>

#include "engine/base/error.h"
#include "engine/base/file.h"
#include "engine/base/text.h"
#include "engine/store/sqlite.h"

namespace reg::store {
namespace {

namespace fs = std::filesystem;

// The file as a URI that says that nobody changes it: a store that is only read may lie where nothing may be written.
std::string unchanging(const std::string& path) {
  std::string uri = "file:";
  for (const char c : fs::absolute(path).string())
    uri += c == '%' || c == '?' || c == '#' ? fmt::format("%{:02x}", c) : std::string(1, c);
  return uri + "?immutable=1";
}

// Without the modes of the file: a boxed process sets none.
void copy_file(const std::string& from, const std::string& to) {
  std::ofstream copy(to, std::ios::binary);
  copy << std::ifstream(from, std::ios::binary).rdbuf();
  if (!copy.flush()) throw Error(ErrorKind::io, "cannot copy " + from + " to " + to, "Free some space.");
}

// SQLite offers what its build has, and Debian's has much: full-text search, whose fts3_tokenizer() takes the address
// of code, R-trees and more. What is not on these lists is refused.
constexpr std::string_view kFunctions =
    "-> ->> abs acos acosh asin asinh atan atan2 atanh avg ceil ceiling char coalesce concat concat_ws cos cosh "
    "count cume_dist current_date current_time current_timestamp date datetime degrees dense_rank exp first_value "
    "floor format glob group_concat hex ifnull iif instr json json_array json_array_length json_extract "
    "json_group_array json_group_object json_insert json_object json_patch json_quote json_remove json_replace "
    "json_set json_type json_valid julianday lag last_value lead length like likelihood likely ln log log10 log2 "
    "lower ltrim max median min mod nth_value ntile nullif octet_length percent_rank pi pow power printf quote "
    "radians random randomblob rank replace round row_number rtrim sign sin sinh sqlite_version sqrt strftime "
    "string_agg substr substring sum tan tanh time timediff total trim trunc typeof unhex unicode unixepoch "
    "unlikely upper zeroblob";

// Modules of virtual tables.
constexpr const char* kModules[] = {"json_each", "json_tree", nullptr};

constexpr int kLongest = 16 << 20;    // bytes of a value in a query of a script
constexpr int kLongestPattern = 500;  // of LIKE and GLOB, whose time grows with a power of it

int may_call(const char* function) { return has_word(kFunctions, function) ? SQLITE_OK : SQLITE_DENY; }

int check_writing(void*, int action, const char*, const char* second, const char*, const char*) {
  return action == SQLITE_FUNCTION ? may_call(second) : SQLITE_OK;
}

int check_reading(void*, int action, const char* first, const char* second, const char*, const char*) {
  switch (action) {
    case SQLITE_SELECT:
    case SQLITE_READ:
    case SQLITE_RECURSIVE:
      return SQLITE_OK;
    case SQLITE_FUNCTION:
      return may_call(second);
    // Asked when a virtual table such as json_each is named; SQLite itself lets no one change this one.
    case SQLITE_UPDATE:
      return std::string_view(first) == "sqlite_master" ? SQLITE_OK : SQLITE_DENY;
    default:
      return SQLITE_DENY;
  }
}

}  // namespace

void confine(sqlite3* database, May may) {
  for (const auto& [what, on] : {std::pair{SQLITE_DBCONFIG_DEFENSIVE, 1},
                                 {SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0},
                                 {SQLITE_DBCONFIG_ENABLE_FTS3_TOKENIZER, 0},
                                 {SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0}})
    sqlite3_db_config(database, what, on, nullptr);
  sqlite3_drop_modules(database, const_cast<const char**>(kModules));
  sqlite3_limit(database, SQLITE_LIMIT_LIKE_PATTERN_LENGTH, kLongestPattern);
  sqlite3_limit(database, SQLITE_LIMIT_ATTACHED, 0);
  if (may == May::read) sqlite3_limit(database, SQLITE_LIMIT_LENGTH, kLongest);
  sqlite3_set_authorizer(database, may == May::read ? check_reading : check_writing, nullptr);
}

void check_journal(const std::string& database) {
  std::error_code no_such_path;
  const std::string path = fs::weakly_canonical(database, no_such_path).string() + "-journal";
  const Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  if (!file) return;
  // What names a file ends with this, in SQLite's file format; every journal begins with it.
  constexpr std::string_view kEnd{"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7"};
  struct stat facts {};
  const auto size = static_cast<off_t>(kEnd.size());
  if (::fstat(file.get(), &facts) != 0 || facts.st_size <= size) return;
  if (read_at(file.get(), static_cast<std::uint64_t>(facts.st_size - size), kEnd.size()) != kEnd) return;
  throw Error(ErrorKind::corrupt, path + " names another file, which SQLite would delete",
              "No journal of regengine does. Remove it: rm " + shell_words({path}));
}

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
