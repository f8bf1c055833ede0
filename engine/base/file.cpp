#include "engine/base/file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <filesystem>

#include "engine/base/error.h"
#include "engine/base/ids.h"
#include "engine/base/text.h"

namespace reg {
namespace {

// The system would use only the part before the NUL byte, not the path that was checked.
const char* for_system(const std::string& path) {
  if (path.find('\0') != std::string::npos)
    throw Error(ErrorKind::usage, "a path must not contain a NUL byte: '" + path + "'");
  if (path.empty()) throw Error(ErrorKind::usage, "the path is empty");
  return path.c_str();
}

// What root makes in the folder of a user stays that user's.
void give_to_owner_of_folder(const Fd& made, const std::string& path) {
  struct stat folder {};
  if (::geteuid() != 0 || ::stat(std::filesystem::path(path).parent_path().c_str(), &folder) != 0) return;
  if (::fchown(made.get(), folder.st_uid, folder.st_gid) != 0) throw system_error(path, errno);
}

}  // namespace

Fd::~Fd() {
  if (fd_ >= 0) ::close(fd_);
}

Fd open_file(const std::string& path, int flags, int mode) {
  // To be read, a pipe without a writer would never open, and a device never end. Those of this process are fine.
  const bool ends = path.starts_with("/dev/fd/") || path == "/dev/stdin" || path == "/dev/null";
  const bool checked = flags == O_RDONLY && !ends;
  Fd fd(::open(for_system(path), flags | O_CLOEXEC | (checked ? O_NONBLOCK : 0), mode));
  struct stat found {};
  if (!fd || (checked && ::fstat(fd.get(), &found) != 0)) throw system_error(path, errno);
  if (checked && !S_ISREG(found.st_mode) && !S_ISDIR(found.st_mode))
    throw Error(ErrorKind::usage, "not a regular file: " + path, "Name a file that can be read to its end.");
  return fd;
}

void write_all(int fd, std::string_view data, const std::string& path) {
  while (!data.empty()) {
    const ssize_t n = ::write(fd, data.data(), data.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) throw system_error(path, errno);
    data.remove_prefix(static_cast<std::size_t>(n));
  }
}

std::string read_file(const std::string& path) { return read_all(open_file(path, O_RDONLY), path); }

void read_pieces(const Fd& fd, const std::string& path, const std::function<void(std::string_view)>& use) {
  std::array<char, 65536> buffer;
  for (ssize_t n = 1; n != 0;) {
    n = ::read(fd.get(), buffer.data(), buffer.size());
    if (n < 0 && errno != EINTR) throw system_error(path, errno);
    if (n > 0) use({buffer.data(), static_cast<std::size_t>(n)});
  }
}

std::string read_all(const Fd& fd, const std::string& path) {
  std::string text;
  read_pieces(fd, path, [&](std::string_view piece) { text += piece; });
  return text;
}

std::string read_at(int fd, std::uint64_t offset, std::size_t size) {
  std::string bytes(size, '\0');
  std::size_t filled = 0;
  while (filled < size && offset <= INT64_MAX - size) {
    const ssize_t got = ::pread(fd, bytes.data() + filled, size - filled, static_cast<off_t>(offset + filled));
    if (got <= 0) break;
    filled += static_cast<std::size_t>(got);
  }
  bytes.resize(filled);
  return bytes;
}

std::optional<std::string> read_file_if_there(const std::string& path) {
  std::optional<std::string> text;
  try_to([&] { text = read_file(path); });
  return text;
}

NewFile::NewFile(const std::string& path, int mode)
    : path_(path), beside_(std::string(for_system(path)) + "." + random_id(4) + ".new") {
  const std::string folder = std::filesystem::path(path).parent_path().string();
  if (::access("/proc/self/fd", X_OK) == 0)
    fd_ = Fd(::open(for_system(folder.empty() ? "." : folder), O_TMPFILE | O_WRONLY | O_CLOEXEC, mode));
  has_name_ = !fd_;
  if (has_name_) fd_ = Fd(::open(for_system(beside_), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode));
  if (fd_ && mode == kPrivate) give_to_owner_of_folder(fd_, path_);
  if (fd_) return;
  if (errno == ENOENT)
    throw Error(ErrorKind::not_found, "no such folder: " + std::filesystem::path(path_).parent_path().string());
  if (errno == EACCES) {  // its folder may not be written, but perhaps the file itself
    fd_ = Fd(::open(for_system(path_), O_WRONLY | O_TRUNC | O_CLOEXEC));
    beside_.clear();
    if (fd_) return;
    errno = EACCES;
  }
  throw system_error(path_, errno);
}

NewFile::~NewFile() {
  if (!beside_.empty()) ::unlink(beside_.c_str());
}

void NewFile::finish() {
  if (::fsync(fd_.get()) != 0) throw system_error(path_, errno);
  const std::string nameless = "/proc/self/fd/" + std::to_string(fd_.get());
  if (!has_name_ && ::linkat(AT_FDCWD, nameless.c_str(), AT_FDCWD, for_system(beside_), AT_SYMLINK_FOLLOW) != 0)
    throw system_error(path_, errno);
  if (!beside_.empty() && ::rename(beside_.c_str(), path_.c_str()) != 0) throw system_error(path_, errno);
  beside_.clear();
}

void write_file(const std::string& path, std::string_view text, int mode) {
  NewFile file(path, mode);
  file.write(text);
  file.finish();
}

void append_file(const std::string& path, std::string_view text) {
  const Fd fd = open_file(path, O_WRONLY | O_CREAT | O_APPEND);
  write_all(fd.get(), text, path);
}

void make_folders(const std::string& path) {
  std::filesystem::path own(path);
  while (own.has_relative_path() && own.filename() != ".regengine") own = own.parent_path();
  std::error_code error;
  const bool is_new = own.has_relative_path() && !std::filesystem::exists(own, error);
  std::filesystem::create_directories(for_system(path), error);
  if (error) {
    const Error failed = system_error(path, error.value());
    if (!is_new || !failed.hint().empty()) throw failed;
    throw Error(failed.kind(), failed.what(),
                path == own ? "Choose another file with --store." : "Run it in a folder that you may write to.");
  }
  if (is_new) write_file(own / ".gitignore", "*\n");
}

void make_private_folders(const std::string& path) {
  std::error_code unseen;
  if (path.empty() || std::filesystem::exists(path, unseen)) return;
  make_private_folders(std::filesystem::path(path).parent_path().string());
  const bool made = ::mkdir(for_system(path), 0700) == 0;
  if (!made && errno != EEXIST) throw system_error(path, errno);
  if (made) give_to_owner_of_folder(open_file(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW), path);
}

Fd open_private(const std::string& path, int flags) {
  constexpr int kAlways = O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY;
  if ((flags & O_CREAT) != 0) {
    make_private_folders(std::filesystem::path(path).parent_path().string());
    Fd made(::open(for_system(path), flags | kAlways | O_EXCL, kPrivate));
    if (made) give_to_owner_of_folder(made, path);
    if (made) return made;
    if (errno != EEXIST) throw system_error(path, errno);
  }
  Fd file(::open(for_system(path), (flags & ~(O_CREAT | O_TRUNC)) | kAlways));
  if (!file && errno != ELOOP && errno != ENXIO) throw system_error(path, errno);
  struct stat found {};
  if (!file || ::fstat(file.get(), &found) != 0 || !S_ISREG(found.st_mode) || found.st_nlink > 1)
    throw Error(ErrorKind::permission, "must be a regular file, not a link: " + path, "Remove it.");
  if ((flags & O_TRUNC) != 0 && ::ftruncate(file.get(), 0) != 0) throw system_error(path, errno);
  return file;
}

void check_only_own(const Fd& file, const std::string& path) {
  struct stat found {};
  if (::fstat(file.get(), &found) != 0) throw system_error(path, errno);
  constexpr mode_t others_write = S_IWGRP | S_IWOTH;
  const bool own = found.st_uid == ::geteuid() || ::geteuid() == 0;  // under sudo it is the user's who became root
  if (!own || (found.st_mode & others_write) != 0)
    throw Error(ErrorKind::permission, "must be owned by you and writable only by you: " + path,
                "Run chmod 600 on it, or remove it.");
}

std::string real_path(const std::string& path) {
  namespace fs = std::filesystem;
  constexpr int max_links = 40;  // the kernel's limit
  std::error_code error;
  fs::path real = fs::weakly_canonical(fs::absolute(for_system(path)), error);
  // weakly_canonical stops at a dangling link, which open(2) with O_CREAT would follow.
  for (int i = 0; !error && fs::is_symlink(fs::symlink_status(real, error)); ++i) {
    if (i == max_links) throw system_error(path, ELOOP);
    const fs::path target = fs::read_symlink(real, error);
    real = fs::weakly_canonical(real.parent_path() / target, error);
  }
  if (error && error != std::errc::no_such_file_or_directory) throw system_error(path, error.value());
  return real.has_filename() ? real.string() : real.parent_path().string();
}

std::string find_in_folders(const std::string& path, const std::string& name, bool relative_too) {
  for (const auto folder : split(path, ':')) {
    if (!relative_too && !folder.starts_with('/')) continue;
    std::string candidate = (folder.empty() ? "." : std::string(folder)) + "/" + name;
    if (::access(candidate.c_str(), X_OK) == 0 && !std::filesystem::is_directory(candidate))
      return std::filesystem::absolute(candidate);  // the program may start in another folder
  }
  return {};
}

std::vector<std::string> entries(const std::string& folder) {
  std::vector<std::string> paths;
  std::error_code error;
  for (std::filesystem::directory_iterator at(folder, error), end; !error && at != end; at.increment(error))
    paths.push_back(at->path());
  // policy2 before policy10
  std::ranges::sort(paths, {}, [](std::string_view path) { return std::pair(path.size(), path); });
  return paths;
}

bool is_at(int file, const std::string& path) {
  struct stat open {
  }, named{};
  return ::fstat(file, &open) == 0 && ::stat(path.c_str(), &named) == 0 && open.st_dev == named.st_dev &&
         open.st_ino == named.st_ino;
}

std::string state_folder() {
  if (const std::string state = variable("XDG_STATE_HOME"); state.starts_with('/')) return state + "/regengine";
  if (const std::string home = variable("HOME"); home.starts_with('/')) return home + "/.local/state/regengine";
  throw Error(ErrorKind::unavailable, "no state folder for the journal, the trust store and the history",
              "Set HOME or XDG_STATE_HOME.");
}

TemporaryFolder::TemporaryFolder(const std::string& begin) : path_(begin + "XXXXXX"), maker_(::getpid()) {
  if (::mkdtemp(path_.data()) == nullptr) throw system_error(path_, errno);
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  if (::getpid() == maker_) std::filesystem::remove_all(path_, ignored);
}

namespace fs = std::filesystem;

std::string helper_file(const std::string& name, const std::string& purpose) {
  const fs::path program = fs::read_symlink("/proc/self/exe").parent_path();
  // The build folder (its tests lie one deeper), and what is installed: PREFIX/bin beside PREFIX/lib/regengine.
  for (const fs::path& folder :
       std::array{program, program.parent_path(), program.parent_path() / REGENGINE_INJECT_FOLDER})
    if (fs::exists(folder / name)) return (folder / name).string();
  throw Error(ErrorKind::unavailable, purpose + " needs " + name + ", which is not beside " + program.string(),
              "Install regengine whole: cmake --install build/release");
}

// Less than this, or than one percent of a small file system, is full: few writes fit exactly into what was free.
constexpr std::uint64_t kFreeBytes = std::uint64_t{16} << 20;
constexpr std::uint64_t kFreeFiles = 16;
constexpr std::uint64_t kSmall = 100;

// What follows the error: a failing make says more as it ends.
constexpr std::size_t kLines = 20;

static std::uint64_t least(std::uint64_t limit, std::uint64_t whole) {
  return std::max<std::uint64_t>(1, std::min(limit, whole / kSmall));
}

// The line says so whichever system call failed.
static bool says_full(std::string_view line) {
  return contains_any(
      line, {"no space left on device", "disk quota exceeded", "database or disk is full", "cannot allocate memory",
             "virtual memory exhausted", "too many open files", "stale file handle", "input/output error",
             "unable to create native thread", "can't start new thread", "killed signal terminated program"});
}

// EAGAIN is also what a socket says that has nothing to read: here a process or a thread was wanted.
static bool says_no_process(std::string_view line) {
  return line.find("resource temporarily unavailable") != std::string_view::npos &&
         contains_any(line, {"fork", "clone", "spawn", "exec", "thread", "process", "what()"});
}

std::string shortage_at(const std::string& path) {
  struct statvfs now {};
  if (::statvfs(path.c_str(), &now) != 0 || (now.f_flag & ST_RDONLY) != 0 || now.f_blocks == 0) return {};
  const bool root = ::geteuid() == 0;
  const std::uint64_t bytes = std::uint64_t{root ? now.f_bfree : now.f_bavail} * now.f_frsize;
  if (bytes < least(kFreeBytes, std::uint64_t{now.f_blocks} * now.f_frsize))
    return fmt::format("the disk is full: {} bytes free in {}", bytes, path);
  const std::uint64_t files = root ? now.f_ffree : now.f_favail;
  if (now.f_files > 0 && files < least(kFreeFiles, now.f_files))
    return fmt::format("the disk is full: room for {} more files in {}", files, path);
  return {};
}

std::string shortage_in(std::string_view output) {
  const auto all = lines(output);
  const std::size_t first = all.size() > kLines ? all.size() - kLines : 0;
  for (std::size_t i = all.size(); i-- > first;) {
    const std::string line = in_small_letters(all[i]);
    if (says_full(line) || says_no_process(line)) return std::string(trim(all[i]));
  }
  return {};
}

}  // namespace reg
