#include "engine/store/store.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sqlite3.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <chrono>
#include <cmath>
#include <filesystem>

#include "engine/base/error.h"
#include "engine/base/ids.h"
#include "engine/base/text.h"
#include "engine/store/provenance.h"
#include "engine/store/schema.h"

namespace reg::store {
namespace {

constexpr std::array<const char*, 9> kStatuses{"ok",  "build_failed", "test_failed", "crashed",  "timeout",
                                               "oom", "skipped",      "interrupted", "set_aside"};

// The stores this process has open: a script and the stdlib may name the same file.
std::map<std::string, std::weak_ptr<Store>>& open_stores() {
  static std::map<std::string, std::weak_ptr<Store>> stores;
  return stores;
}

double wall_clock() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

// A link and the file it leads to are one store, with one lock.
std::string resolved(const std::string& path) {
  return std::filesystem::is_symlink(path) ? std::filesystem::weakly_canonical(path).string() : path;
}

// A subject as part of a folder's name, still to be found by grep.
std::string as_file_name(std::string text) {
  for (char& c : text)
    if (std::isalnum(static_cast<unsigned char>(c)) == 0 && std::string_view("-_.@+").find(c) == std::string_view::npos)
      c = '_';
  if (text.empty() || text.front() == '.') text.insert(0, 1, '_');
  return text.substr(0, 80);
}

// Refuses whatever is more than reading.
int only_reading(void*, int action, const char* table, const char*, const char*, const char*) {
  switch (action) {
    // Asked when a virtual table such as `runs` is named; SQLite itself lets no one change this one.
    case SQLITE_UPDATE:
      return std::string_view(table) == "sqlite_master" ? SQLITE_OK : SQLITE_DENY;
    case SQLITE_SELECT:
    case SQLITE_READ:
    case SQLITE_FUNCTION:
    case SQLITE_RECURSIVE:
      return SQLITE_OK;
    default:
      return SQLITE_DENY;
  }
}

template <class Value>
void bind_optional(Statement& statement, int place, const std::optional<Value>& value) {
  if (value)
    statement.bind(place, *value);
  else
    statement.bind_null(place);
}

std::optional<double> optional_real(const Statement& row, int column) {
  if (row.is_null(column)) return std::nullopt;
  return row.real(column);
}

// The part of a key before the machine.
std::string work_of(const std::string& key) { return key.substr(0, key.rfind('@')); }

// A range of keys, so that the index serves.
std::string key_condition(const Filter& filter) {
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < filter.keys.size(); ++i)
    parts.push_back(filter.any_machine ? fmt::format("(t.key >= :key{0} AND t.key < :end{0})", i)
                                       : fmt::format("t.key = :key{}", i));
  return " AND (" + join(parts, " OR ") + ")";
}

}  // namespace

bool is_status(const std::string& status) {
  return std::find(kStatuses.begin(), kStatuses.end(), status) != kStatuses.end();
}

std::shared_ptr<Store> Store::try_open(const std::string& named) {
  const std::string path = resolved(named);
  const std::string whole = std::filesystem::weakly_canonical(std::filesystem::absolute(path));
  if (auto open = open_stores()[whole].lock()) return open;
  check_is_store(path);
  Fd lock = open_file(path + ".lock", O_RDWR | O_CREAT | O_NOFOLLOW);
  if (::flock(lock.get(), LOCK_EX | LOCK_NB) != 0) return nullptr;
  if (::ftruncate(lock.get(), 0) != 0) throw system_error(path + ".lock", errno);
  write_all(lock.get(), fmt::format("pid {} on {}", ::getpid(), host_name()), path + ".lock");
  std::shared_ptr<Store> store(new Store(path, std::move(lock)));
  open_stores()[whole] = store;
  return store;
}

std::string Store::lock_holder(const std::string& path) {
  const std::string holder = read_file_if_there(resolved(path) + ".lock").value_or("");
  return holder.empty() ? "another program" : holder;
}

Store::Store(std::string path, Fd lock)
    : path_(std::move(path)), lock_(std::move(lock)), database_(path_, Database::Mode::read_write) {
  migrate(database_, path_);
  // In WAL mode a commit survives kill -9 as it is; `finish` makes it survive a power cut too.
  database_.run("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON");
  database_.run("UPDATE trials SET status = 'interrupted' WHERE status = 'running'");
}

