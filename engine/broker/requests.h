#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>

#include "engine/broker/wire.h"
#include "engine/guard/policy.h"
#include "engine/loop/coroutine.h"
#include "engine/restore/ledger.h"

// What a boxed engine may ask for. Each part has both sides in one file, the broker's and the engine's: git.cpp,
// containers.cpp and settings.cpp.

namespace reg::broker {

class Client;

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
void add_git(Requests& requests, Loop& loop, Policy& policy);

/// "container.run" and the like: docker and podman by the real runtimes, under the broker's own policy. It owns the
/// containers that the boxed engine keeps, and removes them.
void add_containers(Requests& requests, Loop& loop, Policy& policy, GetLedger ledger);

/// "lock", "lease", "monitor" and "tune" of GPUs and the machine, and "end" of each. What was changed is restored when
/// the boxed engine asks for that or ends, and by the guardian when this process ends. What it returns throws
/// permission for conditions of a command that only a permitted tuning gives.
CheckConditions add_settings(Requests& requests, Loop& loop, Policy& policy, GetLedger ledger);

/// The boxed engine's side: from now on the broker does these. What is asked of docker and podman passes the guard here
/// first, as in an engine that is not boxed, so that a dry run and a rehearsal hold it back.
void use_broker_for_git(const std::shared_ptr<Client>& client);
void use_broker_for_containers(const std::shared_ptr<Client>& client);
void use_broker_for_settings(const std::shared_ptr<Client>& client);

/// The policy of the parts of the broker: nobody is asked, and the files that came open with a request need no
/// permission.
class Answered : public Policy {
 public:
  explicit Answered(Policy& policy) : policy_(policy) {}

  void set_files(std::set<std::string> files) { files_ = std::move(files); }
  std::string permit(const Effect& effect, bool may_ask) override;
  std::optional<Bounds> bounds(const Effect& effect) const override { return policy_.bounds(effect); }

 private:
  Policy& policy_;
  std::set<std::string> files_;
};

/// The result of an operation as the answer.
template <class T>
Op<Json> as_answer(Op<T> op) {
  co_return Json(co_await op);
}

inline Op<Json> answer(Json result) { co_return result; }

}  // namespace reg::broker
