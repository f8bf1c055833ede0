#include "engine/results/lines.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "engine/base/error.h"

namespace reg::results {
namespace {

constexpr std::size_t kBlock = std::size_t{1} << 18;  // stays in a core's own cache

}  // namespace

LineReader::LineReader(int fd, const std::string& path, std::uint64_t begin, std::uint64_t end)
    : fd_(fd),
      path_(path),
      at_(begin == 0 ? 0 : begin - 1),  // a line that begins just here has its newline there
      end_(end),
      buffer_(kBlock),
      skip_first_(begin > 0) {}

// More of the file behind what is left; false at its end.
bool LineReader::fill() {
  if (from_ > 0) {
    std::memmove(buffer_.data(), buffer_.data() + from_, to_ - from_);
    to_ -= from_;
    from_ = 0;
  }
  if (buffer_.size() - to_ < kBlock / 2) buffer_.resize(buffer_.size() + kBlock);
  ssize_t size = -1;
  do size = ::pread(fd_, buffer_.data() + to_, buffer_.size() - to_, static_cast<off_t>(at_));
  while (size < 0 && errno == EINTR);
  if (size < 0) throw system_error(path_, errno);
  to_ += static_cast<std::size_t>(size);
  at_ += static_cast<std::uint64_t>(size);
  return size > 0;
}

bool LineReader::next(std::string_view& line) {
  std::size_t searched = 0;
  while (!over_) {
    const char* begin = buffer_.data() + from_;
    const void* newline = std::memchr(begin + searched, '\n', to_ - from_ - searched);
    const bool complete = newline != nullptr;
    if (!complete) {
      searched = to_ - from_;
      if (fill()) continue;
      over_ = true;
      if (to_ == from_) return false;
      begin = buffer_.data() + from_;
    }
    const std::uint64_t where = at_ - (to_ - from_);  // where this line begins in the file
    const auto size = complete ? static_cast<std::size_t>(static_cast<const char*>(newline) - begin) : to_ - from_;
    from_ += size + (complete ? 1 : 0);
    searched = 0;
    if (std::exchange(skip_first_, false)) continue;
    if (where >= end_) break;
    cut_off_ = !complete;
    ++count_;
    line = {begin, size};
    return true;
  }
  over_ = true;
  return false;
}

}  // namespace reg::results
