#include <fcntl.h>
#include <sqlite3.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <deque>
#include <future>
#include <limits>
#include <set>
#include <thread>
#include <unordered_map>

#include "engine/base/error.h"
#include "engine/results/shape.h"
#include "engine/results/speedups.h"
#include "engine/store/number_text.h"
#include "engine/store/run_block.h"
#include "engine/store/runs.h"

namespace reg::store {
namespace {

using results::Complaint;
using results::Datapoint;
using results::LineReader;
using results::LongHash;
using results::Record;
using results::Texts;

constexpr std::uint64_t kPart = std::uint64_t{1} << 20;
constexpr std::size_t kBlock = 1024;  // runs

// A record on its way; texts are ids of its batch, and the rest ends there in the batch's stretches.
struct Row {
  std::uint32_t model, experiment, shape;
  double timestamp;
  std::size_t numbers, words, spellings;
  LongHash hash;
};

// What a thread made of a part of a file.
struct Batch {
  Texts texts;
  std::vector<LongHash> text_hashes;
  std::vector<Row> rows;
  std::vector<double> numbers;
  std::string words, spellings;
  std::vector<Complaint> complaints;
  std::size_t lines = 0;

  void add(const Record& record, results::Shapes& shapes);
};

void Batch::add(const Record& record, results::Shapes& shapes) {
  const std::size_t first_number = numbers.size(), first_spelling = spellings.size();
  for (std::size_t at = 0; at < record.numbers.size(); ++at) {
    const ReadNumber number = read_number(record.numbers[at]);
    numbers.push_back(number.value);
    if (!number.as_written) spellings.append(std::to_string(at)).append(" ").append(record.numbers[at]).append(" ");
  }
  words += record.words;
  while (text_hashes.size() < texts.size())
    text_hashes.push_back(results::long_hash_of(texts[static_cast<std::uint32_t>(text_hashes.size())]));
  const std::array<LongHash, 3> parts{text_hashes[record.model], text_hashes[record.experiment],
                                      text_hashes[record.shape]};
  LongHash hash = results::long_hash_of({reinterpret_cast<const char*>(parts.data()), sizeof parts});
  hash = results::long_hash_of(bytes_of(numbers).substr(first_number * sizeof(double)), hash);
  hash = results::long_hash_of(record.words, hash);
  hash = results::long_hash_of(std::string_view(spellings).substr(first_spelling), hash);
  rows.push_back({record.model, record.experiment, record.shape,
                  timestamp_of(shapes[record.shape], record.numbers, record.words).value_or(std::nan("")),
                  numbers.size(), words.size(), spellings.size(), hash});
}

Batch read_batch(int fd, const std::string& path, std::uint64_t begin, std::uint64_t end) {
  Batch batch;
  LineReader lines(fd, path, begin, end);
  results::Shapes shapes(batch.texts);
  batch.complaints = read_records(lines, batch.texts, [&](const Record& record) { batch.add(record, shapes); });
  batch.lines = lines.count();
  return batch;
}

// Hashes, in one piece of memory: there is one a run.
class HashSet {
 public:
  // Whether it is new.
  bool insert(const LongHash& hash) {
    if (size_ * 2 >= slots_.size()) grow();
    LongHash& slot = slot_of(hash);
    if (slot == hash) return false;
    slot = hash;
    ++size_;
    return true;
  }

 private:
  LongHash& slot_of(const LongHash& hash) {
    std::size_t at = hash.low & (slots_.size() - 1);
    while (!(slots_[at] == kNone) && !(slots_[at] == hash)) at = (at + 1) & (slots_.size() - 1);
    return slots_[at];
  }

  void grow() {
    std::vector<LongHash> old(std::max<std::size_t>(4096, slots_.size() * 4));
    old.swap(slots_);
    for (const LongHash& hash : old)
      if (!(hash == kNone)) slot_of(hash) = hash;
  }

  static constexpr LongHash kNone{};  // no run has it: it is one of 2^128
  std::vector<LongHash> slots_;
  std::size_t size_ = 0;
};

// The rows of an import, within its transaction.
class Writer {
 public:
  explicit Writer(Database& database);

  void add(const Batch& batch, ImportedRuns& result);
  void flush();

 private:
  // What becomes of a shape's numbers.
  struct Copy {
    std::vector<double>* column;
    std::size_t begin, end;
  };
  struct Timing {
    ColumnBlock* column;
    std::vector<std::size_t> numbers;
  };
  struct Plan {
    std::vector<Copy> copies;
    std::vector<Timing> timings;  // one a metric
  };

