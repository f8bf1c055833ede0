#include "engine/store/jsonl.h"

#include <nlohmann/json.hpp>

#include "engine/base/text.h"

namespace reg::store {
namespace {

using nlohmann::ordered_json;

std::map<std::int64_t, ordered_json> investigations(Store& store) {
  std::map<std::int64_t, ordered_json> all;
  Statement rows(
      store.writer().handle(),
      "SELECT id, name, script, script_sha256, options, engine, host, kernel, cpu, facts FROM investigations");
  while (rows.step()) {
    const auto text = [&](int column) { return std::string(rows.text(column)); };
    const auto parsed = [&](int column) {
      auto value = parse_json<ordered_json>(text(column));
      return value.is_discarded() ? ordered_json(nullptr) : value;  // damaged
    };
    auto facts = parsed(9);
    // Texts of modules and files start the script again; they are no part of each of its trials.
    if (facts.is_object()) facts.erase("start");
    // An imported trial keeps the investigation it came from.
    all[rows.integer(0)] = text(1) == "imported"
                               ? facts
                               : ordered_json{{"name", text(1)},      {"script", text(2)}, {"script_sha256", text(3)},
                                              {"options", parsed(4)}, {"engine", text(5)}, {"host", text(6)},
                                              {"kernel", text(7)},    {"cpu", text(8)},    {"facts", facts}};
  }
  return all;
}

template <class Value>
ordered_json or_null(const std::optional<Value>& value) {
  return value ? ordered_json(*value) : ordered_json(nullptr);
}

ordered_json to_line(const Trial& t, const ordered_json& investigation) {
  const Result& r = t.result;
  const auto parsed = [](const std::string& text) {
    auto value = parse_json<ordered_json>(text);
    if (value.is_discarded()) throw Error(ErrorKind::corrupt, "not valid JSON, or nested too deep");
    return value;
  };
  return {{"uid", t.uid},
          {"subject", t.subject},
          {"kind", t.kind},
          {"status", r.status},
          {"message", r.message},
          {"metrics", r.samples},
          {"key", t.key},
          {"config", parsed(t.config_json)},
          {"command", parsed(r.command_json)},
          {"env", parsed(r.env_json)},
          {"info", parsed(r.info_json)},
          {"started", t.started},
          {"ended", or_null(t.ended)},
          {"wall_s", or_null(r.wall_s)},
          {"user_s", or_null(r.user_s)},
          {"sys_s", or_null(r.sys_s)},
          {"peak_bytes", or_null(r.peak_bytes)},
          {"investigation", investigation}};
}

template <class Value>
std::optional<Value> optional_at(const ordered_json& line, const char* key) {
  const auto found = line.find(key);
  if (found == line.end() || found->is_null()) return std::nullopt;
  return found->get<Value>();
}

std::string json_at(const ordered_json& line, const char* key, const char* otherwise) {
  const auto found = line.find(key);
  return found == line.end() ? otherwise : found->dump();
}

Trial from_line(const ordered_json& line) {
  Trial t;
  t.uid = line.at("uid").get<std::string>();
  t.subject = line.at("subject").get<std::string>();
  t.kind = line.value("kind", "");
  t.key = line.at("key").get<std::string>();
  t.config_json = json_at(line, "config", "{}");
  t.started = line.value("started", 0.0);
  t.ended = optional_at<double>(line, "ended");
  Result& r = t.result;
  r.status = line.at("status").get<std::string>();
  if (!is_status(r.status)) throw Error(ErrorKind::usage, "not a status of a trial: '" + r.status + "'");
  r.message = line.value("message", "");
  r.samples = line.value("metrics", Samples());
  r.command_json = json_at(line, "command", "[]");
  r.env_json = json_at(line, "env", "{}");
  r.info_json = json_at(line, "info", "{}");
  r.wall_s = optional_at<double>(line, "wall_s");
  r.user_s = optional_at<double>(line, "user_s");
  r.sys_s = optional_at<double>(line, "sys_s");
  r.peak_bytes = optional_at<std::int64_t>(line, "peak_bytes");
  return t;
}

}  // namespace

std::int64_t export_jsonl(Store& store, const std::string& path, std::optional<std::int64_t> investigation) {
  Filter filter;
  filter.investigation = investigation;
  auto of = investigations(store);
  constexpr std::size_t piece_bytes = std::size_t{1} << 20;
  NewFile file(path);
  std::string piece;
  std::int64_t count = 0;
  store.each_trial(filter, [&](const Trial& trial) {
    if (trial.result.status == "running") return;
    piece +=
        to_line(trial, of[trial.investigation]).dump(-1, ' ', false, ordered_json::error_handler_t::replace) + "\n";
    ++count;
    if (piece.size() > piece_bytes) file.write(std::exchange(piece, {}));
  });
  file.write(piece);
  file.finish();
  return count;
}

Imported Import::into(Store& store) {
  for (; refused_ || lines_.next(line_); refused_ = false) {
    refused_ = true;
    if (!line_.empty()) add_line(store);
  }
  return result_;
}

void Import::add_line(Store& store) {
  try {
    if (nests_too_deep(line_)) throw Error(ErrorKind::usage, "JSON that is nested too deep");
    const auto line = ordered_json::parse(line_);
    Trial trial = from_line(line);
    if (!trial.key.starts_with(mark_)) trial.key.insert(0, mark_);
    if (store.add(trial, json_at(line, "investigation", "{}")))
      ++result_.imported;
    else
      ++result_.duplicates;
  } catch (const ordered_json::exception& error) {
    std::string words = error.what();  // "[json.exception...] what is wrong"
    words.erase(0, words.find("] ") + 2);
    if (lines_.cut_off()) words = "cut off in the middle (a killed writer); skipped";
    result_.bad.push_back({lines_.number(), words});
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::usage) throw;  // the store's, not the line's
    result_.bad.push_back({lines_.number(), error.what()});
  }
}

}  // namespace reg::store
