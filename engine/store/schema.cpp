#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <set>

#include "engine/base/file.h"
#include "engine/base/text.h"
#include "engine/store/runs.h"
#include "engine/store/sqlite.h"

namespace reg::store {
namespace {

constexpr std::int64_t kApplicationId = 0x52474e47;  // "RGNG", in the file's header

// One a version; a store of version n has had the first n applied.
constexpr std::array<std::string_view, 4> kMigrations{
    R"sql(
CREATE TABLE investigations(
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  script TEXT NOT NULL,          -- its file name
  script_text TEXT NOT NULL,
  script_sha256 TEXT NOT NULL,
  options TEXT NOT NULL,         -- JSON
  engine TEXT NOT NULL,          -- version
  host TEXT NOT NULL, kernel TEXT NOT NULL, cpu TEXT NOT NULL,
  facts TEXT NOT NULL,           -- JSON: what else the script said of the environment
  started REAL NOT NULL, ended REAL,
  verdict TEXT                   -- JSON
);
CREATE TABLE subjects(
  id INTEGER PRIMARY KEY,
  kind TEXT NOT NULL,
  name TEXT NOT NULL,
  UNIQUE(name, kind)
);
CREATE TABLE trials(
  id INTEGER PRIMARY KEY,
  uid TEXT NOT NULL UNIQUE,      -- the same trial in another store, after export and import
  investigation INTEGER NOT NULL REFERENCES investigations(id),
  subject INTEGER NOT NULL REFERENCES subjects(id),
  key TEXT NOT NULL,
  status TEXT NOT NULL,          -- running, ok, build_failed, test_failed, crashed, timeout, oom, not_finite, skipped,
                                 -- interrupted, set_aside
  message TEXT,
  config TEXT NOT NULL, command TEXT NOT NULL, env TEXT NOT NULL, info TEXT NOT NULL,  -- JSON
  started REAL NOT NULL, ended REAL,
  wall_s REAL, user_s REAL, sys_s REAL, peak_bytes INTEGER,
  folder TEXT                    -- where its output lies, relative to the store's folder
);
CREATE INDEX trials_by_key ON trials(key, id);
CREATE INDEX trials_by_subject ON trials(subject);
CREATE TABLE samples(
  trial INTEGER NOT NULL REFERENCES trials(id),
  metric TEXT NOT NULL,
  n INTEGER NOT NULL,
  value REAL NOT NULL,
  PRIMARY KEY(trial, metric, n)
) WITHOUT ROWID;
CREATE VIEW results AS
  SELECT t.id AS trial, t.investigation, s.name AS subject, s.kind, t.status, m.metric, m.n, m.value
  FROM samples m JOIN trials t ON t.id = m.trial JOIN subjects s ON s.id = t.subject;
)sql",
    // Results of benchmark suites, taken apart (old_runs.cpp).
    R"sql(
CREATE TABLE texts(
  id INTEGER PRIMARY KEY,
  text TEXT NOT NULL UNIQUE      -- a model's or an experiment's JSON, or a shape (old_runs.cpp)
);
CREATE TABLE run_blocks(
  first INTEGER PRIMARY KEY,     -- the number of the first run; the others follow in the order of their import
  heads BLOB NOT NULL,           -- of each run its time, texts and so on (old_runs.cpp)
  words TEXT NOT NULL,           -- their strings, as JSON
  spellings TEXT NOT NULL,       -- which numbers are written in another way than Python writes them, and how
  hashes BLOB NOT NULL           -- of all that a run says, so that none comes twice
);
CREATE TABLE run_numbers(
  block INTEGER NOT NULL,        -- its first run
  metric TEXT,                   -- NULL: what stands outside of metrics
  exec BLOB NOT NULL,            -- of each run that has the metric its time, so that reports need not read the numbers;
  compile BLOB NOT NULL,         -- the one that it took to compile
  numbers BLOB NOT NULL,         -- doubles, the lowest byte first
  UNIQUE(block, metric)
);
)sql",
    // A store may have a million trials: what opens it, and what reports one investigation, does not read them all.
    R"sql(
CREATE INDEX IF NOT EXISTS trials_running ON trials(id) WHERE status = 'running';
CREATE INDEX IF NOT EXISTS trials_by_investigation ON trials(investigation);
)sql",
    // Results of benchmark suites (runs.h), each in one piece. `measurements` has each number of each metric.
    R"sql(
CREATE TABLE suite_runs(
  run INTEGER PRIMARY KEY,
  line TEXT NOT NULL,            -- of results.jsonl, byte for byte
  hash TEXT NOT NULL UNIQUE,     -- of the line without blanks between its tokens, so that none comes twice
  timestamp REAL,
  plain TEXT                     -- the line for JSON functions, which know no NaN; NULL: they can read it as it is
);
CREATE VIEW runs AS
  SELECT run, timestamp, coalesce(plain, line) -> '$.model' AS model,
    coalesce(plain, line) -> '$.experiment' AS experiment, json(coalesce(plain, line)) AS record
  FROM suite_runs;
