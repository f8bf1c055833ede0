#include "bindings/program/line_editor.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <histedit.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <clocale>
#include <cwchar>
#include <filesystem>
#include <utility>

#include "engine/base/error.h"
#include "engine/base/file.h"
#include "engine/base/text.h"
#include "engine/terminal/console.h"

namespace reg {
namespace {

constexpr int kHistoryLength = 2000;
constexpr off_t kHistoryBytes = off_t{1} << 20;  // a longer file is cut to half of that
constexpr int kPollInterval_ms = 1000;
constexpr wchar_t kCtrlC = 3;
// Bracketed paste: on request, the terminal puts these marks around pasted text, so it is not taken for keys.
constexpr std::string_view kAskForPasteMarks = "\033[?2004h";
constexpr std::string_view kNoPasteMarks = "\033[?2004l";
constexpr std::string_view kPasteBegins = "\033[200~";
constexpr std::string_view kPasteEnds = "\033[201~";
constexpr std::string_view kEraseFromHere = "\r\033[J";
constexpr int kPasteTimeout_ms = 2000;  // after so long without input, the end mark was lost

winsize size_now() {
  winsize size{};
  ioctl(STDOUT_FILENO, TIOCGWINSZ, &size);
  return size;
}

// What keyboards send whatever terminfo says (libedit would insert "~" for Delete), and ^W as in shells.
constexpr std::array<std::pair<std::string_view, const char*>, 12> kKeys{{
    {"^I", "complete"},
    {kPasteBegins, "paste"},
    {"^R", "em-inc-search-prev"},
    {"^W", "ed-delete-prev-word"},
    {"\033[3~", "ed-delete-next-char"},
    {"\033[H \033OH \033[1~ \033[7~", "ed-move-to-beg"},
    {"\033[F \033OF \033[4~ \033[8~", "ed-move-to-end"},
    {"\033[1;5D \033[1;3D", "ed-prev-word"},
    {"\033[1;5C \033[1;3C", "em-next-word"},
    {"\033[2~", "ed-unassigned"},
    {"\033[5~", "ed-search-prev-history"},
    {"\033[6~", "ed-search-next-history"},
}};

// What is between two of these in the prompt takes no columns. The last one must not end the prompt.
constexpr char kLiteral = '\1';

std::string shown_prompt(std::string_view prompt) {
  if (!terminal::console().colored()) return std::string(prompt) + ' ';
  return fmt::format("{0}{1}{0}{2}{0}{3}{0} ", kLiteral, terminal::kGreen, prompt, terminal::kPlain);
}

// Bypasses the console, which would escape the marks.
void write_terminal(std::string_view text) {
  if (isatty(STDOUT_FILENO) != 0 && ::write(STDOUT_FILENO, text.data(), text.size()) < 0) return;
}

}  // namespace

struct LineEditor::Impl {
  EditLine* editor = nullptr;
  History* history = nullptr;
  HistEvent event{};
  std::string history_file;  // "" keeps nothing
  std::string prompt;
  Hooks hooks;
  bool cancelled = false;
  winsize size = size_now();

  static Impl& of(EditLine* el) {
    Impl* impl = nullptr;
    el_get(el, EL_CLIENTDATA, &impl);
    return *impl;
  }

  static char* give_prompt(EditLine* el) { return of(el).prompt.data(); }

  // When the terminal is resized, lines wrap elsewhere, and libedit keeps a cursor row that the new screen may lack.
  // Redrawing the line from the cursor's row fixes that.
  void follow_size() {
    const winsize now = size_now();
    if (now.ws_col == size.ws_col && now.ws_row == size.ws_row) return;
    size = now;
    el_resize(editor);
    write_terminal(kEraseFromHere);
    el_set(editor, EL_REFRESH);
  }

  // The prompt works without a file: on a full disk, or where it is not this user's own.
  void with_history_file(const std::function<void()>& change) {
    if (!history_file.empty() && !try_to(change)) history_file.clear();
  }

  // An entry is a line that a line break begins. What is left of one that was not finished is an entry of its own. The
  // breaks in an entry are NULs, which no entry has.
  void load_history() {
    std::error_code ignored;
    if (!std::filesystem::exists(history_file, ignored)) return;
    const Fd file = open_private(history_file, O_RDONLY);
    struct stat info {};
    if (fstat(file.get(), &info) != 0) return;
    const off_t skipped = info.st_size > kHistoryBytes ? info.st_size - kHistoryBytes / 2 : 0;
    std::string text = read_at(file.get(), skipped, kHistoryBytes);
    if (skipped > 0) write_file(history_file, text.erase(0, text.find('\n')), kPrivate);
    for (const std::string_view line : lines(text)) {
      std::string entry(line);
      std::replace(entry.begin(), entry.end(), '\0', '\n');
      if (!entry.empty()) enter(entry);
    }
  }

  // Returns false for what was entered last, too.
  bool enter(const std::string& entry) { return ::history(history, &event, H_ENTER, printable(entry).c_str()) > 0; }

  // Appends the entry at once, so that neither kill -9 nor another prompt loses it.
  void save(const std::string& entry) {
    std::string line = printable(entry);
    std::replace(line.begin(), line.end(), '\n', '\0');
    write_all(open_private(history_file, O_WRONLY | O_CREAT | O_APPEND).get(), "\n" + line, history_file);
  }

