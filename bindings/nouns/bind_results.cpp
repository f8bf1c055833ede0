#include <sqlite3.h>

#include <cmath>

#include "bindings/nouns/bind.h"
#include "bindings/runtime/json.h"
#include "bindings/runtime/vm.h"
#include "engine/store/runs.h"
#include "engine/store/store.h"

REG_TABLE(reg::results, Complaint, file, line, message, truncated)
REG_TABLE(reg::store, ImportedRuns, imported, duplicates, bad)

namespace reg::lua {
namespace {

using results::Json;

// The path of the option `store`, a path or an open store.
std::optional<std::string> store_option(lua_State* L, const Options& options) {
  const int value = options.push("store");
  std::optional<std::string> path;
  if (lua_isuserdata(L, value) != 0)
    path = object<store::Store>(L, value).path();
  else if (!lua_isnil(L, value))
    path = options.text("store");
  lua_pop(L, 1);
  return path;
}

// The files of the option `files`, which may be stores too, and then the option `store`.
std::vector<std::string> sources(lua_State* L, const Options& options) {
  std::vector<std::string> paths = options.list("files");
  if (auto path = store_option(L, options)) paths.push_back(std::move(*path));
  if (paths.empty()) throw misuse(L, "needs 'files', a list of results.jsonl, or 'store'");
  for (const std::string& path : paths) admit(L, {EffectKind::files, "read " + path, {reads(path)}, false});
  return paths;
}

// --- runs ------------------------------------------------------------------------------------------------------------
// Of a list or an object its JSON text.
int push_value(lua_State* L, const Json& value) {
  if (value.is_null()) return push_json_null(L), 1;
  if (value.is_boolean()) return push(L, value.get<bool>());
  if (value.is_number_integer() && (!value.is_number_unsigned() || value.get<std::uint64_t>() <= INT64_MAX))
    return push(L, value.get<std::int64_t>());
  if (value.is_number()) return push(L, value.get<double>());
  return push(L, value.is_string() ? value.get_ref<const std::string&>() : value.dump());
}

// `numbers_only`: without nulls and NaN.
void push_metric(lua_State* L, const std::string& name, const Json& metric, bool numbers_only) {
  auto values = results::values_of(metric);
  if (values && numbers_only) std::erase_if(*values, [](double value) { return std::isnan(value); });
  lua_createtable(L, 0, 3);
  set(L, "name", name);
  set(L, "values", values.value_or(std::vector<double>()));
  if (!numbers_only && (!values || values->empty()))
    set(L, "problem", values ? "is empty" : "is not a list of numbers");
}

// t.metrics = the metrics in their order, or `only` one of them, none if the run failed; t.error = why it did.
void set_metrics(lua_State* L, const Json& metrics, const std::string& only) {
  const auto error = metrics.find("error");
  if (error != metrics.end()) set(L, "error", *error, push_value);
  lua_newtable(L);
  lua_Integer count = 0;
  for (const auto& [name, metric] : metrics.items()) {
    if (error != metrics.end()) break;
    if (!only.empty() && name != only) continue;
    push_metric(L, name, metric, !only.empty());
    lua_rawseti(L, -2, ++count);
  }
  lua_setfield(L, -2, "metrics");
}

// t[key] = the fields of the object.
void set_fields(lua_State* L, const char* key, const Json& object) {
  lua_createtable(L, 0, static_cast<int>(object.size()));
  for (const auto& [name, value] : object.items()) {
    push(L, name);
    push_value(L, value);
    lua_rawset(L, -3);
  }
  lua_setfield(L, -2, key);
}

void push_run(lua_State* L, const std::string& file, const std::string& metric, results::Run run) {
  if (!run.bad.empty()) {
    push(L, results::Complaint{file, run.line, run.bad, run.truncated});
    return set(L, "bad", true);
  }
  lua_createtable(L, 0, 10);
  set(L, "file", file);
  set(L, "line", run.line);
  set_fields(L, "model", run.record["model"]);
  set_fields(L, "experiment", run.record["experiment"]);
  set_metrics(L, run.record["metrics"], metric);
  for (const char* name : {"timestamp", "repeat", "iterations_per_run"})
    if (run.record.contains(name)) set(L, name, run.record[name], push_value);
  if (!metric.empty()) return;
  for (const char* name : {"model", "experiment", "metrics", "timestamp", "repeat", "iterations_per_run"})
    run.record.erase(name);
  set_fields(L, "more", run.record);
}

struct Runs {
  std::vector<std::string> files;
  std::string metric;  // the only one that is wanted; "" for all
  std::size_t at = 0;
  results::Lines lines = {};  // of the file at that place, once it is open
};

int next_run(lua_State* L, Runs& runs) {
  results::Run run;
  for (; runs.at < runs.files.size(); ++runs.at, runs.lines = nullptr) {
    if (!runs.lines) runs.lines = store::open_results(runs.files[runs.at]);
    if (!results::next_run(runs.lines, run)) continue;
    push_run(L, runs.files[runs.at], runs.metric, std::move(run));
    return 1;
  }
  return 0;
}

std::shared_ptr<Runs> open_runs(lua_State* L, const Options& options) {
  return std::make_shared<Runs>(Runs{sources(L, options), options.text("metric", "")});
}

// --- import and export -----------------------------------------------------------------------------------------------
int import_files(lua_State* L, const Options& options) {
  const std::vector<std::string> files = options.list("files");
  if (files.empty()) throw misuse(L, "needs 'files', a list of results.jsonl");
  const int into = options.push("into");
  if (lua_isnil(L, into)) throw misuse(L, "needs 'into', a store");
  auto& target = object<store::Store>(L, into);
  for (const std::string& file : files)
    if (!admit(L, {EffectKind::files, "import " + file + " into " + target.path(), {reads(file)}})) return 0;
  return push(L, store::import_runs(target, files));
}

int export_file(lua_State* L, const Options& options) {
  const auto from = store_option(L, options);
  if (!from) throw misuse(L, "needs 'store'");
  const std::string to = options.required_text("to");
  admit(L, {EffectKind::files, "read " + *from, {reads(*from)}, false});
  if (!admit(L, {EffectKind::files, "write " + to, {writes(to)}})) return 0;
  return push(L, store::export_runs(*from, to));
}

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
      statement.bind(place, std::nullopt);
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

int push_rows(lua_State* L, sqlite3* database, store::Statement& statement) {
  Counted counted(L, database);
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

}  // namespace

std::vector<Function> bind_results(lua_State* L) {
  register_class<Runs>(L, "results.Runs", {{"next", call<next_run>}});
  return {{"runs", call<open_runs>, "files store metric"},
          {"import", call<import_files>, "files into"},
          {"export", call<export_file>, "store to"}};
}

int store_query(lua_State* L) {
  const std::string sql = check_string(L, 2, "the SQL");
  sqlite3* const reader = object<store::Store>(L).reader().handle();
  store::Statement statement(reader, sql);
  bind_parameters(L, statement, 3);
  return push_rows(L, reader, statement);
}

}  // namespace reg::lua
