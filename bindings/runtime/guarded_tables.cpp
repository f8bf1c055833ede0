#include <algorithm>

#include "bindings/runtime/guarded.h"
#include "bindings/runtime/vm.h"

namespace reg::lua {
namespace {

constexpr lua_Integer kMaxLength = 100'000'000;  // for sort and concat, which cannot be interrupted
constexpr lua_Integer kMovesBetweenChecks = 1 << 16;

// Accepts a table or a value with these metamethods.
void check_table(lua_State* L, int index, std::initializer_list<const char*> metamethods) {
  if (lua_type(L, index) == LUA_TTABLE) return;
  for (const char* name : metamethods) {
    if (luaL_getmetafield(L, index, name) == LUA_TNIL) luaL_checktype(L, index, LUA_TTABLE);
    lua_pop(L, 1);
  }
}

// Moves elements one by one, with metamethods, and checks from time to time whether the script must stop.
class Mover {
 public:
  Mover(lua_State* L, int from, int to) : L_(L), from_(from), to_(to) {}

  void move(lua_Integer from, lua_Integer to) {
    lua_geti(L_, from_, from);
    lua_seti(L_, to_, to);
    if (++moved_ % kMovesBetweenChecks == 0) Vm::of(L_).tasks().charge(L_, kMovesBetweenChecks);
  }

 private:
  lua_State* L_;
  int from_;
  int to_;
  lua_Integer moved_ = 0;
};

int insert(lua_State* L) {
  check_table(L, 1, {"__index", "__newindex", "__len"});
  const lua_Integer end = static_cast<lua_Integer>(static_cast<lua_Unsigned>(luaL_len(L, 1)) + 1);
  lua_Integer place = end;
  if (lua_gettop(L) == 3) {
    place = luaL_checkinteger(L, 2);
    luaL_argcheck(L, static_cast<lua_Unsigned>(place) - 1U < static_cast<lua_Unsigned>(end), 2,
                  "position out of bounds");
    Mover mover(L, 1, 1);
    for (lua_Integer i = end; i > place; --i) mover.move(i - 1, i);
  } else if (lua_gettop(L) != 2) {
    return luaL_error(L, "wrong number of arguments to 'insert'");
  }
  lua_seti(L, 1, place);
  return 0;
}

int remove(lua_State* L) {
  check_table(L, 1, {"__index", "__newindex", "__len"});
  const lua_Integer size = luaL_len(L, 1);
  lua_Integer place = luaL_optinteger(L, 2, size);
  if (place != size)
    luaL_argcheck(L, static_cast<lua_Unsigned>(place) - 1U <= static_cast<lua_Unsigned>(size), 2,
                  "position out of bounds");
  lua_geti(L, 1, place);
  Mover mover(L, 1, 1);
  for (; place < size; ++place) mover.move(place + 1, place);
  lua_pushnil(L);
  lua_seti(L, 1, place);
  return 1;
}

int move(lua_State* L) {
  const lua_Integer first = luaL_checkinteger(L, 2);
  const lua_Integer last = luaL_checkinteger(L, 3);
  const lua_Integer to = luaL_checkinteger(L, 4);
  const int target = lua_isnoneornil(L, 5) ? 1 : 5;
  check_table(L, 1, {"__index"});
  check_table(L, target, {"__newindex"});
  if (last >= first) {
    luaL_argcheck(L, first > 0 || last < LUA_MAXINTEGER + first, 3, "too many elements to move");
    const lua_Integer count = last - first + 1;
    luaL_argcheck(L, to <= LUA_MAXINTEGER - count + 1, 4, "destination wrap around");
    Mover mover(L, 1, target);
    const bool upwards = to > last || to <= first || (target != 1 && lua_compare(L, 1, target, LUA_OPEQ) == 0);
    for (lua_Integer i = 0; i < count; ++i) {
      const lua_Integer step = upwards ? i : count - 1 - i;
      mover.move(first + step, to + step);
    }
  }
  lua_pushvalue(L, target);
  return 1;
}

// concat(list, separator, first, last): passes `last` to the original, since __len could return another value there.
int concat(lua_State* L) {
  lua_settop(L, 4);
  check_table(L, 1, {"__index", "__len"});
  const lua_Integer first = luaL_optinteger(L, 3, 1);
  const lua_Integer last = lua_isnil(L, 4) ? luaL_len(L, 1) : luaL_checkinteger(L, 4);
  if (first <= last &&
      static_cast<lua_Unsigned>(last) - static_cast<lua_Unsigned>(first) > static_cast<lua_Unsigned>(kMaxLength))
    return luaL_error(L, "too many elements to join");
  lua_pushinteger(L, last);
  lua_replace(L, 4);
  return call_original(L);
}

int sort(lua_State* L) {
  check_table(L, 1, {"__index", "__newindex", "__len"});
  if (luaL_getmetafield(L, 1, "__len") != LUA_TNIL) return luaL_error(L, "table.sort: the table must not have __len");
  if (luaL_len(L, 1) > kMaxLength) return luaL_error(L, "too many elements to sort");
  return call_original(L);
}

}  // namespace

void guard_tables(lua_State* L) {
  lua_getglobal(L, LUA_TABLIBNAME);
  const luaL_Reg functions[] = {{"insert", insert}, {"remove", remove}, {"move", move}, {nullptr, nullptr}};
  luaL_setfuncs(L, functions, 0);
  wrap(L, "concat", concat);
  wrap(L, "sort", sort);
  lua_pop(L, 1);
}

}  // namespace reg::lua
