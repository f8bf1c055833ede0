#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <vector>

#include "script.h"

// The library exports the driver's functions alone, not what its files share.
#pragma GCC visibility push(hidden)

/// The machine of a libcuda.so.1 without a GPU: memory is the host's, time is virtual, and each kernel takes as long as
/// the script says.
///
/// Streams queue work and the device runs it on its own clock: a launch begins when it was queued or when the stream is
/// ready, whichever is later. Who waits for work behind the blocking kernel, whose flag was not set, waits until the
/// kernel's limit, as on a real GPU: "DEADLOCK" in the log.
namespace fake_cuda {

using Ptr = unsigned long long;

enum Code {
  kOk = 0,
  kInvalidValue = 1,
  kOutOfMemory = 2,
  kNoDevice = 100,
  kInvalidDevice = 101,
  kInvalidImage = 200,
  kInvalidHandle = 400,
  kNotFound = 500,
  kNotReady = 600,
};

struct Event {
  int pending = 0;
  bool recorded = false;
  double ns = 0;
};

struct Wait {  // of the blocking kernel
  const volatile std::uint32_t* flag;
  volatile std::uint32_t* timed_out;
  double limit_ns;
  bool expired = false;
};

struct Op {
  std::function<double(double)> run;  // begins at this time, returns when it ends
  std::shared_ptr<Wait> wait;
  double queued_ns = 0;
};

struct Stream {
  std::deque<Op> queue;
  double ready_ns = 0;
};

struct Machine {
  Script script = read_script();
  std::ofstream log{script.log.empty() ? "/dev/null" : script.log, std::ios::app};
  std::map<std::string, long> calls;
  int sticky = 0;
  double host_ns = 1e9;
  long launches = 0;
  std::mt19937_64 random{script.seed};
  std::normal_distribution<> normal;
  bool flushed = false;
  double clock_ns = 0, cycles = 0;  // the SM's cycle counter, and when it had that value
  std::map<Ptr, std::size_t> memory;
  std::size_t used = 0;
  std::vector<std::unique_ptr<Stream>> streams;
  Stream default_stream;

  /// The cycle counter goes on to this time, at this part of the clock.
  void pass(double to_ns, double factor);
  /// Returns when the kernel ends.
  double run_kernel(const KernelTimes& k, double begin);

  /// Runs all that waits for nothing.
  void drain();
  void wait(const std::function<bool()>& until);
  void wait_all();

  /// Whether these bytes lie in one allocation.
  bool inside(Ptr at, std::size_t size) const;

 private:
  bool run_front(Stream& s);
  /// The host waits for work that waits for the host: nothing happens until the blocking kernel gives up.
  bool expire_waits();
  bool idle() const;
};

/// Each call holds it, for as long as it takes.
extern std::mutex mutex;

Machine& machine();
Stream& stream_of(void* handle);

void enqueue(void* handle, Op op);
void enqueue(void* handle, std::function<double(double)> run);

/// Counts and logs a call, lets time pass, and says what it is to answer before it begins.
int enter(const char* function, const std::string& detail = "");

#define ENTER(...)                              \
  const std::lock_guard lock(fake_cuda::mutex); \
  if (const int entered = fake_cuda::enter(__func__ __VA_OPT__(, ) __VA_ARGS__); entered != 0) return entered

template <class T>
T* pointer(Ptr at) {
  return std::bit_cast<T*>(at);
}

}  // namespace fake_cuda

#pragma GCC visibility pop
