#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

// The library exports the driver's functions alone, not what its files share.
#pragma GCC visibility push(hidden)

/// What the fake libcuda is to play, by cuda.h of CUDA 13.0: a driver 580 and an H100, unless the file says otherwise.
/// $REGENGINE_FAKE_CUDA names a file; a line each, '#' begins a comment:
///   devices N                   how many GPUs (1); 0 makes cuInit answer 100
///   device KEY VALUE ...        of each: name (underscores are blanks), cc 9.0, sms, clock_mhz, l2, memory,
///                               uuid (32 hexadecimal digits)
///   order reversed              unless CUDA_DEVICE_ORDER is PCI_BUS_ID at cuInit: the last GPU is the fastest
///   driver 13000                the newest CUDA that it supports; libcublas.so.N of a newer one does not start
///   kernel NAME US KEY VALUE .. how long it takes; noise (relative, normal), drift (relative, each launch), cold (more
///                               microseconds where the L2 was written over since the last kernel that has this),
///                               params 8,8,4 (the arguments' sizes; without it they cannot be asked for)
///   throttle FROM TO FACTOR     launches FROM to TO, counted from 1, run at this part of the clock; the internal
///                               kernels of timing (regengine_*) do not count
///   clock FACTOR                all do, and all that lies between
///   host_us US                  what each call costs the host (1)
///   seed N                      of the noise
///   fail FUNCTION CODE at N     the N-th call of it answers CODE; codes 700 to 719 stay, as after a broken kernel
///   wait FUNCTION               each call of it waits for all work first, as allocating and loading may
///   log FILE                    each call as it comes, a line each
namespace fake_cuda {

struct KernelTimes {
  double us = 10, noise = 0, drift = 0, cold_us = 0;
  std::vector<std::size_t> params;
  bool has_params = false;
};

struct Throttle {
  long from, to;
  double factor;
};

struct Failure {
  int code;
  long at;
};

struct Script {
  int devices = 1;
  int driver = 13000;
  bool reversed = false;
  std::string name = "Fake GPU", uuid;
  int major = 9, minor = 0, sms = 4;
  double clock_mhz = 1980;
  std::size_t l2 = 1 << 20, memory = std::size_t{1} << 33;
  std::map<std::string, KernelTimes> kernels;
  std::vector<Throttle> throttles;
  double clock_factor = 1, host_us = 1;
  std::uint64_t seed = 1;
  std::multimap<std::string, Failure> failures;
  std::set<std::string> waiting;
  std::string log;
};

Script read_script();

}  // namespace fake_cuda

#pragma GCC visibility pop
