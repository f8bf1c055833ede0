#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "engine/broker/channel.h"
#include "engine/broker/wire.h"
#include "engine/guard/policy.h"
#include "engine/process/command.h"

namespace reg::broker {

/// Files that go with a request. They are opened here, where the box decides what may be written.
class OutputFiles {
 public:
  /// Opens those of a command and puts their numbers into the request.
  OutputFiles(Json& request, const std::string& out_file, const std::string& err_file);

  std::vector<int> numbers() const;

 private:
  std::vector<Fd> files_;
};

/// The boxed engine's side: it asks, and the broker decides.
class Client {
 public:
  Client(Loop& loop, Fd socket);

  /// Tells an effect for the audit log.
  void tell(const Effect& effect, std::string_view verdict, std::string_view by);

  /// As process::run.
  Op<process::Outcome> run(const process::Command& command);

  /// Has the broker write this as the output of this number, and waits for that.
  void write(std::size_t output, std::string_view text);

  /// Waits for the answer to a request of Broker, and throws what it refused with. Other events are handled meanwhile.
  Json wait_for(const Json& request);

  /// Sends a request of Broker; `read` makes the result of the answer.
  template <class T>
  Op<T> ask(const Json& request, std::function<T(const Json&)> read, const std::vector<int>& files = {}) {
    auto op = std::make_shared<Operation<T>>();
    const std::uint64_t id = send(
        request, op, [op, read = std::move(read)](const Json& result) { op->resolve(read(result)); }, files);
    op->on_cancel([this, id] { cancel(id); });
    return op;
  }

 private:
  struct Asked {
    std::shared_ptr<Pending> op;
    std::function<void(const Json&)> resolve;
  };
  std::uint64_t send(const Json& request, std::shared_ptr<Pending> op, std::function<void(const Json&)> resolve,
                     const std::vector<int>& files);
  void cancel(std::uint64_t id);
  void settle(const Message& message);

  Loop& loop_;
  std::shared_ptr<Channel> channel_;
  std::map<std::uint64_t, Asked> asked_;
  std::uint64_t last_ = 0;
  bool gone_ = false;
};

}  // namespace reg::broker
