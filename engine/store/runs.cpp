#include "engine/store/runs.h"

#include <fcntl.h>

#include <filesystem>

#include "engine/base/ids.h"
#include "engine/base/text.h"
#include "engine/store/sqlite.h"

namespace reg::store {
namespace {

using results::Line;
using results::Lines;
using results::Run;

// The runs of a store as it is at this moment.
Lines stored_lines(const std::string& path) {
  const auto database = std::make_shared<Database>(path, Access::read);
  check_schema(*database, path);
  database->run("PRAGMA cache_size = -256");  // KiB: no page is read twice
  database->run("BEGIN");
  const auto rows = std::make_shared<Statement>(database->handle(), "SELECT run, line FROM suite_runs ORDER BY run");
  return [database, rows](Line& line) {
    if (!rows->step()) return false;
    line = {rows->text(1), static_cast<std::size_t>(rows->integer(0))};
    return true;
  };
}

Lines open_store_lines(const std::string& path) {
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
  return stored_lines(path);
}

void import_file(const std::string& path, RunWriter& writer, ImportedRuns& result) {
  const Lines lines = results::file_lines(path);
  for (Run run; results::next_run(lines, run);) {
    if (!run.bad.empty())
      result.bad.push_back({path, run.line, run.bad, run.truncated});
    else
      ++(writer.add(run) ? result.imported : result.duplicates);
  }
}

}  // namespace

Lines open_results(const std::string& path) {
  return sqlite_header(path).empty() ? results::file_lines(path) : open_store_lines(path);
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
  const Lines lines = open_store_lines(store);
  NewFile file(path);
  std::int64_t count = 0;
  std::string text;
  for (Line line; lines(line); ++count) {
    text.append(line.text).append("\n");
    if (text.size() > kPiece) file.write(std::exchange(text, {}));
  }
  file.write(text);
  file.finish();
  return count;
}

}  // namespace reg::store
