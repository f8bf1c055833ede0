#include "bindings/program/history.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "engine/base/error.h"
#include "engine/base/file.h"
#include "engine/base/text.h"

namespace reg {
namespace {

constexpr off_t kMaxBytes = off_t{16} << 20;             // read at most, from the end of the file
constexpr std::size_t kMaxEntry = std::size_t{1} << 20;  // a longer entry was not typed

// Opens and locks the file; reopens it if another prompt has replaced it in the meantime.
Fd open_locked(const std::string& file) {
  for (;;) {
    Fd fd = open_private(file, O_RDWR | O_CREAT | O_APPEND);
    struct stat opened {
    }, named{};
    if (flock(fd.get(), LOCK_EX) != 0 || fstat(fd.get(), &opened) != 0) return fd;  // a file system without locks
    if (stat(file.c_str(), &named) == 0 && named.st_ino == opened.st_ino && named.st_dev == opened.st_dev) return fd;
  }
}

// Whether the last line is incomplete, because a full disk or a power cut interrupted a write.
bool ends_within_a_line(int fd) {
  char last = '\n';
  const off_t size = lseek(fd, 0, SEEK_END);
  return size > 0 && pread(fd, &last, 1, size - 1) == 1 && last != '\n';
}

// The last kMaxBytes of the file, from the first whole line on.
std::string newest_part(int fd, const std::string& file) {
  struct stat info {};
  if (fstat(fd, &info) != 0) throw system_error(file, errno);
  const off_t from = std::max<off_t>(info.st_size - kMaxBytes, 0);
  std::string text(static_cast<std::size_t>(info.st_size - from), '\0');
  std::size_t size = 0;
  while (size < text.size()) {
    const ssize_t n = pread(fd, text.data() + size, text.size() - size, from + static_cast<off_t>(size));
    if (n <= 0) break;
    size += static_cast<std::size_t>(n);
  }
  text.resize(size);
  if (from > 0) text.erase(0, text.find('\n') == std::string::npos ? text.size() : text.find('\n') + 1);
  return text;
}

}  // namespace

std::string history_line(const std::string& entry) {
  std::string line;
  for (const char c : entry) {
    if (c == '\\')
      line += "\\\\";
    else if (c == '\n')
      line += "\\n";
    else
      line += c;
  }
  return line;
}

std::string history_entry(std::string_view line) {
  std::string entry;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] != '\\' || i + 1 == line.size()) {
      entry += line[i];
    } else {
      ++i;
      entry += line[i] == 'n' ? '\n' : line[i];
    }
  }
  return entry;
}

History::History(std::string file, std::size_t most) : file_(std::move(file)), most_(most) {
  if (file_.empty()) return;
  try {
    load();
  } catch (const Error&) {
    file_.clear();
  }
}

void History::load() {
  std::error_code ignored;
  if (!std::filesystem::exists(file_, ignored)) return;
  const Fd fd = open_private(file_, O_RDONLY);
  const std::string text = newest_part(fd.get(), file_);
  fchmod(fd.get(), kPrivate);
  for (const std::string_view line : lines(text))
    if (!line.empty() && line.size() <= kMaxEntry) entries_.push_back(history_entry(line));
  const std::size_t count = entries_.size();
  if (count > most_) entries_.erase(entries_.begin(), entries_.end() - static_cast<std::ptrdiff_t>(most_));
  if (count > 2 * most_) shorten();
}

// Replaces the file with one that has only the newest entries. Prompts that append wait for the lock meanwhile.
void History::shorten() {
  const Fd lock = open_locked(file_);
  const std::string text = newest_part(lock.get(), file_);
  const auto all = lines(text);
  const std::size_t first = all.size() > most_ ? all.size() - most_ : 0;
  std::string kept;
  for (std::size_t i = first; i < all.size(); ++i) kept += std::string(all[i]) + "\n";
  write_file(file_, kept, kPrivate);
}

void History::add(const std::string& entry) {
  if (trim(entry).empty() || (!entries_.empty() && entries_.back() == entry)) return;
  entries_.push_back(entry);
  if (file_.empty()) return;
  try {
    append(history_line(entry));
  } catch (const Error&) {
    // Full disk: the entry stays in this session's history.
  }
}

void History::append(const std::string& line) {
  const Fd fd = open_locked(file_);
  write_all(fd.get(), (ends_within_a_line(fd.get()) ? "\n" : "") + line + "\n", file_);
}

}  // namespace reg
