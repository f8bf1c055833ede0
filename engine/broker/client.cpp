#include <fcntl.h>

#include "engine/base/error.h"
#include "engine/broker/broker.h"
#include "engine/container/runtimes.h"
#include "engine/git/program.h"
#include "engine/gpu/elsewhere.h"
#include "engine/machine/tuning.h"

namespace reg::broker {
namespace {

std::exception_ptr broker_is_gone() {
  return std::make_exception_ptr(
      Error(ErrorKind::internal, "the process that runs the commands of this script has ended"));
}

}  // namespace

Call call(const std::string& name, Json what) { return {{{"call", name}, {"what", std::move(what)}}}; }

void Call::open(const std::string& out_file, const std::string& err_file) {
  const auto add = [&](const char* name, const std::string& path) {
    json[name] = files.size();
    files.push_back(open_file(path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND));
  };
  if (!out_file.empty()) add("out", out_file);
  if (!err_file.empty() && err_file == out_file)
    json["err"] = json["out"];
  else if (!err_file.empty())
    add("err", err_file);
}

Client::Client(Loop& loop, Fd socket)
    : loop_(loop),
      channel_(listen(
          loop, std::move(socket), [this](const Message& message) { settle(message); },
          [this] {
            gone_ = true;
            for (auto& [id, asked] : std::exchange(asked_, {})) asked.op->reject(broker_is_gone());
          })) {}

void Client::tell(const Effect& effect, std::string_view verdict, std::string_view by) {
  const Json line{{"kind", to_string(effect.kind)}, {"what", effect.what}, {"verdict", verdict}, {"by", by}};
  if (!gone_) channel_->send(pack({{"audit", line}}));
}

void Client::write(std::size_t output, std::string_view text) {
  wait_for(call("write", {{"output", output}, {"text", text}}));
}

Json Client::wait_for(Call&& call) { return loop_.wait_for(ask<Json>(std::move(call))); }

std::uint64_t Client::send(Call&& call, std::shared_ptr<Pending> op, std::function<void(const Json&)> resolve) {
  const std::uint64_t id = ++last_;
  if (gone_) {
    op->reject(broker_is_gone());
    return id;
  }
  asked_.emplace(id, Asked{std::move(op), std::move(resolve)});
  call.json["id"] = id;
  std::vector<int> numbers;
  for (const Fd& file : call.files) numbers.push_back(file.get());
  channel_->send(pack(call.json), numbers);
  return id;
}

void Client::settle(const Message& message) {
  const Json answer = unpack(message.text);
  const auto asked = asked_.extract(answer.at("id").get<std::uint64_t>());
  if (asked.empty()) return;
  if (answer.contains("error"))
    asked.mapped().op->reject(error_from(answer.at("error")));
  else
    asked.mapped().resolve(answer.at("result"));
}

void use_broker(const std::shared_ptr<Client>& client) {
  process::run_elsewhere([client](const process::Command& command) {
    Call request = call("run", command);
    request.open(command.out_file, command.err_file);
    return client->ask<process::Outcome>(std::move(request));
  });
  use_broker_for_git(client);
  use_broker_for_containers(client);
  use_broker_for_settings(client);
}

void use_no_broker() {
  process::run_elsewhere({});
  git::use_git_elsewhere({});
  container::use_cli_elsewhere({});
  gpu::elsewhere().reset();
  machine::tune_elsewhere(nullptr);
}

}  // namespace reg::broker
