#include <algorithm>
#include <memory>

#include "machine.h"

using namespace fake_cuda;

namespace {

// By now, on the host's clock.
bool reached(const Event& event) { return event.pending == 0 && event.ns <= machine().host_ns; }

}  // namespace

extern "C" {

int cuStreamCreate(void** stream, unsigned) {
  ENTER();
  machine().streams.push_back(std::make_unique<Stream>());
  *stream = machine().streams.back().get();
  return kOk;
}

int cuStreamDestroy_v2(void* stream) {
  ENTER();
  machine().wait_all();
  std::erase_if(machine().streams, [=](const auto& s) { return s.get() == stream; });
  return kOk;
}

int cuStreamSynchronize(void* stream) {
  ENTER();
  Stream& s = stream_of(stream);
  machine().wait([&] { return s.queue.empty(); });
  machine().host_ns = std::max(machine().host_ns, s.ready_ns);
  return kOk;
}

int cuEventCreate(void** event, unsigned) {
  ENTER();
  *event = new Event;
  return kOk;
}

int cuEventDestroy_v2(void* event) {
  ENTER();
  machine().wait_all();
  delete static_cast<Event*>(event);
  return kOk;
}

int cuEventRecord(void* event, void* stream) {
  ENTER();
  auto* e = static_cast<Event*>(event);
  e->recorded = true;
  ++e->pending;
  enqueue(stream, [e](double begin) {
    e->ns = begin;
    --e->pending;
    return begin;
  });
  return kOk;
}

int cuEventSynchronize(void* event) {
  ENTER();
  const auto* e = static_cast<Event*>(event);
  machine().wait([e] { return e->pending == 0; });
  machine().host_ns = std::max(machine().host_ns, e->ns);
  return kOk;
}

int cuEventElapsedTime(float* ms, void* start, void* end) {
  ENTER();
  const auto* a = static_cast<Event*>(start);
  const auto* b = static_cast<Event*>(end);
  if (!a->recorded || !b->recorded) return kInvalidHandle;
  if (!reached(*a) || !reached(*b)) return kNotReady;
  *ms = static_cast<float>((b->ns - a->ns) / 1e6);
  return kOk;
}

}  // extern "C"
