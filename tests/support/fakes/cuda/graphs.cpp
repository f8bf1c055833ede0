#include <memory>
#include <string>
#include <utility>

#include "machine.h"

using namespace fake_cuda;

extern "C" {

int cuStreamBeginCapture_v2(void* stream, int) {
  ENTER();
  Stream& s = stream_of(stream);
  s.capture = std::make_unique<Graph>();
  s.broken = false;
  return kOk;
}

int cuStreamEndCapture(void* stream, void** graph) {
  ENTER();
  Stream& s = stream_of(stream);
  auto captured = std::move(s.capture);
  if (s.broken) return kCaptureInvalidated;
  *graph = captured.release();
  return kOk;
}

int cuGraphInstantiateWithFlags(void** executable, void* graph, unsigned long long) {
  ENTER();
  *executable = new Graph(*static_cast<Graph*>(graph));
  return kOk;
}

int cuGraphUpload(void*, void*) {
  ENTER();
  return kOk;
}

int cuGraphLaunch(void* executable, void* stream) {
  ENTER(std::to_string(static_cast<Graph*>(executable)->ops.size()));
  for (const Op& op : static_cast<Graph*>(executable)->ops) enqueue(stream, op);
  return kOk;
}

int cuGraphExecDestroy(void* executable) {
  ENTER();
  machine().wait_all();
  delete static_cast<Graph*>(executable);
  return kOk;
}

int cuGraphDestroy(void* graph) {
  ENTER();
  delete static_cast<Graph*>(graph);
  return kOk;
}

}  // extern "C"
