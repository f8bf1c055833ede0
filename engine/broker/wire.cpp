#include "engine/broker/wire.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "engine/base/error.h"

namespace reg::broker {
namespace {

constexpr std::size_t kMostKept = std::size_t{64} << 20;

template <class T>
void put(Json& json, const char* key, const std::optional<T>& value) {
  if (value) json[key] = *value;
}

template <class T>
void get(const Json& json, const char* key, std::optional<T>& into) {
  if (json.contains(key)) into = json.at(key).get<T>();
}

// The parser calls itself for each level: what is deep would end the process.
class Flat : public nlohmann::json_sax<Json> {
 public:
  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t&) override { return true; }
  bool string(string_t&) override { return true; }
  bool binary(binary_t&) override { return true; }
  bool key(string_t&) override { return true; }
  bool start_object(std::size_t) override { return ++depth_ < kDeepest; }
  bool end_object() override { return depth_-- > 0; }
  bool start_array(std::size_t) override { return ++depth_ < kDeepest; }
  bool end_array() override { return depth_-- > 0; }
  bool parse_error(std::size_t, const std::string&, const Json::exception&) override { return false; }

 private:
  static constexpr int kDeepest = 8;
  int depth_ = 0;
};

void check_word(const std::string& word) {
  if (word.find('\0') != std::string::npos) throw Error(ErrorKind::usage, "a command must not contain a NUL byte");
}

void check_name(const std::string& name) {
  check_word(name);
  if (name.empty() || name.find('=') != std::string::npos)
    throw Error(ErrorKind::usage, "not a valid environment variable: '" + name + "'");
}

void check_path(const std::string& path) {
  check_word(path);
  if (!path.starts_with('/')) throw Error(ErrorKind::usage, "not an absolute path: '" + path + "'");
}

// What the engine's bindings check is checked again: who speaks here may be anybody.
void check(const process::Command& command) {
  for (const std::string& word : command.argv) check_word(word);
  for (const auto& [name, value] : command.env) {
    check_name(name);
    check_word(value);
  }
  for (const std::string& name : command.unset) check_name(name);
  for (const std::string& folder : command.loaded_below) check_word(folder);
  for (const auto& [inside, folder] : command.mounts) {
    check_path(inside);
    check_path(folder);
  }
  check_word(command.cwd);
}

}  // namespace

std::string pack(const Json& json) {
  std::string bytes;
  Json::to_cbor(json, bytes);
  return bytes;
}

Json unpack(const std::string& bytes) {
  Flat flat;
  if (!Json::sax_parse(bytes, &flat, Json::input_format_t::cbor)) throw Error(ErrorKind::corrupt, "not a message");
  Json json = Json::from_cbor(bytes, true, false);
  if (!json.is_object()) throw Error(ErrorKind::corrupt, "not a message");
  return json;
}

Json as_json(const process::Command& command) {
  Json json{{"argv", command.argv},
            {"env", command.env},
            {"unset", command.unset},
            {"cwd", command.cwd},
            {"input", command.input},
            {"mounts", command.mounts},
            {"cpus", command.conditions.cpus},
            {"fixed_addresses", command.conditions.fixed_addresses},
            {"kill_after_s", command.kill_after_s},
            {"loaded_below", command.loaded_below},
            {"keep_bytes", command.keep_bytes},
            {"file_bytes", command.file_bytes}};
  put(json, "nice", command.conditions.nice);
  put(json, "timeout_s", command.timeout_s);
  put(json, "stall_s", command.stall_s);
  if (command.leased)
    json["leased"] = {
        {"uuids", command.leased->uuids}, {"indexes", command.leased->indexes}, {"cpus", command.leased->cpus}};
  if (command.count) json["count"] = {{"type", command.count->type}, {"config", command.count->config}};
  return json;
}

