#include "engine/arrays/bytes.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "engine/base/text.h"

namespace reg::arrays {

// O_NONBLOCK: a named pipe is refused below, and not waited for.
Bytes::Bytes(std::string path) : path_(std::move(path)), fd_(open_file(path_, O_RDONLY | O_NONBLOCK)) {
  struct stat status {};
  if (::fstat(fd_.get(), &status) != 0) throw system_error(path_, errno);
  if (!S_ISREG(status.st_mode)) throw corrupt("is not a regular file");
  size_ = static_cast<std::uint64_t>(status.st_size);
}

void Bytes::read(std::uint64_t at, std::size_t count, char* out, const char* what) const {
  while (count > 0) {
    const ssize_t n = ::pread(fd_.get(), out, count, static_cast<off_t>(at));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) throw system_error(path_, errno);
    if (n == 0) throw corrupt(fmt::format("ends within {}, at byte {}", what, at));
    at += static_cast<std::uint64_t>(n);
    out += n;
    count -= static_cast<std::size_t>(n);
  }
}

Error Bytes::corrupt(const std::string& what) const { return {ErrorKind::corrupt, path_ + ": " + what}; }

std::string excerpt(std::string_view text) {
  constexpr std::size_t kMost = 60;
  std::string line(text.substr(0, kMost));
  std::replace_if(
      line.begin(), line.end(), [](unsigned char c) { return c == '\n' || c == '\t' || c >= 0x80; }, '?');
  return printable(line) + (text.size() > kMost ? "..." : "");
}

}  // namespace reg::arrays
