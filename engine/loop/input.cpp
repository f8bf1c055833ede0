#include "engine/loop/input.h"

#include <poll.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>

#include "engine/base/error.h"

namespace reg {
namespace {

using Line = std::optional<std::string>;

constexpr int kCancelCheck_ms = 100;

std::atomic<bool> reading = false;
std::string rest;  // bytes read beyond the last line; belongs to whoever set `reading`

// Runs on a worker, which must end when cancelled: the program could not exit otherwise.
Line next_line(const std::atomic<bool>& cancelled) {
  while (true) {
    if (const std::size_t end = rest.find('\n'); end != std::string::npos) {
      std::string line = rest.substr(0, end);
      rest.erase(0, end + 1);
      return line;
    }
    if (cancelled) throw Error(ErrorKind::cancelled, "stopped");
    pollfd input{STDIN_FILENO, POLLIN, 0};
    if (::poll(&input, 1, kCancelCheck_ms) <= 0) continue;
    char buffer[4096];
    const ssize_t count = ::read(STDIN_FILENO, buffer, sizeof buffer);
    if (count < 0 && errno != EINTR && errno != EAGAIN) throw system_error("standard input", errno);
    if (count > 0) rest.append(buffer, static_cast<std::size_t>(count));
    if (count == 0) return rest.empty() ? Line() : Line(std::exchange(rest, {}));
  }
}

}  // namespace

Op<Line> read_line(Loop& loop) {
  if (reading.exchange(true)) return nullptr;
  const auto cancelled = std::make_shared<std::atomic<bool>>(false);
  auto op = on_worker(loop, [cancelled] {
    const std::shared_ptr<void> done(nullptr, [](void*) { reading = false; });
    return next_line(*cancelled);
  });
  op->on_cancel([cancelled] { *cancelled = true; });
  return op;
}

}  // namespace reg
