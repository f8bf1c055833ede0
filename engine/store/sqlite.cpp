#include "engine/store/sqlite.h"

#include <sqlite3.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>

#include "engine/base/ids.h"
#include "engine/base/text.h"

namespace reg::store {

namespace {

// Why the system refused what SQLite asked for. SQLite does not keep that in every case.
int last_system_error(sqlite3* database) {
  const int last = errno;
  if (const int kept = sqlite3_system_errno(database); kept != 0) return kept;
  return last == ENOSPC || last == EDQUOT || last == EFBIG || last == EROFS || last == EIO ? last : 0;
}

constexpr int kPatience_ms = 5000;

constexpr int kBetween = 10'000;  // instructions of SQLite from look to look: a fraction of a millisecond
constexpr int kMost = 200;        // looks after the signal: a short statement is not broken off

thread_local Progress* running = nullptr;  // of the statement that this thread runs now

int is_over(void*) {
  return running != nullptr && running->interrupts != interrupt_count && ++running->looks > kMost ? 1 : 0;
}

// The numbers of a median, in memory that counts as SQLite's.
struct Numbers {
  double* at;
  sqlite3_uint64 count, room;
};

// median(x): NULLs do not count; an even number of values gives the mean of the middle two.
void median_step(sqlite3_context* context, int, sqlite3_value** values) {
  if (sqlite3_value_type(values[0]) == SQLITE_NULL) return;
  auto* list = static_cast<Numbers*>(sqlite3_aggregate_context(context, sizeof(Numbers)));
  if (list == nullptr) return sqlite3_result_error_nomem(context);
  if (list->count == list->room) {
    const sqlite3_uint64 room = std::max<sqlite3_uint64>(16, list->room * 2);
    auto* moved = static_cast<double*>(sqlite3_realloc64(list->at, room * sizeof(double)));
    if (moved == nullptr) return sqlite3_result_error_nomem(context);
    list->at = moved;
    list->room = room;
  }
  list->at[list->count++] = sqlite3_value_double(values[0]);
}

void median_final(sqlite3_context* context) {
  const auto* list = static_cast<Numbers*>(sqlite3_aggregate_context(context, 0));
  if (list == nullptr || list->count == 0) return sqlite3_result_null(context);
  double* const middle = list->at + list->count / 2;
  std::nth_element(list->at, middle, list->at + list->count);
  const double upper = *middle;
  const double lower = list->count % 2 == 1 ? upper : *std::max_element(list->at, middle);
  sqlite3_free(list->at);
  sqlite3_result_double(context, (lower + upper) / 2);
}

}  // namespace

std::string recovery_of(const std::string& path) {
  const std::string copy = std::filesystem::path(path).replace_extension("recovered.db");
  return shell_words({"sqlite3", path, ".recover"}) + " | " + shell_words({"sqlite3", copy});
}

void fail(sqlite3* database, int code) {
  const int system_code = last_system_error(database);
  const char* file = sqlite3_db_filename(database, "main");
  const std::string path = file != nullptr ? file : "";
  const std::string where = !path.empty() ? path + ": " : "";
  const std::string message = where + sqlite3_errmsg(database);
  switch (code & 0xFF) {
    case SQLITE_FULL:
      throw system_error(path, ENOSPC);
    case SQLITE_IOERR:
      if (system_code != 0) throw system_error(path, system_code);
      throw Error(ErrorKind::io, message);
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      throw Busy(ErrorKind::conflict, message, "Wait for the program that has locked it.");
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      throw Error(ErrorKind::corrupt, message, "Copy what can be read: " + recovery_of(path));
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_AUTH:
    case SQLITE_CANTOPEN:
      throw Error(ErrorKind::permission, message);
    case SQLITE_NOMEM:
      throw Error(ErrorKind::permission, where + "SQLite needs more memory than it may have",
                  "ask for less at a time, or allow more with --memory SIZE");
    default:
      throw Error(ErrorKind::usage, message);
  }
}

void watch_progress(sqlite3* database) { sqlite3_progress_handler(database, kBetween, is_over, nullptr); }

Statement::Statement(sqlite3* database, std::string_view sql) : database_(database) {
  // SQLite would take what stands before it for the whole.
  if (sql.find('\0') != std::string_view::npos) throw Error(ErrorKind::usage, "a NUL byte in an SQL statement");
  const char* rest = nullptr;
  const int code = sqlite3_prepare_v2(database, sql.data(), static_cast<int>(sql.size()), &statement_, &rest);
  if (code != SQLITE_OK) fail(database, code);
  if (statement_ == nullptr) throw Error(ErrorKind::usage, "an empty SQL statement");
  // What follows may be a comment, but no second statement, which would be left out without a word.
  sqlite3_stmt* second = nullptr;
  const auto left = static_cast<int>(sql.data() + sql.size() - rest);
  if (sqlite3_prepare_v2(database, rest, left, &second, nullptr) == SQLITE_OK && second == nullptr) return;
  sqlite3_finalize(second);
  sqlite3_finalize(statement_);
  throw Error(ErrorKind::usage, "more than one SQL statement", "ask them one by one");
}

Statement::~Statement() { sqlite3_finalize(statement_); }

Statement& Statement::bind(int place, std::int64_t value) {
  sqlite3_bind_int64(statement_, place, value);
  return *this;
}

Statement& Statement::bind(int place, double value) {
  sqlite3_bind_double(statement_, place, value);
  return *this;
}

Statement& Statement::bind(int place, std::string_view value) {
  sqlite3_bind_text(statement_, place, value.data(), static_cast<int>(value.size()), SQLITE_TRANSIENT);
  return *this;
}

Statement& Statement::bind(int place, std::nullopt_t) {
  sqlite3_bind_null(statement_, place);
  return *this;
}

bool Statement::step() {
  if (sqlite3_stmt_busy(statement_) == 0) progress_ = {interrupt_count, 0};
  running = &progress_;
  const int code = sqlite3_step(statement_);
  running = nullptr;
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  fail(database_, code);
}

void Statement::run() {
  step();
  reset();
}

void Statement::reset() { sqlite3_reset(statement_); }

int Statement::columns() const { return sqlite3_column_count(statement_); }
std::string_view Statement::name(int column) const { return sqlite3_column_name(statement_, column); }
int Statement::type(int column) const { return sqlite3_column_type(statement_, column); }
std::int64_t Statement::integer(int column) const { return sqlite3_column_int64(statement_, column); }
double Statement::real(int column) const { return sqlite3_column_double(statement_, column); }
bool Statement::is_null(int column) const { return type(column) == SQLITE_NULL; }

std::string_view Statement::text(int column) const {
  const auto* data = static_cast<const char*>(sqlite3_column_blob(statement_, column));
  const int size = sqlite3_column_bytes(statement_, column);
  return data == nullptr ? std::string_view{} : std::string_view(data, static_cast<std::size_t>(size));
}

void Database::open(const std::string& path, int flags) {
  database_.reset();
  std::string name = path;
  if ((flags & SQLITE_OPEN_URI) == 0) {
    name = std::filesystem::absolute(path);  // a name that begins with "file:" would be taken for a URI
    check_journal(name);
  }
  sqlite3* opened = nullptr;
  const int code = sqlite3_open_v2(name.c_str(), &opened, flags, nullptr);
  database_.reset(opened);
  if (code != SQLITE_OK)
    throw Error(ErrorKind::permission, path + ": " + sqlite3_errmsg(opened),
                "is the folder there, and may you write in it?");
  sqlite3_busy_timeout(opened, kPatience_ms);
  watch_progress(opened);
}

Database::Database(const std::string& path, Access access) {
  if (access == Access::write)
    open(path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
  else
    open_to_read(path);
  sqlite3_extended_result_codes(handle(), 1);
  confine(handle(), May::write);
  sqlite3_create_function(handle(), "median", 1, SQLITE_UTF8 | SQLITE_DETERMINISTIC, nullptr, nullptr, median_step,
                          median_final);
}

void Database::Close::operator()(sqlite3* database) const { sqlite3_close_v2(database); }

std::shared_ptr<void> Database::without_waiting() {
  sqlite3_busy_timeout(handle(), 0);
  return {this, [](Database* self) { sqlite3_busy_timeout(self->handle(), kPatience_ms); }};
}

void Database::run(const std::string& sql) {
  Progress progress{interrupt_count, 0};
  running = &progress;
  const int code = sqlite3_exec(handle(), sql.c_str(), nullptr, nullptr, nullptr);
  running = nullptr;
  if (code != SQLITE_OK) fail(handle(), code);
}

std::int64_t Database::last_id() const { return sqlite3_last_insert_rowid(database_.get()); }

int Database::changes() const { return sqlite3_changes(database_.get()); }

Transaction::~Transaction() {
  // After a commit nothing is open, nor after a failed statement that rolled back by itself.
  if (sqlite3_get_autocommit(database_.handle()) == 0)
    sqlite3_exec(database_.handle(), "ROLLBACK", nullptr, nullptr, nullptr);
}

}  // namespace reg::store
