#include "engine/store/runs.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <future>
#include <thread>

#include "engine/base/error.h"
#include "engine/base/file.h"
#include "engine/base/ids.h"
#include "engine/store/old_runs.h"
#include "engine/store/schema.h"

namespace reg::store {
namespace {

using results::Complaint;
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

// The runs of a store behind the number `after`, up to `last`.
class StoredLines : public Lines {
 public:
  StoredLines(Database& database, std::int64_t after, std::int64_t last)
      : rows_(database.handle(), "SELECT run, line FROM suite_runs WHERE run > ? AND run <= ? ORDER BY run") {
    rows_.bind(1, after).bind(2, last);
  }

  bool next(std::string_view& line) override {
    if (!rows_.step()) return false;
    line = rows_.text(1);
    return true;
  }
  std::size_t number() const override { return static_cast<std::size_t>(rows_.integer(0)); }

 private:
  Statement rows_;
};

// What a store holds that is too old for results.
class NoLines : public Lines {
 public:
  bool next(std::string_view&) override { return false; }
  std::size_t number() const override { return 0; }
};

// Lines of a store, with a connection of their own. One of an older engine is read as it is.
class Connected : public Lines {
 public:
  explicit Connected(const std::string& path, std::int64_t after = 0, std::int64_t last = INT64_MAX)
      : database_(connected(path)), lines_(lines_of(*database_, after, last)) {}
  bool next(std::string_view& line) override { return lines_->next(line); }
  std::size_t number() const override { return lines_->number(); }

 private:
  std::unique_ptr<Database> database_;
  std::unique_ptr<Lines> lines_;
};

class FileLines : public Lines {
 public:
  FileLines(const std::string& path, std::uint64_t begin, std::uint64_t end)
      : file_(open_file(path, O_RDONLY)), lines_(file_.get(), path, begin, end) {}
  bool next(std::string_view& line) override { return lines_.next(line); }
  std::size_t number() const override { return lines_.number(); }
  bool cut_off() const override { return lines_.cut_off(); }

