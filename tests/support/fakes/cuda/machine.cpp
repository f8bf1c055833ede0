#include "machine.h"

#include <algorithm>

namespace fake_cuda {

std::mutex mutex;

Machine& machine() {
  static Machine m;
  return m;
}

void Machine::pass(double to_ns, double factor) {
  if (to_ns <= clock_ns) return;
  cycles += (to_ns - clock_ns) * script.clock_mhz * factor / 1e3;
  clock_ns = to_ns;
}

double Machine::run_kernel(const KernelTimes& k, double begin) {
  ++launches;
  double factor = script.clock_factor;
  for (const Throttle& t : script.throttles)
    if (launches >= t.from && launches <= t.to) factor = t.factor;
  double us = k.us * (1 + k.drift * static_cast<double>(launches));
  if (k.noise > 0) us *= 1 + k.noise * normal(random);
  if (flushed && k.cold_us > 0) {
    us += k.cold_us;
    flushed = false;
  }
  pass(begin, script.clock_factor);
  const double end = begin + std::max(us, 0.001) * 1e3 / factor;
  pass(end, factor);
  return end;
}

bool Machine::run_front(Stream& s) {
  if (s.queue.empty()) return false;
  Op& op = s.queue.front();
  const double begin = std::max(s.ready_ns, op.queued_ns);
  if (op.wait) {
    if (*op.wait->flag == 0 && !op.wait->expired) return false;
    s.ready_ns = std::max(begin, host_ns);
  } else {
    s.ready_ns = op.run(begin);
  }
  s.queue.pop_front();
  return true;
}

void Machine::drain() {
  bool more = true;
  while (more) {
    more = run_front(default_stream);
    for (const auto& s : streams) more = run_front(*s) || more;
  }
}

bool Machine::expire_waits() {
  bool any = false;
  const auto expire = [&](Stream& s) {
    if (s.queue.empty() || !s.queue.front().wait) return;
    Wait& wait = *s.queue.front().wait;
    host_ns = std::max(host_ns, std::max(s.ready_ns, s.queue.front().queued_ns) + wait.limit_ns);
    wait.expired = true;
    *wait.timed_out = 1;
    any = true;
  };
  expire(default_stream);
  for (const auto& s : streams) expire(*s);
  if (any) log << "DEADLOCK" << std::endl;
  drain();
  return any;
}

void Machine::wait(const std::function<bool()>& until) {
  drain();
  while (!until() && expire_waits()) {
  }
}

bool Machine::idle() const {
  return default_stream.queue.empty() &&
         std::all_of(streams.begin(), streams.end(), [](const auto& s) { return s->queue.empty(); });
}

void Machine::wait_all() {
  wait([this] { return idle(); });
  for (const auto& s : streams) host_ns = std::max(host_ns, s->ready_ns);
}

bool Machine::inside(Ptr at, std::size_t size) const {
  auto after = memory.upper_bound(at);
  if (after == memory.begin()) return false;
  --after;
  return at + size <= after->first + after->second;
}

Stream& stream_of(void* handle) { return handle == nullptr ? machine().default_stream : *static_cast<Stream*>(handle); }

void enqueue(void* handle, Op op) {
  Stream& s = stream_of(handle);
  op.queued_ns = machine().host_ns;
  s.queue.push_back(std::move(op));
  machine().drain();
}

void enqueue(void* handle, std::function<double(double)> run) { enqueue(handle, Op{std::move(run), nullptr, 0}); }

int enter(const char* function, const std::string& detail) {
  Machine& m = machine();
  m.log << function << (detail.empty() ? "" : " " + detail) << std::endl;
  m.host_ns += m.script.host_us * 1e3;
  m.drain();
  if (m.script.waiting.count(function) > 0) m.wait_all();
  const long call = ++m.calls[function];
  const auto [first, last] = m.script.failures.equal_range(function);
  for (auto f = first; f != last; ++f) {
    if (f->second.at != call) continue;
    if (f->second.code >= 700 && f->second.code <= 719) m.sticky = f->second.code;
    return f->second.code;
  }
  return m.sticky;
}

}  // namespace fake_cuda
