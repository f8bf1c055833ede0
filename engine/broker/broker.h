#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "engine/broker/wire.h"
#include "engine/guard/policy.h"

namespace reg::broker {

/// The side that is not boxed. It does what the boxed engine asks for, if its own copy of the user's answer permits it,
/// and believes nothing that the engine says.
class Broker {
 public:
  using Write = std::function<void(const std::string& output, std::string_view text)>;

  /// `audit` hears of all effects, whether they happen here or in the engine, which tells its own.
  /// `outputs`: the files that the engine may have written, by their places in this list; `write` writes them.
  /// `ledger`: where changes of the machine are announced; called only if there are some.
  Broker(Loop& loop, Policy& policy, Audit audit, Fd socket, const GetLedger& ledger,
         std::vector<std::string> outputs = {}, const Write& write = {});

  /// The boxed engine is gone, and everything that it had started has ended.
  bool ended() const { return gone_ && running_.empty(); }

 private:
  void handle(Message message);
  void start(std::uint64_t id, Request request);
  Op<Json> run(const Request& request, const CheckConditions& check);
  void tell(const Json& line);
  void refuse(std::uint64_t id, const std::exception_ptr& error);
  void end_everything();

  Loop& loop_;
  std::set<std::string> files_;  // that came open with the request which is being started
  Guard guard_;
  Audit audit_;
  // Effects that the engine told before it asks for them, or that it has itself: they are in the audit log already.
  std::multiset<std::string> told_;
  std::shared_ptr<Channel> channel_;
  Requests requests_;
  std::map<std::uint64_t, std::shared_ptr<Pending>> running_;
  std::vector<std::string> outputs_;
  bool gone_ = false;
};

/// Throws usage for what the bindings refuse, too: NUL bytes, names of variables with "=", relative mounts.
process::Command command_from(const Json& json);

}  // namespace reg::broker