 private:
  Fd file_;
  results::LineReader lines_;
};

bool is_database(const std::string& path) {
  constexpr std::string_view kMagic{"SQLite format 3\0", 16};
  std::string header(kMagic.size(), '\0');
  const Fd file = open_file(path, O_RDONLY);
  return ::read(file.get(), header.data(), header.size()) == static_cast<ssize_t>(header.size()) && header == kMagic;
}

// The version of a store of which nothing is known yet; throws if it is none.
std::int64_t version_of(const std::string& path) {
  open_file(path, O_RDONLY);  // or says why not
  check_is_store(path);
  // Its engine was killed when it made the store, or is making it: who opens it to write takes that back.
  if (std::filesystem::exists(std::filesystem::canonical(path).string() + "-journal")) Store::try_open(path);
  return connected(path)->integer("PRAGMA user_version");
}

using Opener = std::function<std::unique_ptr<Lines>()>;

// What is `size` long in about as many parts as there are cores, none of them small.
template <class Open>
std::vector<Opener> divided(std::int64_t size, std::int64_t smallest, const Open& open) {
  const std::int64_t cores = std::max(1U, std::thread::hardware_concurrency());
  const std::int64_t count = std::clamp<std::int64_t>(size / smallest, 1, cores);
  std::vector<Opener> parts;
  for (std::int64_t k = 0; k < count; ++k) {
    const std::int64_t begin = size / count * k, end = k + 1 < count ? size / count * (k + 1) : INT64_MAX;
    parts.emplace_back([=] { return open(begin, end); });
  }
  return parts;
}

// Parts of a file or a store that can be read at the same time, each by its own thread.
std::vector<Opener> parts_of(const std::string& path) {
  constexpr std::int64_t kSmallestPart = 4 << 20, kFewestRuns = 4096;
  if (!is_database(path)) {
    const Fd file = open_file(path, O_RDONLY);
    struct stat info {};
    ::fstat(file.get(), &info);
    return divided(info.st_size, kSmallestPart, [path](std::int64_t begin, std::int64_t end) {
      return std::make_unique<FileLines>(path, static_cast<std::uint64_t>(begin), static_cast<std::uint64_t>(end));
    });
  }
  if (version_of(path) < kLinesSince) return {[path] { return std::make_unique<Connected>(path); }};
  const std::int64_t runs = connected(path)->integer("SELECT max(run) FROM suite_runs");
  return divided(runs, kFewestRuns, [path](std::int64_t begin, std::int64_t end) {
    return std::make_unique<Connected>(path, begin, end);
  });
}

// What one thread made of a part.
struct Part {
  results::Points points;
  std::vector<Complaint> bad;
  std::size_t records = 0, last_line = 0;
};

Part read_part(const Opener& open, const results::Query& query) {
  Part part;
  const auto lines = open();
  results::Collector collector(query);
  for (Run run; next_run(*lines, run);) {
    if (run.bad.empty() && !run.seconds()) run.bad = "it has no timestamp";
    if (!run.bad.empty()) {
      part.bad.push_back({run.line, run.bad, run.truncated});
      continue;
    }
    ++part.records;
    collector.add(run);
  }
  part.points = collector.take();
  part.last_line = lines->number();
  return part;
}

void import_file(const std::string& path, RunWriter& writer, ImportedRuns& result) {
  FileLines lines(path, 0, INT64_MAX);
  for (std::string_view line; lines.next(line);) {
    if (results::is_blank(line)) continue;
    const Run run = results::run_of(line);
    if (!run.bad.empty())
      result.bad.emplace_back(path, Complaint{lines.number(), run.bad, run.truncated && lines.cut_off()});
    else
      ++(writer.add(line, run) ? result.imported : result.duplicates);
  }
}

}  // namespace

results::Reading read_speedups(const std::vector<std::string>& paths, const results::Query& query) {
  results::Reading reading;
  results::Aggregate aggregate(query);
  for (const std::string& path : paths) {
    const bool numbered_by_part = !is_database(path);
    std::vector<std::future<Part>> parts;
    for (const Opener& open : parts_of(path))
      parts.push_back(std::async(std::launch::async, read_part, open, std::cref(query)));
    std::size_t lines_before = 0;
    for (std::future<Part>& read : parts) {
      Part part = read.get();
      aggregate.add(std::move(part.points));
      for (Complaint& complaint : part.bad) {
        complaint.line += lines_before;
        reading.bad.emplace_back(path, std::move(complaint));
      }
      if (numbered_by_part) lines_before += part.last_line;
      reading.records += part.records;
    }
  }
  reading.moments = aggregate.moments();
  return reading;
}

std::unique_ptr<Lines> lines_of(Database& database, std::int64_t after, std::int64_t last) {
  const std::int64_t version = database.integer("PRAGMA user_version");
  if (version >= kLinesSince) return std::make_unique<StoredLines>(database, after, last);
  if (version >= kBlocksSince) return std::make_unique<OldRuns>(database);
  return std::make_unique<NoLines>();
}

std::unique_ptr<Lines> open_results(const std::string& path) {
  if (!is_database(path)) return std::make_unique<FileLines>(path, 0, INT64_MAX);
  version_of(path);
  return std::make_unique<Connected>(path);
}

RunWriter::RunWriter(Database& database)
    : database_(database),
      insert_(database.handle(), "INSERT OR IGNORE INTO suite_runs(line, hash, timestamp, plain) VALUES(?, ?, ?, ?)") {}

bool RunWriter::add(std::string_view line, const Run& run) {
  constexpr std::size_t kHashDigits = 32;
  insert_.bind(1, line).bind(2, std::string_view(sha256(results::without_blanks(line))).substr(0, kHashDigits));
  if (const auto seconds = run.seconds())
    insert_.bind(3, *seconds);
  else
    insert_.bind_null(3);
  if (run.standard)
    insert_.bind_null(4);
  else
    insert_.bind(4, std::string_view(results::standard_json(line, "null", "9e999")));
  insert_.run();
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
  version_of(store);
  Connected lines(store);
  NewFile file(path);
  std::int64_t count = 0;
  std::string text;
  for (std::string_view line; lines.next(line); ++count) {
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
