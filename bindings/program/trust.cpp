#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <termios.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <utility>

#include "bindings/program/program.h"
#include "engine/base/error.h"
#include "engine/base/file.h"
#include "engine/base/text.h"
#include "engine/guard/policy.h"
#include "engine/process/command.h"
#include "engine/terminal/console.h"

namespace reg {
namespace {

Patterns patterns_from(const std::vector<std::string>& allow) {
  Patterns patterns;
  for (const std::string& option : allow) {
    const auto at = option.find('=');
    const std::string name = option.substr(0, at);
    const auto kind = effect_kind(name);
    if (!kind)
      throw Error(ErrorKind::usage,
                  fmt::format("--allow {}: unknown kind '{}'{}", option, name, did_you_mean(name, effect_kind_names())),
                  "valid kinds: " + join(effect_kind_names(), ", "));
    if (at == std::string::npos)
      throw Error(ErrorKind::usage, fmt::format("--allow {}: the pattern is missing", option),
                  fmt::format("Pass --allow {}='*' to permit all of them.", option));
    patterns.add(*kind, option.substr(at + 1));
  }
  return patterns;
}

// 0 at the end of the file.
char read_key(int terminal) {
  pollfd input{terminal, POLLIN, 0};
  // A signal interrupts poll, and the loop must handle it.
  if (::poll(&input, 1, -1) < 0) throw Error(ErrorKind::cancelled, "stopped");
  char key = 0;
  return ::read(terminal, &key, 1) == 1 ? key : '\0';
}

// What is dangerous is red.
std::string shown(const Question& question, bool all) {
  return std::getenv("NO_COLOR") == nullptr ? question.text(all, terminal::kRed, terminal::kPlain) : question.text(all);
}

void say(const Fd& terminal, const std::string& text) { write_all(terminal.get(), text, "the terminal"); }

Answer read_answer(const Fd& terminal, const Question& question) {
  // One key is one answer, and Ctrl-C is a key. FLUSH discards what was typed before the question.
  termios before{};
  if (::tcgetattr(terminal.get(), &before) != 0) throw system_error("the terminal", errno);
  termios mode = before;
  mode.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO | ISIG);
  mode.c_cc[VMIN] = 1;
  mode.c_cc[VTIME] = 0;
  ::tcsetattr(terminal.get(), TCSAFLUSH, &mode);
  const std::shared_ptr<void> restored(nullptr, [&](void*) { ::tcsetattr(terminal.get(), TCSAFLUSH, &before); });
  const bool folded = question.text() != question.text(true);
  const std::string asked = shown(question, false) + question.asked + (folded ? " [y/N, l lists all] " : " [y/N] ");
  say(terminal, asked);
  constexpr std::string_view kYes = "yY", kAll = "lL", kNo("nN\r\n\0\3\4\33", 8);  // Ctrl-C, Ctrl-D, Escape
  for (;;) {
    const char key = read_key(terminal.get());
    const bool yes = kYes.find(key) != kYes.npos;
    if (yes || kNo.find(key) != kNo.npos) {
      say(terminal, yes ? "yes\n" : "no\n");
      if (key == '\3') throw Error(ErrorKind::cancelled, "stopped");
      return yes ? Answer::yes : Answer::no;
    }
    // The question follows again, so that its worst lines stay in sight.
    if (kAll.find(key) != kAll.npos && folded) say(terminal, "\n" + shown(question, true) + "\n" + asked);
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

std::unique_ptr<Permissions> permissions_for_script(const CommandLine& line, ForeignScript script,
                                                    const std::string& file) {
  Patterns allowed = patterns_from(line.allow);
  if (line.trust) return nullptr;
  const TrustStore store = user_trust_store();
  script.path = file.empty() ? script.name : real_path(file);
  if (!file.empty() && !store.trusted_path(script.path).empty()) return nullptr;
  return std::make_unique<Permissions>(std::move(script), real_path("."), std::move(allowed), store, ask_at_terminal,
                                       process::sandbox_support());
}

std::unique_ptr<Policy> policy_for_typed(const CommandLine& line) {
  patterns_from(line.allow);  // an invalid one is an error here, too
  if (line.trust) return allow_all();
  return std::make_unique<Typed>();
}

int run_trust(const std::vector<std::string>& words) {
  const bool forget = !words.empty() && words.front() == "--forget";
  const std::vector<std::string> paths(words.begin() + (forget ? 1 : 0), words.end());
  for (const std::string& path : paths)
    if (path.starts_with('-'))
      throw Error(ErrorKind::usage, "trust: unknown option '" + path + "'",
                  "usage: regengine trust [--forget] [FILE or FOLDER ...]");
  if (forget && paths.empty()) throw Error(ErrorKind::usage, "trust --forget: needs a file or folder");
  TrustStore store(state_folder() + "/trusted");
  for (const std::string& path : paths) {
    if (!forget && !std::filesystem::exists(path))
      throw Error(ErrorKind::not_found, "trust: no such file or folder: " + path);
    const std::string real = real_path(path);
    if (!forget)
      store.trust(real);
    else if (!store.forget(real))
      throw Error(ErrorKind::not_found, "trust: not trusted: " + real, "Run regengine trust to list what is trusted.");
  }
  if (paths.empty())
    for (const std::string& path : store.trusted_paths()) terminal::console().write_out(path + "\n");
  return 0;
}

}  // namespace reg
