#include "engine/box/seccomp.h"

#include <sys/mman.h>
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

void Filter::enter() {
  if (const int error = seccomp_load(context_.get()); error != 0)
    throw Error(ErrorKind::unavailable, "this kernel has no seccomp filters", system_error("seccomp", -error).what());
}

std::vector<sock_filter> Filter::instructions() const {
  const Fd file(::memfd_create("filter", MFD_CLOEXEC));  // libseccomp before 2.6 writes only to a file
  const int failed = file ? seccomp_export_bpf(context_.get(), file.get()) : -errno;
  const off_t size = ::lseek(file.get(), 0, SEEK_END);
  std::vector<sock_filter> all(size > 0 ? static_cast<std::size_t>(size) / sizeof(sock_filter) : 0);
  if (failed != 0 || all.empty() || ::pread(file.get(), all.data(), static_cast<std::size_t>(size), 0) != size)
    throw system_error("seccomp_export_bpf", failed != 0 ? -failed : errno);
  return all;
}

void Filter::add(int call, std::uint32_t action, const std::vector<scmp_arg_cmp>& conditions) {
  const int failed =
      seccomp_rule_add_array(context_.get(), action, call, static_cast<unsigned>(conditions.size()), conditions.data());
  // -EDOM: this architecture never had it.
  if (failed != 0 && failed != -EDOM) throw system_error("seccomp_rule_add", -failed);
}

}  // namespace reg::box
