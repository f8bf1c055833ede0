#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/base/file.h"

struct sqlite3;

namespace reg::store {

/// The files of an open store. SQLite goes on writing to a file that was deleted or moved, so this notices it.
class Place {
 public:
  /// Also notes the file itself as it is now.
  void watch(const std::string& path);

  struct Lost {
    std::string path;
    std::string where;   ///< the new path of a file that was moved; "" if it is gone
    bool other = false;  ///< whether another file is in its place
  };
  /// What happened to the first file that is not in its place. Its `path` is "" while all are there.
  Lost lost() const;

 private:
  struct File {
    std::string path;
    Fd file;  // O_PATH: closing any other descriptor would drop SQLite's locks on the file
  };
  std::vector<File> files_;
};

/// Lets SQLite map only those parts of the database's -shm file that have blocks on the disk. SQLite itself writes one
/// byte a page: with smaller blocks the rest of the page is a hole, and on a full disk a write to it would end the
/// engine by SIGBUS. With this, SQLITE_FULL is the answer.
void reserve_shared_memory(sqlite3* database);

}  // namespace reg::store
