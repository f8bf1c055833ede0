#include <poll.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "bindings/nouns/bind.h"
#include "bindings/runtime/lua.h"
#include "bindings/runtime/vm.h"

// Standard input, a line at a time, while other tasks go on.

namespace reg::lua {
namespace {

using Line = std::optional<std::string>;

constexpr int kLookUp_ms = 100;  // how often a wait looks whether it was cancelled

std::atomic<bool> reading_now = false;
std::string rest;  // what was read beyond the last line; of whoever holds reading_now

// On a worker: it must never be kept from ending, or the program could not stop.
Line next_line(const std::atomic<bool>& cancelled) {
  while (true) {
    if (const std::size_t end = rest.find('\n'); end != std::string::npos) {
      std::string line = rest.substr(0, end);
      rest.erase(0, end + 1);
      return line;
    }
    if (cancelled) throw Error(ErrorKind::cancelled, "stopped");
    pollfd input{STDIN_FILENO, POLLIN, 0};
    if (::poll(&input, 1, kLookUp_ms) <= 0) continue;
    char buffer[4096];
    const ssize_t count = ::read(STDIN_FILENO, buffer, sizeof buffer);
    if (count < 0 && errno != EINTR && errno != EAGAIN) throw system_error("standard input", errno);
    if (count > 0) rest.append(buffer, static_cast<std::size_t>(count));
    if (count == 0) return rest.empty() ? Line() : Line(std::exchange(rest, {}));
  }
}

int read_line(lua_State* L) {
  if (reading_now.exchange(true)) throw misuse(L, "another task is reading standard input");
  const auto cancelled = std::make_shared<std::atomic<bool>>(false);
  const auto op = on_worker(Vm::of(L).loop(), [cancelled] {
    const std::shared_ptr<void> done(nullptr, [](void*) { reading_now = false; });
    return next_line(*cancelled);
  });
  op->on_cancel([cancelled] { *cancelled = true; });
  return await(L, op, [](lua_State* state, const Line& line) {
    push(state, line);
    return 1;
  });
}

}  // namespace

void bind_input(lua_State* L) { register_functions(L, "", {{"read_line", read_line}}); }

}  // namespace reg::lua
