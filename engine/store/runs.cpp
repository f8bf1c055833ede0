#include "engine/store/runs.h"

#include <fcntl.h>

#include <filesystem>

#include "engine/base/ids.h"
#include "engine/store/schema.h"

namespace reg::store {
namespace {

using results::Lines;
using results::Run;

// A connection that reads the store as it is at this moment.
std::unique_ptr<Database> connected(const std::string& path) {
  auto database = std::make_unique<Database>(path, Database::Mode::store_read_only);
  check_schema(*database, path);
  database->run("PRAGMA cache_size = -256");  // KiB: no page is read twice
  database->run("BEGIN");
  return database;
}

// The runs of a store, read with a connection of their own. One of an older engine is read as it is.
class StoredLines : public Lines {
 public:
  explicit StoredLines(const std::string& path) : database_(connected(path)) {
    const std::int64_t version = database_->integer("PRAGMA user_version");
    if (version >= kBlocksSince && version < kLinesSince)
      old_ = old_runs(*database_);
    else
      rows_ = std::make_unique<Statement>(database_->handle(), version < kBlocksSince
                                                                   ? "SELECT 0, '' LIMIT 0"
                                                                   : "SELECT run, line FROM suite_runs ORDER BY run");
  }

  bool next(std::string_view& line) override {
    if (old_) return old_->next(line);
    if (!rows_->step()) return false;
    line = rows_->text(1);
    return true;
  }
  std::size_t number() const override { return old_ ? old_->number() : static_cast<std::size_t>(rows_->integer(0)); }

 private:
  std::unique_ptr<Database> database_;
  std::unique_ptr<Statement> rows_;
  std::unique_ptr<Lines> old_;
};

std::unique_ptr<Lines> open_store_lines(const std::string& path) {
  open_file(path, O_RDONLY);  // or says why not
  check_is_store(path);
  // Its engine was killed when it made the store, or is making it: who opens it to write takes that back.
  if (std::filesystem::exists(std::filesystem::canonical(path).string() + "-journal")) Store::try_open(path);
  return std::make_unique<StoredLines>(path);
}

void import_file(const std::string& path, RunWriter& writer, ImportedRuns& result) {
  results::FileLines lines(path);
  for (std::string_view line; lines.next(line);) {
    if (results::is_blank(line)) continue;
    const Run run = results::run_of(line);
    if (!run.bad.empty())
      result.bad.push_back({path, lines.number(), run.bad, run.truncated && lines.cut_off()});
    else
      ++(writer.add(line, run) ? result.imported : result.duplicates);
  }
}

}  // namespace

std::unique_ptr<Lines> open_results(const std::string& path) {
  if (!sqlite_header(path).empty()) return open_store_lines(path);
  return std::make_unique<results::FileLines>(path);
}

RunWriter::RunWriter(Database& database)
    : database_(database),
      insert_(database.handle(), "INSERT OR IGNORE INTO suite_runs(line, hash, timestamp, plain) VALUES(?, ?, ?, ?)") {}

bool RunWriter::add(std::string_view line, const Run& run) {
  constexpr std::size_t kHashDigits = 32;
  insert_.bind(1, line).bind(2, std::string_view(sha256(results::without_blanks(line))).substr(0, kHashDigits));
  std::optional<std::string> plain;
  if (!run.standard) plain = results::standard_json(line, {"null", "9e999", "-9e999"});
  insert_.bind(3, run.seconds()).bind(4, plain).run();
  return database_.changes() > 0;
}

ImportedRuns import_runs(Store& store, const std::vector<std::string>& files) {
  Database& database = store.writer();
  ImportedRuns result;
  database.run("PRAGMA synchronous = FULL");  // so that it outlives a power cut
  {
    Transaction transaction(database);
    RunWriter writer(database);
    for (const std::string& file : files) import_file(file, writer, result);
    transaction.commit();
  }
  database.run("PRAGMA synchronous = NORMAL");
  return result;
}

std::int64_t export_runs(const std::string& store, const std::string& path) {
  constexpr std::size_t kPiece = std::size_t{1} << 20;
  const auto lines = open_store_lines(store);
  NewFile file(path);
  std::int64_t count = 0;
  std::string text;
  for (std::string_view line; lines->next(line); ++count) {
    text.append(line).append("\n");
    if (text.size() < kPiece) continue;
    file.write(text);
    text.clear();
  }
  file.write(text);
  file.finish();
  return count;
}

}  // namespace reg::store
