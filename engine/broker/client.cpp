#include "engine/broker/client.h"

#include <fcntl.h>

#include <nlohmann/json.hpp>

#include "engine/base/error.h"
#include "engine/broker/wire.h"

namespace reg::broker {

Client::Client(Loop& loop, Fd socket) : channel_(std::make_shared<Channel>(loop, std::move(socket))) {
  channel_->listen([this](const Message& message) { settle(message); },
                   [this] {
                     const auto gone = std::make_exception_ptr(
                         Error(ErrorKind::internal, "the process that runs the commands of this script has ended"));
                     for (auto& [id, op] : std::exchange(running_, {})) op->reject(gone);
                   });
}

Op<process::Outcome> Client::run(const process::Command& command) {
  const std::uint64_t id = ++last_;
  Json request{{"id", id}, {"run", as_json(command)}};
  // They are opened here, where the box decides what may be written.
  std::vector<Fd> files;
  const auto open = [&](const char* name, const std::string& path) {
    request[name] = files.size();
    files.push_back(open_file(path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND));
  };
  if (!command.out_file.empty()) open("out", command.out_file);
  if (!command.err_file.empty() && command.err_file == command.out_file)
    request["err"] = request["out"];
  else if (!command.err_file.empty())
    open("err", command.err_file);
  std::vector<int> numbers;
  for (const Fd& file : files) numbers.push_back(file.get());

  auto op = std::make_shared<Operation<process::Outcome>>();
  running_.emplace(id, op);
  op->on_cancel([this, id] { channel_->send(pack({{"cancel", id}})); });
  channel_->send(pack(request), numbers);
  return op;
}

void Client::settle(const Message& message) {
  const Json answer = unpack(message.text);
  const auto running = running_.extract(answer.at("id").get<std::uint64_t>());
  if (running.empty()) return;
  if (answer.contains("error"))
    running.mapped()->reject(error_from(answer.at("error")));
  else
    running.mapped()->resolve(outcome_from(answer.at("outcome")));
}

}  // namespace reg::broker
