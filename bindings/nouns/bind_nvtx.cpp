#include <limits>
#include <map>

#include "bindings/nouns/bind.h"
#include "bindings/runtime/lua.h"
#include "engine/base/text.h"
#include "engine/nvtx/domain.h"

// Marks and ranges for a profiler, which may not be attached. Misuse is an error either way; the costly parts, range
// objects and categories, are made only with a tool attached.

namespace reg::lua {
namespace {

using nvtx::Domain;
using nvtx::Event;

// A domain in this Lua state. Ranges that a script pushed and never popped end with the state.
struct Scope {
  explicit Scope(Domain& of) : domain(of) {}
  ~Scope() {
    for (std::size_t i = 0; i < pushed.size(); ++i) domain.pop();
  }
  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;

  Domain& domain;
  std::vector<lua_State*> pushed;  // the coroutines that pushed, the innermost range last
};

struct Scopes {
  std::shared_ptr<Scope> get(const std::string& name) {
    auto& scope = by_name[name];
    if (!scope) scope = std::make_shared<Scope>(Domain::named(name));
    return scope;
  }
  std::map<std::string, std::shared_ptr<Scope>> by_name;
  std::shared_ptr<Scope> unnamed;  // the default domain, for speed
};

// An open range, which ends with this object. Without a tool all ranges are one closed object.
struct Range {
  Range(Domain& in, const Event& event) : domain(in), id(in.start(event)) {}
  ~Range() { domain.end(id); }
  Range(const Range&) = delete;
  Range& operator=(const Range&) = delete;

  Domain& domain;
  std::uint64_t id;
};

char scopes_key, no_range_key;

Scopes& scopes(lua_State* L) {
  lua_rawgetp(L, LUA_REGISTRYINDEX, &scopes_key);
  Scopes& all = **static_cast<std::shared_ptr<Scopes>*>(lua_touserdata(L, -1));
  lua_pop(L, 1);
  return all;
}

// Each function exists twice: reg.nvtx.mark(text), in the default domain, and domain:mark(text). `at` is the index of
// its first argument.
template <int at>
Scope& scope(lua_State* L) {
  if constexpr (at == 2) return object<Scope>(L);
  Scopes& all = scopes(L);
  if (!all.unnamed) all.unnamed = all.get("");
  return *all.unnamed;
}

struct Colour {
  const char* name;
  std::uint32_t argb;
};
constexpr Colour kColours[] = {{"red", 0xffd62728},    {"orange", 0xffff7f0e}, {"yellow", 0xffbcbd22},
                               {"green", 0xff2ca02c},  {"cyan", 0xff17becf},   {"blue", 0xff1f77b4},
                               {"purple", 0xff9467bd}, {"pink", 0xffe377c2},   {"grey", 0xff7f7f7f}};

std::uint32_t colour_named(lua_State* L, const std::string& name) {
  std::vector<std::string> names;
  for (const Colour& colour : kColours) {
    if (name == colour.name) return colour.argb;
    names.emplace_back(colour.name);
  }
  throw misuse(L, "not a valid colour: '" + name + "'" + did_you_mean(name, names),
               "valid colours: a number 0xAARRGGBB, " + join(names, ", "));
}

void read_colour(lua_State* L, const Options& options, Event& event) {
  const int value = options.push("colour");
  if (lua_type(L, value) == LUA_TNUMBER) {
    const std::int64_t argb = check_integer(L, value, "'colour'");
    if (argb < 0 || argb > std::numeric_limits<std::uint32_t>::max())
      throw misuse(L, "'colour' must be a number 0xAARRGGBB, not " + std::to_string(argb));
    event.argb = static_cast<std::uint32_t>(argb);
  } else if (!lua_isnil(L, value)) {
    event.argb = colour_named(L, check_string(L, value, "'colour'"));
  }
  lua_pop(L, 1);
}

void read_payload(lua_State* L, const Options& options, Event& event) {
  const int value = options.push("payload");
  if (lua_isinteger(L, value) != 0)
    event.payload = static_cast<std::int64_t>(lua_tointeger(L, value));
  else if (!lua_isnil(L, value))
    event.payload = check_number(L, value, "'payload'");
  lua_pop(L, 1);
}

template <int at>
Event event(lua_State* L, Domain& domain) {
  const int type = lua_type(L, at);
  if (type != LUA_TSTRING && type != LUA_TNUMBER) check_string(L, at, "the text");
  Event out{.text = lua_tostring(L, at)};
  if (lua_isnoneornil(L, at + 1)) return out;
  const Options options(L, at + 1);
  out.category = domain.category(options.text("category", ""));
  read_colour(L, options, out);
  read_payload(L, options, out);
  return out;
}

template <int at>
int mark(lua_State* L) {
  Domain& domain = scope<at>(L).domain;
  domain.mark(event<at>(L, domain));
  return 0;
}

template <int at>
int range(lua_State* L) {
  Domain& domain = scope<at>(L).domain;
  const Event what = event<at>(L, domain);
  if (nvtx::attached())
    push_object(L, std::make_shared<Range>(domain, what));
  else
    lua_rawgetp(L, LUA_REGISTRYINDEX, &no_range_key);
  return 1;
}

template <int at>
int push_range(lua_State* L) {
  Scope& in = scope<at>(L);
  in.domain.push(event<at>(L, in.domain));
  in.pushed.push_back(L);
  return 0;
}

template <int at>
int pop_range(lua_State* L) {
  Scope& in = scope<at>(L);
  if (in.pushed.empty()) throw misuse(L, "no open range to pop", "Call pop() once for each push().");
  if (in.pushed.back() != L)
    throw misuse(L, "the innermost range was pushed by another task",
                 "Wait for nothing between push and pop, or use range(), which may close in any order.");
  in.domain.pop();
  in.pushed.pop_back();
  return 0;
}

int domain(lua_State* L) {
  const std::string name = check_string(L, 1, "the domain's name");
  if (name.empty())
    throw misuse(L, "the name is empty", "Use reg.nvtx.mark, .range, .push and .pop for the default domain.");
  return push_object(L, scopes(L).get(name));
}

int status(lua_State* L) { return push(L, nvtx::status()); }

}  // namespace

void bind_nvtx(lua_State* L) {
  constexpr const char* options = "category colour payload";
  register_class<Scopes>(L, "nvtx.Scopes", {});
  push_object(L, std::make_shared<Scopes>());
  lua_rawsetp(L, LUA_REGISTRYINDEX, &scopes_key);
  register_class<Range>(L, "nvtx.Range", {{"close", close_object<Range>}});
  push_object(L, std::shared_ptr<Range>());
  lua_rawsetp(L, LUA_REGISTRYINDEX, &no_range_key);
  register_class<Scope>(L, "nvtx.Domain",
                        {{"mark", mark<2>, options, 3},
                         {"range", range<2>, options, 3},
                         {"push", push_range<2>, options, 3},
                         {"pop", pop_range<2>}});
  register_functions(L, "nvtx",
                     {{"mark", mark<1>, options, 2},
                      {"range", range<1>, options, 2},
                      {"push", push_range<1>, options, 2},
                      {"pop", pop_range<1>},
                      {"domain", domain},
                      {"status", status}});
}

}  // namespace reg::lua
