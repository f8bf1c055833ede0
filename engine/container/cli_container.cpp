// A container of docker or podman that idles while commands run in it.

#include "engine/base/ids.h"
#include "engine/base/text.h"
#include "engine/container/cli.h"
#include "engine/nvtx/nvtx.h"

namespace reg::container {

class CliContainer : public Container, public std::enable_shared_from_this<CliContainer> {
 public:
  CliContainer(std::shared_ptr<Cli> cli, std::string image, std::string identity)
      : cli_(std::move(cli)), image_(std::move(image)), identity_(std::move(identity)) {
    kept_->name = "regengine-" + random_id();
  }
  ~CliContainer() override { CliContainer::close(); }

  const std::string& id() const override { return kept_->id; }
  const std::string& name() const override { return kept_->name; }

  Op<Result> exec(Exec spec) override {
    const auto self = shared_from_this();
    check_exec(spec);
    Result result;
    const std::string identity = identity_ + "\n" + shell_words(cli_->dialect_.exec(spec, ""));
    result.dry =
        !cli_->admit(cli_->dialect_.exec(spec, name()), needs_of(spec, image_), true, identity, image_) || is_dry();
    if (result.dry) co_return result;
    check_open();
    if (spec.usage && !usage_)
      throw Error(ErrorKind::usage, "what a command uses is only measured in a container that was started for it",
                  "Pass usage = true to reg.container.start, too.");
    std::optional<Usage> usage;
    if (spec.usage) spec.argv = usage.emplace(*usage_).words(spec.argv);
    const nvtx::Range phase("container", name());
    result = co_await cli_->exec_now(kept_, spec);
    if (usage) usage->read_into(result);
    result.image_digest = image_digest_;
    co_return result;
  }

  Op<Nothing> restart() override {
    const auto self = shared_from_this();
    if (!cli_->admit(cli_->dialect_.restart(name()), needs_of(Exec{}, image_)) || is_dry()) co_return;
    check_open();
    co_await cli_->restart_now(kept_);
  }

  void close() override {
    if (is_dry() || std::exchange(closed_, true)) return;
    try {
      cli_->loop_.wait_for(cli_->remove(name()));
    } catch (const std::exception&) {
      // The container engine stopped; the next regengine removes the container.
    }
  }

 private:
  friend class Cli;

  bool is_dry() const { return id().empty(); }

  void check_open() const {
    if (closed_) throw Error(ErrorKind::usage, "the container " + name() + " is closed");
  }

  std::shared_ptr<Cli> cli_;
  std::shared_ptr<Cli::Kept> kept_ = std::make_shared<Cli::Kept>();
  std::string image_, identity_, image_digest_;
  std::optional<Mount> usage_;  // with Spec::usage, where the program is that measures
  bool closed_ = false;
};

Result result_of(process::Outcome client) {
  constexpr int last_signal = 64;  // 139 -> 11: as docker, podman and shells say it with the exit code
  Result result;
  static_cast<process::Outcome&>(result) = std::move(client);
  result.signal = result.code > 128 && result.code <= 128 + last_signal ? result.code - 128 : 0;
  result.user_s = result.sys_s = 0;
  result.peak_bytes = 0;
  result.minor_faults = result.major_faults = 0;
  result.voluntary_switches = result.involuntary_switches = 0;
  return result;
}

Op<std::shared_ptr<Container>> Cli::start(Spec spec) {
  const auto self = shared_from_this();
  check_image(spec.image);
  check_container(spec);
  auto kept = std::make_shared<CliContainer>(self, spec.image, identity_of(spec));
  if (!admit(dialect_.run(idling(defaults_.applied_to(spec)), kept->name(), true), needs_of(spec))) co_return kept;
  co_await remove_left_behind();
  const auto image = co_await ensure(spec.image, spec.pull);
  if (spec.usage) spec.mounts.push_back(kept->usage_.emplace(usage_mount()));
  kept->image_digest_ = image.digest;
  kept->kept_ = co_await start_now(spec, kept->name());
  co_return kept;
}

Op<std::shared_ptr<Cli::Kept>> Cli::start_now(Spec spec, std::string container) {
  spec = idling(std::move(spec));
  std::shared_ptr<Pins> pins;
  if (spec.pin_mounts) {
    pins = std::make_shared<Pins>(spec.mounts);
    spec = pins->applied_to(std::move(spec), {});
  }
  const Ended ended = co_await make(spec, container, true);
  if (ended.outcome.code != 0) throw start_failure(name(), spec.image, all_output(ended.outcome));
  if (!ended.state || !ended.state->running)
    throw failure(name(), "keep " + spec.image + " running", all_output(ended.outcome));
  auto kept = std::make_shared<Kept>(
      Kept{container, std::string(trim(ended.outcome.out)), ended.state->pid, {}, std::move(pins), 0});
  for (const Mount& mount : spec.mounts) kept->mounts[mount.inside] = mount.host;
  co_return kept;
}

Op<Result> Cli::exec_now(std::shared_ptr<Kept> kept, Exec spec) {
  if (kept->pins) spec.argv = kept->pins->words(spec.argv);
  process::Command command = client(dialect_.exec(spec, kept->name), spec);
  command.loaded_below = spec.loaded_below;
  command.client_of = kept->pid;
  command.mounts = kept->mounts;

  const int restarts = kept->restarts;
  const auto kills_before = process::oom_kills_beside(kept->pid);
  Result result;
  std::exception_ptr failed;
  try {
    result = result_of(co_await process::run(loop_, command));
  } catch (const std::exception&) {
    failed = std::current_exception();
  }
  // Ending the client does not end the command inside.
  if (failed || result.timed_out) co_await to_its_end(restart_quietly(kept));
  if (failed) std::rethrow_exception(failed);
  result.oom = process::oom_kills_beside(kept->pid) > kills_before;
  if (result.code == 0) co_return result;
  if (kept->pins) Pins::check(result);
  if (result.shortage.empty()) result.shortage = co_await shortage({});  // of its mounts the command told
  if (result.timed_out) co_return result;
  if (kept->restarts != restarts)
    throw Error(ErrorKind::unavailable, "the container " + kept->name + " was restarted while a command ran in it",
                "Start a container for each of several commands that run at once.");
  const auto now = co_await state(kept->name);
  if (!now || !now->running)
    throw Error(
        ErrorKind::unavailable,
        "the container " + kept->name + " is gone" + (result.oom || (now && now->oom) ? ": it ran out of memory" : ""),
        "Check whether it was removed by hand, or " + name() + " restarted.");
  co_return result;
}

Op<std::optional<State>> Cli::restart_quietly(std::shared_ptr<Kept> kept) {
  ++kept->restarts;
  co_await ask(dialect_.restart(kept->name));
  const auto now = co_await state(kept->name);
  if (now) kept->pid = now->pid;
  co_return now;
}

Op<Nothing> Cli::restart_now(std::shared_ptr<Kept> kept) {
  const auto now = co_await restart_quietly(kept);
  if (!now || !now->running)
    throw Error(ErrorKind::unavailable, "the container " + kept->name + " did not start again");
}

}  // namespace reg::container
