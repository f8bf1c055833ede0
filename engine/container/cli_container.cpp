#include "engine/container/cli_container.h"

#include <algorithm>

#include "engine/base/ids.h"
#include "engine/base/text.h"
#include "engine/container/checks.h"
#include "engine/loop/coroutine.h"
#include "engine/nvtx/nvtx.h"
#include "engine/process/measured.h"

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

void CliContainer::begin(std::shared_ptr<Cli::Kept> kept, std::string image_digest, std::optional<Mount> usage) {
  kept_ = std::move(kept);
  image_digest_ = std::move(image_digest);
  usage_ = std::move(usage);
  there_ = true;
}

Op<Result> CliContainer::exec(Exec spec) {
  const auto self = shared_from_this();
  check_exec(spec);
  Result result;
  const std::string identity = identity_ + "\n" + shell_words(cli_->dialect_.exec(spec, "", ""));
  if (!cli_->admit(cli_->dialect_.exec(spec, name(), random_id()), needs_of(spec, image_), true, identity, image_) ||
      dry_) {
    result.dry = true;
    co_return result;
  }
  if (!there_) throw Error(ErrorKind::usage, "the container " + name() + " is closed");
  std::optional<Usage> usage;
  if (spec.usage && !usage_)
    throw Error(ErrorKind::usage, "what a command uses is only measured in a container that was started for it",
                "Pass usage = true to reg.container.start, too.");
  if (spec.usage) spec.argv = usage.emplace(*usage_).words(spec.argv);
  const nvtx::Range phase("container", name());
  result = co_await cli_->exec_now(kept_, spec);
  if (usage) usage->read_into(result);
  result.image_digest = image_digest_;
  co_return result;
}

Op<Nothing> CliContainer::restart() {
  const auto self = shared_from_this();
  const auto words = cli_->dialect_.restart(name());
  if (!cli_->admit(words, needs_of(Exec{}, image_)) || dry_) co_return Nothing{};
  if (!there_) throw Error(ErrorKind::usage, "the container " + name() + " is closed");
  co_await cli_->restart_now(kept_);
  co_return Nothing{};
}

void CliContainer::close() {
  if (!std::exchange(there_, false)) return;
  try {
    const auto removal = cli_->remove(name());
    cli_->loop_.run_until([&] { return removal->done(); });
    removal->take();
  } catch (const std::exception&) {
    // The container engine stopped; the next regengine removes the container.
    there_ = false;
  }
}

Op<Result> Cli::exec_now(std::shared_ptr<Kept> kept, Exec spec) {
  const auto self = shared_from_this();
  const std::string mark = random_id();
  if (kept->pins) spec.argv = kept->pins->words(spec.argv);
  process::Command command = client(dialect_.exec(spec, kept->name, mark), spec);
  command.loaded_below = spec.loaded_below;
  command.client_of = kept->pid;
  command.mounts = kept->mounts;

  const auto kills_before = process::oom_kills_beside(kept->pid);
  Result result;
  std::exception_ptr failed;
  try {
    static_cast<process::Outcome&>(result) = co_await process::run(loop_, command);
  } catch (const std::exception&) {
    failed = std::current_exception();
  }
  // Ending the client does not end the command inside.
  if (failed || result.timed_out) co_await to_its_end(end_inside(kept, mark));
  if (failed) std::rethrow_exception(failed);
  clear_client_usage(result);
  result.oom = process::oom_kills_beside(kept->pid) > kills_before;
  if (result.code == 0) co_return result;
  if (kept->pins) Pins::check(result);
  if (result.shortage.empty()) result.shortage = co_await shortage({});  // of its mounts the command told
  if (result.timed_out) co_return result;
  const auto now = co_await state(kept->name);
  if (!now || !now->running)
    throw Error(
        ErrorKind::unavailable,
        "the container " + kept->name + " is gone" + (result.oom || (now && now->oom) ? ": it ran out of memory" : ""),
        "Check whether it was removed by hand, or " + name() + " restarted.");
  result.signal = signal_of(result.code);
  co_return result;
}

Op<Nothing> Cli::end_inside(std::shared_ptr<Kept> kept, std::string mark) {
  const auto self = shared_from_this();
  bool ended = false;
  try {
    auto words = dialect_.end_marked(kept->name, mark);
    if (kept->pins) {
      const auto inside = std::find(words.begin(), words.end(), "sh");
      const auto checked = kept->pins->words({inside, words.end()});
      words.erase(inside, words.end());
      words.insert(words.end(), checked.begin(), checked.end());
    }
    const auto outcome = co_await ask(std::move(words));
    ended = outcome.code == 0;
  } catch (const Error&) {
    ended = false;
  }
  // The image lacks sh or grep, or a process survives KILL: restart the container.
  if (!ended) co_await restart_quietly(kept);
  co_return Nothing{};
}

Op<Nothing> Cli::restart_quietly(std::shared_ptr<Kept> kept) {
  const auto self = shared_from_this();
  co_await ask(dialect_.restart(kept->name));
  if (const auto now = co_await state(kept->name)) kept->pid = now->pid;
  co_return Nothing{};
}

Op<Nothing> Cli::restart_now(std::shared_ptr<Kept> kept) {
  const auto self = shared_from_this();
  co_await restart_quietly(kept);
  const auto now = co_await state(kept->name);
  if (!now || !now->running)
    throw Error(ErrorKind::unavailable, "the container " + kept->name + " did not start again");
  co_return Nothing{};
}

}  // namespace reg::container
