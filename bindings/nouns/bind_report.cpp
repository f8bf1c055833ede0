#include <algorithm>

#include "bindings/nouns/bind.h"
#include "bindings/runtime/vm.h"
#include "engine/base/text.h"
#include "engine/terminal/console.h"

// How wide text is. The library draws tables and charts (stdlib/lib/report).

namespace reg::lua {
namespace {

// 0 if stdout is not a terminal.
std::int64_t columns_of_stdout() {
  const terminal::Console& console = terminal::console();
  return console.out_is_terminal() ? static_cast<std::int64_t>(console.width()) : 0;
}

// say(head, color, rest): prints a line of both, the head in this color.
int say(lua_State* L) {
  const std::string head = check_string(L, 1, "the head"), color = check_string(L, 2, "the color");
  const std::string rest = check_string(L, 3, "the rest") + "\n";
  const auto shown = color == "red" ? terminal::kRed : color == "green" ? terminal::kGreen : terminal::kYellow;
  if (!Vm::of(L).guard().rehearsing()) terminal::console().write_out(head, shown, rest);
  return 0;
}

int wrap(lua_State* L) {
  return push(L, terminal::wrapped(check_string(L, 1, "the text"), static_cast<std::size_t>(columns_of_stdout())));
}

// fit(text, columns): on one line, cut with an ellipsis.
int fit(lua_State* L) {
  const std::int64_t width = check_integer(L, 2, "the columns");
  return push(L, terminal::fit(check_string(L, 1, "the text"),
                               static_cast<std::size_t>(std::max<std::int64_t>(width, 0)), terminal::console().utf8()));
}

// room(): the columns of stdout, 0 if it is not a terminal; those of a drawing; whether it shows UTF-8.
int room(lua_State* L) {
  push(L, columns_of_stdout());
  push(L, static_cast<std::int64_t>(std::min<std::size_t>(terminal::console().width(), 100)));
  push(L, terminal::console().utf8());
  return 3;
}

}  // namespace

void bind_report(lua_State* L) {
  register_functions(L, "report",
                     {{"say", say}, {"fit", fit}, {"columns", call<display_width>}, {"room", room}, {"wrap", wrap}});
}

}  // namespace reg::lua
