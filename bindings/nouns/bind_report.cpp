#include <algorithm>
#include <set>

#include "bindings/nouns/bind.h"
#include "bindings/runtime/json.h"
#include "bindings/runtime/source.h"
#include "bindings/runtime/vm.h"
#include "engine/base/text.h"
#include "engine/page/html.h"
#include "engine/terminal/console.h"
#include "engine/terminal/table.h"

// Tables and CSV of rows, how wide text is, and the HTML page. The library draws charts (stdlib/lib/report/plot).

namespace reg::lua {
namespace {

using terminal::Cell;
using terminal::Row;

struct Table {
  std::vector<std::string> columns;
  std::vector<Row> rows;
};

std::string text_of(lua_State* L, int index) {
  std::string text(push_as_text(L, index));
  lua_pop(L, 1);
  return text;
}

// A list in a cell is shown by its elements, any other table by tostring.
std::string text_of_table(lua_State* L, int index) {
  const auto count = static_cast<lua_Integer>(lua_rawlen(L, index));
  if (count == 0 || luaL_getmetafield(L, index, "__tostring") != LUA_TNIL) return text_of(L, index);
  std::string text;
  for (lua_Integer i = 1; i <= count; ++i) {
    lua_rawgeti(L, index, i);
    text += (i > 1 ? ", " : "") + text_of(L, -1);
    lua_pop(L, 1);
  }
  return text;
}

Cell cell_at(lua_State* L, int index) {
  switch (lua_type(L, index)) {
    case LUA_TNIL:
      return {};
    case LUA_TNUMBER:
      if (lua_isinteger(L, index) != 0) return static_cast<std::int64_t>(lua_tointeger(L, index));
      return lua_tonumber(L, index);
    case LUA_TTABLE:
      return text_of_table(L, lua_absindex(L, index));
    default:
      return text_of(L, index);
  }
}

// Every name any record has, sorted; for rows that are lists, as many numbers as the longest has.
std::vector<std::string> columns_of(lua_State* L, int rows) {
  std::set<std::string> names;
  std::size_t longest = 0;
  const auto count = static_cast<lua_Integer>(lua_rawlen(L, rows));
  for (lua_Integer i = 1; i <= count; ++i) {
    if (lua_rawgeti(L, rows, i) != LUA_TTABLE)
      throw misuse(L, "row " + std::to_string(i) + " must be a table, not a " + luaL_typename(L, -1));
    longest = std::max(longest, static_cast<std::size_t>(lua_rawlen(L, -1)));
    lua_pushnil(L);
    for (; lua_next(L, -2) != 0; lua_pop(L, 1))
      if (lua_type(L, -2) == LUA_TSTRING) names.insert(lua_tostring(L, -2));
    lua_pop(L, 1);
  }
  std::vector<std::string> columns(names.begin(), names.end());
  if (columns.empty())
    for (std::size_t i = 1; i <= longest; ++i) columns.push_back(std::to_string(i));
  return columns;
}

// Cells of a record are found by column name, cells of a list by index.
Table table_of_rows(lua_State* L, int rows, const std::vector<std::string>& columns) {
  const std::vector<std::string> found = columns_of(L, rows);
  Table table{columns.empty() ? found : columns, {}};
  const auto count = static_cast<lua_Integer>(lua_rawlen(L, rows));
  for (lua_Integer i = 1; i <= count; ++i) {
    lua_rawgeti(L, rows, i);
    const bool list = lua_rawlen(L, -1) > 0;
    Row row;
    for (std::size_t column = 0; column < table.columns.size(); ++column) {
      if (list)
        lua_rawgeti(L, -1, static_cast<lua_Integer>(column) + 1);
      else
        lua_getfield(L, -1, table.columns[column].c_str());
      row.push_back(cell_at(L, -1));
      lua_pop(L, 1);
    }
    lua_pop(L, 1);
    table.rows.push_back(std::move(row));
  }
  return table;
}

// 0 if stdout is not a terminal.
std::int64_t columns_of_stdout() {
  const terminal::Console& console = terminal::console();
  return console.out_is_terminal() ? static_cast<std::int64_t>(console.width()) : 0;
}

int table(lua_State* L) {
  check_table(L, 1, "the list of rows or series");
  const Options options(L, 2);
  const Table shown = table_of_rows(L, 1, options.list("columns"));
  const std::int64_t width = options.integer("width").value_or(columns_of_stdout());
  if (width < 0) throw misuse(L, "'width' must not be negative");
  push(L, terminal::render_table(shown.columns, shown.rows,
                                 {.width = static_cast<std::size_t>(width), .utf8 = terminal::console().utf8()}));
  return 1;
}

// Writes bytes to stdout: an image into a pipe.
int put(lua_State* L) {
  const std::string bytes = check_string(L, 1, "the bytes");
  if (terminal::console().out_is_terminal())
    throw Error(ErrorKind::usage, "report.plot: cannot write an image to a terminal",
                "Give a file name, or redirect the output: > plot.png");
  terminal::console().write_out(bytes);
  return 0;
}

// say(head, color, rest): prints a line of both, the head in this color.
int say(lua_State* L) {
  const std::string head = check_string(L, 1, "the head"), color = check_string(L, 2, "the color");
  const std::string rest = check_string(L, 3, "the rest") + "\n";
  const terminal::Color shown = color == "red"     ? terminal::Color::red
                                : color == "green" ? terminal::Color::green
                                                   : terminal::Color::yellow;
  if (!Vm::of(L).guard().rehearsing()) terminal::console().write_out(head, shown, rest);
  return 0;
}

int csv(lua_State* L) {
  check_table(L, 1, "the list of rows or series");
  const Table table = table_of_rows(L, 1, Options(L, 2).list("columns"));
  push(L, terminal::render_csv(table.columns, table.rows));
  return 1;
}

int escape(lua_State* L) {
  push(L, page::escape_html(check_string(L, 1, "the text")));
  return 1;
}

int wrap(lua_State* L) {
  push(L, terminal::wrapped(check_string(L, 1, "the text"), static_cast<std::size_t>(columns_of_stdout())));
  return 1;
}

// fit(text, columns): on one line, cut with an ellipsis.
int fit(lua_State* L) {
  const std::int64_t width = check_integer(L, 2, "the columns");
  push(L, terminal::fit(check_string(L, 1, "the text"), static_cast<std::size_t>(std::max<std::int64_t>(width, 0)),
                        terminal::console().utf8()));
  return 1;
}

// columns(text): how many it takes in a terminal.
int columns(lua_State* L) {
  push(L, static_cast<std::int64_t>(display_width(check_string(L, 1, "the text"))));
  return 1;
}

// room(): the columns of stdout, 0 if it is not a terminal; those of a drawing; whether it shows UTF-8.
int room(lua_State* L) {
  push(L, columns_of_stdout());
  push(L, static_cast<std::int64_t>(std::min<std::size_t>(terminal::console().width(), 100)));
  push(L, terminal::console().utf8());
  return 3;
}

// page{ title =, body = HTML, data = JSON without "<", refresh_s = }: the document as text.
int page(lua_State* L) {
  const Options options(L, 1);
  page::Page page{options.required_text("title"), options.required_text("body"), {}, find_embedded("page.css"),
                  find_embedded("chart.js"),      find_embedded("page.js"),      0};
  if (page.library.empty())
    throw Error(ErrorKind::unavailable, "report.html: this regengine was built without Chart.js",
                "Build it again after: apt-get install libjs-chart.js");
  page.data_json = options.required_text("data");
  page.refresh_s = static_cast<int>(options.integer("refresh_s").value_or(0));
  push(L, page::render_page(page));
  return 1;
}

}  // namespace

void bind_report(lua_State* L) {
  register_functions(L, "report",
                     {{"table", table, "columns width", 2},
                      {"put", put},
                      {"say", say},
                      {"csv", csv, "columns", 2},
                      {"escape", escape},
                      {"fit", fit},
                      {"columns", columns},
                      {"room", room},
                      {"wrap", wrap},
                      {"page", page, "title body data refresh_s"}});
}

}  // namespace reg::lua
