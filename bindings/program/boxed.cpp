#include <fcntl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "bindings/program/program.h"
#include "engine/base/error.h"
#include "engine/base/file.h"
#include "engine/base/ids.h"
#include "engine/base/text.h"
#include "engine/box/box.h"
#include "engine/broker/broker.h"
#include "engine/git/repo.h"
#include "engine/guard/permissions.h"
#include "engine/process/command.h"

#ifdef __SANITIZE_ADDRESS__
// The checker for leaks traces this process, and the filter forbids that.
extern "C" int __lsan_is_turned_off() { return reg::is_boxed() ? 1 : 0; }
#endif

namespace reg {
namespace {

namespace fs = std::filesystem;

// Of /etc and /proc only what the engine and its libraries read.
constexpr std::string_view kMachine =
    "/usr /lib /lib32 /lib64 /bin /sbin /opt /sys /etc/ld.so.cache /etc/localtime /etc/passwd /etc/nsswitch.conf "
    "/etc/os-release /etc/machine-id /etc/hostname /etc/terminfo /proc/self /proc/sys /proc/cpuinfo /proc/meminfo "
    "/proc/stat /proc/loadavg /proc/uptime /proc/version /proc/vmstat /proc/locks /proc/mounts /proc/filesystems "
    "/proc/driver";

constexpr std::string_view kDevices = "/dev/null /dev/zero /dev/full /dev/random /dev/urandom";

// The program, and the libraries beside it.
void add_own_files(std::vector<std::string>& read) {
  const fs::path program = fs::read_symlink("/proc/self/exe");
  read.push_back(program);
  for (const fs::path file : entries(program.parent_path()))
    if (file.filename().string().find("regengine") != std::string::npos) read.push_back(file);
  read.push_back(program.parent_path().parent_path() / "lib" / "regengine");
  // Which modules the user trusts.
  if (const std::string state = user_trust_store().folder(); !state.empty()) read.push_back(state + "/trusted");
  // Libraries in unusual places, which the user named.
  for (const auto& [name, value] : variables())
    if (name.starts_with("REGENGINE_") && value.starts_with('/')) read.push_back(value);
}

// A script outside the current folder, and the modules that lie beside it or one folder below: no other files there.
void add_script(const std::string& script, std::vector<std::string>& read) {
  const fs::path file = real_path(script);
  if (script == "-" || lies_in(file.string(), real_path("."))) return;
  constexpr int kMost = 1000;
  read.push_back(file);
  std::error_code ignored;
  fs::recursive_directory_iterator at(file.parent_path(), ignored), end;
  for (int i = 0; i < kMost && at != end; ++i, at.increment(ignored)) {
    if (at.depth() > 0) at.disable_recursion_pending();
    if (at->path().extension() == ".lua" && at->symlink_status(ignored).type() == fs::file_type::regular)
      read.push_back(at->path());
  }
}

// What the broker told this process.
std::optional<Setup>& told() {
  static std::optional<Setup> setup;
  return setup;
}

// A user may type --boxed, too.
bool has_broker() {
  ucred peer{};
  socklen_t size = sizeof peer;
  return ::getsockopt(kBoxedSocket, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && peer.pid == ::getppid();
}

// The policy of a boxed script, which asks its broker for what it may do.
class Boxed : public Permissions {
 public:
  Boxed(Permissions&& permissions, std::shared_ptr<broker::Client> client)
      : Permissions(std::move(permissions)), client_(std::move(client)) {
    broker::use_broker(client_);
  }
  // Before the loop is gone.
  ~Boxed() override { broker::use_no_broker(); }
  Boxed(const Boxed&) = delete;
  Boxed& operator=(const Boxed&) = delete;

  bool writes(const std::string& file, std::string_view text) override {
    const std::vector<std::string>& outputs = told()->outputs;
    const auto found = std::find(outputs.begin(), outputs.end(), file);
    if (found == outputs.end()) return false;
    client_->wait_for("write", {{"output", found - outputs.begin()}, {"text", text}});
    return true;
  }
  // A shipped script that only reads stores nothing, and clones nothing.
  std::string untrusted_script() const override { return only_reads_here() ? "" : Permissions::untrusted_script(); }

 private:
  std::shared_ptr<broker::Client> client_;
};

// What the broker does it writes into the audit log itself.
bool is_done_elsewhere(const Effect& effect) {
  return names_programs(effect.kind) || effect.kind == EffectKind::container ||
         std::any_of(effect.needs.begin(), effect.needs.end(),
                     [](const Need& need) { return need.kind == EffectKind::gpu && need.names.front() == "lock"; });
}

[[noreturn]] void end_of_head() { ::_exit(0); }

// Tells what the script declares and loads. Its head ends with the first effect that changes something, or with the
// error of a read that is not permitted yet. Options look at what they name before they declare it, and go on.
class Head : public Permissions {
 public:
  explicit Head(Permissions&& permissions) : Permissions(std::move(permissions)) {
    process::run_elsewhere([](const process::Command&) -> Op<process::Outcome> { end_of_head(); });
  }

  std::string permit(const Effect& effect, bool) override {
    if (effect.changes) end_of_head();
    return Permissions::permit(effect, false);
  }
  void declare(EffectKind kind, const std::string& pattern) override {
    Permissions::declare(kind, pattern);
    tell({{"declare", to_string(kind)}, {"pattern", pattern}});
  }
  void join(const std::string& file, std::string_view text, bool own) override {
    Permissions::join(file, text, own);
    if (!own) tell({{"join", file}, {"text", text}});
  }

 private:
  static void tell(const broker::Json& json) {
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

box::Reach reach_of_engine(const Patterns& permitted, const Invocation& invocation) {
  box::Reach reach{words(kMachine), {real_path(".")}, words(kDevices)};
  add_own_files(reach.read);
  add_script(invocation.script, reach.read);
  const std::vector<std::string> gpus = box::gpu_devices();
  reach.devices.insert(reach.devices.end(), gpus.begin(), gpus.end());
  Bounds bounds;
  const std::string state = user_trust_store().folder();
  bounds.add(permitted, process::sandbox_support().home, state.empty() ? "" : real_path(state));
  reach.read.insert(reach.read.end(), bounds.read.begin(), bounds.read.end());
  reach.read.insert(reach.read.end(), invocation.read.begin(), invocation.read.end());
  reach.write.insert(reach.write.end(), bounds.write.begin(), bounds.write.end());
  return reach;
}

void enter_box_if_told(int& argc, char**& argv) {
  if (argc < 2 || std::string_view(argv[1]) != kBoxed || !has_broker()) return;
  ::fcntl(kBoxedSocket, F_SETFD, FD_CLOEXEC);
  const auto message = broker::receive(kBoxedSocket);
  if (!message) ::_exit(1);
  const Setup& setup = told().emplace(broker::unpack(message->text).get<Setup>());
  const box::Landlock landlock(setup.reach, false);
  if (!landlock.enter()) throw system_error("landlock_restrict_self", errno);
  limit_memory(setup.memory);
  box::enter_filter(setup.filter);
  git::ignore_user_configuration();
  argv[1] = argv[0];
  ++argv;
  --argc;
}

bool is_boxed() { return told().has_value(); }

bool only_reads_here() { return is_boxed() && told()->reads_only; }

std::unique_ptr<Policy> boxed_policy(Loop& loop, Guard& guard, Permissions permissions) {
  if (told()->head) return std::make_unique<Head>(std::move(permissions));
  const Decision& decision = told()->decision;
  if (decision.sha256 != permissions.script().sha256)
    throw Error(ErrorKind::conflict, permissions.script().name + " was changed while it was started", "Run it again.");
  permissions.decide(decision);
  const auto client = std::make_shared<broker::Client>(loop, Fd(kBoxedSocket));
  if (told()->audited)
    guard.audit_with([client](const Effect& effect, std::string_view verdict, std::string_view by) {
      if (verdict != "run" || !is_done_elsewhere(effect)) client->tell(effect, verdict, by);
    });
  return std::make_unique<Boxed>(std::move(permissions), client);
}

}  // namespace reg
