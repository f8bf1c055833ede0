#include "engine/broker/broker.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <set>

#include "engine/base/error.h"
#include "engine/base/file.h"
#include "engine/base/text.h"
#include "engine/container/runtimes.h"
#include "engine/git/program.h"
#include "engine/gpu/elsewhere.h"
#include "engine/machine/tuning.h"
#include "engine/process/command.h"

namespace reg::broker {
namespace {

constexpr std::size_t kMostRequests = 1000;
constexpr std::size_t kLongestTold = std::size_t{1} << 16;

void check_name(const std::string& name) {
  if (name.empty() || name.find('=') != std::string::npos)
    throw Error(ErrorKind::usage, "not a valid environment variable: '" + name + "'");
}

// The broker's policy: nobody is asked, and the files that came open with a request need no permission. What a request
// admits it admits before the first wait.
class Answered : public Policy {
 public:
  Answered(Policy& policy, const std::set<std::string>& files) : policy_(policy), files_(files) {}

  std::string permit(const Effect& effect, bool) override {
    Effect rest = effect;
    std::erase_if(rest.needs, [&](const Need& need) {
      return need.kind == EffectKind::files && files_.contains(need.names.front());
    });
    return policy_.permit(rest, false);
  }
  std::optional<Bounds> bounds(const Effect& effect) const override { return policy_.bounds(effect); }

 private:
  Policy& policy_;
  const std::set<std::string>& files_;
};

class Broker {
 public:
  Broker(Loop& loop, Policy& policy, Audit audit, Fd socket, const GetLedger& ledger, std::vector<std::string> outputs,
         const Write& write)
      : loop_(loop),
        guard_(std::make_unique<Answered>(policy, files_)),
        audit_(std::move(audit)),
        channel_(listen(
            loop, std::move(socket), [this](Message message) { handle(std::move(message)); },
            [this] { end_everything(); })),
        outputs_(std::move(outputs)) {
    guard_.audit_with(audit_);
    add_git(requests_, loop, guard_);
    add_containers(requests_, loop, guard_, ledger);
    add_settings(requests_, loop, guard_, ledger);
    requests_["run"] = [this](const Request& request) { return run(request); };
    if (outputs_.empty()) return;
    requests_["write"] = [this, write](const Request& request) {
      write(outputs_.at(request.what().at("output")), request.what().at("text").get_ref<const std::string&>());
      return answer(nullptr);
    };
  }

  bool ended() const { return gone_ && running_.empty(); }

 private:
  void handle(Message message) {
    std::uint64_t id = 0;
    try {
      Json json = unpack(message.text);
      if (json.contains("cancel")) {
        const auto found = running_.find(json["cancel"].get<std::uint64_t>());
        if (found != running_.end()) found->second->cancel();
        return;
      }
      if (json.contains("audit")) return tell(json["audit"]);
      id = json.at("id").get<std::uint64_t>();
      if (running_.contains(id)) throw Error(ErrorKind::usage, "a request of this number is under way already");
      if (running_.size() >= kMostRequests) throw Error(ErrorKind::usage, "too many requests at the same time");
      start(id, {std::move(json), std::move(message)});
    } catch (const std::exception& error) {
      refuse(id, error);
    }
  }

  // A line of the engine (Client::tell).
  void tell(const Json& line) {
    const auto verdict = line.at("verdict").get<std::string>(), by = line.at("by").get<std::string>();
    const auto kind = effect_kind(line.at("kind").get<std::string>());
    if (!kind || !has_word("run recorded refused", verdict))
      throw Error(ErrorKind::usage, "not a line of the audit log");
    const Effect effect{*kind, line.at("what").get<std::string>().substr(0, kLongestTold), {}};
    audit_(effect, verdict, by.empty() ? by : "claimed: " + by.substr(0, kLongestTold));
  }

  void start(std::uint64_t id, Request request) {
    const auto held = std::make_shared<const Request>(std::move(request));
    const auto call = held->json.at("call").get<std::string>();
    const auto found = requests_.find(call);
    if (found == requests_.end()) throw Error(ErrorKind::usage, "not a request: " + call);
    files_.clear();
    for (const char* name : {"out", "err"})
      if (const std::string file = held->file(name); !file.empty()) files_.insert(real_path(file));
    const Op<Json> op = found->second(*held);
    running_.emplace(id, op);
    op->then([this, id, op, held] {
      running_.erase(id);
      try {
        channel_(pack({{"id", id}, {"result", op->take()}}), {});
      } catch (const std::exception& error) {
        refuse(id, error);
      }
    });
  }

