#include "bindings/nouns/store_query.h"

#include <sqlite3.h>

#include "bindings/runtime/vm.h"
#include "engine/store/store.h"

namespace reg::lua {
namespace {

void bind_parameters(lua_State* L, store::Statement& statement, int first) {
  const int wanted = sqlite3_bind_parameter_count(statement.handle()), given = lua_gettop(L) - first + 1;
  if (wanted != given)
    throw misuse(L,
                 "the SQL has " + std::to_string(wanted) + " parameters, but " + std::to_string(given) + " were given");
  for (int i = first; i <= lua_gettop(L); ++i) {
    const int place = i - first + 1;
    if (lua_isinteger(L, i) != 0)
      statement.bind(place, static_cast<std::int64_t>(lua_tointeger(L, i)));
    else if (lua_type(L, i) == LUA_TNUMBER)
      statement.bind(place, lua_tonumber(L, i));
    else if (lua_isnil(L, i))
      statement.bind_null(place);
    else
      statement.bind(place, check_string(L, i, "a parameter"));
  }
}

// Counts a connection's work as instructions of the script, so that Ctrl-C and the instruction limit end a query.
class Counted {
 public:
  Counted(lua_State* L, sqlite3* database) : L_(L), database_(database) {
    sqlite3_progress_handler(database_, kBetween, look, this);
  }
  ~Counted() { store::watch_progress(database_); }
  Counted(const Counted&) = delete;
  Counted& operator=(const Counted&) = delete;

  bool step(store::Statement& statement) {
    try {
      return statement.step();
    } catch (const Error&) {
      if (!stopped_) throw;
    }
    Vm::of(L_).tasks().charge(L_, 0);  // raises
    return false;
  }

 private:
  static constexpr int kBetween = 1000;

  // No exception may pass through SQLite, which is C; step() raises it again.
  static int look(void* self) {
    auto& counted = *static_cast<Counted*>(self);
    try {
      Vm::of(counted.L_).tasks().charge(counted.L_, kBetween);
    } catch (...) {
      counted.stopped_ = true;
    }
    return counted.stopped_ ? 1 : 0;
  }

  lua_State* L_;
  sqlite3* database_;
  bool stopped_ = false;
};

}  // namespace

int store_query(lua_State* L) {
  const std::string sql = check_string(L, 2, "the SQL");
  sqlite3* const reader = object<store::Store>(L).reader().handle();
  store::Statement statement(reader, sql);
  bind_parameters(L, statement, 3);
  Counted counted(L, reader);
  lua_createtable(L, 0, 0);
  const int rows = lua_gettop(L);
  for (lua_Integer at = 1; counted.step(statement); ++at) {
    lua_createtable(L, 0, statement.columns());
    for (int column = 0; column < statement.columns(); ++column) {
      push(L, statement.name(column));
      switch (statement.type(column)) {
        case SQLITE_INTEGER:
          push(L, statement.integer(column));
          break;
        case SQLITE_FLOAT:
          push(L, statement.real(column));
          break;
        case SQLITE_NULL:
          lua_pushnil(L);
          break;
        default:
          push(L, statement.text(column));
      }
      lua_rawset(L, -3);
    }
    lua_rawseti(L, rows, at);
  }
  return 1;
}

}  // namespace reg::lua
