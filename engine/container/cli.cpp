#include "engine/container/cli.h"

#include <csignal>
#include <filesystem>

#include "engine/base/ids.h"
#include "engine/base/text.h"
#include "engine/nvtx/nvtx.h"

namespace reg::container {

namespace fs = std::filesystem;

namespace {

// No query takes this long; a container engine that hangs must not hang the investigation.
constexpr double answer_limit_s = 120;
// How long podman, told to stop, may take to finish or undo a container that it is making: if it is killed in between,
// the container's monitor stays for good.
constexpr double create_limit_s = 10;

// They were checked as they were found, and somebody may have put a link there since. The moment until the container
// engine opens them stays.
void check_mounts_again(const Spec& spec) {
  for (const Mount& mount : spec.mounts)
    if (real_path(mount.host) != mount.host)
      throw Error(ErrorKind::permission, "refused to mount " + printable(mount.host) + ": it has become a link");
}

}  // namespace

bool Cli::admit(const std::vector<std::string>& argv, std::vector<Need> needs, bool changes, std::string identity,
                std::string image) {
  return guard_.admit(
      {EffectKind::container, shell_words(argv), std::move(needs), changes, std::move(identity), std::move(image)});
}

// The command line without what is of this engine and this machine.
std::string Cli::identity_of(Spec spec) const {
  spec.image = "IMAGE";
  const std::string leased = spec.leased ? "\nleased GPUs " + std::to_string(spec.leased->uuids.size()) : "";
  spec.leased.reset();
  std::vector<std::string> words = dialect_.run(spec, "");
  std::erase_if(words, [](const std::string& word) {
    return word.find(engine_id()) != std::string::npos || word.starts_with("regengine.host=");
  });
  return shell_words(words) + leased;
}

process::Command Cli::client(std::vector<std::string> argv, const Exec& limits) const {
  process::Command command;
  command.argv = std::move(argv);
  command.timeout_s = limits.timeout_s;
  command.out_file = limits.out_file;
  command.err_file = limits.err_file;
  command.keep_bytes = limits.keep_bytes;
  if (!dialect_.is_podman()) return command;
  command.alone = true;
  command.kill_after_s = create_limit_s;
  command.cwd = fs::temp_directory_path().string();  // its monitor writes a file named "oom" to its working directory
  return command;
}

Op<process::Outcome> Cli::ask(std::vector<std::string> argv, std::size_t keep_bytes) {
  process::Command command = client(std::move(argv));
  command.timeout_s = answer_limit_s;
  command.keep_bytes = keep_bytes;
  return process::run(loop_, std::move(command));
}

Op<std::string> Cli::check() {
  const auto self = shared_from_this();
  // `podman version` does not open the storage; `info` does, and so shows that it works.
  const std::vector<std::string> podman{"podman", "info", "--format", "{{.Version.Version}}"};
  const std::vector<std::string> docker{"docker", "version", "--format", "{{.Server.Version}}"};
  const auto answer = co_await ask(dialect_.is_podman() ? podman : docker);
  if (answer.code != 0 || answer.timed_out) throw failure(name(), "be reached", all_output(answer));
  co_return std::string(trim(answer.out));
}

Op<std::optional<State>> Cli::state(std::string container) {
  const std::vector<std::string> argv{name(),     "inspect",         "--type", "container",
                                      "--format", "{{json .State}}", container};
  const auto answer = co_await ask(argv);
  if (answer.code == 0) co_return parse_state(answer.out);
  if (says_missing(answer.err)) co_return std::nullopt;
  throw failure(name(), "inspect the container " + container, all_output(answer));
}

// {} where the container engine does not tell: the run itself succeeded.
Op<std::map<std::string, std::string>> Cli::installed(std::string container) {
  constexpr std::size_t line_for_each_file = std::size_t{256} << 20;
  const std::vector<std::string> argv{name(), "diff", container};
  try {
    const auto answer = co_await ask(argv, line_for_each_file);
    if (answer.code == 0) co_return parse_installed(answer.out);
  } catch (const Error&) {
  }
  co_return std::map<std::string, std::string>{};
}

Op<Nothing> Cli::remove(std::string container) {
  const auto commands = dialect_.remove(container);
  for (const auto& argv : commands) co_await ask(argv);
}

// Clients of dead engines may still be making containers, which no list has yet.
Op<Nothing> Cli::wait_for_orphans() {
  constexpr double pause_s = 0.05;
  auto orphans = process::orphans_alone();
  for (double waited_s = 0; !orphans.empty() && waited_s < 2 * create_limit_s; waited_s += pause_s) {
    for (const pid_t pid : orphans)
      if (waited_s >= create_limit_s) ::kill(pid, SIGKILL);
    co_await sleep(loop_, pause_s);
    orphans = process::orphans_alone();
  }
}

Op<Nothing> Cli::remove_left_behind() {
  if (std::exchange(looked_for_left_behind_, true)) co_return;
  if (dialect_.is_podman()) co_await wait_for_orphans();
  // Not by `inspect`: it prints nothing at all where one of several containers is just being removed.
  const char* engine =
      dialect_.is_podman() ? "{{index .Labels \"regengine.engine\"}}" : "{{.Label \"regengine.engine\"}}";
  const std::vector<std::string> argv{name(),     "ps",
                                      "--all",    "--no-trunc",
                                      "--filter", "label=regengine.host=" + host_name(),
                                      "--format", std::string("{{.ID}} ") + engine};
  const auto listed = co_await ask(argv);
  if (listed.code != 0) {
    looked_for_left_behind_ = false;
    throw failure(name(), "list its containers", all_output(listed));
  }
  for (const auto line : lines(listed.out)) {
    const auto parts = split(trim(line), ' ');
    if (parts.size() != 2 || engine_alive(parts[1])) continue;
    const std::string id(parts[0]);
    if (admit(dialect_.remove(id).back(), {})) co_await remove(id);
  }
}

// What the file systems lack that a container writes to: that of its layers, and its mounts. Asked before the container
// is removed, which frees what it wrote.
Op<std::string> Cli::shortage(std::vector<Mount> mounts) {
  const std::string host = dialect_.host();
  if (image_folder_.empty() && (host.empty() || host.starts_with("unix://"))) {
    const char* folder = dialect_.is_podman() ? "{{.Store.GraphRoot}}" : "{{.DockerRootDir}}";
    const std::vector<std::string> argv{name(), "info", "--format", folder};
    const auto answer = co_await ask(argv);
    if (answer.code == 0) image_folder_ = trim(answer.out);
  }
  std::string lacking = shortage_at(image_folder_);
  for (const Mount& mount : mounts)
    if (lacking.empty() && !mount.read_only) lacking = shortage_at(mount.host);
  co_return lacking;
}

// One container of the spec, from its creation to its removal; with `keep` one that is removed if it does not run.
// Again without a default that the container engine refuses.
Op<Cli::Ended> Cli::make(Spec spec, std::string container, bool keep) {
  Ended ended;
  do {
    const Spec whole = defaults_.applied_to(spec);
    const process::Command command = client(dialect_.run(whole, container, keep), spec);
    check_mounts_again(spec);
    ended = {};
    std::exception_ptr failed;
    try {
      ended.outcome = co_await process::run(loop_, command);
    } catch (const std::exception&) {
      failed = std::current_exception();
    }
    if (!failed && !keep && ended.outcome.code != 0 && ended.outcome.shortage.empty())
      ended.outcome.shortage = co_await to_its_end(shortage(spec.mounts));
    try {
      if (!keep || (!failed && ended.outcome.code == 0)) ended.state = co_await to_its_end(state(container));
      if (spec.installed && !failed && ended.began()) ended.installed = co_await to_its_end(installed(container));
    } catch (const std::exception&) {
      if (!failed) failed = std::current_exception();
    }
    if (failed || !keep || !ended.state || !ended.state->running) co_await to_its_end(remove(container));
    if (failed) std::rethrow_exception(failed);
  } while (!ended.began() && !ended.outcome.timed_out && defaults_.refused(ended.outcome.err));
  co_return ended;
}

Op<Result> Cli::run(Spec spec) {
  const auto self = shared_from_this();
  check_image(spec.image);
  check_container(spec);
  Result result;
  if (!admit(dialect_.run(defaults_.applied_to(spec), "regengine-" + random_id()), needs_of(spec), true,
             identity_of(spec), spec.image)) {
    result.dry = true;
    co_return result;
  }
  const nvtx::Range phase("container", spec.image);
  co_await remove_left_behind();
  const auto image = co_await ensure(spec.image, spec.pull);
  std::optional<Usage> usage;
  if (spec.usage) spec = usage.emplace(usage_mount()).applied_to(std::move(spec), image);
  std::optional<Pins> pins;
  if (spec.pin_mounts) pins.emplace(spec.mounts);
  if (pins) spec = pins->applied_to(std::move(spec), image);
  result = co_await run_now(spec);
  if (pins) Pins::check(result);
  if (usage) usage->read_into(result);
  result.image_digest = image.digest;
  co_return result;
}

Op<Result> Cli::run_now(Spec spec) {
  Ended ended = co_await make(spec, "regengine-" + random_id(), false);
  if (!ended.outcome.timed_out) {
    // Unless the container started, the exit code is the container engine's.
    if (!ended.began()) throw start_failure(name(), spec.image, ended.outcome.err);
    if (ended.state->running)
      throw Error(ErrorKind::unavailable, name() + " stopped while " + spec.image +
                                              " was running: " + printable(trim(tail(trim(ended.outcome.err), 2))));
    ended.outcome.code = ended.state->code;
  }
  Result result = result_of(std::move(ended.outcome));
  result.installed = std::move(ended.installed);
  if (ended.state) result.oom = ended.state->oom;
  co_return result;
}

}  // namespace reg::container
