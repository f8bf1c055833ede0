#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
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
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Command, argv, env, unset, cwd, input, mounts, kill_after_s, loaded_below,
                                   keep_bytes, file_bytes, on_cpus, timeout_s, stall_s, leased, count)
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

/// What goes through the channel: JSON as MessagePack, since commands and their output may hold any bytes.
///
///   {id, call, what}     a request: `call` is one of Requests (below), `what` has its form. `out` and `err` are
///                        the places, among the files of the message, of those that its output goes to
///   {id, result}         the answer, or {id, error: {kind, message, hint}}
///   {cancel: id}         has no answer of its own
///   {audit: line}        an effect that the engine decided; no answer
using Json = nlohmann::json;

std::string pack(const Json& json);
/// Throws corrupt where it is not one object, or nests deep.
Json unpack(const std::string& bytes);

/// An end whose messages come through the loop, for as long as the result lives, which sends: what finds no room at
/// once is sent later, in order. The files are copied. `on_end`: the other end is closed.
using Channel = std::function<void(const std::string& text, const std::vector<int>& files)>;
Channel listen(Loop& loop, Fd socket, std::function<void(Message)> on_message, std::function<void()> on_end);

using GetLedger = std::function<restore::Ledger&()>;
using Write = std::function<void(const std::string& output, std::string_view text)>;

/// Starts the side that is not boxed. It does what the boxed engine asks for, if its own copy of the user's answer
/// permits it, and believes nothing that the engine says, for as long as the result is there: that says whether the
/// boxed engine is gone, and everything that it had started has ended.
/// `audit` hears of all effects, also of those that the engine tells. `outputs`: the files that the engine may have
/// written, by their places in this list; `write` writes them. `ledger`: called once the machine is to be changed.
[[nodiscard]] std::function<bool()> start_broker(Loop& loop, Policy& policy, Audit audit, Fd socket,
                                                 const GetLedger& ledger, std::vector<std::string> outputs = {},
                                                 const Write& write = {});

/// The boxed engine's side: it asks, and the broker decides.
class Client {
 public:
  Client(Loop& loop, Fd socket);

  /// Tells an effect for the audit log.
  void tell(const Effect& effect, std::string_view verdict, std::string_view by);

  /// The answer to a request; rejects what the broker refused it with. The files of `output` are opened here, where the
  /// box decides what may be written.
  template <class T>
  Op<T> ask(const std::string& name, Json what, const process::Command& output = {}) {
    auto op = std::make_shared<Operation<T>>();
    const std::uint64_t id = send({{"call", name}, {"what", std::move(what)}}, output,
                                  {op, [op](const Json& result) { op->resolve(result.get<T>()); }});
    op->on_cancel([this, id] { channel_(pack({{"cancel", id}}), {}); });
    return op;
  }

  /// Waits for the answer. Other events are handled meanwhile.
  Json wait_for(const std::string& name, Json what) { return loop_.wait_for(ask<Json>(name, std::move(what))); }

 private:
  struct Asked {
    std::shared_ptr<Pending> op;
    std::function<void(const Json&)> resolve;
  };
  std::uint64_t send(Json request, const process::Command& output, Asked asked);
  void settle(const Message& message);

  Loop& loop_;
  Channel channel_;
  std::map<std::uint64_t, Asked> asked_;
  std::uint64_t last_ = 0;
  bool gone_ = false;
};

/// From now on the broker does what this process, which is boxed, may not do itself.
void use_broker(const std::shared_ptr<Client>& client);
void use_no_broker();

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

/// Throws usage for what the bindings refuse, too: NUL bytes, names of variables with "=", relative mounts.
process::Command command_from(const Json& json);

/// Bytes of a command's output that an answer has at most.
inline constexpr std::size_t kMostKept = std::size_t{64} << 20;

/// By their names. Each throws, or rejects, permission for what the policy refuses, and usage for what is not valid.
/// The request lives until the answer is there.
using Requests = std::map<std::string, std::function<Op<Json>(const Request& request)>, std::less<>>;

/// "fetch" and "apply": git::GitElsewhere. Git runs in a private folder, held by Landlock to that and the repository
/// that the request names.
void add_git(Requests& requests, Loop& loop, Guard& guard);

/// "docker.run", "podman.pull" and the like: by the real runtimes, under the broker's own policy. It owns the
/// containers that the boxed engine keeps, and removes them.
void add_containers(Requests& requests, Loop& loop, Guard& guard, GetLedger ledger);

/// "lock", "lease", "monitor" and "tune" of GPUs and the machine, and "end" of each. What was changed is restored when
/// the boxed engine asks for that or ends, and by the guardian when this process ends.
void add_settings(Requests& requests, Loop& loop, Guard& guard, GetLedger ledger);

/// The boxed engine's side. What is asked of docker and podman passes the guard here first, so that a dry run and a
/// rehearsal hold it back.
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
