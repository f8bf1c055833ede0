#include "engine/broker/wire.h"

#include <algorithm>

#include "engine/base/error.h"

namespace reg::broker {
namespace {

constexpr std::size_t kMostKept = std::size_t{64} << 20;

// The parser calls itself for each list and map, after this has seen it: what is deep would end the process.
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
  Json::to_msgpack(json, bytes);
  return bytes;
}

Json unpack(const std::string& bytes) {
  Flat flat;
  if (!Json::sax_parse(bytes, &flat, Json::input_format_t::msgpack)) throw Error(ErrorKind::corrupt, "not a message");
  Json json = Json::from_msgpack(bytes, true, false);
  if (!json.is_object()) throw Error(ErrorKind::corrupt, "not a message");
  return json;
}

process::Command command_from(const Json& json) {
  process::Command command = json;
  check(command);
  command.keep_bytes = std::min(command.keep_bytes, kMostKept);
  return command;
}

Json as_json(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const std::exception& any) {
    const Error ours = as_error(any);
    return {{"kind", static_cast<int>(ours.kind())}, {"message", ours.what()}, {"hint", ours.hint()}};
  }
}

std::exception_ptr error_from(const Json& json) {
  const auto kind = static_cast<ErrorKind>(json.at("kind").get<int>());
  return std::make_exception_ptr(Error(kind, json.at("message"), json.at("hint")));
}

}  // namespace reg::broker
