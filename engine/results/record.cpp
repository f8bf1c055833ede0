#include "engine/results/record.h"

#include <simdjson.h>

#include <algorithm>
#include <charconv>
#include <stdexcept>

namespace reg::results {
namespace {

// simdjson's document, not its on-demand reader: that one is compiled for the oldest processor a package may meet, this
// one picks the fastest code at run time.
namespace json = simdjson::dom;

// One parser's worth of state: its strings are the views that a Record holds.
class Parser {
 public:
  explicit Parser(const std::string& metric) : metric_(metric) {}

  const Record& parse(std::string_view line) {
    static_assert(LineReader::kPadding >= simdjson::SIMDJSON_PADDING);
    const json::object object = parser_.parse(line.data(), line.size(), false).get_object();
    record_.timestamp = seconds(need(object, "timestamp"));
    scalars(need(object, "model"), record_.model);
    scalars(need(object, "experiment"), record_.experiment);
    numbers(need(object, "metrics"));
    return record_;
  }

 private:
  static json::element need(const json::object& object, const char* name) {
    json::element found;
    if (object[name].get(found) != simdjson::SUCCESS) throw std::runtime_error(std::string("it has no ") + name);
    return found;
  }

  // Some writers put the number into a string.
  static double seconds(const json::element& value) {
    std::string_view text;
    if (value.get(text) != simdjson::SUCCESS) return value.get_double();
    double number = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
    if (read.ec != std::errc{}) throw std::runtime_error("its timestamp is no number");
    return number;
  }

  static void scalars(const json::element& value, Fields& fields) {
    fields.clear();
    for (const json::key_value_pair field : value.get_object()) {
      if (field.value.is_null())
        fields.emplace_back(field.key, std::nullopt);
      else if (field.value.is_string())
        fields.emplace_back(field.key, std::string(std::string_view(field.value)));
      else if (field.value.is_number() || field.value.is_bool())
        fields.emplace_back(field.key, simdjson::minify(field.value));
      // What is nested tells no two experiments apart.
    }
  }

  void numbers(const json::element& metrics) {
    record_.values.clear();
    json::array list;
    if (metrics[metric_].get(list) != simdjson::SUCCESS) return;
    for (const json::element number : list)
      if (double value = 0; number.get(value) == simdjson::SUCCESS) record_.values.push_back(value);
  }

  const std::string& metric_;
  json::parser parser_;
  Record record_;
};

}  // namespace

std::optional<std::string_view> value_of(const Fields& fields, std::string_view name) {
  const auto found = std::find_if(fields.begin(), fields.end(), [&](const auto& field) { return field.first == name; });
  return found == fields.end() ? std::nullopt : std::optional<std::string_view>(found->second);
}

std::vector<Complaint> read_records(LineReader& lines, const std::string& metric,
                                    const std::function<void(const Record&)>& each) {
  std::vector<Complaint> complaints;
  Parser parser(metric);
  for (std::string_view line; lines.next(line);) {
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    const Record* record = nullptr;
    try {
      record = &parser.parse(line);
    } catch (const simdjson::simdjson_error& error) {
      complaints.push_back({lines.count(), error.what(), lines.cut_off()});
    } catch (const std::runtime_error& error) {
      complaints.push_back({lines.count(), error.what(), false});
    }
    if (record != nullptr) each(*record);
  }
  return complaints;
}

}  // namespace reg::results
