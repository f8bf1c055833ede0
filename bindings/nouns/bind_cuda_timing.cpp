#include "bindings/nouns/cuda.h"
#include "bindings/runtime/vm.h"
#include "engine/cuda/timer.h"

// The steps of reg.cuda.time. stdlib/cuda.lua has the loop that calls the timed function, and checks the arguments.

namespace reg::lua {
namespace {

using cuda::Sampling;

struct Timing {
  std::shared_ptr<cuda::Context> context;
  std::unique_ptr<cuda::Timer> timer;
  std::unique_ptr<Sampling> sampling;
  double expected_mhz = 0;
  int released_early = 0;
};

// The context of a launch.
int context_of(lua_State* L) {
  auto context = std::make_shared<CudaContext>();
  context->context = object<CudaLaunch>(L).kernel->shared_context();
  return push_object(L, std::move(context));
}

// (context, options)
int timing(lua_State* L) {
  const auto& context = object<CudaContext>(L).context;
  const Options options(L, 2);
  context->refuse_waiting("cuda.time");
  auto made = std::make_shared<Timing>();
  made->context = context;
  cuda::TimerOptions timer;
  timer.flush = options.flag("flush");
  timer.block = options.flag("block");
  timer.block_limit_s = options.duration("block_limit_s").value();
  made->timer = std::make_unique<cuda::Timer>(context, timer);
  return push_object(L, std::move(made));
}

// (timing, options): when to stop, and which samples to discard.
int judge(lua_State* L) {
  Timing& t = object<Timing>(L);
  const Options options(L, 2);
  cuda::SamplingOptions sampling;
  sampling.count = static_cast<int>(options.integer("count").value_or(0));
  sampling.max_noise = options.number("max_noise").value();
  sampling.min_time_s = options.number("min_time_s").value();
  sampling.min_samples = static_cast<int>(options.integer("min_samples").value());
  sampling.timeout_s = options.duration("timeout_s").value();
  sampling.clock_mhz = t.expected_mhz = options.number("clock_mhz").value();
  t.sampling = std::make_unique<Sampling>(sampling);
  return 0;
}

int begin(lua_State* L) {
  object<Timing>(L).timer->begin();
  return 0;
}

// The region's seconds, without adding a sample.
int measure(lua_State* L) { return push(L, object<Timing>(L).timer->end().seconds); }

// (timing, calls in the region, seconds since the start) -> seconds to pause, and why to stop or nil
int finish(lua_State* L) {
  Timing& t = object<Timing>(L);
  cuda::Sample sample = t.timer->end();
  sample.seconds /= check_number(L, 2, "the calls");
  if (t.timer->released_early()) ++t.released_early;
  push(L, t.sampling->add(sample));
  const std::string reason = t.sampling->reason(check_number(L, 3, "the seconds"));
  push(L, reason.empty() ? std::nullopt : std::optional(reason));
  return 2;
}

int abandon(lua_State* L) {
  object<Timing>(L).timer->abandon();
  return 0;
}

int result(lua_State* L) {
  const Timing& t = object<Timing>(L);
  const Sampling& sampling = *t.sampling;
  if (sampling.seconds().empty())
    throw Error(
        ErrorKind::failed_trial,
        fmt::format("cuda.time: all {} samples were discarded: the SM clock was {:.0f} MHz instead of {:.0f} MHz",
                    sampling.discarded(), sampling.sm_mhz().value_or(0), t.expected_mhz),
        "Check for throttling with nvidia-smi -q -d CLOCK,PERFORMANCE, or pass clock_mhz = 0 to use all samples.");
  const cuda::Summary s = cuda::summarize(sampling.seconds());
  REG_PUSH(L, s, n, stdev_rel, iqr_rel);
  const std::map<std::string, double> times{{"median_s", s.median}, {"q1_s", s.q1},   {"q3_s", s.q3},
                                            {"min_s", s.min},       {"max_s", s.max}, {"mean_s", s.mean}};
  for (const auto& [key, value] : times) set(L, key.c_str(), value);
  set(L, "discarded", sampling.discarded());
  set(L, "sm_mhz", sampling.sm_mhz());
  set(L, "released_early", t.released_early);
  set(L, "samples_s", sampling.seconds());
  return 1;
}

}  // namespace

void bind_cuda_timing(lua_State* L) {
  register_class<Timing>(L, "cuda.time", {});
  register_functions(L, "core",
                     {{"context_of", context_of},
                      {"timing", timing},
                      {"judge", judge},
                      {"begin", begin},
                      {"measure", measure},
                      {"finish", finish},
                      {"abandon", abandon},
                      {"result", result}});
}

}  // namespace reg::lua
