#include "engine/broker/client.h"

#include <fcntl.h>

#include <nlohmann/json.hpp>

#include "engine/base/error.h"
#include "engine/broker/audited.h"

namespace reg::broker {
namespace {

std::exception_ptr broker_is_gone() {
  return std::make_exception_ptr(
      Error(ErrorKind::internal, "the process that runs the commands of this script has ended"));
}

}  // namespace

OutputFiles::OutputFiles(Json& request, const std::string& out_file, const std::string& err_file) {
  const auto open = [&](const char* name, const std::string& path) {
    request[name] = files_.size();
    files_.push_back(open_file(path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND));
  };
  if (!out_file.empty()) open("out", out_file);
  if (!err_file.empty() && err_file == out_file)
    request["err"] = request["out"];
  else if (!err_file.empty())
    open("err", err_file);
}

std::vector<int> OutputFiles::numbers() const {
  std::vector<int> numbers;
  for (const Fd& file : files_) numbers.push_back(file.get());
  return numbers;
}

Client::Client(Loop& loop, Fd socket) : loop_(loop), channel_(std::make_shared<Channel>(loop, std::move(socket))) {
  channel_->listen([this](const Message& message) { settle(message); },
                   [this] {
                     gone_ = true;
                     for (auto& [id, asked] : std::exchange(asked_, {})) asked.op->reject(broker_is_gone());
                   });
}

Op<process::Outcome> Client::run(const process::Command& command) {
  Json request{{"run", command}};
  const OutputFiles files(request, command.out_file, command.err_file);
  return ask<process::Outcome>(
      request, [](const Json& answer) { return answer.get<process::Outcome>(); }, files.numbers());
}

void Client::tell(const Effect& effect, std::string_view verdict, std::string_view by) {
  if (!gone_) channel_->send(pack({{"audit", as_line(effect, verdict, by)}}));
}

void Client::write(std::size_t output, std::string_view text) {
  if (gone_) std::rethrow_exception(broker_is_gone());
  const auto op = std::make_shared<Operation<Json>>();
  asked_.emplace(++last_, Asked{op, [op](const Json& answer) { op->resolve(answer); }});
  channel_->send(std::string(kText) + std::to_string(last_) + " " + std::to_string(output) + " " + std::string(text));
  loop_.run_until([&] { return op->done(); });
  op->take();
}

Json Client::wait_for(const Json& request) {
  const Op<Json> op = ask<Json>(request, [](const Json& answer) { return answer; });
  loop_.run_until([&] { return op->done(); });
  return op->take();
}

std::uint64_t Client::send(const Json& request, std::shared_ptr<Pending> op, std::function<void(const Json&)> resolve,
                           const std::vector<int>& files) {
  const std::uint64_t id = ++last_;
  if (gone_) {
    op->reject(broker_is_gone());
    return id;
  }
  asked_.emplace(id, Asked{std::move(op), std::move(resolve)});
  Json message = request;
  message["id"] = id;
  channel_->send(pack(message), files);
  return id;
}

void Client::cancel(std::uint64_t id) { channel_->send(pack({{"cancel", id}})); }

void Client::settle(const Message& message) {
  const Json answer = unpack(message.text);
  const auto asked = asked_.extract(answer.at("id").get<std::uint64_t>());
  if (asked.empty()) return;
  if (answer.contains("error"))
    asked.mapped().op->reject(error_from(answer.at("error")));
  else
    asked.mapped().resolve(answer.at("result"));
}

}  // namespace reg::broker
