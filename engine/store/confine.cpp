#include "engine/store/confine.h"

#include <fcntl.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <string_view>
#include <utility>

#include "engine/base/error.h"
#include "engine/base/file.h"
#include "engine/base/text.h"

namespace reg::store {
namespace {

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
  const std::string path = std::filesystem::weakly_canonical(database, no_such_path).string() + "-journal";
  const Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  if (!file) return;
  // What names a file ends with this, in SQLite's file format; every journal begins with it.
  constexpr std::string_view kEnd{"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7"};
  struct stat facts {};
  std::string end(kEnd.size(), '\0');
  const auto size = static_cast<off_t>(end.size());
  if (::fstat(file.get(), &facts) != 0 || facts.st_size <= size) return;
  if (::pread(file.get(), end.data(), end.size(), facts.st_size - size) != size || end != kEnd) return;
  throw Error(ErrorKind::corrupt, path + " names another file, which SQLite would delete",
              "No journal of regengine does. Remove it: rm " + shell_words({path}));
}

}  // namespace reg::store
