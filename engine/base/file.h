#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace reg {

/// A file descriptor that closes itself.
class Fd {
 public:
  Fd() = default;
  explicit Fd(int fd) : fd_(fd) {}
  Fd(Fd&& other) noexcept : fd_(other.release()) {}
  Fd& operator=(Fd&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~Fd();

  int get() const { return fd_; }
  explicit operator bool() const { return fd_ >= 0; }
  int release() { return std::exchange(fd_, -1); }

 private:
  int fd_ = -1;
};

/// The whole file; throws (not_found, permission, io) naming the path.
std::string read_file(const std::string& path);
std::string read_all(const Fd& file, const std::string& path);
/// The same piece by piece.
void read_pieces(const Fd& file, const std::string& path, const std::function<void(std::string_view)>& use);

/// Up to `size` bytes at `offset`: fewer at the end of the file, none where it cannot be read.
std::string read_at(int fd, std::uint64_t offset, std::size_t size);

/// The whole file, or nullopt when it cannot be read.
std::optional<std::string> read_file_if_there(const std::string& path);

/// Writes a temporary file next to the target and renames it: readers see the old text or the new, also after a crash.
/// One that root writes with the mode kPrivate belongs to the owner of its folder.
void write_file(const std::string& path, std::string_view text, int mode = 0644);

/// Appends in one write(2).
void append_file(const std::string& path, std::string_view text);

/// mkdir -p. A new folder `.regengine` gets a .gitignore, so that git does not list it.
void make_folders(const std::string& path);

/// The same for folders of the user alone, whatever the umask. What root makes in the folder of a user is that user's.
void make_private_folders(const std::string& path);

/// The absolute path with every symbolic link resolved; the target need not exist.
std::string real_path(const std::string& path);

/// The program of that name in the first folder of `path`, such as $PATH, that has it; "" for none. Folders that are
/// not absolute count only where `relative_too`.
std::string find_in_folders(const std::string& path, const std::string& name, bool relative_too = false);

/// The paths of what is in a folder, in order; none if it cannot be read.
std::vector<std::string> entries(const std::string& folder);

/// Whether the open file is the one at `path` now; false, too, where the path leads nowhere.
bool is_at(int file, const std::string& path);

/// $XDG_STATE_HOME/regengine or ~/.local/state/regengine, for state that outlives a run. Throws unavailable if neither
/// variable is set.
std::string state_folder();

/// open(2) with O_CLOEXEC; throws naming the path.
Fd open_file(const std::string& path, int flags, int mode = 0644);

/// A file of the user's state. If it is missing, O_CREAT makes it for its owner alone, with its folders. Throws
/// permission if it is a link, which may lead anywhere, or not a regular file.
Fd open_private(const std::string& path, int flags);

/// Throws permission if other users could have written what is in the file.
void check_only_own(const Fd& file, const std::string& path);

/// Writes all of it or throws, naming `path`.
void write_all(int fd, std::string_view data, const std::string& path);

inline constexpr int kPrivate = 0600;  ///< for its owner alone

/// A file written in pieces; finish() puts it in its place. Without finish() nothing is left of it, also where this
/// process is killed, unless its file system has no files without a name: there it is written beside its path. Where
/// its folder may not be written, an existing file is written in place.
class NewFile {
 public:
  explicit NewFile(const std::string& path, int mode = 0644);
  ~NewFile();

  void write(std::string_view text) { write_all(fd_.get(), text, path_); }
  void finish();

 private:
  std::string path_, beside_;
  Fd fd_;
  bool has_name_ = true;
};

/// A new folder with a random name, for its user alone. Removed with this object, by the process that made it and not
/// by one that was forked.
class TemporaryFolder {
 public:
  /// `begin`: the path up to the random letters. Throws where it cannot be made.
  explicit TemporaryFolder(const std::string& begin);
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::string& path() const { return path_; }

 private:
  std::string path_;
  pid_t maker_;
};

/// The path of a file that the engine brings along for other programs (inject/): beside its own program, or where it
/// was installed. Throws Error(unavailable) where it is in neither, which says what needs it: "tracing".
std::string helper_file(const std::string& name, const std::string& purpose);

// What a command fails with on any machine that has run out of something: such a failure says nothing about what was
// run.

/// What the file system of `path` lacks: "the disk is full: 0 bytes free in /tmp", or "" if it has room for blocks and
/// files, is read-only, or cannot be asked.
std::string shortage_at(const std::string& path);

/// The line near the end of a failed command's output that says that the disk, memory, processes or open files ran out;
/// "" if none does.
std::string shortage_in(std::string_view output);

}  // namespace reg
