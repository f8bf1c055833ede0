#pragma once

#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/packets.h"
#include "engine/guard/policy.h"
#include "engine/loop/coroutine.h"
#include "engine/loop/loop.h"
#include "engine/process/command.h"
#include "engine/restore/ledger.h"

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
#define REGENGINE_FIELDS_OF_OUTCOME                                                                       \
  code, signal, timed_out, stalled, shortage, oom, out, err, out_bytes, err_bytes, wall_s, user_s, sys_s, \
      minor_faults, major_faults, voluntary_switches, involuntary_switches, peak_bytes, loaded, counted
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Outcome, REGENGINE_FIELDS_OF_OUTCOME)
}  // namespace reg::process

namespace reg::broker {

using packets::make_channel;
using packets::Message;
using packets::receive;
using packets::send;

/// What goes through the channel: JSON as MessagePack, since commands and their output may hold any bytes. It says each
/// length first, so only lists and maps nest.
///
///   {id, call, what}     a request: `call` is one of Requests (below), `what` has its form. `out` and `err` are
///                        the places, among the files of the message, of those that its output goes to
///   {id, result}         the answer, or {id, error: {kind, message, hint}}
///   {cancel: id}         has no answer of its own
///   {audit: line}        an effect that the engine decided; no answer
using Json = nlohmann::json;

std::string pack(const Json& json);
/// Throws corrupt where it is not one object.
Json unpack(const std::string& bytes);

Json as_json(const std::exception_ptr& error);
std::exception_ptr error_from(const Json& json);

/// An end whose messages come through the loop.
class Channel {
 public:
  virtual ~Channel() = default;
  /// What finds no room at once is sent later, in order. The files are copied.
  virtual void send(const std::string& text, const std::vector<int>& files = {}) = 0;
};
/// `on_end`: the other end is closed.
std::shared_ptr<Channel> listen(Loop& loop, Fd socket, std::function<void(Message)> on_message,
                                std::function<void()> on_end);

class Client;

// What a boxed engine may ask for. Each part has both sides in one file, the broker's and the engine's: git.cpp,
// containers.cpp and settings.cpp.

struct Request {
  Json json;
  Message message;  ///< with the files of the request

  const Json& what() const { return json.at("what"); }

  /// A path at which this process opens the file that the request calls `name`, "out" or "err"; "" if it names none.
  /// Throws permission for one that the boxed engine had not opened to write.
  std::string file(const char* name) const;
};

/// Throws, or rejects, permission for what the policy refuses, and usage for what is not valid. The request lives until
/// the answer is there.
using Handler = std::function<Op<Json>(const Request& request)>;
/// Bytes of a command's output that an answer has at most.
inline constexpr std::size_t kMostKept = std::size_t{64} << 20;

/// By their names.
using Requests = std::map<std::string, Handler, std::less<>>;

using GetLedger = std::function<restore::Ledger&()>;
using CheckConditions = std::function<void(const process::Conditions&)>;

/// "fetch" and "apply": git::GitElsewhere. Git runs in a private folder, held by Landlock to that and the repository
/// that the request names.
void add_git(Requests& requests, Loop& loop, Guard& guard);

/// "container.run" and the like: docker and podman by the real runtimes, under the broker's own policy. It owns the
/// containers that the boxed engine keeps, and removes them.
void add_containers(Requests& requests, Loop& loop, Guard& guard, GetLedger ledger);

/// "lock", "lease", "monitor" and "tune" of GPUs and the machine, and "end" of each. What was changed is restored when
/// the boxed engine asks for that or ends, and by the guardian when this process ends. What it returns throws
/// permission for conditions of a command that only a permitted tuning gives.
CheckConditions add_settings(Requests& requests, Loop& loop, Guard& guard, GetLedger ledger);

/// The boxed engine's side: from now on the broker does these. What is asked of docker and podman passes the guard here
/// first, as in an engine that is not boxed, so that a dry run and a rehearsal hold it back.
void use_broker_for_git(const std::shared_ptr<Client>& client);
void use_broker_for_containers(const std::shared_ptr<Client>& client);
void use_broker_for_settings(const std::shared_ptr<Client>& client);

/// The result of an operation as the answer.
template <class T>
Op<Json> as_answer(Op<T> op) {
  co_return Json(co_await op);
}

inline Op<Json> answer(Json result) { co_return result; }

}  // namespace reg::broker
