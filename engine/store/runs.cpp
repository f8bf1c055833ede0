#include "engine/store/runs.h"

#include <fcntl.h>

#include <filesystem>

#include "engine/base/ids.h"
#include "engine/base/text.h"
#include "engine/store/schema.h"

namespace reg::store {
namespace {

using results::Lines;
using results::Run;

// The runs of a store as it is at this moment.
class StoredLines : public Lines {
 public:
  explicit StoredLines(const std::string& path) : database_(path, Access::read) {
    check_schema(database_, path);
    database_.run("PRAGMA cache_size = -256");  // KiB: no page is read twice
    database_.run("BEGIN");
    rows_.emplace(database_.handle(), "SELECT run, line FROM suite_runs ORDER BY run");
  }

  bool next(std::string_view& line) override {
    if (!rows_->step()) return false;
    line = rows_->text(1);
    return true;
  }
  std::size_t number() const override { return static_cast<std::size_t>(rows_->integer(0)); }

 private:
  Database database_;
  std::optional<Statement> rows_;
};

std::unique_ptr<Lines> open_store_lines(const std::string& path) {
  open_file(path, O_RDONLY);  // or says why not
  check_is_store(path);
  // Who opens it to write takes back what a killed engine did when it made the store, and brings an older one up to
  // date.
  const bool cut_off = std::filesystem::exists(std::filesystem::canonical(path).string() + "-journal");
  try {
    if ((cut_off || is_older(path)) && !Store::try_open(path) && is_older(path))
      throw Error(ErrorKind::conflict, path + " is of an older version, and in use by " + Store::lock_holder(path),
                  "Wait for it to end.");
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::permission) throw;
    throw Error(error.kind(), "cannot bring an older store up to date: " + std::string(error.what()),
                "Do it once: regengine -e " + shell_words({"reg.store.open '" + path + "'"}));
  }
  return std::make_unique<StoredLines>(path);
}

void import_file(const std::string& path, RunWriter& writer, ImportedRuns& result) {
  results::FileLines lines(path);
  for (Run run; results::next_run(lines, run);) {
    if (!run.bad.empty())
      result.bad.push_back({path, run.line, run.bad, run.truncated});
    else
      ++(writer.add(run) ? result.imported : result.duplicates);
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

bool RunWriter::add(const Run& run) {
  constexpr std::size_t kHashDigits = 32;
  const std::string hash = sha256(results::without_blanks(run.text));
  std::optional<std::string> plain;
  if (!run.standard) plain = results::standard_json(run.text, {"null", "9e999", "-9e999"});
  insert_.bind(1, run.text).bind(2, std::string_view(hash).substr(0, kHashDigits));
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
    if (text.size() > kPiece) file.write(std::exchange(text, {}));
  }
  file.write(text);
  file.finish();
  return count;
}

}  // namespace reg::store