  // Waits for a key while the engine's loop keeps handling signals.
  static int get_character(EditLine* el, wchar_t* character) {
    mbstate_t state{};
    for (;;) {
      of(el).follow_size();
      pollfd input{STDIN_FILENO, POLLIN, 0};
      const int ready = poll(&input, 1, kPollInterval_ms);
      const Outcome seen = of(el).hooks.look();
      if (seen == Outcome::end) return 0;
      *character = kCtrlC;
      if (seen == Outcome::cancelled) return 1;
      if (ready <= 0) continue;
      char byte = 0;
      const auto count = ::read(STDIN_FILENO, &byte, 1);
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) return 0;
      if (byte == 0) continue;  // a Ctrl-D that was typed before the terminal was told to pass keys on
      const std::size_t used = std::mbrtowc(character, &byte, 1, &state);
      if (used == static_cast<std::size_t>(-2)) continue;  // more bytes follow
      if (used == static_cast<std::size_t>(-1)) *character = static_cast<unsigned char>(byte);
      return 1;
    }
  }

  static unsigned char on_cancel(EditLine* el, int) {
    of(el).cancelled = true;
    terminal::console().write_out("^C\n");
    return CC_NEWLINE;
  }

  // Reads up to the end mark; converts line breaks and removes trailing ones.
  static std::string read_paste() {
    std::string text;
    for (;;) {
      pollfd input{STDIN_FILENO, POLLIN, 0};
      char byte = 0;
      if (poll(&input, 1, kPasteTimeout_ms) <= 0 || ::read(STDIN_FILENO, &byte, 1) != 1) break;
      text += byte == '\r' ? '\n' : byte;
      if (!text.ends_with(kPasteEnds)) continue;
      text.resize(text.size() - kPasteEnds.size());
      break;
    }
    while (text.ends_with('\n')) text.pop_back();
    return printable(text);
  }

  static unsigned char on_paste(EditLine* el, int) {
    const std::string text = read_paste();
    return text.empty() || el_insertstr(el, text.c_str()) == 0 ? CC_REFRESH : CC_ERROR;
  }

  static unsigned char on_complete(EditLine* el, int) {
    const LineInfo* line = el_line(el);
    const std::string before(line->buffer, line->cursor);
    if (before.find_first_not_of(" \t") == std::string::npos)
      return el_insertstr(el, "  ") == 0 ? CC_REFRESH : CC_ERROR;
    const Completion found = of(el).hooks.complete(before);
    if (!found.added.empty()) return el_insertstr(el, found.added.c_str()) == 0 ? CC_REFRESH : CC_ERROR;
    if (found.listed.empty()) return CC_REFRESH_BEEP;
    terminal::console().write_out("\n" + found.listed);
    return CC_REDISPLAY;
  }
};

LineEditor::LineEditor(Hooks hooks, std::string history_file) : impl_(std::make_unique<Impl>()) {
  std::setlocale(LC_CTYPE, "");  // libedit needs it for the width of characters
  impl_->hooks = std::move(hooks);
  impl_->history = history_init();
  ::history(impl_->history, &impl_->event, H_SETSIZE, kHistoryLength);
  ::history(impl_->history, &impl_->event, H_SETUNIQUE, 1);
  impl_->history_file = std::move(history_file);
  impl_->with_history_file([&] { impl_->load_history(); });

  EditLine* el = el_init("regengine", stdin, stdout, stderr);
  impl_->editor = el;
  el_set(el, EL_CLIENTDATA, impl_.get());
  el_set(el, EL_PROMPT_ESC, Impl::give_prompt, kLiteral);
  el_set(el, EL_GETCFN, Impl::get_character);
  el_set(el, EL_HIST, history, impl_->history);
  el_set(el, EL_EDITOR, "emacs");
  el_set(el, EL_ADDFN, "cancel-line", "drop the line", Impl::on_cancel);
  el_set(el, EL_ADDFN, "complete", "complete the name", Impl::on_complete);
  el_set(el, EL_ADDFN, "paste", "insert pasted text", Impl::on_paste);
  for (const auto& [keys, does] : kKeys)
    for (const std::string& key : words(keys)) el_set(el, EL_BIND, key.c_str(), does, nullptr);
  el_source(el, nullptr);                        // ~/.editrc
  el_set(el, EL_SETTY, "-d", "-isig", nullptr);  // while a line is edited, Ctrl-C is a key, not a signal
  el_set(el, EL_BIND, "^C", "cancel-line", nullptr);
}

LineEditor::~LineEditor() {
  el_end(impl_->editor);
  history_end(impl_->history);
}

LineEditor::Outcome LineEditor::read(std::string_view prompt, std::string& line) {
  impl_->prompt = shown_prompt(prompt);
  impl_->cancelled = false;
  int count = 0;
  el_set(impl_->editor, EL_PREP_TERM, 1);  // before libedit shows its prompt, or keys typed at once are lost
  write_terminal(kAskForPasteMarks);
  const char* text = el_gets(impl_->editor, &count);
  write_terminal(kNoPasteMarks);
  if (impl_->cancelled) return Outcome::cancelled;
  if (text == nullptr || count <= 0) return Outcome::end;
  line.assign(text, static_cast<std::size_t>(count));
  while (!line.empty() && (line.back() == '\n' || line.back() == '\r')) line.pop_back();
  return Outcome::line;
}

void LineEditor::remember(const std::string& entry) {
  if (impl_->enter(entry)) impl_->with_history_file([&] { impl_->save(entry); });
}

}  // namespace reg
