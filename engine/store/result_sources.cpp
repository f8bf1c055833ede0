#include "engine/store/result_sources.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <future>
#include <thread>

#include "engine/base/error.h"
#include "engine/base/file.h"
#include "engine/store/runs.h"
#include "engine/store/schema.h"
#include "engine/store/stored_runs.h"

namespace reg::store {
namespace {

constexpr std::int64_t kRunsSince = 2;  // the store's version

// A connection that reads the store as it is at this moment; nothing where it is too old to hold runs.
std::unique_ptr<Database> connected(const std::string& path) {
  auto database = std::make_unique<Database>(path, Database::Mode::store_read_only);
  if (check_schema(*database, path) < kRunsSince) return nullptr;
  database->run("PRAGMA cache_size = -256");  // KiB: no page is read twice
  database->run("BEGIN");
  return database;
}

// The same for a store of which nothing is known yet. Not for several threads at once.
std::unique_ptr<Database> opened(const std::string& path) {
  open_file(path, O_RDONLY);  // or says why not
  check_is_store(path);
  // The first import of a store was killed, or is under way: who opens it to write takes back what is there of it.
  if (std::filesystem::exists(std::filesystem::canonical(path).string() + "-journal")) Store::try_open(path);
  return connected(path);
}

class StoredRunSource : public results::RunSource {
 public:
  explicit StoredRunSource(const std::string& path) : database_(opened(path)) {
    if (database_) rows_ = std::make_unique<StoredRuns>(database_->handle());
  }

  bool next(results::Run& run) override {
    if (!rows_ || !rows_->next()) return false;
    run = results::run_of(rows_->shape(), rows_->pieces());
    run.line = static_cast<std::size_t>(rows_->id());
    return true;
  }

 private:
  std::unique_ptr<Database> database_;
  std::unique_ptr<StoredRuns> rows_;
};

bool is_database(const std::string& path) {
  constexpr std::string_view kMagic{"SQLite format 3\0", 16};
  std::string header(kMagic.size(), '\0');
  const Fd file = open_file(path, O_RDONLY);
  return ::read(file.get(), header.data(), header.size()) == static_cast<ssize_t>(header.size()) && header == kMagic;
}

// What one thread made of a part of a store.
struct Part {
  results::Points points;
  std::vector<results::Complaint> bad;
  std::size_t records = 0;
};

// The times of the one metric that is asked for, out of each block.
class MetricReader {
 public:
  MetricReader(Database& database, const results::Query& query)
      : texts_(database.handle()),
        collector_(query, texts_.texts()),
        metric_(query.metric),
        blocks_(database.handle(),
                std::string("SELECT b.first, b.heads, n.") +
                    (query.selection == results::Selection::exec ? "exec" : "compile") +
                    " FROM run_blocks b LEFT JOIN run_numbers n ON n.block = b.first AND n.metric = ? "
                    "WHERE b.first > ? AND b.first <= ? ORDER BY b.first") {
    blocks_.bind(1, query.metric);
  }

  // The blocks whose first run is behind `after`, up to `last`.
  Part read(const std::string& path, std::int64_t after, std::int64_t last) {
    Part part;
    blocks_.bind(2, after).bind(3, last);
    while (blocks_.step()) {
      const Items<RunHead> heads(blocks_.text(1));
      const Items<results::Datapoint> times(blocks_.text(2));
      std::size_t at = 0;
      for (std::size_t k = 0; k < heads.size(); ++k) {
        const RunHead head = heads[k];
        results::Datapoint time;
        if (has_metric(texts_[head.shape])) {
          if (at == times.size()) throw Error(ErrorKind::corrupt, path + ": times of a run are missing");
          time = times[at++];
        }
        if (std::isnan(head.timestamp)) {
          part.bad.push_back({static_cast<std::size_t>(blocks_.integer(0)) + k, results::kNoTimestamp});
          continue;
        }
        ++part.records;
        if (time.average > 0) collector_.add_time(head.timestamp, texts_[head.model], texts_[head.experiment], time);
      }
    }
    part.points = collector_.take();
    return part;
  }

 private:
  bool has_metric(std::uint32_t shape) {
    if (has_metric_.size() <= shape) has_metric_.resize(shape + 1);
    std::optional<bool>& answer = has_metric_[shape];
    if (!answer) {
      const std::vector<Stretch> stretches = stretches_of(results::Shape(texts_.texts()[shape]));
      answer =
          std::any_of(stretches.begin(), stretches.end(), [&](const Stretch& one) { return one.column == metric_; });
    }
    return *answer;
  }

  StoredTexts texts_;
  results::Collector collector_;
  Column metric_;
  Statement blocks_;
  std::vector<std::optional<bool>> has_metric_;  // by shape
};

Part read_part(const std::string& path, const results::Query& query, std::int64_t after, std::int64_t last) {
  const auto database = connected(path);
  return database ? MetricReader(*database, query).read(path, after, last) : Part();
}

// On as many threads as there are cores, each with its own connection. Runs are only ever added, so that parts of
// which one sees an import that the other was too early for are those of the later store.
void read_store(const std::string& path, const results::Query& query, results::Aggregate& aggregate,
                results::Reading& reading) {
  constexpr std::int64_t kSmallestPart = 131072;
  const auto database = opened(path);
  if (!database) return;
  const std::int64_t runs = database->integer("SELECT max(first) FROM run_blocks");
  const std::int64_t cores = std::max(1U, std::thread::hardware_concurrency());
  const std::int64_t count = std::clamp<std::int64_t>(runs / kSmallestPart, 1, cores);
  std::vector<std::future<Part>> others;
  for (std::int64_t k = 1; k < count; ++k)
    others.push_back(std::async(std::launch::async, read_part, std::cref(path), std::cref(query), runs * k / count,
                                k + 1 < count ? runs * (k + 1) / count : INT64_MAX));
  const auto take = [&](Part&& part) {
    aggregate.add(std::move(part.points));
    reading.records += part.records;
    for (results::Complaint& complaint : part.bad) reading.bad.emplace_back(path, std::move(complaint));
  };
  take(MetricReader(*database, query).read(path, 0, count > 1 ? runs / count : INT64_MAX));
  for (std::future<Part>& other : others) take(other.get());
}

}  // namespace

results::Reading read_speedups(const std::vector<std::string>& paths, const results::Query& query) {
  results::Reading reading;
  results::Aggregate aggregate(query);
  for (const std::string& path : paths) {
    if (is_database(path)) {
      read_store(path, query, aggregate, reading);
    } else {
      results::read_speedups(path, query, aggregate, reading);
    }
  }
  reading.moments = aggregate.moments();
  return reading;
}

std::unique_ptr<results::RunSource> open_runs(const std::string& path) {
  if (is_database(path)) return std::make_unique<StoredRunSource>(path);
  return std::make_unique<results::RunReader>(path);
}

std::int64_t export_runs(const std::string& store, const std::string& path) {
  constexpr std::size_t kPiece = std::size_t{1} << 20;
  const auto database = opened(store);
  std::int64_t count = 0;
  std::string text;
  NewFile file(path);
  if (database)
    for (StoredRuns rows(database->handle()); rows.next(); ++count) {
      text += results::spaced(rows.record());
      text += '\n';
      if (text.size() < kPiece) continue;
      file.write(text);
      text.clear();
    }
  file.write(text);
  file.finish();
  return count;
}

}  // namespace reg::store