Store::~Store() { reader_.reset(); }

std::int64_t Store::begin(const NewInvestigation& investigation) {
  const std::string hash = sha256(investigation.text);
  Statement unfinished(
      database_.handle(),
      "SELECT id FROM investigations WHERE ended IS NULL AND name = ? AND script_sha256 = ? AND options = ? "
      "ORDER BY id DESC LIMIT 1");
  unfinished.bind(1, investigation.name).bind(2, hash).bind(3, investigation.options_json);
  if (unfinished.step()) return unfinished.integer(0);
  return insert(investigation, hash);
}

std::int64_t Store::insert(const NewInvestigation& investigation, const std::string& hash) {
  const Provenance machine = provenance();
  Statement row(
      database_.handle(),
      "INSERT INTO investigations(name, script, script_text, script_sha256, options, engine, host, kernel, cpu, "
      "facts, started) VALUES(?,?,?,?,?,?,?,?,?,?,?)");
  row.bind(1, investigation.name).bind(2, investigation.script).bind(3, investigation.text).bind(4, hash);
  row.bind(5, investigation.options_json).bind(6, version()).bind(7, machine.host).bind(8, machine.kernel);
  row.bind(9, machine.cpu).bind(10, investigation.facts_json).bind(11, wall_clock()).run();
  return database_.last_id();
}

void Store::finish_investigation(std::int64_t id, const std::string& verdict_json) {
  Statement update(database_.handle(), "UPDATE investigations SET ended = ?, verdict = ? WHERE id = ?");
  update.bind(1, wall_clock()).bind(2, verdict_json).bind(3, id).run();
  if (database_.changes() == 0) fail_missing("investigation", id);
}

void Store::fail_missing(const char* noun, std::int64_t id) const {
  throw Error(ErrorKind::not_found, fmt::format("{} has no {} {}", path_, noun, id));
}

std::int64_t Store::subject_id(const std::string& name, const std::string& kind) {
  Statement find(database_.handle(), "SELECT id FROM subjects WHERE name = ? AND kind = ?");
  if (find.bind(1, name).bind(2, kind).step()) return find.integer(0);
  Statement insert(database_.handle(), "INSERT INTO subjects(name, kind) VALUES(?, ?)");
  insert.bind(1, name).bind(2, kind).run();
  return database_.last_id();
}

Trial Store::start(const NewTrial& trial) {
  Trial started;
  started.uid = random_id();
  started.investigation = trial.investigation;
  started.subject = trial.subject;
  started.kind = trial.kind;
  started.key = trial.key;
  started.config_json = trial.config_json;
  started.started = wall_clock();
  started.result.status = "running";
  Transaction transaction(database_);
  if (database_.integer(fmt::format("SELECT count(*) FROM investigations WHERE id = {}", trial.investigation)) == 0)
    fail_missing("investigation", trial.investigation);
  Statement insert(database_.handle(),
                   "INSERT INTO trials(uid, investigation, subject, key, status, config, command, env, info, started) "
                   "VALUES(?, ?, ?, ?, 'running', ?, '[]', '{}', '{}', ?)");
  insert.bind(1, started.uid)
      .bind(2, trial.investigation)
      .bind(3, subject_id(trial.subject, trial.kind))
      .bind(4, trial.key);
  insert.bind(5, trial.config_json).bind(6, started.started).run();
  started.id = database_.last_id();
  const std::string name = fmt::format("{}-{}", as_file_name(trial.subject), started.id);
  Statement folder(database_.handle(), "UPDATE trials SET folder = ? WHERE id = ?");
  folder.bind(1, name).bind(2, started.id).run();
  started.folder = path_ + ".out/" + name;
  make_folders(started.folder);
  transaction.commit();
  return started;
}

bool Store::has_trial(std::int64_t id) {
  return database_.integer(fmt::format("SELECT count(*) FROM trials WHERE id = {}", id)) != 0;
}

