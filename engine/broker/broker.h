#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "engine/broker/wire.h"
#include "engine/guard/policy.h"

namespace reg::broker {

using Write = std::function<void(const std::string& output, std::string_view text)>;

/// Starts the side that is not boxed. It does what the boxed engine asks for, if its own copy of the user's answer
/// permits it, and believes nothing that the engine says, for as long as the result is there: that says whether the
/// boxed engine is gone, and everything that it had started has ended.
/// `audit` hears of all effects, whether they happen here or in the engine, which tells its own.
/// `outputs`: the files that the engine may have written, by their places in this list; `write` writes them.
/// `ledger`: where changes of the machine are announced; called only if there are some.
[[nodiscard]] std::function<bool()> start_broker(Loop& loop, Policy& policy, Audit audit, Fd socket,
                                                 const GetLedger& ledger, std::vector<std::string> outputs = {},
                                                 const Write& write = {});

/// Throws usage for what the bindings refuse, too: NUL bytes, names of variables with "=", relative mounts.
process::Command command_from(const Json& json);

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
    op->on_cancel([this, id] { channel_->send(pack({{"cancel", id}})); });
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
  std::shared_ptr<Channel> channel_;
  std::map<std::uint64_t, Asked> asked_;
  std::uint64_t last_ = 0;
  bool gone_ = false;
};

/// From now on the broker does what this process, which is boxed, may not do itself.
void use_broker(const std::shared_ptr<Client>& client);
void use_no_broker();

}  // namespace reg::broker