  Op<Json> run(const Request& request) {
    process::Command command = command_from(request.what());
    const auto& counted = process::kInstructions;
    if (command.count && (command.count->type != counted.type || command.count->config != counted.config))
      throw Error(ErrorKind::permission, "not permitted: counting anything but instructions");
    using Words = std::vector<std::string>;
    if (!outputs_.empty() && command.argv != Words{"xdg-open", outputs_.front()} &&
        command.argv != Words{"gnuplot", "-d", "-"})
      throw Error(ErrorKind::permission, "not permitted: running anything but gnuplot and xdg-open of the output");
    for (auto& [inside, folder] : command.mounts) folder = real_path(folder);  // so that no link comes in between
    const Effect effect = process::effect_of(command);
    guard_.admit(effect);
    command.bounds = guard_.policy().bounds(effect);
    command.out_file = request.file("out");
    command.err_file = request.file("err");
    return as_answer(process::run(loop_, std::move(command)));
  }

  void refuse(std::uint64_t id, const std::exception& exception) {
    const Error error = as_error(exception);
    const Json told{{"kind", to_string(error.kind())}, {"message", error.what()}, {"hint", error.hint()}};
    channel_(pack({{"id", id}, {"error", told}}), {});
  }

  void end_everything() {
    gone_ = true;
    const auto running = running_;
    for (const auto& [id, op] : running) op->cancel();
  }

  Loop& loop_;
  std::set<std::string> files_;  // that came open with the request which is being started
  Guard guard_;
  Audit audit_;
  Channel channel_;
  Requests requests_;
  std::map<std::uint64_t, std::shared_ptr<Pending>> running_;
  std::vector<std::string> outputs_;
  bool gone_ = false;
};

}  // namespace

// What the engine's bindings check is checked again: who speaks here may be anybody.
process::Command command_from(const Json& json) {
  const Json words = json.flatten();
  for (const auto& [place, value] : words.items())
    if (place != "/input" && (value.is_string() ? place + value.get<std::string>() : place).find('\0') != place.npos)
      throw Error(ErrorKind::usage, "a command must not contain a NUL byte");
  process::Command command = json;
  for (const auto& [name, value] : command.env) check_name(name);
  for (const std::string& name : command.unset) check_name(name);
  for (const auto& [inside, folder] : command.mounts)
    if (!inside.starts_with('/') || !folder.starts_with('/'))
      throw Error(ErrorKind::usage, fmt::format("not an absolute path: '{}' or '{}'", inside, folder));
  command.keep_bytes = std::min(command.keep_bytes, kMostKept);
  return command;
}

// The engine opened it to write, so that it could. By this name it is opened again, whatever lies at its path now; with
// the broker's rights, so that one which may only be read must not come here.
std::string Request::file(const char* name) const {
  if (!json.contains(name)) return {};
  const int file = message.files.at(json[name].get<std::size_t>()).get();
  const int flags = ::fcntl(file, F_GETFL);
  const int mode = flags & O_ACCMODE;  // 3 is one, too, for which Landlock asks nothing
  struct stat found {};
  if (flags < 0 || (flags & O_PATH) != 0 || (mode != O_WRONLY && mode != O_RDWR) || ::fstat(file, &found) != 0 ||
      !S_ISREG(found.st_mode))
    throw Error(ErrorKind::permission, "the command's file is not open to be written");
  return fmt::format("/proc/self/fd/{}", file);
}

std::function<bool()> start_broker(Loop& loop, Policy& policy, Audit audit, Fd socket, const GetLedger& ledger,
                                   std::vector<std::string> outputs, const Write& write) {
  const auto broker =
      std::make_shared<Broker>(loop, policy, std::move(audit), std::move(socket), ledger, std::move(outputs), write);
  return [broker] { return broker->ended(); };
}

static std::exception_ptr error_from(const Json& json) {
  const auto kind = error_kind(json.at("kind").get<std::string>());
  return std::make_exception_ptr(Error(kind.value_or(ErrorKind::internal), json.at("message"), json.at("hint")));
}

static std::exception_ptr broker_is_gone() {
  return std::make_exception_ptr(
      Error(ErrorKind::internal, "the process that runs the commands of this script has ended"));
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
  if (!gone_) channel_(pack({{"audit", line}}), {});
}

std::uint64_t Client::send(Json request, const process::Command& output, Asked asked) {
  std::vector<Fd> files;
  std::vector<int> numbers;
  for (const auto& [name, path] : {std::pair("out", &output.out_file), std::pair("err", &output.err_file)}) {
    if (path->empty()) continue;
    if (files.empty() || *path != output.out_file) {
      files.push_back(open_file(*path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND));
      numbers.push_back(files.back().get());
    }
    request[name] = files.size() - 1;
  }
  const std::uint64_t id = ++last_;
  if (gone_) {
    asked.op->reject(broker_is_gone());
    return id;
  }
  asked_.emplace(id, std::move(asked));
  request["id"] = id;
  channel_(pack(request), numbers);
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
  process::run_elsewhere(
      [client](const process::Command& command) { return client->ask<process::Outcome>("run", command, command); });
  use_broker_for_git(client);
  use_broker_for_containers(client);
  use_broker_for_settings(client);
}

void use_no_broker() {
  process::run_elsewhere({});
  git::git_elsewhere().reset();
  container::use_cli_elsewhere({});
  gpu::elsewhere().reset();
  machine::tune_elsewhere(nullptr);
}

}  // namespace reg::broker
