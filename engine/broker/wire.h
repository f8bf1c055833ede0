#pragma once

#include <exception>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/packets.h"
#include "engine/loop/loop.h"
#include "engine/process/command.h"

// What may be absent is null.
namespace nlohmann {
template <class T>
struct adl_serializer<std::optional<T>> {
  static void to_json(json& to, const std::optional<T>& from) {
    to = nullptr;
    if (from) to = *from;
  }
  static void from_json(const json& from, std::optional<T>& to) {
    to = from.is_null() ? std::nullopt : std::optional<T>(from.get<T>());
  }
};
}  // namespace nlohmann

namespace reg {
inline void to_json(nlohmann::json& to, const Nothing&) { to = nullptr; }
inline void from_json(const nlohmann::json&, Nothing&) {}
}  // namespace reg

// All that a script decides of a command but its output files, which go as open files.
namespace reg::process {
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Leased, uuids, indexes, cpus)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Counted, type, config)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Conditions, cpus, group, nice, fixed_addresses)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Command, argv, env, unset, cwd, input, mounts, kill_after_s, loaded_below,
                                   keep_bytes, file_bytes, conditions, timeout_s, stall_s, leased, count)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Outcome, code, signal, timed_out, stalled, shortage, oom, out, err, out_bytes,
                                   err_bytes, wall_s, user_s, sys_s, minor_faults, major_faults, voluntary_switches,
                                   involuntary_switches, peak_bytes, loaded, counted)
}  // namespace reg::process

namespace reg::broker {

using packets::make_channel;
using packets::Message;
using packets::receive;
using packets::send;

/// What goes through the channel: JSON as MessagePack, since commands and their output may hold any bytes. It says each
/// length first, so only lists and maps nest.
///
///   {id, call, what}     a request: `call` is one of Requests (requests.h), `what` has its form. `out` and `err` are
///                        the places, among the files of the message, of those that its output goes to
///   {id, result}         the answer, or {id, error: {kind, message, hint}}
///   {cancel: id}         has no answer of its own
///   {audit: line}        an effect that the engine decided; no answer
using Json = nlohmann::json;

/// A file's text goes as it is, behind this, the number of its request, the file's place and a space behind each.
inline constexpr std::string_view kText = "\xc1";  // no message of MessagePack begins so

std::string pack(const Json& json);
/// Throws corrupt where it is not one object.
Json unpack(const std::string& bytes);

Json as_json(const std::exception_ptr& error);
std::exception_ptr error_from(const Json& json);

/// An end whose messages come through the loop.
class Channel : public std::enable_shared_from_this<Channel> {
 public:
  Channel(Loop& loop, Fd socket);
  ~Channel();
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;

  /// From now on. `on_end`: the other end is closed.
  void listen(std::function<void(Message)> on_message, std::function<void()> on_end);

  /// What finds no room at once is sent later, in order. The files are copied.
  void send(const std::string& text, const std::vector<int>& files = {});

 private:
  struct Impl;
  void wait_to_read();
  void wait_to_write();

  std::unique_ptr<Impl> impl_;
};

}  // namespace reg::broker
