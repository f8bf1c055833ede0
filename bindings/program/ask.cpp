#include "bindings/program/ask.h"

#include <fcntl.h>
#include <poll.h>
#include <termios.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <utility>

#include "engine/base/error.h"
#include "engine/base/file.h"
#include "engine/terminal/console.h"

namespace reg {
namespace {

constexpr char kCtrlC = 3;
constexpr char kCtrlD = 4;
constexpr char kEscape = 27;

/// Puts the terminal in a mode where one key is one answer and Ctrl-C is a key; restores it on destruction.
class OneKey {
 public:
  explicit OneKey(int fd) : fd_(fd) {
    if (::tcgetattr(fd_, &before_) != 0) throw system_error("the terminal", errno);
    termios mode = before_;
    mode.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO | ISIG);
    mode.c_cc[VMIN] = 1;
    mode.c_cc[VTIME] = 0;
    ::tcsetattr(fd_, TCSAFLUSH, &mode);  // FLUSH discards what was typed before the question
  }
  ~OneKey() { ::tcsetattr(fd_, TCSAFLUSH, &before_); }
  OneKey(const OneKey&) = delete;
  OneKey& operator=(const OneKey&) = delete;

  /// Returns 0 at end of file.
  char read() const {
    pollfd input{fd_, POLLIN, 0};
    // A signal interrupts poll, and the loop must handle it.
    if (::poll(&input, 1, -1) < 0) throw Error(ErrorKind::cancelled, "stopped");
    char key = 0;
    return ::read(fd_, &key, 1) == 1 ? key : '\0';
  }

 private:
  int fd_;
  termios before_{};
};

// What is dangerous is red.
std::string shown(const std::string& head, const std::vector<Question::Line>& lines) {
  const bool colored = std::getenv("NO_COLOR") == nullptr;
  std::string text = head + "\n";
  for (const Question::Line& line : lines) {
    const bool red = line.danger && colored;
    text += std::string(red ? terminal::begin(terminal::Color::red) : "") + (line.danger ? "  ! " : "  - ") +
            line.text + std::string(red ? terminal::kPlain : "") + "\n";
  }
  return text;
}

void say(const Fd& terminal, const std::string& text) { write_all(terminal.get(), text, "the terminal"); }

Answer read_answer(const Fd& terminal, const Question& question) {
  const OneKey keys(terminal.get());
  const std::string prompt = question.asked + (question.all.empty() ? " [y/N] " : " [y/N, l lists all] ");
  const std::string asked = shown(question.head, question.lines) + question.tail + prompt;
  say(terminal, asked);
  for (;;) {
    switch (keys.read()) {
      case 'y':
      case 'Y':
        say(terminal, "yes\n");
        return Answer::yes;
      case 'l':
      case 'L':
        // The question follows again, so that its worst lines stay in sight.
        if (!question.all.empty()) say(terminal, "\n" + shown("All of it:", question.all) + "\n" + asked);
        break;
      case 'n':
      case 'N':
      case '\r':
      case '\n':
      case '\0':
      case kCtrlC:
      case kCtrlD:
      case kEscape:
        say(terminal, "no\n");
        return Answer::no;
      default:
        break;
    }
  }
}

// None where nobody sits at it, or this engine is in its background.
Fd open_terminal() {
  Fd terminal(::open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY));
  return terminal && ::tcgetpgrp(terminal.get()) == ::getpgrp() ? std::move(terminal) : Fd();
}

}  // namespace

bool can_ask() { return static_cast<bool>(open_terminal()); }

std::optional<Answer> ask_at_terminal(const Question& question) {
  const Fd terminal = open_terminal();
  if (!terminal) return std::nullopt;
  terminal::console().hide();
  // The usual screen, colors, letters and cursor, a soft reset and a new line, so that earlier output of the script
  // cannot hide or color the question.
  say(terminal, "\033[?1049l\033]104\007\033]110\007\033]111\007\033(B\033[?25h\033[!p\033[0m\r\n");
  return read_answer(terminal, question);
}

}  // namespace reg