void Store::put_samples(std::int64_t trial, const Samples& samples) {
  Statement next(database_.handle(), "SELECT coalesce(max(n) + 1, 0) FROM samples WHERE trial = ? AND metric = ?");
  Statement insert(database_.handle(), "INSERT INTO samples(trial, metric, n, value) VALUES(?, ?, ?, ?)");
  for (const auto& [metric, values] : samples) {
    next.bind(1, trial).bind(2, metric).step();
    std::int64_t n = next.integer(0);
    next.reset();
    insert.bind(1, trial).bind(2, metric);
    for (const double value : values) {
      if (!std::isfinite(value))
        throw Error(ErrorKind::usage, fmt::format("metric '{}' has a value that is not finite", metric));
      insert.bind(3, n++).bind(4, value).run();
    }
  }
}

void Store::finish(std::int64_t trial, const Result& result) {
  if (!is_status(result.status))
    throw Error(ErrorKind::usage, "'" + result.status + "' is no status of a trial",
                "one of " + join({kStatuses.begin(), kStatuses.end()}, ", "));
  // FULL for this one commit: it syncs the log, so that a finished trial outlives a power cut.
  database_.run("PRAGMA synchronous = FULL");
  Transaction transaction(database_);
  Statement update(
      database_.handle(),
      "UPDATE trials SET status = ?, message = ?, command = ?, env = ?, info = ?, ended = ?, wall_s = ?, user_s = ?, "
      "sys_s = ?, peak_bytes = ? WHERE id = ? AND status = 'running'");
  update.bind(1, result.status).bind(2, result.message).bind(3, result.command_json).bind(4, result.env_json);
  update.bind(5, result.info_json).bind(6, wall_clock());
  bind_optional(update, 7, result.wall_s);
  bind_optional(update, 8, result.user_s);
  bind_optional(update, 9, result.sys_s);
  bind_optional(update, 10, result.peak_bytes);
  update.bind(11, trial).run();
  if (database_.changes() == 0) {
    if (!has_trial(trial)) fail_missing("trial", trial);
    throw Error(ErrorKind::conflict, fmt::format("{}: trial {} has ended already", path_, trial),
                "start another trial of the same key");
  }
  put_samples(trial, result.samples);
  transaction.commit();
  database_.run("PRAGMA synchronous = NORMAL");
}

void Store::set_aside(std::int64_t trial, const std::string& why) {
  Statement update(database_.handle(),
                   "UPDATE trials SET status = 'set_aside', message = ? WHERE id = ? AND status != 'running'");
  update.bind(1, why).bind(2, trial).run();
  if (database_.changes() == 0) fail_missing("ended trial", trial);
}

void Store::add_samples(std::int64_t trial, const std::string& metric, const std::vector<double>& values) {
  Transaction transaction(database_);
  if (!has_trial(trial)) fail_missing("trial", trial);
  put_samples(trial, {{metric, values}});
  transaction.commit();
}

std::vector<Trial> Store::trials(const Filter& filter) {
  std::vector<Trial> found;
  each_trial(filter, [&](Trial trial) { found.push_back(std::move(trial)); });
  return found;
}

