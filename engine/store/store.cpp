#include "engine/store/store.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sqlite3.h>
#include <sys/file.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <ctime>
#include <filesystem>

#include "engine/base/ids.h"
#include "engine/base/text.h"
#include "engine/store/sqlite.h"

namespace reg::store {
namespace {

constexpr std::string_view kStatuses =
    "ok build_failed test_failed crashed timeout oom not_finite skipped interrupted set_aside";

void check_status(const std::string& status) {
  if (!is_status(status))
    throw Error(ErrorKind::usage, "not a status of a trial: '" + status + "'",
                "Valid ones: " + join(words(kStatuses), ", "));
}

// The stores this process has open: a script and the stdlib may name the same file.
std::map<std::pair<std::string, Access>, std::weak_ptr<Store>> open_stores;

// nullptr unless this process has the store open. One that is open to write can be read, too.
std::shared_ptr<Store> find_open(const std::string& whole, Access access) {
  if (auto store = open_stores[{whole, access}].lock()) return store;
  return access == Access::read ? find_open(whole, Access::write) : nullptr;
}

double seconds_of(clockid_t clock) {
  timespec now{};
  ::clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// The wall clock as it was when the engine began, and how long that is ago, by a clock that nobody sets: what took how
// long and what came first stay true where somebody corrects the wall clock.
double wall_clock() {
  static const double began = seconds_of(CLOCK_REALTIME) - seconds_of(CLOCK_BOOTTIME);
  return began + seconds_of(CLOCK_BOOTTIME);
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

// Writes into the lock who holds it.
void sign(const Fd& lock, const std::string& path) {
  if (::ftruncate(lock.get(), 0) != 0 || ::lseek(lock.get(), 0, SEEK_SET) != 0)
    throw system_error(path + ".lock", errno);
  write_all(lock.get(), fmt::format("pid {} on {}", ::getpid(), host_name()), path + ".lock");
}

void check_folder_of(const std::string& path) {
  const std::string folder = std::filesystem::path(path).parent_path();
  if (!folder.empty() && !std::filesystem::exists(folder))
    throw Error(ErrorKind::not_found, "store '" + path + "': the folder '" + folder + "' does not exist",
                "Create it first, or name a store in a folder that exists.");
}

std::string list_file() { return state_folder() + "/investigations"; }

std::string hash_of(const Answer& answer) {
  return sha256(sha256(answer.name) + sha256(answer.options) + sha256(answer.facts) + sha256(answer.verdict));
}

}  // namespace

bool is_status(const std::string& status) { return has_word(kStatuses, status); }

std::shared_ptr<Store> Store::try_open(const std::string& named, Access access) {
  const std::string path = resolved(named);
  const std::string whole = std::filesystem::weakly_canonical(std::filesystem::absolute(path));
  if (auto open = find_open(whole, access)) return open;
  // It opens and closes the file, and so would drop the locks of a connection of this process.
  if (!find_open(whole, Access::read)) check_is_store(path);
  Fd lock;
  if (access == Access::write) {
    check_folder_of(path);
    lock = open_file(path + ".lock", O_RDWR | O_CREAT | O_NOFOLLOW);
    if (::flock(lock.get(), LOCK_EX | LOCK_NB) != 0) return nullptr;
    sign(lock, path);
  }
  std::shared_ptr<Store> store(new Store(path, std::move(lock)));
  open_stores[{whole, access}] = store;
  return store;
}

std::string Store::lock_holder(const std::string& path) {
  const std::string holder = read_file_if_there(resolved(path) + ".lock").value_or("");
  return holder.empty() ? "another program" : holder;
}

bool Store::is_written() const {
  if (lock_) return true;
  const Fd lock(::open((path_ + ".lock").c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  return lock && ::flock(lock.get(), LOCK_SH | LOCK_NB) != 0;
}

Store::Store(std::string path, Fd lock)
    : path_(std::move(path)), lock_(std::move(lock)), database_(path_, lock_ ? Access::write : Access::read) {
  if (!lock_) {
    if (check_schema(database_, path_) == 0)
      throw Error(ErrorKind::not_found, "the store is empty: " + path_, "Choose another file with --store.");
    return;
  }
  migrate(database_, path_);
  // In WAL mode a commit survives kill -9 as it is; `finish` makes it survive a power cut too. It needs memory that all
  // readers share, which machines that share a folder do not have.
  const bool shared = is_network_file_system(path_);
  database_.run(shared ? "PRAGMA journal_mode = DELETE" : "PRAGMA journal_mode = WAL");
  database_.run("PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON");
  database_.run("UPDATE trials SET status = 'interrupted' WHERE status = 'running'");
  for (const char* ending : {"", "-wal", ".lock"})
    if (!shared || ending != std::string_view("-wal")) place_.watch(path_ + ending);
}

void Store::check_can_write(int ended) {
  if (!lock_) throw Error(ErrorKind::usage, path_ + " was opened to read it only", "Open it without `read_only`.");
  const Place::Lost lost = place_.lost();
  if (lost.path.empty()) return;
  const char* what = !lost.where.empty() ? "moved" : lost.other ? "replaced" : "deleted";
  const std::string message = fmt::format("the store was {} while this run used it: {}", what, lost.path);
  if (lost.path == path_ && lost.where.empty()) {
    const std::int64_t count =
        ended + database_.integer("SELECT count(*) FROM trials WHERE status NOT IN ('running', 'interrupted')");
    throw Error(ErrorKind::conflict, message,
                fmt::format("{} finished trial{} lost. Run the same command to start again.", count,
                            count == 1 ? " is" : "s are"));
  }
  const std::string back =
      lost.where.empty() ? "Run" : "Move " + lost.where + " back, with the files beside it, and run";
  throw Error(ErrorKind::conflict, message,
              (ended > 0 ? "The trial that just ended is lost. " : "") + back + " the same command to continue.");
}

std::int64_t Store::begin(const NewInvestigation& investigation) {
  check_can_write(0);
  const std::string hash = sha256(investigation.text);
  const std::int64_t unfinished = database_.integer(
      "SELECT id FROM investigations WHERE ended IS NULL AND name = ? AND script_sha256 = ? AND options = ? "
      "ORDER BY id DESC LIMIT 1",
      investigation.name, hash, investigation.options_json);
  return unfinished != 0 ? unfinished : insert(investigation, hash);
}

std::int64_t Store::insert(const NewInvestigation& investigation, const std::string& hash) {
  utsname system{};
  ::uname(&system);
  database_.run(
      "INSERT INTO investigations(name, script, script_text, script_sha256, options, engine, host, kernel, cpu, "
      "facts, started) VALUES(?,?,?,?,?,?,?,?,?,?,?)",
      investigation.name, investigation.script, investigation.text, hash, investigation.options_json, version(),
      host_name(), std::string(system.sysname) + " " + system.release, cpu_model(), investigation.facts_json,
      wall_clock());
  return database_.last_id();
}

void Store::finish_investigation(std::int64_t id, const std::string& verdict_json) {
  check_can_write(0);
  // One that an earlier engine began may have begun by a clock that was ahead.
  database_.run("UPDATE investigations SET ended = max(?, started), verdict = ? WHERE id = ?", wall_clock(),
                verdict_json, id);
  if (database_.changes() == 0) fail_missing("investigation", id);
}

void Store::fail_missing(const char* noun, std::int64_t id) const {
  throw Error(ErrorKind::not_found, fmt::format("{} has no {} {}", path_, noun, id));
}

std::int64_t Store::subject_id(const std::string& name, const std::string& kind) {
  database_.run("INSERT OR IGNORE INTO subjects(name, kind) VALUES(?, ?)", name, kind);
  return database_.integer("SELECT id FROM subjects WHERE name = ? AND kind = ?", name, kind);
}

Trial Store::start(Trial trial) {
  check_can_write(0);
  trial.uid = random_id();
  trial.started = wall_clock();
  trial.result.status = "running";
  Transaction transaction(database_);
  if (database_.integer("SELECT count(*) FROM investigations WHERE id = ?", trial.investigation) == 0)
    fail_missing("investigation", trial.investigation);
  database_.run(
      "INSERT INTO trials(uid, investigation, subject, key, status, config, command, env, info, started) "
      "VALUES(?, ?, ?, ?, 'running', ?, '[]', '{}', '{}', ?)",
      trial.uid, trial.investigation, subject_id(trial.subject, trial.kind), trial.key, trial.config_json,
      trial.started);
  trial.id = database_.last_id();
  const std::string name = fmt::format("{}-{}", as_file_name(trial.subject), trial.id);
  database_.run("UPDATE trials SET folder = ? WHERE id = ?", name, trial.id);
  trial.folder = path_ + ".out/" + name;
  make_output(trial.folder);
  transaction.commit();
  return trial;
}

void Store::put_samples(std::int64_t trial, const Samples& samples) {
  Statement insert(database_.handle(), "INSERT INTO samples(trial, metric, n, value) VALUES(?, ?, ?, ?)");
  for (const auto& [metric, values] : samples) {
    std::int64_t n =
        database_.integer("SELECT coalesce(max(n) + 1, 0) FROM samples WHERE trial = ? AND metric = ?", trial, metric);
    for (const double value : values) {
      if (!std::isfinite(value))
        throw Error(ErrorKind::usage, fmt::format("metric '{}' has a value that is not finite", metric));
      insert.bind(1, trial).bind(2, metric).bind(3, n++).bind(4, value).run();
    }
  }
}

void Store::finish(std::int64_t trial, const Result& result) {
  check_can_write(1);
  check_status(result.status);
  // FULL for this one commit: it syncs the log, so that a finished trial outlives a power cut.
  database_.run("PRAGMA synchronous = FULL");
  Transaction transaction(database_);
  database_.run(
      "UPDATE trials SET status = ?, message = ?, command = ?, env = ?, info = ?, ended = max(?, started), "
      "wall_s = ?, user_s = ?, sys_s = ?, peak_bytes = ? WHERE id = ? AND status = 'running'",
      result.status, result.message, result.command_json, result.env_json, result.info_json, wall_clock(),
      result.wall_s, result.user_s, result.sys_s, result.peak_bytes, trial);
  if (database_.changes() == 0) {
    if (!key_of(trial)) fail_missing("trial", trial);
    throw Error(ErrorKind::conflict, fmt::format("{}: trial {} has ended already", path_, trial),
                "start another trial of the same key");
  }
  put_samples(trial, result.samples);
  transaction.commit();
  database_.run("PRAGMA synchronous = NORMAL");
}

void Store::set_aside(std::int64_t trial, const std::string& why) {
  check_can_write(0);
  database_.run("UPDATE trials SET status = 'set_aside', message = ? WHERE id = ? AND status != 'running'", why, trial);
  if (database_.changes() == 0) fail_missing("ended trial", trial);
}

void Store::add_samples(std::int64_t trial, const std::string& metric, const std::vector<double>& values) {
  check_can_write(0);
  Transaction transaction(database_);
  if (!key_of(trial)) fail_missing("trial", trial);
  put_samples(trial, {{metric, values}});
  transaction.commit();
}

std::optional<std::string> Store::key_of(std::int64_t trial) {
  Statement row(database_.handle(), "SELECT key FROM trials WHERE id = ?", trial);
  if (!row.step()) return std::nullopt;
  return std::string(row.text(0));
}

std::vector<Output> Store::output(std::int64_t trial, std::size_t keep_bytes) {
  Statement row(database_.handle(), "SELECT coalesce(folder, '') FROM trials WHERE id = ?", trial);
  if (!row.step()) fail_missing("trial", trial);
  return read_output(path_, std::string(row.text(0)), keep_bytes);
}

bool Store::add(const Trial& trial, const std::string& investigation_json) {
  check_can_write(0);
  check_status(trial.result.status);
  Transaction transaction(database_);
  if (database_.integer("SELECT 1 FROM trials WHERE uid = ?", trial.uid) != 0) return false;
  NewInvestigation imported;
  imported.name = "imported";
  imported.facts_json = investigation_json;
  std::int64_t investigation =
      database_.integer("SELECT id FROM investigations WHERE name = 'imported' AND facts = ?", investigation_json);
  if (investigation == 0) investigation = insert(imported, sha256(""));
  const Result& r = trial.result;
  database_.run(
      "INSERT INTO trials(uid, investigation, subject, key, status, message, config, command, env, info, started, "
      "ended, wall_s, user_s, sys_s, peak_bytes) VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
      trial.uid, investigation, subject_id(trial.subject, trial.kind), trial.key, r.status, r.message,
      trial.config_json, r.command_json, r.env_json, r.info_json, trial.started, trial.ended, r.wall_s, r.user_s,
      r.sys_s, r.peak_bytes);
  put_samples(database_.last_id(), r.samples);
  transaction.commit();
  return true;
}

Database& Store::reader() {
  if (!reader_) {
    reader_ = std::make_unique<Database>(path_, Access::read);
    check_schema(*reader_, path_);
    reader_->run("PRAGMA temp_store = MEMORY");  // what is sorted counts as memory and fills no disk
    confine(reader_->handle(), May::read);
    // The views are ours, check_schema() says. Before 3.41, SQLite calls JSON functions in untrusted views unsafe.
    sqlite3_db_config(reader_->handle(), SQLITE_DBCONFIG_TRUSTED_SCHEMA, 1, nullptr);
  }
  return *reader_;
}

void remember(Store& store, std::int64_t investigation) {
  Statement row(store.writer().handle(), "SELECT name, options, facts, verdict FROM investigations WHERE id = ?",
                investigation);
  if (!row.step()) return;
  const auto text = [&row](int column) { return std::string(row.text(column)); };
  try_to([&] {
    const Fd file = open_private(list_file(), O_WRONLY | O_CREAT | O_APPEND);
    write_all(file.get(), hash_of({text(0), text(1), text(2), text(3)}) + "\n", list_file());
  });
}

bool is_remembered(const Answer& answer) {
  std::string text;
  try_to([&] {
    const Fd file = open_private(list_file(), O_RDONLY);
    check_only_own(file, list_file());
    text = read_all(file, list_file());
  });
  return std::ranges::count(lines(text), hash_of(answer)) > 0;
}

}  // namespace reg::store
