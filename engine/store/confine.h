#pragma once

#include <string>

struct sqlite3;

namespace reg::store {

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

}  // namespace reg::store
