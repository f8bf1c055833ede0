#include <filesystem>

#include "bindings/nouns/bind.h"
#include "bindings/runtime/vm.h"
#include "engine/base/error.h"
#include "engine/store/sqlite.h"

// The kernels of an SQLite export of nsys. The rest of reg.nsys is stdlib/nsys.lua: it runs nsys and reads its CSV.

namespace reg::lua {
namespace {

constexpr double kNanosecond = 1e-9;

// nsys makes a table when the first row of it comes, so any may be missing.
bool has_table(store::Database& database, std::string_view name) {
  store::Statement statement(database.handle(),
                             "SELECT 1 FROM sqlite_master WHERE type IN ('table', 'view') AND name = ?");
  return statement.bind(1, name).step();
}

void push_kernels(lua_State* L, store::Database& database) {
  store::Statement rows(database.handle(),
                        "SELECT coalesce(s.value, '(no name)'), count(*), sum(k.end - k.start), min(k.end - k.start), "
                        "max(k.end - k.start) FROM CUPTI_ACTIVITY_KIND_KERNEL k LEFT JOIN StringIds s "
                        "ON s.id = k.demangledName GROUP BY 1 ORDER BY 3 DESC, 1");
  lua_createtable(L, 0, 0);
  for (lua_Integer at = 1; rows.step(); ++at) {
    lua_createtable(L, 0, 5);
    set(L, "name", rows.text(0));
    set(L, "count", rows.integer(1));
    set(L, "total_s", static_cast<double>(rows.integer(2)) * kNanosecond);
    set(L, "min_s", static_cast<double>(rows.integer(3)) * kNanosecond);
    set(L, "max_s", static_cast<double>(rows.integer(4)) * kNanosecond);
    lua_rawseti(L, -2, at);
  }
}

// exported(path): the kernels, most time first; an empty list where the capture holds none.
int exported(lua_State* L) {
  const std::string path = check_string(L, 1, "the path");
  admit(L, {EffectKind::files, "read " + path, {reads(path)}, false});
  if (!std::filesystem::exists(path))
    throw Error(ErrorKind::not_found, "there is no file " + path,
                "make it by: nsys export --type sqlite REPORT.nsys-rep");
  try {
    store::Database database(path, store::Database::Mode::read_only);
    if (!has_table(database, "StringIds")) throw Error(ErrorKind::corrupt, "it has no table StringIds");
    if (has_table(database, "CUPTI_ACTIVITY_KIND_KERNEL"))
      push_kernels(L, database);
    else
      lua_createtable(L, 0, 0);
  } catch (const Error& error) {
    throw Error(ErrorKind::corrupt, path + " is no SQLite export of nsys: " + error.what(),
                "make one by: nsys export --type sqlite REPORT.nsys-rep");
  }
  return 1;
}

}  // namespace

void bind_nsys(lua_State* L) { register_functions(L, "nsys", {{"exported", exported}}); }

}  // namespace reg::lua
