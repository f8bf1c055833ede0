#pragma once

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

}  // namespace reg::store
