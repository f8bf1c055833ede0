#include "engine/store/shared_memory.h"

#include <fcntl.h>
#include <sqlite3.h>
#include <sys/stat.h>

#include <cerrno>
#include <map>
#include <string>

#include "engine/base/file.h"

namespace reg::store {
namespace {

// A database file of SQLite's: its own methods, and what takes their place.
struct Mapped {
  std::string path;  // of its -shm file
  const sqlite3_io_methods* own;
  sqlite3_io_methods reserving;
};

std::map<sqlite3_file*, Mapped>& mapped_files() {
  static std::map<sqlite3_file*, Mapped> files;
  return files;
}

// By path. They stay open: closing one would drop all locks that this process has on the file.
std::map<std::string, Fd>& shared_files() {
  static std::map<std::string, Fd> files;
  return files;
}

bool same_file(const Fd& file, const std::string& path) {
  struct stat opened {
  }, there{};
  return file && ::fstat(file.get(), &opened) == 0 && ::stat(path.c_str(), &there) == 0 &&
         opened.st_ino == there.st_ino && opened.st_dev == there.st_dev;
}

// 0, or the errno of what failed. A file system without fallocate, as some NFS, reserves nothing.
int reserve(const std::string& path, off_t bytes) {
  Fd& file = shared_files()[path];
  if (!same_file(file, path)) file = Fd(::open(path.c_str(), O_RDWR | O_CLOEXEC));
  if (!file || ::fallocate(file.get(), 0, 0, bytes) == 0) return 0;
  return errno == EOPNOTSUPP || errno == ENOSYS ? 0 : errno;
}

int map_reserved(sqlite3_file* file, int region, int size, int extend, void volatile** memory) {
  const Mapped& mapped = mapped_files().at(file);
  // Opens the -shm file, and maps what is there.
  const int code = mapped.own->xShmMap(file, region, size, 0, memory);
  if (code != SQLITE_OK || (extend == 0 && *memory == nullptr)) return code;
  if (const int error = reserve(mapped.path, static_cast<off_t>(region + 1) * size); error != 0) {
    errno = error;
    return error == ENOSPC || error == EDQUOT ? SQLITE_FULL : SQLITE_IOERR_SHMSIZE;
  }
  return *memory != nullptr ? SQLITE_OK : mapped.own->xShmMap(file, region, size, extend, memory);
}

int close_file(sqlite3_file* file) {
  file->pMethods = mapped_files().at(file).own;
  mapped_files().erase(file);
  return file->pMethods->xClose(file);
}

}  // namespace

void reserve_shared_memory(sqlite3* database) {
  sqlite3_file* file = nullptr;
  if (sqlite3_file_control(database, "main", SQLITE_FCNTL_FILE_POINTER, static_cast<void*>(&file)) != SQLITE_OK) return;
  if (file->pMethods == nullptr || file->pMethods->iVersion < 2 || file->pMethods->xShmMap == nullptr) return;
  Mapped& mapped = mapped_files()[file];
  mapped = {std::string(sqlite3_db_filename(database, "main")) + "-shm", file->pMethods, *file->pMethods};
  mapped.reserving.xShmMap = map_reserved;
  mapped.reserving.xClose = close_file;
  file->pMethods = &mapped.reserving;
}

}  // namespace reg::store
