#include <sqlite3.h>

#include <algorithm>
#include <filesystem>

#include "bindings/nouns/bind.h"
#include "bindings/runtime/json.h"
#include "bindings/runtime/vm.h"
#include "engine/base/ids.h"
#include "engine/store/open.h"

REG_TABLE(reg::store, Output, name, text, bytes)

namespace reg::lua {
namespace {

using store::Store;

constexpr double kPatience_s = 30 * 60;  // with a store that another program has locked

// A script may keep a store in its workspace. A name without a store's extension could replace some other file, so it
// needs permission to write.
Need need_of_store(const std::string& path) {
  return path.ends_with(".db") || path.ends_with(".sqlite") ? uses(path) : writes(path);
}

int open(lua_State* L, const Options& options) {
  const std::string path = check_string(L, 1, "the path");
  if (path.empty() || path.find('\0') != std::string::npos) throw misuse(L, "the path is empty or contains a NUL byte");
  if (options.flag("read_only")) {
    admit(L, {EffectKind::files, "read the store " + path, {reads(path)}, false});
    if (!std::filesystem::exists(path))
      throw Error(ErrorKind::not_found,
                  path == store::default_path() ? "Nothing has run here yet." : "no such store: " + path,
                  "Choose another file with --store.");
    return push_object(L, Store::try_open(path, store::Access::read));
  }
  const double wait_s = options.duration("wait_s").value_or(10);
  // The output of trials lies there: where that is a link, in what it leads to.
  const std::string output = real_path(path) + ".out";
  admit(L, {EffectKind::files, "open the store " + path, {need_of_store(path), uses(output)}, false});
  if (!std::filesystem::is_symlink(output)) Vm::of(L).guard().policy().grant(EffectKind::files, output, true);
  if (std::filesystem::path(path).parent_path() == store::kOwnFolder) make_folders(store::kOwnFolder);
  return await(L, store::open(Vm::of(L).loop(), path, wait_s));
}

int key(lua_State* L) {
  if (!lua_istable(L, 1)) throw misuse(L, "takes a table, not " + type_name(L, 1));
  return push(L, sha256(to_json(L, 1)));
}

// --- conversion ------------------------------------------------------------------------------------------------------
std::string json_option(lua_State* L, const Options& options, const char* name, const char* otherwise) {
  const int value = options.push(name);
  std::string text = lua_isnil(L, value) ? otherwise : to_json(L, value);
  lua_pop(L, 1);
  return text;
}

store::Samples samples_option(lua_State* L, const Options& options) {
  store::Samples samples;
  const int table = options.push("samples");
  if (lua_istable(L, table)) {
    for (lua_pushnil(L); lua_next(L, table) != 0; lua_pop(L, 1)) {
      if (lua_type(L, -2) != LUA_TSTRING) throw misuse(L, "'samples' must be a table of metrics by name");
      const std::string metric = text_at(L, -2);
      samples[metric] = check_numbers(L, lua_gettop(L), "metric '" + metric + "'");
    }
  }
  lua_pop(L, 1);
  return samples;
}

int push_trial(lua_State* L, const store::Trial& trial) {
  const store::Result& r = trial.result;
  REG_PUSH(L, trial, id, uid, investigation, subject, kind, key, folder, started, ended);
  REG_SET(L, r, status, message, wall_s, user_s, sys_s, peak_bytes);
  const std::pair<const char*, const std::string*> texts[] = {
      {"config", &trial.config_json}, {"command", &r.command_json}, {"env", &r.env_json}, {"info", &r.info_json}};
  for (const auto& [name, text] : texts) {
    try {
      push_json(L, *text, false);
    } catch (const Error& error) {
      throw Error(error.kind(), std::string(name) + ": " + error.what());
    }
    lua_setfield(L, -2, name);
  }
  set(L, "samples", r.samples);
  return 1;
}

// --- trials of an untrusted script -----------------------------------------------------------------------------------
// Such a script could store numbers under a key of the user's own investigations. So its trials have keys of their own,
// and it changes no other trial.
std::string own_mark(lua_State* L) {
  const std::string script = Vm::of(L).guard().policy().untrusted_script();
  return script.empty() ? "" : "untrusted " + script.substr(0, 16) + " ";
}

// Argument 2, the trial that a method changes. Throws permission where an untrusted script does not own it.
std::int64_t trial_to_change(lua_State* L) {
  stop_rehearsal(L);
  const std::int64_t trial = check_integer(L, 2, "the trial's id");
  const std::string mark = own_mark(L);
  Store& store = object<Store>(L);
  const auto key = mark.empty() ? std::nullopt : store.key_of(trial);
  if (key && !key->starts_with(mark))
    throw Error(ErrorKind::permission, "an untrusted script must not change trial " + std::to_string(trial) + " of " +
                                           store.path() + ", which is not its own");
  return trial;
}

// While another program has the store locked, everything else goes on.
template <class Work>
auto write(lua_State* L, Work work, double patience_s = kPatience_s) {
  return store::when_free(Vm::of(L).loop(), shared_object<Store>(L), std::move(work), patience_s);
}

// --- methods ---------------------------------------------------------------------------------------------------------
Op<std::int64_t> begin(lua_State* L, const Options& options) {
  stop_rehearsal(L);
  store::NewInvestigation investigation;
  const Settings& settings = Vm::of(L).settings();
  investigation.script = settings.title();
  investigation.text = settings.source.text;
  REG_GET(options, investigation, name, script, text);
  investigation.options_json = json_option(L, options, "options", "{}");
  investigation.facts_json = json_option(L, options, "facts", "{}");
  return write(L, [investigation](Store& store) { return store.begin(investigation); });
}

Op<Nothing> finish_investigation(lua_State* L) {
  stop_rehearsal(L);
  const std::int64_t id = check_integer(L, 2, "the investigation's id");
  const bool own = own_mark(L).empty();
  return write(L, [id, own, verdict = to_json(L, 3)](Store& store) {
    store.finish_investigation(id, verdict);
    if (own) store::remember(store, id);
  });
}

int start(lua_State* L, const Options& options) {
  stop_rehearsal(L);
  store::Trial trial;
  REG_GET(options, trial, investigation, kind);
  if (trial.investigation == 0) throw misuse(L, "needs 'investigation', an id from store:begin");
  trial.subject = options.required_text("subject");
  trial.key = own_mark(L) + options.required_text("key");
  trial.config_json = json_option(L, options, "config", "{}");
  return await(L, write(L, [trial](Store& store) { return store.start(trial); }), push_trial);
}

store::Result result_from(lua_State* L, const Options& options) {
  store::Result result;
  result.status = options.required_text("status");
  REG_GET(options, result, message, wall_s, user_s, sys_s, peak_bytes);
  result.samples = samples_option(L, options);
  result.command_json = json_option(L, options, "command", "[]");
  result.env_json = json_option(L, options, "env", "{}");
  result.info_json = json_option(L, options, "info", "{}");
  return result;
}

Op<Nothing> finish(lua_State* L, const Options& options) {
  const std::int64_t id = trial_to_change(L);
  // Without end: what was measured is not given up.
  return write(
      L, [id, result = result_from(L, options)](Store& store) { store.finish(id, result); },
      std::numeric_limits<double>::infinity());
}

// core.store_add(store, trial): adds a trial that ended in another store, { uid =, investigation = a table, ... };
// false if it is here already.
Op<bool> add(lua_State* L) {
  stop_rehearsal(L);
  const Options options(L, 2);
  store::Trial trial;
  REG_GET(options, trial, kind, started, ended);
  trial.uid = options.required_text("uid");
  trial.subject = options.required_text("subject");
  trial.key = options.required_text("key");
  if (const std::string mark = own_mark(L); !trial.key.starts_with(mark)) trial.key.insert(0, mark);
  trial.config_json = json_option(L, options, "config", "{}");
  trial.result = result_from(L, options);
  const std::string from = json_option(L, options, "investigation", "{}");
  return write(L, [trial, from](Store& store) { return store.add(trial, from); });
}

Op<Nothing> set_aside(lua_State* L) {
  const std::int64_t id = trial_to_change(L);
  return write(L, [id, why = check_string(L, 3, "the reason")](Store& store) { store.set_aside(id, why); });
}

Op<Nothing> add_samples(lua_State* L) {
  const std::int64_t id = trial_to_change(L);
  const std::string metric = check_string(L, 3, "the metric");
  return write(L, [id, metric, values = check_numbers(L, 4, "metric '" + metric + "'")](Store& store) {
    store.add_samples(id, metric, values);
  });
}

// With a function as a third argument, which may close the store: calls it with each in place of making a list.
int trials(lua_State* L, const std::shared_ptr<Store>& store, const Options& options) {
  const bool calls = lua_isfunction(L, 3);
  store::Filter filter;
  REG_GET(options, filter, investigation, any_machine, subject, status, limit);
  if (const auto key = options.text("key")) {
    filter.keys = {*key};
    if (const std::string mark = own_mark(L); !mark.empty()) filter.keys.push_back(mark + *key);
  }
  if (const int list = options.push("ids"); lua_istable(L, list)) {
    filter.ids.emplace();
    each_element(L, list, [&](lua_Integer) { filter.ids->push_back(check_integer(L, -1, "an id")); });
  }
  lua_pop(L, 1);
  lua_createtable(L, 0, 0);
  lua_Integer at = 0;
  store->each_trial(filter, [&](const store::Trial& trial) {
    const int top = lua_gettop(L);
    if (calls) lua_pushvalue(L, 3);
    try {
      push_trial(L, trial);
    } catch (const Error&) {
      lua_settop(L, top);
      throw;
    }
    if (calls)
      lua_call(L, 1, 0);
    else
      lua_rawseti(L, -2, ++at);
  });
  return 1;
}

auto output(lua_State* L, Store& from, const Options& options) {
  const std::int64_t id = check_integer(L, 2, "the trial's id");
  std::size_t keep = 16384;
  options.get("keep_bytes", keep);
  admit(L, {EffectKind::files,
            "read the output of trial " + std::to_string(id) + " of " + from.path(),
            {reads(from.path() + ".out")},
            false});
  return from.output(id, keep);
}

std::optional<std::string> writer(const Store& store) {
  return store.is_written() ? std::optional(Store::lock_holder(store.path())) : std::nullopt;
}

// core.is_own(name, options, facts, verdict): whether the user's own scripts stored this of an investigation, on this
// account. For an untrusted script it is: what it runs is permitted command by command.
int is_own(lua_State* L) {
  const auto text = [L](int at) { return lua_isnil(L, at) ? "" : std::string(check_string(L, at, "a column")); };
  return push(L, !own_mark(L).empty() || store::is_remembered({text(1), text(2), text(3), text(4)}));
}

// core.drop_output(folder): removes it with its files.
void drop_output(const std::string& folder) {
  std::error_code ignored;
  std::filesystem::remove_all(folder, ignored);
}

// core.new_output(folder): makes it, empty.
void new_output(const std::string& folder) {
  drop_output(folder);
  store::make_output(folder);
}

}  // namespace

std::vector<Function> bind_store(lua_State* L) {
  sqlite3_hard_heap_limit64(static_cast<sqlite3_int64>(
      std::min<std::size_t>(Vm::of(L).memory().limit(), std::numeric_limits<sqlite3_int64>::max())));
  register_class<Store>(
      L, "store.Store",
      {REG_PROPERTIES(Store, path),
       REG_FUNCTIONS(finish_investigation, set_aside, add_samples, writer),
       {"begin", call<begin>, "name script text options facts", 2},
       {"start", call<start>, "investigation subject kind key config", 2},
       {"finish", call<finish>, "status message samples command env info wall_s user_s sys_s peak_bytes", 3},
       {"trials", call<trials>, "investigation ids key any_machine subject status limit", 2},
       {"output", call<output>, "keep_bytes", 3},
       {"query", store_query},
       {"close", close_object<Store>}});
  return {REG_FUNCTIONS(key), {"open", call<open>, "wait_s read_only", 2}};
}

std::vector<Function> bind_outputs(lua_State*) {
  return {REG_FUNCTIONS(is_own, new_output, drop_output),
          {"store_add", call<add>},
          {"default_store", call<store::default_path>}};
}

}  // namespace reg::lua
