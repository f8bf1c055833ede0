#include "engine/store/run_tables.h"

#include <sqlite3.h>

#include <cmath>
#include <exception>
#include <memory>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

#include "engine/results/json_text.h"
#include "engine/store/stored_runs.h"

// Virtual tables without arguments, made by SQLite where a query names them. A cursor is a StoredRuns, and is read from
// its beginning to its end.

namespace reg::store {
namespace {

using results::Shape;

struct Kind {
  const char* columns;
  bool by_number;
};
constexpr Kind kRuns{"CREATE TABLE x(run INTEGER, timestamp REAL, model TEXT, experiment TEXT, record TEXT)", false};
constexpr Kind kMeasurements{
    "CREATE TABLE x(run INTEGER, timestamp REAL, model TEXT, experiment TEXT, suite_name TEXT, model_name TEXT, "
    "accelerator TEXT, accelerator_model TEXT, xla TEXT, dynamo TEXT, test TEXT, batch_size, metric TEXT, n INTEGER, "
    "value REAL)",
    true};
enum { kRun, kTimestamp, kModel, kExperiment, kRecord, kSuiteName = kRecord, kModelName, kMetric = 12, kN, kValue };
constexpr const char* kFields[] = {"suite_name", "model_name", "accelerator", "accelerator_model",
                                   "xla",        "dynamo",     "test",        "batch_size"};

// A number of a metric: where it is in its list, and among the numbers of its record.
struct Place {
  std::string metric;
  std::int64_t n;
  std::size_t number;
};

std::vector<Place> places_in(const Shape& shape) {
  std::vector<Place> places;
  for (const Shape::Part& metric : shape.metrics()) {
    const std::vector<Shape::Part> parts =
        metric.text.front() == '[' ? Shape::elements(metric) : std::vector<Shape::Part>{metric};
    for (std::size_t n = 0; n < parts.size(); ++n)
      if (parts[n].text == "I" || parts[n].text == "F")
        places.push_back({metric.name, static_cast<std::int64_t>(n), parts[n].number});
  }
  return places;
}

struct Table : sqlite3_vtab {
  sqlite3* database = nullptr;
  const Kind* kind = nullptr;
};

struct Cursor : sqlite3_vtab_cursor {
  std::unique_ptr<StoredRuns> rows;
  bool over = false;
  std::size_t at = 0;  // among the places
  const std::vector<Place>* places = nullptr;
  std::unordered_map<const Shape*, std::vector<Place>> places_of;
  std::unordered_map<std::string, results::Scalars> fields_of;  // by the JSON of a model or an experiment
};

Cursor& cursor_of(sqlite3_vtab_cursor* cursor) { return *static_cast<Cursor*>(cursor); }
const Kind& kind_of(const Cursor& cursor) { return *static_cast<Table*>(cursor.pVtab)->kind; }

// SQLite is C: what is thrown becomes the query's error here.
template <class Call>
int guarded(sqlite3_vtab* table, const Call& call) {
  try {
    call();
    return SQLITE_OK;
  } catch (const std::exception& error) {
    sqlite3_free(table->zErrMsg);
    table->zErrMsg = sqlite3_mprintf("%s", error.what());
    return SQLITE_ERROR;
  }
}

int connect(sqlite3* database, void* kind, int, const char* const*, sqlite3_vtab** slot, char**) {
  const int code = sqlite3_declare_vtab(database, static_cast<const Kind*>(kind)->columns);
  if (code != SQLITE_OK) return code;
  auto table = std::make_unique<Table>();
  table->database = database;
  table->kind = static_cast<const Kind*>(kind);
  *slot = table.release();
  return SQLITE_OK;
}

int disconnect(sqlite3_vtab* table) {
  const std::unique_ptr<Table> owned(static_cast<Table*>(table));
  return SQLITE_OK;
}

int best_index(sqlite3_vtab*, sqlite3_index_info* info) {
  info->estimatedCost = 1e7;
  return SQLITE_OK;
}

int open(sqlite3_vtab*, sqlite3_vtab_cursor** cursor) {
  *cursor = std::make_unique<Cursor>().release();
  return SQLITE_OK;
}

int close(sqlite3_vtab_cursor* cursor) {
  const std::unique_ptr<Cursor> owned(&cursor_of(cursor));
  return SQLITE_OK;
}

void advance_run(Cursor& cursor) {
  cursor.at = 0;
  do {
    cursor.over = !cursor.rows->next();
    if (cursor.over || !kind_of(cursor).by_number) return;
    const Shape& shape = cursor.rows->shape();
    const auto [entry, is_new] = cursor.places_of.try_emplace(&shape);
    if (is_new) entry->second = places_in(shape);
    cursor.places = &entry->second;
  } while (cursor.places->empty());
}

int filter(sqlite3_vtab_cursor* table_cursor, int, const char*, int, sqlite3_value**) {
  Cursor& cursor = cursor_of(table_cursor);
  return guarded(cursor.pVtab, [&] {
    cursor.places_of.clear();
    cursor.rows = std::make_unique<StoredRuns>(static_cast<Table*>(cursor.pVtab)->database);
    advance_run(cursor);
  });
}

int next(sqlite3_vtab_cursor* table_cursor) {
  Cursor& cursor = cursor_of(table_cursor);
  if (kind_of(cursor).by_number && ++cursor.at < cursor.places->size()) return SQLITE_OK;
  return guarded(cursor.pVtab, [&] { advance_run(cursor); });
}

int at_end(sqlite3_vtab_cursor* cursor) { return cursor_of(cursor).over ? 1 : 0; }

void put(sqlite3_context* context, std::monostate) { sqlite3_result_null(context); }
void put(sqlite3_context* context, bool value) { sqlite3_result_int(context, value ? 1 : 0); }
void put(sqlite3_context* context, std::int64_t value) { sqlite3_result_int64(context, value); }
void put(sqlite3_context* context, double value) { sqlite3_result_double(context, value); }  // NaN is NULL
void put(sqlite3_context* context, const std::string& text) {
  sqlite3_result_text(context, text.data(), static_cast<int>(text.size()), SQLITE_TRANSIENT);
}

void put_field(Cursor& cursor, sqlite3_context* context, const std::string& object, std::string_view wanted) {
  const auto [entry, is_new] = cursor.fields_of.try_emplace(object);
  if (is_new) entry->second = results::scalars_of(object);
  for (const auto& [name, value] : entry->second)
    if (name == wanted) return std::visit([&](const auto& is) { put(context, is); }, value);
}

void put_column(Cursor& cursor, sqlite3_context* context, int column) {
  StoredRuns& rows = *cursor.rows;
  if (column == kRun) return put(context, rows.id());
  if (column == kTimestamp) return put(context, rows.timestamp().value_or(std::nan("")));
  if (column == kModel) return put(context, rows.model());
  if (column == kExperiment) return put(context, rows.experiment());
  if (!kind_of(cursor).by_number) return put(context, rows.plain_record());
  const Place& place = (*cursor.places)[cursor.at];
  if (column == kMetric) return put(context, place.metric);
  if (column == kN) return put(context, place.n);
  if (column == kValue) return put(context, rows.numbers()[place.number]);
  put_field(cursor, context, column <= kModelName ? rows.model() : rows.experiment(), kFields[column - kSuiteName]);
}

int column(sqlite3_vtab_cursor* cursor, sqlite3_context* context, int which) {
  return guarded(cursor->pVtab, [&] { put_column(cursor_of(cursor), context, which); });
}

int row_id(sqlite3_vtab_cursor* table_cursor, sqlite3_int64* id) {
  const Cursor& cursor = cursor_of(table_cursor);
  *id = cursor.rows->id() << 20 | static_cast<sqlite3_int64>(cursor.at);
  return SQLITE_OK;
}

// With nothing to create or change it.
const sqlite3_module& module() {
  static const sqlite3_module all = [] {
    sqlite3_module m{};
    m.xConnect = connect;
    m.xBestIndex = best_index;
    m.xDisconnect = disconnect;
    m.xOpen = open;
    m.xClose = close;
    m.xFilter = filter;
    m.xNext = next;
    m.xEof = at_end;
    m.xColumn = column;
    m.xRowid = row_id;
    return m;
  }();
  return all;
}

}  // namespace

void add_run_tables(sqlite3* database) {
  sqlite3_create_module(database, "runs", &module(), const_cast<Kind*>(&kRuns));
  sqlite3_create_module(database, "measurements", &module(), const_cast<Kind*>(&kMeasurements));
}

}  // namespace reg::store
