#include "engine/store/files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sqlite3.h>
#include <sys/stat.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>

#include "engine/base/error.h"
#include "engine/base/file.h"
#include "engine/store/sqlite.h"

namespace reg::store {
namespace {

// Where an open file is now; "" if it was deleted.
std::string path_of(const Fd& file) {
  struct stat facts {};
  if (::fstat(file.get(), &facts) != 0 || facts.st_nlink == 0) return {};
  std::error_code error;
  const std::string path = std::filesystem::read_symlink(fmt::format("/proc/self/fd/{}", file.get()), error);
  return path.ends_with(" (deleted)") ? std::string() : path;
}

namespace fs = std::filesystem;

// A store that is only read may lie where nothing may be written at all.
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

void Place::watch(const std::string& path) {
  Fd file(::open(path.c_str(), O_PATH | O_CLOEXEC));
  if (file) files_.push_back({path, std::move(file)});
}

Place::Lost Place::lost() const {
  for (const File& one : files_) {
    struct stat opened {
    }, now{};
    const bool there = ::stat(one.path.c_str(), &now) == 0;
    if (::fstat(one.file.get(), &opened) != 0) continue;
    if (there && opened.st_ino == now.st_ino && opened.st_dev == now.st_dev) continue;
    return {one.path, path_of(one.file), there};
  }
  return {};
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