void Store::each_trial(const Filter& filter, const std::function<void(Trial)>& take) {
  std::string sql =
      "SELECT t.id, t.uid, t.investigation, s.name, s.kind, t.key, t.status, coalesce(t.message, ''), t.config, "
      "t.command, "
      "t.env, t.info, t.started, t.ended, t.wall_s, t.user_s, t.sys_s, t.peak_bytes, coalesce(t.folder, '') "
      "FROM trials t JOIN subjects s ON s.id = t.subject WHERE 1";
  if (!filter.keys.empty()) sql += key_condition(filter);
  if (filter.investigation) sql += " AND t.investigation = :investigation";
  if (filter.subject) sql += " AND s.name = :subject";
  if (filter.status) sql += " AND t.status = :status";
  sql += " ORDER BY t.id";
  if (filter.limit) sql += " LIMIT :limit";
  Statement rows(database_.handle(), sql);
  const auto place = [&](const char* name) { return sqlite3_bind_parameter_index(rows.handle(), name); };
  for (std::size_t i = 0; i < filter.keys.size(); ++i) {
    const std::string& key = filter.keys[i];
    rows.bind(place(fmt::format(":key{}", i).c_str()), filter.any_machine ? work_of(key) + "@" : key);
    if (filter.any_machine) rows.bind(place(fmt::format(":end{}", i).c_str()), work_of(key) + "A");  // after '@'
  }
  if (filter.investigation) rows.bind(place(":investigation"), *filter.investigation);
  if (filter.subject) rows.bind(place(":subject"), *filter.subject);
  if (filter.status) rows.bind(place(":status"), *filter.status);
  if (filter.limit) rows.bind(place(":limit"), *filter.limit);

  Statement samples(database_.handle(), "SELECT metric, value FROM samples WHERE trial = ? ORDER BY metric, n");
  while (rows.step()) {
    Trial t;
    t.id = rows.integer(0);
    t.uid = rows.text(1);
    t.investigation = rows.integer(2);
    t.subject = rows.text(3);
    t.kind = rows.text(4);
    t.key = rows.text(5);
    t.result.status = rows.text(6);
    t.result.message = rows.text(7);
    t.config_json = rows.text(8);
    t.result.command_json = rows.text(9);
    t.result.env_json = rows.text(10);
    t.result.info_json = rows.text(11);
    t.started = rows.real(12);
    t.ended = optional_real(rows, 13);
    t.result.wall_s = optional_real(rows, 14);
    t.result.user_s = optional_real(rows, 15);
    t.result.sys_s = optional_real(rows, 16);
    if (!rows.is_null(17)) t.result.peak_bytes = rows.integer(17);
    if (!rows.text(18).empty()) t.folder = fmt::format("{}.out/{}", path_, rows.text(18));
    samples.bind(1, t.id);
    while (samples.step()) t.result.samples[std::string(samples.text(0))].push_back(samples.real(1));
    samples.reset();
    take(std::move(t));
  }
}

std::optional<std::string> Store::key_of(std::int64_t trial) {
  Statement row(database_.handle(), "SELECT key FROM trials WHERE id = ?");
  if (!row.bind(1, trial).step()) return std::nullopt;
  return std::string(row.text(0));
}

std::vector<Output> Store::output(std::int64_t trial, std::size_t keep_bytes) {
  Statement row(database_.handle(), "SELECT coalesce(folder, '') FROM trials WHERE id = ?");
  if (!row.bind(1, trial).step()) fail_missing("trial", trial);
  return read_output(path_, std::string(row.text(0)), keep_bytes);
}

bool Store::add(const Trial& trial, const std::string& investigation_json) {
  Transaction transaction(database_);
  Statement there(database_.handle(), "SELECT 1 FROM trials WHERE uid = ?");
  if (there.bind(1, trial.uid).step()) return false;
  NewInvestigation imported;
  imported.name = "imported";
  imported.facts_json = investigation_json;
  Statement same(database_.handle(), "SELECT id FROM investigations WHERE name = 'imported' AND facts = ?");
  const std::int64_t investigation =
      same.bind(1, investigation_json).step() ? same.integer(0) : insert(imported, sha256(""));
  Statement insert(
      database_.handle(),
      "INSERT INTO trials(uid, investigation, subject, key, status, message, config, command, env, info, started, "
      "ended, wall_s, user_s, sys_s, peak_bytes) VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)");
  const Result& r = trial.result;
  insert.bind(1, trial.uid).bind(2, investigation).bind(3, subject_id(trial.subject, trial.kind)).bind(4, trial.key);
  insert.bind(5, r.status).bind(6, r.message).bind(7, trial.config_json).bind(8, r.command_json).bind(9, r.env_json);
  insert.bind(10, r.info_json).bind(11, trial.started);
  bind_optional(insert, 12, trial.ended);
  bind_optional(insert, 13, r.wall_s);
  bind_optional(insert, 14, r.user_s);
  bind_optional(insert, 15, r.sys_s);
  bind_optional(insert, 16, r.peak_bytes);
  insert.run();
  put_samples(database_.last_id(), r.samples);
  transaction.commit();
  return true;
}

Database& Store::reader() {
  if (!reader_) {
    reader_ = std::make_unique<Database>(path_, Database::Mode::read_only);
    reader_->allow_views(true);
    reader_->run("PRAGMA temp_store = MEMORY");  // what is sorted counts as memory and fills no disk
    sqlite3_set_authorizer(reader_->handle(), only_reading, nullptr);
  }
  return *reader_;
}

}  // namespace reg::store
