#include "bindings/program/boxed.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "engine/base/error.h"
#include "engine/box/filter.h"
#include "engine/box/landlock.h"
#include "engine/broker/cli_elsewhere.h"
#include "engine/broker/client.h"
#include "engine/broker/git_requests.h"
#include "engine/broker/settings_elsewhere.h"
#include "engine/broker/wire.h"
#include "engine/container/runtimes.h"
#include "engine/git/private_git.h"
#include "engine/git/repo.h"

#ifdef __SANITIZE_ADDRESS__
// The checker for leaks traces this process, and the filter forbids that.
extern "C" int __lsan_is_turned_off() { return reg::is_boxed() ? 1 : 0; }
#endif

namespace reg {
namespace {

using broker::Json;

// What the broker told this process.
std::optional<Json>& told() {
  static std::optional<Json> setup;
  return setup;
}

// A user may type --boxed, too.
bool has_broker() {
  ucred peer{};
  socklen_t size = sizeof peer;
  return ::getsockopt(kBoxedSocket, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && peer.pid == ::getppid();
}

// The policy of a boxed script, whose commands the broker runs.
class Boxed : public Policy {
 public:
  using Writer = std::function<void(std::size_t, std::string_view)>;
  using Runner = std::function<Op<process::Outcome>(process::Command)>;

  Boxed(std::unique_ptr<Permissions> permissions, Runner runner, Writer writer = {})
      : permissions_(std::move(permissions)), writer_(std::move(writer)) {
    process::run_elsewhere(std::move(runner));
  }
  // Before the loop is gone.
  ~Boxed() override {
    process::run_elsewhere({});
    git::use_git_elsewhere({});
    container::use_cli_elsewhere({});
    broker::use_no_broker_for_settings();
  }
  Boxed(const Boxed&) = delete;
  Boxed& operator=(const Boxed&) = delete;

  std::string permit(const Effect& effect, bool may_ask) override { return permissions_->permit(effect, may_ask); }
  void declare(EffectKind kind, const std::string& pattern) override { permissions_->declare(kind, pattern); }
  void join(const std::string& file, std::string_view text, bool own) override { permissions_->join(file, text, own); }
  void grant(EffectKind kind, const std::string& name, bool to_write) override {
    permissions_->grant(kind, name, to_write);
  }
  std::optional<Bounds> bounds(const Effect& effect) const override { return permissions_->bounds(effect); }
  bool writes(const std::string& file, std::string_view text) override {
    const std::vector<std::string> outputs = told()->at("outputs");
    const auto found = std::find(outputs.begin(), outputs.end(), file);
    if (!writer_ || found == outputs.end()) return false;
    writer_(found - outputs.begin(), text);
    return true;
  }
  // A shipped script that only reads stores nothing, and clones nothing.
  std::string untrusted_script() const override { return only_reads_here() ? "" : permissions_->untrusted_script(); }

 private:
  std::unique_ptr<Permissions> permissions_;
  Writer writer_;
};

// The broker writes these itself, with the GPUs that they are of.
bool is_lock(const Effect& effect) {
  return std::any_of(effect.needs.begin(), effect.needs.end(),
                     [](const Need& need) { return need.kind == EffectKind::gpu && need.names.front() == "lock"; });
}

[[noreturn]] void end_of_head() { ::_exit(0); }

// Tells what the script declares and loads. Its head ends with the first effect that changes something, or with the
// error of a read that is not permitted yet. Options look at what they name before they declare it, and go on.
class Head : public Boxed {
 public:
  explicit Head(std::unique_ptr<Permissions> permissions)
      : Boxed(std::move(permissions), [](const process::Command&) -> Op<process::Outcome> { end_of_head(); }) {}

  std::string permit(const Effect& effect, bool) override {
    if (effect.changes) end_of_head();
    return Boxed::permit(effect, false);
  }
  void declare(EffectKind kind, const std::string& pattern) override {
    Boxed::declare(kind, pattern);
    tell({{"declare", to_string(kind)}, {"pattern", pattern}});
  }
  void join(const std::string& file, std::string_view text, bool own) override {
    Boxed::join(file, text, own);
    if (!own) tell({{"join", file}, {"text", text}});
  }

 private:
  static void tell(const Json& json) {
    if (!broker::send(kBoxedSocket, broker::pack(json))) end_of_head();
  }
};

// Native code must not take the machine's memory either. Not with AddressSanitizer, which reserves terabytes.
void limit_memory([[maybe_unused]] std::uint64_t bytes) {
#ifndef __SANITIZE_ADDRESS__
  const rlimit limit{bytes, bytes};
  if (bytes != 0 && ::setrlimit(RLIMIT_DATA, &limit) != 0) throw system_error("setrlimit", errno);
#endif
}

}  // namespace

void enter_box_if_told(int& argc, char**& argv) {
  if (argc < 2 || std::string_view(argv[1]) != kBoxed || !has_broker()) return;
  ::fcntl(kBoxedSocket, F_SETFD, FD_CLOEXEC);
  const auto message = broker::receive(kBoxedSocket);
  if (!message) ::_exit(1);
  const Json& setup = told().emplace(broker::unpack(message->text));
  const box::Reach reach{setup.at("read"), setup.at("write"), setup.at("devices")};
  const box::Landlock landlock(reach);
  if (!landlock.enter()) throw system_error("landlock_restrict_self", errno);
  limit_memory(setup.at("memory"));
  box::enter_filter(setup.at("filter").get_ref<const std::string&>());
  git::ignore_user_configuration();
  argv[1] = argv[0];
  ++argv;
  --argc;
}

bool is_boxed() { return told().has_value(); }

bool only_reads_here() { return is_boxed() && told()->at("reads_only") == true; }

bool reads_head() { return is_boxed() && told()->at("head") == true; }

std::unique_ptr<Policy> boxed_policy(Loop& loop, Guard& guard, std::unique_ptr<Permissions> permissions) {
  if (reads_head()) return std::make_unique<Head>(std::move(permissions));
  Decision decision = decision_from_line(told()->at("decision").get<std::string>());
  if (decision.sha256 != permissions->script().sha256)
    throw Error(ErrorKind::conflict, permissions->script().name + " was changed while it was started", "Run it again.");
  permissions->decide(std::move(decision));
  const auto client = std::make_shared<broker::Client>(loop, Fd(kBoxedSocket));
  if (told()->at("audited") == true)
    guard.audit_with([client](const Effect& effect, std::string_view verdict, std::string_view by) {
      if (verdict != "run" || !is_lock(effect)) client->tell(effect, verdict, by);
    });
  broker::use_broker_for_git(client);
  broker::use_broker_for_containers(client);
  broker::use_broker_for_settings(client);
  return std::make_unique<Boxed>(
      std::move(permissions), [client](const process::Command& command) { return client->run(command); },
      [client](std::size_t output, std::string_view text) { client->write(output, text); });
}

}  // namespace reg
