#include "engine/store/check.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <nlohmann/json.hpp>

#include "engine/base/error.h"
#include "engine/store/runs.h"

namespace reg::store {
namespace {

constexpr const char* kInvestigation =
    "SELECT id, name, script, script_text, script_sha256, options, engine, host, kernel, cpu, facts, started, ended, "
    "verdict FROM investigations";

// The JSON of an investigation, and what stands for it where it is damaged.
struct TextColumn {
  int column;
  const char* name;
  const char* otherwise;
};
constexpr TextColumn kTexts[] = {{5, "options", "{}"}, {10, "facts", "{}"}, {13, "verdict", nullptr}};

bool is_damaged(const Statement& row, const TextColumn& text) {
  return !row.is_null(text.column) && !nlohmann::json::accept(row.text(text.column));
}

// Calls take(row) for each investigation that can be read. Returns what is wrong with the others.
std::vector<std::string> each_investigation(Store& store, const std::function<void(Statement&)>& take) {
  std::vector<std::string> damages;
  try {
    Statement rows(store.writer().handle(), std::string(kInvestigation) + " ORDER BY id");
    while (rows.step()) {
      for (const TextColumn& text : kTexts)
        if (is_damaged(rows, text))
          damages.push_back(fmt::format("investigation {}: {}: not valid JSON", rows.integer(0), text.name));
      take(rows);
    }
  } catch (const Error& why) {
    if (why.kind() != ErrorKind::corrupt) throw;
    damages.push_back(fmt::format("investigations: {}", why.what()));
  }
  return damages;
}

// What SQLite says of the file, on one line.
void add_integrity(Store& store, std::vector<std::string>& damages) {
  try {
    Statement rows(store.writer().handle(), "PRAGMA integrity_check(1)");
    if (rows.step() && rows.text(0) != "ok")
      damages.push_back(fmt::format("the file: {}", rows.text(0).substr(0, rows.text(0).find('\n'))));
  } catch (const Error& why) {
    if (why.kind() != ErrorKind::corrupt) throw;
    damages.emplace_back(why.what());
  }
}

Checked read_trials(Store& store, const std::function<void(const Trial&)>& take) {
  Checked found;
  store.each_trial(
      {},
      [&](const Trial& trial) {
        check_json(trial);
        take(trial);
        ++found.trials;
      },
      [&](std::int64_t trial, const std::string& why) {
        found.damages.push_back(fmt::format("trial {}: {}", trial, why));
      });
  return found;
}

// Binds every column of a row to the parameter of its place.
void bind_row(Statement& insert, Statement& row) {
  for (int column = 0; column < row.columns(); ++column)
    sqlite3_bind_value(insert.handle(), column + 1, sqlite3_column_value(row.handle(), column));
}

void copy_investigation(Database& to, Statement& row) {
  Statement insert(to.handle(), "INSERT INTO investigations VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?)");
  bind_row(insert, row);
  for (const TextColumn& text : kTexts)
    if (is_damaged(row, text)) {
      if (text.otherwise != nullptr)
        insert.bind(text.column + 1, std::string_view(text.otherwise));
      else
        insert.bind_null(text.column + 1);
    }
  insert.run();
}

// The trials of an investigation that is lost still belong together.
void stand_in_for(Database& to, std::int64_t id) {
  Statement insert(
      to.handle(),
      "INSERT OR IGNORE INTO investigations VALUES(?,'damaged','','','','{}','','','','','{}',0,NULL,NULL)");
  insert.bind(1, id).run();
}

// Results of benchmark suites: all that can be read.
void copy_runs(Database& from, Database& to, std::vector<std::string>& damages) {
  Transaction transaction(to);
  try {
    RunWriter writer(to);
    const auto lines = lines_of(from, 0, INT64_MAX);
    for (std::string_view line; lines->next(line);) writer.add(line, results::run_of(line));
  } catch (const Error& why) {
    if (why.kind() != ErrorKind::corrupt) throw;
    damages.push_back(fmt::format("some results of benchmark suites, which have to be imported again: {}", why.what()));
  }
  transaction.commit();
}

}  // namespace

void check_json(const Trial& trial) {
  const std::pair<const char*, const std::string*> texts[] = {{"config", &trial.config_json},
                                                              {"command", &trial.result.command_json},
                                                              {"env", &trial.result.env_json},
                                                              {"info", &trial.result.info_json}};
  for (const auto& [name, text] : texts)
    if (!nlohmann::json::accept(*text)) throw Error(ErrorKind::corrupt, fmt::format("{}: not valid JSON", name));
}

Checked check(Store& store) {
  Checked found = read_trials(store, [](const Trial&) {});
  const auto others = each_investigation(store, [](Statement&) {});
  found.damages.insert(found.damages.end(), others.begin(), others.end());
  add_integrity(store, found.damages);
  return found;
}

Checked repair(Store& damaged, Store& to) {
  std::vector<std::string> others;
  Checked found;
  {
    Transaction transaction(to.writer());
    others = each_investigation(damaged, [&](Statement& row) { copy_investigation(to.writer(), row); });
    found = read_trials(damaged, [&](const Trial& trial) {
      stand_in_for(to.writer(), trial.investigation);
      to.copy(trial);
    });
    transaction.commit();
  }
  copy_runs(damaged.writer(), to.writer(), others);
  found.damages.insert(found.damages.end(), others.begin(), others.end());
  return found;
}

}  // namespace reg::store
