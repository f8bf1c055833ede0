#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "engine/base/error.h"

struct sqlite3;
struct sqlite3_stmt;

// As much of SQLite as the store needs, with destructors and exceptions. SQLite runs in C, where no script is stopped:
// Ctrl-C must end what takes long there.

namespace reg::store {

/// From now on a long statement of this connection ends once a stop signal has come since it began. What begins after
/// the signal runs to its end: a stopped script still writes what it has.
void watch_progress(sqlite3* database);

/// The command line that copies what can be read of a damaged store.
std::string recovery_of(const std::string& path);

/// Another program has the file locked; the same may work later.
class Busy : public Error {
  using Error::Error;
};

/// How far a statement is on its way to being ended.
struct Progress {
  std::int64_t interrupts = 0;  ///< when it began
  int looks = 0;                ///< after an interrupt since then
};

/// A prepared statement. Parameters are bound by place, from 1; columns are read by place, from 0.
class Statement {
 public:
  Statement(sqlite3* database, std::string_view sql);
  template <class... Values>
  Statement(sqlite3* database, std::string_view sql, const Values&... values) : Statement(database, sql) {
    int place = 0;
    (bind(++place, values), ...);
  }
  Statement(Statement&& other) noexcept
      : database_(other.database_), statement_(std::exchange(other.statement_, nullptr)) {}
  ~Statement();

  Statement& bind(int place, std::int64_t value);
  Statement& bind(int place, double value);
  Statement& bind(int place, std::string_view value);
  Statement& bind(int place, std::nullopt_t null);
  template <class Value>
  Statement& bind(int place, const std::optional<Value>& value) {
    return value ? bind(place, *value) : bind(place, std::nullopt);
  }

  /// Steps to the next row; false at the end. Throws what SQLite says.
  bool step();
  /// For a statement without rows: runs it and makes it ready to be bound anew.
  void run();
  void reset();

  int columns() const;
  std::string_view name(int column) const;
  int type(int column) const;  ///< SQLITE_INTEGER and so on
  std::int64_t integer(int column) const;
  double real(int column) const;
  std::string_view text(int column) const;  ///< until the next step
  bool is_null(int column) const;

  sqlite3_stmt* handle() { return statement_; }

 private:
  sqlite3* database_;
  sqlite3_stmt* statement_ = nullptr;
  Progress progress_;
};

[[noreturn]] void fail(sqlite3* database, int code);  ///< throws what SQLite says

/// To `read` a store takes no lock, changes nothing, and works beside an engine that writes to it, and on a file system
/// without write access.
enum class Access { read, write };

class Database {
 public:
  Database(const std::string& path, Access access);
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  /// Until what is returned is gone, a lock of another program throws Busy at once, not after some seconds.
  std::shared_ptr<void> without_waiting();

  void run(const std::string& sql);  ///< one or more statements without results
  template <class... Values>
  void run(std::string_view sql, const Values&... values) {  ///< one, with parameters
    Statement(handle(), sql, values...).run();
  }
  /// The first column of the first row; 0 without one.
  template <class... Values>
  std::int64_t integer(std::string_view sql, const Values&... values) {
    Statement statement(handle(), sql, values...);
    return statement.step() ? statement.integer(0) : 0;
  }
  std::int64_t last_id() const;
  int changes() const;
  sqlite3* handle() { return database_.get(); }

 private:
  struct Close {
    void operator()(sqlite3* database) const;
  };

  void open(const std::string& path, int flags);
  void open_to_read(const std::string& path);
  bool can_read();

  std::shared_ptr<void> copy_;  // removes the copy that is read where there is one
  std::unique_ptr<sqlite3, Close> database_;
};

/// What the SQL of a connection may do. Its file may be anybody's.
enum class May {
  write,  ///< the engine's own statements
  read,   ///< queries of scripts: no statement that changes anything, and no long values
};

/// Restricts a connection to functions and virtual tables on a list, and turns off what lets a file change how SQLite
/// works.
void confine(sqlite3* database, May may);

/// Throws corrupt if a journal beside the database names another file. SQLite would delete that file when it rolls the
/// journal back. No journal of ours names one.
void check_journal(const std::string& database);

/// BEGIN IMMEDIATE now; COMMIT by commit(), ROLLBACK by the destructor.
class Transaction {
 public:
  explicit Transaction(Database& database) : database_(database) { database_.run("BEGIN IMMEDIATE"); }
  ~Transaction();
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  void commit() { database_.run("COMMIT"); }

 private:
  Database& database_;
};

// The tables of a store (schema.cpp).

/// The first 100 bytes of an SQLite file, its header; "" for any other file.
std::string sqlite_header(const std::string& path);

/// Throws corrupt when a file is there that is not a store of ours, which is left as it is.
void check_is_store(const std::string& path);

/// The version of a store's tables. Throws conflict for one from a newer engine, and corrupt if it contains a table,
/// view or trigger that no version of the engine made: what stands there would run at a read or a write.
std::int64_t check_schema(Database& database, const std::string& path);

/// Creates the tables or brings an older store up to this version, or throws as check_schema does.
void migrate(Database& database, const std::string& path);

/// Whether an earlier engine made the store. Throws as check_schema does.
bool is_older(const std::string& path);

/// Gives each run of a store of format 2 or 3 to `take`, as a line. Throws corrupt if parts of a run are missing.
void each_old_run(Database& database, const std::function<void(std::string_view line)>& take);

}  // namespace reg::store
