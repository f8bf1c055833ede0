#include "bindings/nouns/bind.h"
#include "bindings/runtime/lua.h"
#include "engine/base/time.h"

namespace reg::lua {
namespace {

int now(lua_State* L) {
  push(L, reg::now());
  return 1;
}

int parse(lua_State* L) {
  push(L, check_time(L, 1, "the time"));
  return 1;
}

int format(lua_State* L) {
  const UnixTime t = check_time(L, 1, "the time");
  push(L, lua_isnoneornil(L, 2) ? format_time(t) : format_time(t, check_string(L, 2, "the format")));
  return 1;
}

int date(lua_State* L) {
  push(L, format_date(check_time(L, 1, "the time")));
  return 1;
}

int seconds(lua_State* L) {
  push(L, check_duration(L, 1, "the duration"));
  return 1;
}

int words(lua_State* L) {
  push(L, format_duration(check_duration(L, 1, "the duration")));
  return 1;
}

int range(lua_State* L) {
  const Options options(L, 1);
  const auto from = options.time("from");
  const auto to = options.time("to");
  if (!from || !to) throw misuse(L, "needs 'from' and 'to'");
  if (*from > *to)
    throw misuse(L, "'from' " + format_time(*from) + " is after 'to' " + format_time(*to), "Swap the two.");
  const double every = options.duration("every").value_or(86400);
  const auto step = static_cast<UnixTime>(every);
  if (step < 1) throw misuse(L, "'every' must be at least 1 second");
  if ((*to - *from) / step > 1'000'000) throw misuse(L, "more than a million steps between 'from' and 'to'");
  lua_createtable(L, static_cast<int>((*to - *from) / step + 1), 0);
  lua_Integer at = 0;
  for (UnixTime t = *from; t <= *to; t += step) {
    push(L, t);
    lua_rawseti(L, -2, ++at);
  }
  return 1;
}

}  // namespace

void bind_time(lua_State* L) {
  register_functions(L, "time",
                     {{"now", now},
                      {"parse", parse},
                      {"format", format},
                      {"date", date},
                      {"seconds", seconds},
                      {"words", words},
                      {"range", range, "from to every"}});
}

}  // namespace reg::lua
