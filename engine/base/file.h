#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace reg {

/// The whole file; throws (not_found, permission, io) naming the path.
std::string read_file(const std::string& path);

/// The whole file, or nullopt when it cannot be read.
std::optional<std::string> read_file_if_there(const std::string& path);

/// Writes beside the target and renames, so that a reader or a crash sees the old text or the new, never half.
void write_file(const std::string& path, std::string_view text, int mode = 0644);

/// Appends in one write(2).
void append_file(const std::string& path, std::string_view text);

/// mkdir -p.
void make_folders(const std::string& path);

/// The path from the root with every symbolic link resolved, also where what it leads to is not there (yet).
std::string real_path(const std::string& path);

/// $XDG_STATE_HOME/regengine or ~/.local/state/regengine: what outlives a run. Throws unavailable where the environment
/// names neither.
std::string state_folder();

/// A file descriptor that closes itself.
class Fd {
 public:
  Fd() = default;
  explicit Fd(int fd) : fd_(fd) {}
  Fd(Fd&& other) noexcept : fd_(other.release()) {}
  Fd& operator=(Fd&& other) noexcept;
  Fd(const Fd&) = delete;
  Fd& operator=(const Fd&) = delete;
  ~Fd();

  int get() const { return fd_; }
  explicit operator bool() const { return fd_ >= 0; }
  int release();

 private:
  int fd_ = -1;
};

/// open(2) with O_CLOEXEC; throws naming the path.
Fd open_file(const std::string& path, int flags, int mode = 0644);

/// Writes all of it or throws, naming `path`.
void write_all(int fd, std::string_view data, const std::string& path);

/// A file written in pieces beside its path, where finish() puts it; without that it is as if it had never been.
class NewFile {
 public:
  explicit NewFile(const std::string& path, int mode = 0644);
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;
  ~NewFile();

  void write(std::string_view text) { write_all(fd_.get(), text, path_); }
  void finish();

 private:
  std::string path_, beside_;
  Fd fd_;
};

}  // namespace reg
