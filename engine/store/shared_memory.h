#pragma once

struct sqlite3;

namespace reg::store {

/// Lets SQLite map only those parts of the database's -shm file that have blocks on the disk. SQLite itself writes one
/// byte a page: with smaller blocks the rest of the page is a hole, and on a full disk a write to it would end the
/// engine by SIGBUS. With this, SQLITE_FULL is the answer.
void reserve_shared_memory(sqlite3* database);

}  // namespace reg::store
