#include "engine/terminal/console.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <utility>

#include "engine/base/error.h"
#include "engine/base/file.h"
#include "engine/base/text.h"
#include "engine/terminal/table.h"

namespace reg::terminal {
namespace {

constexpr std::string_view kEraseLine = "\r\x1b[2K";

bool obeys_escapes(int fd) {
  const char* term = std::getenv("TERM");
  return isatty(fd) != 0 && term != nullptr && std::string_view(term) != "dumb";
}

// https://no-color.org
bool wants_color() {
  const char* unwanted = std::getenv("NO_COLOR");
  return unwanted == nullptr || *unwanted == '\0';
}

// The same precedence as setlocale: the first variable that is set decides.
bool locale_is_utf8() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const char* value = std::getenv(name);
    if (value == nullptr || *value == '\0') continue;
    const std::string_view text(value);
    return text.find("UTF-8") != text.npos || text.find("utf8") != text.npos || text.find("utf-8") != text.npos;
  }
  return false;
}

}  // namespace

std::string_view begin(Color color) {
  switch (color) {
    case Color::red:
      return "\x1b[1;31m";
    case Color::green:
      return "\x1b[1;32m";
    case Color::yellow:
      return "\x1b[1;33m";
  }
  return "";
}

Console::Console(int out, int err)
    : out_(out),
      err_(err),
      out_is_terminal_(isatty(out) != 0),
      err_has_status_line_(obeys_escapes(err)),
      utf8_(locale_is_utf8()),
      colored_(obeys_escapes(out) && wants_color()) {}

std::size_t Console::width() const {
  for (const int fd : {out_, err_}) {
    winsize size{};
    if (isatty(fd) != 0 && ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  }
  return 80;
}

void Console::show(std::string line) {
  if (!err_has_status_line_ || line == status_) return;
  status_ = std::move(line);
  write_to_err(std::string(kEraseLine) + status_);
}

void Console::hide() {
  if (status_.empty()) return;
  status_.clear();
  write_to_err(std::string(kEraseLine));
}

void Console::write_to_err(const std::string& bytes) {
  if (err_failed_) return;
  try {
    write_all(err_, bytes, "standard error");
  } catch (const Error&) {
    err_failed_ = true;
  }
}

void Console::write(int fd, bool to_terminal, std::string_view text) {
  write_clean(fd, to_terminal, to_terminal || fd == err_ ? printable(text) : std::string(text));
}

void Console::write_clean(int fd, bool to_terminal, const std::string& text) {
  const bool covered = to_terminal && !status_.empty();
  std::string all = covered ? std::string(kEraseLine) : "";
  all += text;
  if (covered && fd == err_) all += status_;
  if (fd == err_) return write_to_err(all);
  try {
    write_all(fd, all, "standard output");
  } catch (const Error&) {
    lost_reader_ = errno == EPIPE;
    throw;
  }
  if (covered) write_to_err(status_);
}

void Console::write_out(std::string_view text) { write(out_, out_is_terminal_, text); }

void Console::write_out(std::string_view head, Color color, std::string_view rest) {
  if (!colored_) return write_out(std::string(head) + std::string(rest));
  write_clean(out_, out_is_terminal_,
              std::string(begin(color)) + printable(head) + std::string(kPlain) + printable(rest));
}

void Console::write_err(std::string_view text) {
  write(err_, err_has_status_line_, wrapped(text, isatty(err_) != 0 ? width() : 0));
}

Console& console() {
  static Console one(STDOUT_FILENO, STDERR_FILENO);
  return one;
}

}  // namespace reg::terminal
