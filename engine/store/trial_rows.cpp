// The trials of a store, read one by one. A damaged one is left out, and the others are read all the same.

#include <fmt/format.h>
#include <sqlite3.h>

#include <cmath>
#include <set>
#include <variant>

#include "engine/base/error.h"
#include "engine/base/text.h"
#include "engine/store/store.h"

namespace reg::store {
namespace {

constexpr const char* kColumns =
    "SELECT t.id, t.uid, t.investigation, s.name, s.kind, t.key, t.status, coalesce(t.message, ''), t.config, "
    "t.command, t.env, t.info, t.started, t.ended, t.wall_s, t.user_s, t.sys_s, t.peak_bytes, coalesce(t.folder, '') "
    "FROM trials t LEFT JOIN subjects s ON s.id = t.subject WHERE 1";

[[noreturn]] void fail_damaged(const std::string& what) { throw Error(ErrorKind::corrupt, what); }

std::optional<double> number_at(const Statement& row, int column, const char* name) {
  const int type = row.type(column);
  if (type == SQLITE_NULL) return std::nullopt;
  if (type != SQLITE_INTEGER && type != SQLITE_FLOAT) fail_damaged(fmt::format("{}: not a number", name));
  return row.real(column);
}

// The rows of the filter; with `id`, that one alone.
Statement query(Database& database, const Filter& filter, std::optional<std::int64_t> id = std::nullopt) {
  std::string sql = kColumns;
  std::vector<std::variant<std::int64_t, std::string>> values;
  const auto add = [&](const char* condition, const auto& value) {
    if (!value) return;
    sql += condition;
    values.emplace_back(*value);
  };
  std::vector<std::string> keys;
  for (const std::string& key : filter.keys) {
    keys.emplace_back(filter.any_machine ? "(t.key >= ? AND t.key < ?)" : "t.key = ?");  // so that the index serves
    const std::string work = key.substr(0, key.rfind('@'));
    values.emplace_back(filter.any_machine ? work + "@" : key);
    if (filter.any_machine) values.emplace_back(work + "A");  // after '@'
  }
  if (!keys.empty()) sql += " AND (" + join(keys, " OR ") + ")";
  if (filter.ids)
    add(" AND t.id IN (SELECT value FROM json_each(?))",
        std::optional(fmt::format("[{}]", fmt::join(*filter.ids, ","))));
  add(" AND t.investigation = ?", filter.investigation);
  add(" AND s.name = ?", filter.subject);
  add(" AND t.status = ?", filter.status);
  add(" AND t.id = ?", id);
  add(" ORDER BY t.id LIMIT ?", std::optional(filter.limit.value_or(-1)));
  Statement rows(database.handle(), sql);
  for (std::size_t i = 0; i < values.size(); ++i)
    std::visit([&](const auto& value) { rows.bind(static_cast<int>(i) + 1, value); }, values[i]);
  return rows;
}

Samples samples_of(Statement& samples, std::int64_t trial) {
  Samples found;
  samples.reset();
  samples.bind(1, trial);
  while (samples.step()) {
    const auto value = number_at(samples, 1, "a sample");
    if (!value || !std::isfinite(*value)) fail_damaged("a sample: not a number");
    found[std::string(samples.text(0))].push_back(*value);
  }
  return found;
}

Trial trial_of(const Statement& row, const std::string& path) {
  if (row.is_null(3)) fail_damaged("its subject is missing");
  Trial t;
  t.id = row.integer(0);
  t.uid = row.text(1);
  t.investigation = row.integer(2);
  t.subject = row.text(3);
  t.kind = row.text(4);
  t.key = row.text(5);
  t.result.status = row.text(6);
  if (t.result.status != "running" && !is_status(t.result.status))
    fail_damaged("not a valid status: '" + t.result.status + "'");
  t.result.message = row.text(7);
  t.config_json = row.text(8);
  t.result.command_json = row.text(9);
  t.result.env_json = row.text(10);
  t.result.info_json = row.text(11);
  t.started = number_at(row, 12, "started").value_or(0);
  t.ended = number_at(row, 13, "ended");
  t.result.wall_s = number_at(row, 14, "wall_s");
  t.result.user_s = number_at(row, 15, "user_s");
  t.result.sys_s = number_at(row, 16, "sys_s");
  if (!row.is_null(17)) t.result.peak_bytes = row.integer(17);
  if (!row.text(18).empty()) t.folder = fmt::format("{}.out/{}", path, row.text(18));
  return t;
}

}  // namespace

void Store::say_damaged(std::int64_t trial, const std::string& why) {
  static std::set<std::pair<std::string, std::int64_t>> said;
  if (!said.insert({path_, trial}).second) return;
  notify(fmt::format("{}: trial {} is damaged and skipped: {}", path_, trial, why));
}

int Store::each_trial(const Filter& filter, const std::function<void(Trial)>& take) {
  Statement samples(database_.handle(), "SELECT metric, value FROM samples WHERE trial = ? ORDER BY metric, n");
  std::int64_t last = 0;
  int damaged = 0;
  const bool cut_short = !is_written();  // who opens the store to write calls them so for good
  const auto leave_out = [&](std::int64_t trial, const Error& why) {
    if (why.kind() != ErrorKind::corrupt) throw;  // called by handlers: as what it is, such as Busy
    say_damaged(trial, why.what());
    ++damaged;
  };
  const auto take_row = [&](const Statement& row) {
    last = row.integer(0);
    try {
      Trial trial = trial_of(row, path_);
      trial.result.samples = samples_of(samples, last);
      if (cut_short && trial.result.status == "running") trial.result.status = "interrupted";
      take(std::move(trial));
    } catch (const Error& why) {
      leave_out(last, why);
    }
  };
  Statement all = query(database_, filter);
  try {
    while (all.step()) take_row(all);
    return damaged;
  } catch (const Error& why) {
    if (why.kind() != ErrorKind::corrupt) throw;
  }
  // A part of the table cannot be read. Its index says which trials there are, and each is read by itself.
  Statement ids(database_.handle(), "SELECT id FROM trials INDEXED BY trials_by_key WHERE id > ? ORDER BY id", last);
  while (ids.step()) {
    const std::int64_t id = ids.integer(0);
    try {
      if (Statement one = query(database_, filter, id); one.step()) take_row(one);
    } catch (const Error& why) {
      leave_out(id, why);
    }
  }
  return damaged;
}

}  // namespace reg::store
