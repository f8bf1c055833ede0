#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// What the injection library (inject/) wrote of the processes of one command, as one summary. This reads files that
// came from somebody else's program: nothing in them is taken on trust.

namespace reg::trace {

struct Kernel {
  std::string name;  ///< demangled
  std::uint64_t count = 0;
  double total_s = 0, min_s = 0, max_s = 0;
};

struct Copy {
  std::string kind;  ///< "htod", "dtoh", "dtod", "ptop", ..., "memset"
  std::uint64_t count = 0, bytes = 0;
  double total_s = 0;
};

/// An NVTX range that a thread pushed or started, with what that thread started on the GPU until its end.
struct Range {
  std::string name;         ///< with the ranges around it: "step > forward"; in a domain "domain:name"
  std::uint64_t count = 0;  ///< how often it was opened
  std::uint64_t kernels = 0;
  double total_s = 0;                  ///< of kernels started in it or in a range inside it
  double self_s = 0;                   ///< of those started in it alone
  double nccl_s = 0, nccl_self_s = 0;  ///< the parts of these in NCCL's kernels, which wait for other GPUs
};

struct Process {
  std::uint64_t pid = 0;  ///< as it sees itself: in a container a small number
  std::string command;
  std::string why;        ///< it could not be traced; "" where it was
  bool complete = false;  ///< it ended by exit, so that nothing is missing at the end
  std::string cupti;      ///< the library that served it; "" for none
  std::uint64_t records = 0;
};

struct Summary {
  /// Every process that initialized CUDA was traced, the GPU ran kernels, and no record was lost. Where it is false the
  /// sums are not the whole truth; where `measured` is false too there are none.
  bool ok = false;
  bool measured = false;
  std::string why;              ///< why not ok, or what may be missing although it is; "" where all is well
  std::vector<Kernel> kernels;  ///< most time first
  std::vector<Copy> copies;     ///< most time first
  std::vector<Range> ranges;    ///< most time first
  double busy_s = 0;            ///< each GPU's time with a kernel or a copy under way, over all GPUs and processes
  double span_s = 0;            ///< from the first start to the last end
  double overhead_s = 0;        ///< CUPTI's own, in the program
  std::optional<std::uint64_t> memory_peak_bytes;  ///< of the process that had most
  std::uint64_t dropped = 0;                       ///< records that were lost
  std::uint64_t nameless_ranges = 0;               ///< that found no room for their names: part of those around them
  std::uint64_t ranges_ended_elsewhere = 0;        ///< on another thread than they began on
  std::vector<Process> processes;                  ///< that initialized CUDA
};

/// One process's file; throws Error(corrupt) naming `path`.
Summary parse_summary(std::string_view text, const std::string& path);

/// All of a folder, as one. No file at all: no CUDA was initialized, which `why` says. Throws not_found for a folder
/// that is not there and corrupt for a file that is no summary.
Summary read_summaries(const std::string& folder);

}  // namespace reg::trace
