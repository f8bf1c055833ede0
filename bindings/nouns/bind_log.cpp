#include <algorithm>
#include <cstdlib>

#include "bindings/nouns/bind.h"
#include "bindings/runtime/json.h"
#include "bindings/runtime/vm.h"
#include "engine/base/text.h"
#include "engine/base/time.h"
#include "engine/terminal/console.h"

// Output during a run: reg.log, reg.progress, and a print that does not break the progress bar.

namespace reg::lua {
namespace {

// A bar on a terminal, lines elsewhere. The bar is redrawn every second, so that the time left counts down during a
// long measurement.
class Bar : public std::enable_shared_from_this<Bar> {
 public:
  Bar(Loop& loop, terminal::Progress progress) : progress_(std::move(progress)), loop_(loop) {}
  ~Bar() { terminal::console().hide(); }
  Bar(const Bar&) = delete;
  Bar& operator=(const Bar&) = delete;

  terminal::Progress& progress() { return progress_; }
  double seconds() const { return seconds_now() - start_; }

  void show() {
    terminal::Console& console = terminal::console();
    if (!console.has_status_line()) return;
    console.show(progress_.bar(seconds(), console.width() - 1, console.utf8()));
    tick_ = loop_.after(1, [weak = weak_from_this()] {
      if (const auto self = weak.lock()) self->show();
    });
  }

  // Says an event where stderr shows no status line.
  static void say(const std::string& event) {
    if (!terminal::console().has_status_line()) terminal::console().write_err(event + "\n");
  }

 private:
  terminal::Progress progress_;
  Loop& loop_;
  double start_ = seconds_now();
  std::shared_ptr<void> tick_;
};

bool quiet(lua_State* L) { return Vm::of(L).settings().quiet; }

void write_err(lua_State* L, const std::string& line) {
  if (!Vm::of(L).guard().rehearsing()) terminal::console().write_err(line + "\n");
}

// string.format of the arguments; a single one is not formatted, so that "100%" can be logged.
std::string message(lua_State* L) {
  const int count = lua_gettop(L);
  if (count == 1) {
    std::string text(push_as_text(L, 1));
    lua_pop(L, 1);
    return text;
  }
  check_string(L, 1, "the format");
  lua_getglobal(L, "string");
  lua_getfield(L, -1, "format");
  lua_replace(L, -2);
  lua_insert(L, 1);
  lua_call(L, count, 1);
  return check_string(L, -1, "the message");
}

void info(lua_State* L) {
  const std::string text = message(L);
  if (!quiet(L)) write_err(L, text);
}

void warn(lua_State* L) { write_err(L, "warning: " + message(L)); }

void debug(lua_State* L) {
  const std::string text = message(L);
  if (std::getenv("REGENGINE_DEBUG") != nullptr) write_err(L, "debug: " + text);
}

void print(lua_State* L) {
  std::string line;
  for (int i = 1, count = lua_gettop(L); i <= count; ++i) {
    if (i > 1) line += '\t';
    line += push_as_text(L, i);
    lua_pop(L, 1);
  }
  if (!Vm::of(L).guard().rehearsing()) terminal::console().write_out(line + "\n");
}

void read_common(lua_State* L, const Options& options, terminal::Progress& progress) {
  REG_GET(options, progress, total, done, unit);
  if (progress.total < 0) throw misuse(L, "'total' must not be negative");
}

// What is said of the time and of the answer so far. Returns whether that answer is a new one.
bool read_outlook(const Options& options, double seconds, terminal::Progress& progress) {
  REG_GET(options, progress, running);
  if (options.has("left")) {
    progress.left_now = 0;
    progress.left_at = seconds;
    REG_GET(options, progress, left, left_now);
  }
  const auto best = options.text("best");
  if (!best || *best == progress.best) return false;
  progress.best = *best;
  return true;
}

std::shared_ptr<Bar> progress(lua_State* L, const Options& options) {
  terminal::Progress start;
  read_common(L, options, start);
  REG_GET(options, start, title);
  start.done_before = start.done;
  auto bar = std::make_shared<Bar>(Vm::of(L).loop(), std::move(start));
  if (!quiet(L)) bar->show();
  return bar;
}

void update(lua_State* L, Bar& bar, const Options& options) {
  terminal::Progress& progress = bar.progress();
  read_common(L, options, progress);
  if (options.has("subject")) {
    progress.doing.clear();
    progress.doing_since = bar.seconds();
  }
  REG_GET(options, progress, subject, doing, note);
  const bool done = options.has("done");
  if (done) progress.paced_at = bar.seconds();
  const bool is_new = read_outlook(options, bar.seconds(), progress);
  if (quiet(L)) return;
  bar.show();
  if (done) Bar::say(progress.log_line(bar.seconds()));
  if (is_new) Bar::say("so far: " + terminal::fit(progress.best, 0));
}

// --- report: how wide text is. The library draws tables and charts (stdlib/lib/report).
// 0 if stdout is not a terminal.
std::int64_t columns_of_stdout() {
  const terminal::Console& console = terminal::console();
  return console.out_is_terminal() ? static_cast<std::int64_t>(console.width()) : 0;
}

// say(head, color, rest): prints a line of both, the head in this color.
void say(lua_State* L, const std::string& head, const std::string& color, const std::string& rest) {
  const auto shown = color == "red" ? terminal::kRed : color == "green" ? terminal::kGreen : terminal::kYellow;
  if (!Vm::of(L).guard().rehearsing()) terminal::console().write_out(head, shown, rest + "\n");
}

std::string wrap(const std::string& text) {
  return terminal::wrapped(text, static_cast<std::size_t>(columns_of_stdout()));
}

// fit(text, columns): on one line, cut with an ellipsis.
std::string fit(const std::string& text, std::int64_t columns) {
  return terminal::fit(text, static_cast<std::size_t>(std::max<std::int64_t>(columns, 0)), terminal::console().utf8());
}

// room(): the columns of stdout, 0 if it is not a terminal; those of a drawing; whether it shows UTF-8.
int room(lua_State* L) {
  push(L, columns_of_stdout());
  push(L, static_cast<std::int64_t>(std::min<std::size_t>(terminal::console().width(), 100)));
  push(L, terminal::console().utf8());
  return 3;
}

}  // namespace

std::vector<Function> bind_log(lua_State* L) {
  register_class<Bar>(L, "Progress",
                      {{"update", call<update>, "done total subject doing note running best left left_now", 2},
                       {"close", close_object<Bar>}});
  lua_createtable(L, 0, 3);
  register_functions(L, "log", {REG_FUNCTIONS(info, warn, debug)});
  lua_setfield(L, -2, "log");
  lua_pushglobaltable(L);
  register_functions(L, "", {REG_FUNCTIONS(print)});
  lua_pop(L, 1);
  return {{"progress", call<progress>, "total title done unit"}};
}

std::vector<Function> bind_report(lua_State*) {
  return {REG_FUNCTIONS(say, fit, room, wrap), {"columns", call<display_width>}};
}

}  // namespace reg::lua
