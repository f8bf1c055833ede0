#include "engine/box/seccomp.h"

#include <fmt/format.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "engine/base/error.h"
#include "engine/base/file.h"

namespace reg::box {
namespace {

#if defined(__x86_64__)
constexpr std::array<std::uint32_t, 2> kSisters{SCMP_ARCH_X86, SCMP_ARCH_X32};
#elif defined(__aarch64__)
constexpr std::array<std::uint32_t, 1> kSisters{SCMP_ARCH_ARM};
#else
constexpr std::array<std::uint32_t, 0> kSisters{};
#endif

}  // namespace

Filter::Filter() : context_(seccomp_init(SCMP_ACT_ALLOW), seccomp_release) {
  if (!context_) throw Error(ErrorKind::unavailable, "this machine has no seccomp");
  constexpr std::uint32_t kBinaryTree = 2;
  seccomp_attr_set(context_.get(), SCMP_FLTATR_CTL_OPTIMIZE, kBinaryTree);
}

void Filter::add_sister_architectures() {
  for (const std::uint32_t sister : kSisters)
    if (const int failed = seccomp_arch_add(context_.get(), sister); failed != 0)
      throw system_error("seccomp_arch_add", -failed);
}

std::string Filter::instructions() const {
  const Fd file(::memfd_create("filter", MFD_CLOEXEC));  // libseccomp before 2.6 writes only to a file
  if (!file) throw system_error("memfd_create", errno);
  if (const int failed = seccomp_export_bpf(context_.get(), file.get()); failed != 0)
    throw system_error("seccomp_export_bpf", -failed);
  return read_file(fmt::format("/proc/self/fd/{}", file.get()));
}

bool enter_instructions(const std::string& instructions, unsigned flags) noexcept {
  auto* all = const_cast<sock_filter*>(reinterpret_cast<const sock_filter*>(instructions.data()));
  const sock_fprog program{static_cast<unsigned short>(instructions.size() / sizeof(sock_filter)), all};
  return ::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &program) == 0;
}

void Filter::add(int call, std::uint32_t action, const std::vector<scmp_arg_cmp>& conditions) {
  const int failed =
      seccomp_rule_add_array(context_.get(), action, call, static_cast<unsigned>(conditions.size()), conditions.data());
  // -EDOM: this architecture never had it.
  if (failed != 0 && failed != -EDOM) throw system_error("seccomp_rule_add", -failed);
}

}  // namespace reg::box