process::Command command_from(const Json& json) {
  process::Command command;
  json.at("argv").get_to(command.argv);
  json.at("env").get_to(command.env);
  json.at("unset").get_to(command.unset);
  json.at("cwd").get_to(command.cwd);
  json.at("input").get_to(command.input);
  json.at("mounts").get_to(command.mounts);
  json.at("cpus").get_to(command.conditions.cpus);
  json.at("fixed_addresses").get_to(command.conditions.fixed_addresses);
  json.at("kill_after_s").get_to(command.kill_after_s);
  json.at("loaded_below").get_to(command.loaded_below);
  json.at("keep_bytes").get_to(command.keep_bytes);
  json.at("file_bytes").get_to(command.file_bytes);
  get(json, "nice", command.conditions.nice);
  get(json, "timeout_s", command.timeout_s);
  get(json, "stall_s", command.stall_s);
  if (json.contains("leased")) {
    const Json& leased = json.at("leased");
    command.leased = process::Leased{leased.at("uuids"), leased.at("indexes"), leased.at("cpus")};
  }
  if (json.contains("count")) command.count = process::Counted{json["count"].at("type"), json["count"].at("config")};
  check(command);
  command.keep_bytes = std::min(command.keep_bytes, kMostKept);
  return command;
}

Json as_json(const process::Outcome& outcome) {
  Json json{{"code", outcome.code},
            {"signal", outcome.signal},
            {"timed_out", outcome.timed_out},
            {"stalled", outcome.stalled},
            {"shortage", outcome.shortage},
            {"oom", outcome.oom},
            {"out", outcome.out},
            {"err", outcome.err},
            {"out_bytes", outcome.out_bytes},
            {"err_bytes", outcome.err_bytes},
            {"wall_s", outcome.wall_s},
            {"user_s", outcome.user_s},
            {"sys_s", outcome.sys_s},
            {"peak_bytes", outcome.peak_bytes},
            {"minor_faults", outcome.minor_faults},
            {"major_faults", outcome.major_faults},
            {"voluntary_switches", outcome.voluntary_switches},
            {"involuntary_switches", outcome.involuntary_switches},
            {"loaded", outcome.loaded}};
  put(json, "counted", outcome.counted);
  return json;
}

process::Outcome outcome_from(const Json& json) {
  process::Outcome outcome;
  json.at("code").get_to(outcome.code);
  json.at("signal").get_to(outcome.signal);
  json.at("timed_out").get_to(outcome.timed_out);
  json.at("stalled").get_to(outcome.stalled);
  json.at("shortage").get_to(outcome.shortage);
  json.at("oom").get_to(outcome.oom);
  json.at("out").get_to(outcome.out);
  json.at("err").get_to(outcome.err);
  json.at("out_bytes").get_to(outcome.out_bytes);
  json.at("err_bytes").get_to(outcome.err_bytes);
  json.at("wall_s").get_to(outcome.wall_s);
  json.at("user_s").get_to(outcome.user_s);
  json.at("sys_s").get_to(outcome.sys_s);
  json.at("peak_bytes").get_to(outcome.peak_bytes);
  json.at("minor_faults").get_to(outcome.minor_faults);
  json.at("major_faults").get_to(outcome.major_faults);
  json.at("voluntary_switches").get_to(outcome.voluntary_switches);
  json.at("involuntary_switches").get_to(outcome.involuntary_switches);
  json.at("loaded").get_to(outcome.loaded);
  get(json, "counted", outcome.counted);
  return outcome;
}

Json as_json(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const Error& ours) {
    return {{"kind", static_cast<int>(ours.kind())}, {"message", ours.what()}, {"hint", ours.hint()}};
  } catch (const std::exception& other) {
    return {{"kind", static_cast<int>(ErrorKind::internal)}, {"message", other.what()}, {"hint", ""}};
  }
}

std::exception_ptr error_from(const Json& json) {
  const auto kind = static_cast<ErrorKind>(json.at("kind").get<int>());
  return std::make_exception_ptr(Error(kind, json.at("message"), json.at("hint")));
}

}  // namespace reg::broker
