#pragma once

#include <seccomp.h>

#include <cerrno>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace reg::box {

/// A list of system calls that the kernel refuses to a process and to all that it starts.
class Filter {
 public:
  /// Throws unavailable where the machine has no seccomp.
  Filter();

  /// EPERM, where all conditions hold.
  template <class... Condition>
  void refuse(int call, Condition... condition) {
    add(call, SCMP_ACT_ERRNO(EPERM), {condition...});
  }

  /// As a kernel without the call: libraries then take another one.
  void lack(int call) { add(call, SCMP_ACT_ERRNO(ENOSYS), {}); }

  /// Whatever another architecture's programs can be run as on this machine is filtered, too.
  void add_sister_architectures();

  /// The filter as the kernel takes it.
  std::string instructions() const;

 private:
  void add(int call, std::uint32_t action, const std::vector<scmp_arg_cmp>& conditions);

  std::unique_ptr<void, decltype(&seccomp_release)> context_;
};

/// A filter's instructions for this process. `flags`: of seccomp(2). False, with errno, on failure. Needs no_new_privs.
/// Safe between fork and exec.
bool enter_instructions(const std::string& instructions, unsigned flags = 0) noexcept;

/// The argument has `value` in the bits of `mask`.
inline scmp_arg_cmp masked(unsigned argument, scmp_datum_t mask, scmp_datum_t value) {
  return {argument, SCMP_CMP_MASKED_EQ, mask, value};
}

}  // namespace reg::box