CREATE VIEW measurements AS
  SELECT run, timestamp, model, experiment, suite_name, model_name, accelerator, accelerator_model, xla, dynamo, test,
    batch_size, m.key AS metric, coalesce(v.key, 0) AS n,
    CAST(iif(m.type = 'array', v.atom, m.atom) AS REAL) AS value
  FROM (
    SELECT run, timestamp, model, experiment, model ->> '$.suite_name' AS suite_name,
      model ->> '$.model_name' AS model_name, experiment ->> '$.accelerator' AS accelerator,
      experiment ->> '$.accelerator_model' AS accelerator_model, experiment ->> '$.xla' AS xla,
      experiment ->> '$.dynamo' AS dynamo, experiment ->> '$.test' AS test,
      experiment ->> '$.batch_size' AS batch_size, metrics
    FROM (SELECT run, timestamp, coalesce(plain, line) -> '$.model' AS model,
        coalesce(plain, line) -> '$.experiment' AS experiment, coalesce(plain, line) -> '$.metrics' AS metrics
      FROM suite_runs LIMIT -1)    -- so that each line is taken apart once
    LIMIT -1)                      -- and sorting a query's rows takes no memory for what it does not use
    CROSS JOIN json_each(metrics) m CROSS JOIN json_each(iif(m.type = 'array', m.value, '[0]')) v
  WHERE iif(m.type = 'array', v.type, m.type) IN ('integer', 'real', 'null');
)sql"};

// A statement without its comments, with one space wherever there are some.
std::string without_layout(std::string_view sql) {
  std::string plain;
  for (std::size_t i = 0; i < sql.size(); ++i) {
    const bool comment = sql.substr(i).starts_with("--");
    if (comment) i = std::min(sql.find('\n', i), sql.size());
    if (!comment && std::string_view(" \n\t\r").find(sql[i]) == std::string_view::npos)
      plain += sql[i];
    else if (!plain.empty() && plain.back() != ' ')
      plain += ' ';
  }
  while (plain.ends_with(' ')) plain.pop_back();
  return plain;
}

// What the migrations create, as SQLite keeps it, and what its own ANALYZE does.
const std::set<std::string>& known_statements() {
  static const std::set<std::string> known = [] {
    std::set<std::string> all{"CREATE TABLE sqlite_stat1(tbl,idx,stat)"};
    for (const std::string_view migration : kMigrations) {
      const std::string plain = without_layout(migration);
      for (const std::string_view statement : split(plain, ';')) {
        std::string one(trim(statement));
        constexpr std::string_view kOptional = "IF NOT EXISTS ";
        if (const auto at = one.find(kOptional); at != std::string::npos) one.erase(at, kOptional.size());
        all.insert(std::move(one));
      }
    }
    return all;
  }();
  return known;
}

// Runs of a store of format 2 or 3 become lines. If some cannot be read, all stay where they are.
void move_old_runs(Database& database, const std::string& path) {
  try {
    {
      RunWriter writer(database);
      each_old_run(database, [&](std::string_view line) { writer.add(results::run_of(line)); });
    }
    database.run("DROP TABLE texts; DROP TABLE run_blocks; DROP TABLE run_numbers");
  } catch (const Error& why) {
    if (why.kind() != ErrorKind::corrupt) throw;
    database.run("DELETE FROM suite_runs");
    notify(path + ": the results of benchmark suites are damaged: " + why.what() + "; import them again");
  }
}

}  // namespace

std::string sqlite_header(const std::string& path) {
  constexpr std::size_t kSize = 100;
  std::string header = read_at(open_file(path, O_RDONLY).get(), 0, kSize);
  const bool whole = header.size() == kSize && header.starts_with(std::string_view("SQLite format 3\0", 16));
  return whole ? header : "";
}

void check_is_store(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::exists(path, error) || std::filesystem::file_size(path, error) == 0) return;
  const auto refuse = [&](const std::string& what) {
    throw Error(ErrorKind::corrupt, path + " is not a regengine store: " + what,
                "name another file with --store; this one was not touched");
  };
  if (std::filesystem::is_directory(path, error)) refuse("it is a folder");
  if (!std::filesystem::is_regular_file(path, error)) refuse("it is not a regular file");
  const std::string header = sqlite_header(path);
  if (header.empty()) refuse("not an SQLite file");
  std::int64_t id = 0;
  for (const char byte : header.substr(68, 4)) id = id << 8 | static_cast<unsigned char>(byte);
  // Told by the header alone, since SQLite writes another program's log back when it opens and closes the file. A store
  // has its id there from the first, because migrate() commits it before the store has a log.
  if (id != kApplicationId) refuse("it is another program's database");
}

std::int64_t check_schema(Database& database, const std::string& path) {
  const std::int64_t version = database.integer("PRAGMA user_version");
  const auto latest = static_cast<std::int64_t>(kMigrations.size());
  if (version > latest)
    throw Error(
        ErrorKind::conflict,
        fmt::format("{} was made by a newer regengine (its format is {}, this one knows {})", path, version, latest),
        "update regengine, or name another file with --store");
  Statement rows(database.handle(), "SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL");
  while (rows.step())
    if (!known_statements().contains(without_layout(rows.text(2))))
      throw Error(
          ErrorKind::corrupt,
          fmt::format("{} contains a {} that regengine did not create: {}", path, rows.text(0), rows.text(1)),
          "It could run code when the store is used. Remove it with sqlite3, or name another file with --store.");
  return version;
}

bool is_older(const std::string& path) {
  Database database(path, Access::read);
  return check_schema(database, path) < std::ssize(kMigrations);
}

void migrate(Database& database, const std::string& path) {
  const std::int64_t version = check_schema(database, path);
  const auto latest = static_cast<std::int64_t>(kMigrations.size());
  if (version == latest) return;
  Transaction transaction(database);
  for (std::int64_t v = version; v < latest; ++v) database.run(std::string(kMigrations[static_cast<std::size_t>(v)]));
  if (version < 4) move_old_runs(database, path);
  database.run(fmt::format("PRAGMA application_id = {}; PRAGMA user_version = {}", kApplicationId, latest));
  transaction.commit();
}

}  // namespace reg::store
