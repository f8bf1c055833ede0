#include "engine/container/cli_container.h"

#include "engine/base/ids.h"
#include "engine/base/text.h"
#include "engine/container/checks.h"
#include "engine/container/needs.h"
#include "engine/loop/coroutine.h"
#include "engine/nvtx/phase.h"
#include "engine/process/oom.h"

namespace reg::container {

int signal_of(int code) {
  constexpr int last_signal = 64;
  return code > 128 && code <= 128 + last_signal ? code - 128 : 0;
}

void clear_client_usage(Result& result) {
  result.user_s = result.sys_s = 0;
  result.peak_bytes = 0;
  result.minor_faults = result.major_faults = 0;
  result.voluntary_switches = result.involuntary_switches = 0;
}

void CliContainer::begin(std::string id, std::string image_digest, int pid, const Spec& started) {
  for (const Mount& mount : started.mounts) mounts_[mount.inside] = mount.host;
  if (started.usage) usage_ = started.mounts.back();
  id_ = std::move(id);
  image_digest_ = std::move(image_digest);
  pid_ = pid;
  there_ = true;
}

Op<Result> CliContainer::exec(Exec spec) {
  const auto self = shared_from_this();
  check_exec(spec);
  const std::string mark = random_id();
  Result result;
  const std::string identity = identity_ + "\n" + shell_words(cli_->dialect_.exec(spec, "", ""));
  if (!cli_->admit(cli_->dialect_.exec(spec, name_, mark), needs_of(spec, image_), true, identity, image_) || dry_) {
    result.dry = true;
    co_return result;
  }
  if (!there_) throw Error(ErrorKind::usage, "the container " + name_ + " is closed");
  std::optional<Usage> usage;
  if (spec.usage && !usage_)
    throw Error(ErrorKind::usage, "what a command uses is only measured in a container that was started for it",
                "Pass usage = true to reg.container.start, too.");
  if (spec.usage) spec.argv = usage.emplace(*usage_).words(spec.argv);
  process::Command command = cli_->client(cli_->dialect_.exec(spec, name_, mark), spec);
  command.loaded_below = spec.loaded_below;
  command.client_of = pid_;
  command.mounts = mounts_;

  const nvtx::Phase phase("container", name_);
  const auto kills_before = process::oom_kills_beside(pid_);
  std::exception_ptr failed;
  try {
    static_cast<process::Outcome&>(result) = co_await process::run(cli_->loop_, command);
  } catch (const std::exception&) {
    failed = std::current_exception();
  }
  // Ending the client does not end the command inside.
  if (failed || result.timed_out) co_await to_its_end(end_inside(mark));
  if (failed) std::rethrow_exception(failed);
  clear_client_usage(result);
  if (usage) usage->read_into(result);
  result.image_digest = image_digest_;
  result.oom = process::oom_kills_beside(pid_) > kills_before;
  if (result.code == 0) co_return result;
  if (result.shortage.empty()) result.shortage = co_await cli_->shortage({});  // of its mounts the command told
  if (result.timed_out) co_return result;
  const auto now = co_await cli_->state(name_);
  if (!now || !now->running)
    throw Error(
        ErrorKind::unavailable,
        "the container " + name_ + " is gone" + (result.oom || (now && now->oom) ? ": it ran out of memory" : ""),
        "Check whether it was removed by hand, or " + cli_->name() + " restarted.");
  result.signal = signal_of(result.code);
  co_return result;
}

Op<Nothing> CliContainer::end_inside(std::string mark) {
  const auto self = shared_from_this();
  bool ended = false;
  try {
    const auto outcome = co_await cli_->ask(cli_->dialect_.end_marked(name_, mark));
    ended = outcome.code == 0;
  } catch (const Error&) {
    ended = false;
  }
  // The image lacks sh or grep, or a process survives KILL: restart the container.
  if (!ended) co_await restart_now();
  co_return Nothing{};
}

Op<Nothing> CliContainer::restart_now() {
  const auto self = shared_from_this();
  co_await cli_->ask(cli_->dialect_.restart(name_));
  if (const auto now = co_await cli_->state(name_)) pid_ = now->pid;
  co_return Nothing{};
}

Op<Nothing> CliContainer::restart() {
  const auto self = shared_from_this();
  const auto words = cli_->dialect_.restart(name_);
  if (!cli_->admit(words, needs_of(Exec{}, image_)) || dry_) co_return Nothing{};
  if (!there_) throw Error(ErrorKind::usage, "the container " + name_ + " is closed");
  co_await restart_now();
  const auto now = co_await cli_->state(name_);
  if (!now || !now->running) throw Error(ErrorKind::unavailable, "the container " + name_ + " did not start again");
  co_return Nothing{};
}

void CliContainer::close() {
  if (!std::exchange(there_, false)) return;
  try {
    const auto removal = cli_->remove(name_);
    cli_->loop_.run_until([&] { return removal->done(); });
    removal->take();
  } catch (const std::exception&) {
    // The container engine stopped; the next regengine removes the container.
    there_ = false;
  }
}

}  // namespace reg::container
