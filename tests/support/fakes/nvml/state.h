#pragma once

// clang-format off
/* A driver for machines without one: NVML as far as the engine asks it, with its state in a file, so that what was locked
 * outlives the process that locked it. Select it by REGENGINE_NVML=$REGENGINE_FAKES/nvml.so REGENGINE_FAKE_NVML=FILE.
 *
 * It imitates the drivers 535 to 590 on an H100, by the headers of NVML 12.4 to 13.3 and NVIDIA's bindings for Python
 * (nvidia-ml-py 12.560, 12.575, 13.580, 13.590): the fields that count the time of a
 * clock event are 251 to 253 from 575 on and 269 to 271 from 590 on, and in 580.159.04 (read on an H200), and power smoothing
 * settings elsewhere; the idle
 * reason is not reported while clocks are locked (JuliaGPU/CUDA.jl pull request 2194); power is an average over a second
 * (GetPowerUsage), or of the moment (field 186); from 580 on application clocks are gone.
 *
 * FILE holds a `key=value` a line, each of them optional; it is read anew at every call, so a test may change it at any time
 * (write it beside and rename, as `sed -i` and reg.fs.write do). An absent file is a machine with one GPU in good order.
 *   gpus=1  driver=580.65.06
 *   rc.FUNCTION=13        what this function answers, on every GPU; 13 = this driver does not have it
 *   gpu0.rc.FUNCTION=3    ... on the first GPU
 *   gpu0.lost=1           it fell off the bus: Xid 79, and every call on it answers 15
 *   gpu0.uuid=GPU-...     (by the file's name)  gpu0.name=Fake GPU
 *   gpu0.max_mem=2619     beside 1593 the supported memory clock; the SM's go from 1980 down to 345 by 15
 *   gpu0.sm=1980          what it runs at where nothing locks it; a lock clamps it
 *   gpu0.held_sm=1200     what it runs at whatever is locked: a clock that does not hold
 *   gpu0.temperature=45  gpu0.power_mw=350000  gpu0.limit_mw=700000  gpu0.util=97  gpu0.mem_used=1073741824
 *   gpu0.persistence=1  gpu0.mig=0
 *   gpu0.power_clock=1500 above this clock the power cap holds it there, with its reason and its counter
 *   gpu0.ecc_errors=0  gpu0.remapped=0  (volatile, uncorrected; rows)  gpu0.pcie_width=16
 *   gpu0.pcie_generation=5  1 while its utilization is 0
 *   gpu0.nvlinks=0  gpu0.nvlink_errors=0   links (field 91), recoveries of link 1 (161, 162; 215 with gpu0.blackwell=1),
 *                         by the header and release notes of NVML 12.8 and NVIDIA/nvidia-resiliency-ext
 *   gpu0.recovery=0       what the driver asks for (field 230, from 570 on): 1 reset, 2 reboot, 3 and 4 drain
 *   gpu0.xid=0            each new number is an Xid event for those that registered before
 *   gpu0.next_xid=13      an Xid event for each that registers, after it has
 *   gpu0.instances=MIG-... MIG-...   its MIG instances, 0 and 1: handles that answer UUID, name and GPU alone
 *   gpu0.reasons=0x4      the event reasons of this moment, except idle while clocks are locked
 *   gpu0.throttled.sw_thermal=0.25   the counter of this reason goes on for a quarter of the time; it stands still where
 *                         absent (sw_power_cap, sw_thermal, hw_thermal, hw_power_brake)
 *   gpu0.throttled.thermal=0.25   the counter of thermal violations (field 75), which goes on during hw_thermal, too
 *   gpu0.power_now_mw=420000   the power of the moment, unless it is the average
 *   gpu0.procs=4711:1048576 self:2097152   PID:BYTES of compute processes; `self` is the caller
 *   gpu0.mps=4711:1048576           the same of clients of MPS, in the list of their own
 *
 * FILE.log is what was done to the machine, a line a call in order: NANOSECONDS PID FUNCTION [UUID [MIN MAX]] of Init,
 * Shutdown, SetGpuLockedClocks, ResetGpuLockedClocks, SetMemoryLockedClocks and ResetMemoryLockedClocks, for those that
 * succeeded. The locks are what it says; the time is that of `date +%s%N`. */
// clang-format on
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef unsigned u;
typedef unsigned long long ull;
typedef void* dev;

enum { OK = 0, INVALID = 2, UNSUPPORTED = 3, NOT_FOUND = 6, TOO_SMALL = 7, LOST = 15, VERSION = 25 };

enum { GRAPHICS, SM, MEM, VIDEO };

#pragma GCC visibility push(hidden)

const char* state_file(void);

/* The value of a key into `out`, or `otherwise`. */
const char* value_of(const char* key, const char* otherwise, char* out, size_t room);
ull number(const char* key, ull otherwise);
/* The same of one GPU. */
const char* gpu_text(u gpu, const char* name, const char* otherwise, char* out, size_t room);
ull gpu_number(u gpu, const char* name, ull otherwise);

u index_of(dev d);
const char* uuid_of(u gpu, char* out, size_t room);
const char* pci_of(u gpu, char* out, size_t room);

/* What the test wants this function to answer. */
int answer(const char* function);
int gpu_answer(dev d, const char* function);

/* Adds a line to the log. */
void note(const char* format, ...) __attribute__((format(printf, 1, 2)));
/* The lock that stands by the log: 1 with its range, or 0. */
int locked(u gpu, const char* set, const char* reset, u* low, u* high);

u max_clock(u gpu, u type);
/* Whether the clock would be higher with more power. */
int power_capped(u gpu);

#pragma GCC visibility pop

#define ASK_LIBRARY()                 \
  do {                                \
    const int rc_ = answer(__func__); \
    if (rc_) return rc_;              \
  } while (0)
#define ASK(d)                               \
  do {                                       \
    const int rc_ = gpu_answer(d, __func__); \
    if (rc_) return rc_;                     \
  } while (0)

/* A function that answers one thing of a GPU, `d`: a number, or what else `VALUE` is. */
#define ANSWERS(FUNCTION, TYPE, VALUE) \
  int FUNCTION(dev d, TYPE* out) {     \
    ASK(d);                            \
    *out = (TYPE)(VALUE);              \
    return OK;                         \
  }
#define NUMBER(FUNCTION, KEY, OTHERWISE) ANSWERS(FUNCTION, u, gpu_number(index_of(d), KEY, OTHERWISE))