  void take_last_block();
  std::uint32_t text_id(const std::string& text);
  const Plan& plan_for(std::uint32_t shape, const std::string& text);
  void add_numbers(const double* numbers, const Plan& plan);

  Database& database_;
  Statement find_text_, add_text_, add_block_, add_numbers_;
  std::unordered_map<std::string, std::uint32_t> texts_;
  std::unordered_map<std::uint32_t, Plan> plans_;  // by shape
  std::vector<double> values_;
  HashSet hashes_;
  RunBlock block_;  // its columns stay where they are
};

Writer::Writer(Database& database)
    : database_(database),
      find_text_(database.handle(), "SELECT id FROM texts WHERE text = ?"),
      add_text_(database.handle(), "INSERT INTO texts(text) VALUES(?)"),
      add_block_(database.handle(),
                 "INSERT INTO run_blocks(first, heads, words, spellings, hashes) VALUES(?, ?, ?, ?, ?)"),
      add_numbers_(database.handle(),
                   "INSERT INTO run_numbers(block, metric, exec, compile, numbers) VALUES(?, ?, ?, ?, ?)") {
  Statement rows(database.handle(), "SELECT hashes FROM run_blocks");
  while (rows.step())
    for (const LongHash& hash : list_of<LongHash>(rows.text(0))) hashes_.insert(hash);
  take_last_block();
}

// It is filled up: runs that come one by one would be as many blocks.
void Writer::take_last_block() {
  Statement last(database_.handle(),
                 "SELECT first, heads, words, spellings, hashes FROM run_blocks ORDER BY first DESC LIMIT 1");
  if (!last.step()) return;
  block_.first = last.integer(0);
  block_.heads = list_of<RunHead>(last.text(1));
  if (block_.heads.size() >= kBlock) {
    block_.first += static_cast<std::int64_t>(block_.heads.size());
    block_.heads.clear();
    return;
  }
  block_.words = last.text(2);
  block_.spellings = last.text(3);
  block_.hashes = list_of<LongHash>(last.text(4));
  last.reset();
  Statement columns(database_.handle(), "SELECT metric, exec, compile, numbers FROM run_numbers WHERE block = ?");
  columns.bind(1, block_.first);
  while (columns.step())
    block_.columns[columns.is_null(0) ? Column() : Column(columns.text(0))] = {
        list_of<double>(columns.text(3)), list_of<Datapoint>(columns.text(1)), list_of<Datapoint>(columns.text(2))};
  columns.reset();
  for (const char* table : {"run_blocks WHERE first", "run_numbers WHERE block"})
    Statement(database_.handle(), std::string("DELETE FROM ") + table + " = ?").bind(1, block_.first).run();
}

std::uint32_t Writer::text_id(const std::string& text) {
  const auto [entry, is_new] = texts_.try_emplace(text);
  if (!is_new) return entry->second;
  if (find_text_.bind(1, text).step()) {
    entry->second = static_cast<std::uint32_t>(find_text_.integer(0));
  } else {
    add_text_.bind(1, text).run();
    entry->second = static_cast<std::uint32_t>(database_.last_id());
  }
  find_text_.reset();
  return entry->second;
}

const Writer::Plan& Writer::plan_for(std::uint32_t shape, const std::string& text) {
  const auto [entry, is_new] = plans_.try_emplace(shape);
  Plan& plan = entry->second;
  if (!is_new) return plan;
  const results::Shape whole(text);
  std::set<Column> metrics;
  for (const Stretch& stretch : stretches_of(whole)) {
    ColumnBlock& column = block_.columns[stretch.column];
    plan.copies.push_back({&column.numbers, stretch.begin, stretch.end});
    if (stretch.column && metrics.insert(stretch.column).second)
      plan.timings.push_back({&column, results::numbers_for_time(whole, *stretch.column)});
  }
  return plan;
}

void Writer::add_numbers(const double* numbers, const Plan& plan) {
  constexpr Datapoint kNone{std::numeric_limits<double>::quiet_NaN(), 0};
  for (const Copy& copy : plan.copies)
    copy.column->insert(copy.column->end(), numbers + copy.begin, numbers + copy.end);
  for (const Timing& timing : plan.timings) {
    values_.clear();
    for (const std::size_t at : timing.numbers) values_.push_back(numbers[at]);
    timing.column->exec.push_back(time_of(values_, results::Selection::exec).value_or(kNone));
    timing.column->compile.push_back(time_of(values_, results::Selection::compile).value_or(kNone));
  }
}

void Writer::add(const Batch& batch, ImportedRuns& result) {
  std::vector<std::uint32_t> ids;
  for (std::uint32_t id = 0; id < batch.texts.size(); ++id) ids.push_back(text_id(batch.texts[id]));
  std::size_t number = 0, word = 0, spelling = 0;
  for (const Row& row : batch.rows) {
    if (hashes_.insert(row.hash)) {
      block_.heads.push_back({row.timestamp, ids[row.model], ids[row.experiment], ids[row.shape],
                              static_cast<std::uint32_t>(row.spellings - spelling)});
      block_.hashes.push_back(row.hash);
      block_.words.append(batch.words, word, row.words - word);
      block_.spellings.append(batch.spellings, spelling, row.spellings - spelling);
      add_numbers(batch.numbers.data() + number, plan_for(ids[row.shape], batch.texts[row.shape]));
      ++result.imported;
      if (block_.heads.size() == kBlock) flush();
    } else {
      ++result.duplicates;
    }
    number = row.numbers;
    word = row.words;
    spelling = row.spellings;
  }
}

void Writer::flush() {
  if (block_.heads.empty()) return;
  add_block_.bind(1, block_.first).bind_blob(2, bytes_of(block_.heads)).bind(3, block_.words);
  add_block_.bind(4, block_.spellings).bind_blob(5, bytes_of(block_.hashes)).run();
  for (auto& [metric, column] : block_.columns) {
    if (column.numbers.empty()) continue;
    add_numbers_.bind(1, block_.first).bind_blob(3, bytes_of(column.exec)).bind_blob(4, bytes_of(column.compile));
    add_numbers_.bind_blob(5, bytes_of(column.numbers));
    if (metric)
      add_numbers_.bind(2, *metric);
    else
      add_numbers_.bind_null(2);
    add_numbers_.run();
    column.numbers.clear();
    column.exec.clear();
    column.compile.clear();
  }
  block_.first += static_cast<std::int64_t>(block_.heads.size());
  block_.heads.clear();
  block_.hashes.clear();
  block_.words.clear();
  block_.spellings.clear();
}

// The file's parts are read on as many threads as there are cores, a few ahead of what is written.
void import_file(const std::string& path, Writer& writer, ImportedRuns& result) {
  const Fd file = open_file(path, O_RDONLY);
  struct stat info {};
  ::fstat(file.get(), &info);
  const std::uint64_t parts = std::max<std::uint64_t>(1, static_cast<std::uint64_t>(info.st_size) / kPart);
  const std::size_t ahead = std::max(1U, std::thread::hardware_concurrency());
  std::deque<std::future<Batch>> batches;
  std::size_t lines_before = 0;
  for (std::uint64_t next = 0; next < parts || !batches.empty();) {
    for (; next < parts && batches.size() <= ahead; ++next)
      batches.push_back(std::async(std::launch::async, read_batch, file.get(), std::cref(path), next * kPart,
                                   next + 1 < parts ? (next + 1) * kPart : UINT64_MAX));
    Batch batch = batches.front().get();
    batches.pop_front();
    writer.add(batch, result);
    for (Complaint& complaint : batch.complaints) {
      complaint.line += lines_before;
      result.bad.emplace_back(path, std::move(complaint));
    }
    lines_before += batch.lines;
  }
}

// Takes a store in which nothing stands yet out of WAL mode, so that each page is written once and not into the log
// first; and back in the end. Others who read a store see what it held before; here that is nothing, and they wait.
class WithoutLog {
 public:
  explicit WithoutLog(Database& database) : database_(database) {
    if (database.integer("SELECT EXISTS(SELECT 1 FROM run_blocks) OR EXISTS(SELECT 1 FROM investigations)") != 0)
      return;
    // EXTRA: the journal's end is the commit, and is on disk too.
    if (set_mode("DELETE")) database.run("PRAGMA synchronous = EXTRA");
  }
  ~WithoutLog() { set_mode("WAL"); }
  WithoutLog(const WithoutLog&) = delete;
  WithoutLog& operator=(const WithoutLog&) = delete;

 private:
  // Whether it could be: not while another connection is open. Both are as safe.
  bool set_mode(const std::string& mode) {
    const std::string sql = "PRAGMA journal_mode = " + mode;
    return sqlite3_exec(database_.handle(), sql.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK;
  }

  Database& database_;
};

}  // namespace

ImportedRuns import_runs(Store& store, const std::vector<std::string>& files) {
  Database& database = store.writer();
  ImportedRuns result;
  database.run("PRAGMA synchronous = FULL");  // so that it outlives a power cut
  {
    const WithoutLog without_log(database);
    Transaction transaction(database);
    Writer writer(database);
    for (const std::string& file : files) import_file(file, writer, result);
    writer.flush();
    transaction.commit();
  }
  database.run("PRAGMA synchronous = NORMAL");
  return result;
}

}  // namespace reg::store
