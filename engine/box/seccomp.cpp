#include <fcntl.h>
#include <fmt/format.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <seccomp.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/file.h"
#include "engine/base/text.h"
#include "engine/box/box.h"

namespace reg::box {
namespace {

#if defined(__x86_64__)
constexpr std::array<std::uint32_t, 2> kSisters{SCMP_ARCH_X86, SCMP_ARCH_X32};
#elif defined(__aarch64__)
constexpr std::array<std::uint32_t, 1> kSisters{SCMP_ARCH_ARM};
#else
constexpr std::array<std::uint32_t, 0> kSisters{};
#endif

// A list of system calls that the kernel refuses to a process and to all that it starts.
class Filter {
 public:
  // Throws unavailable where the machine has no seccomp.
  Filter() : context_(seccomp_init(SCMP_ACT_ALLOW), seccomp_release) {
    if (!context_) throw Error(ErrorKind::unavailable, "this machine has no seccomp");
    constexpr std::uint32_t kBinaryTree = 2;
    seccomp_attr_set(context_.get(), SCMP_FLTATR_CTL_OPTIMIZE, kBinaryTree);
  }

  // EPERM, where all conditions hold.
  template <class... Condition>
  void refuse(int call, Condition... condition) {
    add(call, SCMP_ACT_ERRNO(EPERM), {condition...});
  }

  // As a kernel without the call: libraries then take another one.
  void lack(int call) { add(call, SCMP_ACT_ERRNO(ENOSYS), {}); }

  // Whatever another architecture's programs can be run as on this machine is filtered, too.
  void add_sister_architectures() {
    for (const std::uint32_t sister : kSisters)
      if (const int failed = seccomp_arch_add(context_.get(), sister); failed != 0)
        throw system_error("seccomp_arch_add", -failed);
  }

  // The filter as the kernel takes it.
  std::string instructions() const {
    const Fd file(::memfd_create("filter", MFD_CLOEXEC));  // libseccomp before 2.6 writes only to a file
    if (!file) throw system_error("memfd_create", errno);
    if (const int failed = seccomp_export_bpf(context_.get(), file.get()); failed != 0)
      throw system_error("seccomp_export_bpf", -failed);
    return read_file(fmt::format("/proc/self/fd/{}", file.get()));
  }

 private:
  void add(int call, std::uint32_t action, const std::vector<scmp_arg_cmp>& conditions) {
    const auto count = static_cast<unsigned>(conditions.size());
    const int failed = seccomp_rule_add_array(context_.get(), action, call, count, conditions.data());
    // -EDOM: this architecture never had it.
    if (failed != 0 && failed != -EDOM) throw system_error("seccomp_rule_add", -failed);
  }

  std::unique_ptr<void, decltype(&seccomp_release)> context_;
};

// The argument has `value` in the bits of `mask`.
scmp_arg_cmp masked(unsigned argument, scmp_datum_t mask, scmp_datum_t value) {
  return {argument, SCMP_CMP_MASKED_EQ, mask, value};
}

constexpr std::array<scmp_datum_t, 2> kBits{S_ISUID, S_ISGID};

// Newer than Debian 12's headers.
constexpr int kFchmodat2 = 452;

// Refuses to make a new file with these bits.
void refuse_new_set_id(Filter& filter) {
  constexpr scmp_datum_t kTemporary = O_TMPFILE & ~O_DIRECTORY;
  for (const scmp_datum_t bit : kBits) {
    for (const scmp_datum_t makes : {scmp_datum_t{O_CREAT}, kTemporary}) {
      filter.refuse(SCMP_SYS(open), masked(1, makes, makes), masked(2, bit, bit));
      filter.refuse(SCMP_SYS(openat), masked(2, makes, makes), masked(3, bit, bit));
    }
    for (const auto& [call, mode] :
         {std::pair{SCMP_SYS(creat), 1U}, std::pair{SCMP_SYS(mknod), 1U}, std::pair{SCMP_SYS(mknodat), 2U}})
      filter.refuse(call, masked(mode, bit, bit));
  }
}

std::string make_filter_against_set_id() {
  Filter filter;
  filter.add_sister_architectures();
  refuse_new_set_id(filter);
  // With S_ISGID they also serve folders, where tar and cp set again what these got from the folder around them.
  for (const auto& [call, mode] :
       {std::pair{SCMP_SYS(chmod), 1U}, std::pair{SCMP_SYS(fchmod), 1U}, std::pair{SCMP_SYS(fchmodat), 2U}})
    filter.refuse(call, masked(mode, S_ISUID, S_ISUID));
  // Their arguments are in memory, where a filter cannot look; fchmodat2 is for what chmod can do.
  for (const int call : {SCMP_SYS(openat2), SCMP_SYS(io_uring_setup), kFchmodat2}) filter.lack(call);
  return filter.instructions();
}

constexpr std::string_view kRefused =
    // programs and processes
    "execve execveat fork vfork ptrace tkill process_vm_readv process_vm_writev kcmp migrate_pages move_pages "
    // the network; a pair of datagram sockets sends to any path
    "socketpair socket connect bind listen accept accept4 "
    // what a file is, of any file that can be read; its length by its path
    "chmod fchmod fchmodat chown fchown lchown fchownat setxattr lsetxattr fsetxattr removexattr lremovexattr "
    "fremovexattr utime utimes futimesat utimensat truncate mknod mknodat name_to_handle_at open_by_handle_at "
    "fanotify_init fanotify_mark inotify_init inotify_init1 inotify_add_watch "
    // where things are
    "mount umount2 pivot_root chroot unshare setns "
    // who it is
    "setuid setgid setreuid setregid setresuid setresgid setfsuid setfsgid setgroups capset setsid setpgid "
    "personality "
    // the machine
    "bpf perf_event_open userfaultfd keyctl add_key request_key init_module finit_module delete_module kexec_load "
    "kexec_file_load reboot swapon swapoff sethostname setdomainname settimeofday clock_settime adjtimex "
    "clock_adjtime acct quotactl iopl ioperm syslog vhangup nfsservctl lookup_dcookie ioprio_set "
    // System V's objects are shared by all of a user's programs
    "shmget shmat shmctl semget semctl semop semtimedop msgget msgctl msgsnd msgrcv mq_open mq_unlink";

// From here on a number means the same call on every architecture, and libraries do without each of them.
constexpr int kNewCalls = 424, kEndOfNewCalls = 512;
constexpr std::array kHarmlessNewCalls{SCMP_SYS(close_range),
                                       SCMP_SYS(faccessat2),
                                       SCMP_SYS(epoll_pwait2),
                                       444,  // landlock_create_ruleset, _add_rule and _restrict_self
                                       445,
                                       446,
                                       449};  // futex_waitv

scmp_arg_cmp is_not(unsigned argument, scmp_datum_t value) { return {argument, SCMP_CMP_NE, value, 0}; }

// The kernel looks at 32 bits.
constexpr scmp_datum_t kWord = 0xffffffff;

// Of the terminal and its line: what is typed there runs in the user's shell. Of files, sockets, disks and the console:
// what their descriptors permit to everybody who can read them. What is left asks, or is of a GPU.
void refuse_ioctls(Filter& filter) {
  constexpr scmp_datum_t kFamily = 0xff00;
  for (const int family : {int{'f'}, int{'X'}, int{'K'}, int{'V'}, int{'v'}, 0x89, 0x12})
    filter.refuse(SCMP_SYS(ioctl), masked(1, kFamily, static_cast<scmp_datum_t>(family) << 8));
  constexpr scmp_datum_t kFirst = 0x5402, kLast = 0x545f;  // TCSETS and on
  const std::array<scmp_datum_t, 6> harmless{TIOCGWINSZ, TIOCGPGRP, FIONREAD, FIONBIO, FIONCLEX, FIOCLEX};
  for (scmp_datum_t request = kFirst; request <= kLast; ++request)
    if (std::find(harmless.begin(), harmless.end(), request) == harmless.end())
      filter.refuse(SCMP_SYS(ioctl), masked(1, 0xffff, request));
}

// As root it keeps what root is among files: its workspace may be another user's.
void drop_capabilities() {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  std::array<__user_cap_data_struct, 2> sets{};
  if (::syscall(SYS_capget, &header, sets.data()) != 0) throw system_error("capget", errno);
  constexpr std::uint32_t kOwned = 1U << CAP_DAC_OVERRIDE;
  sets[0] = {sets[0].effective & kOwned, sets[0].permitted & kOwned, 0};
  sets[1] = {};
  if (::syscall(SYS_capset, &header, sets.data()) != 0) throw system_error("capset", errno);
}

}  // namespace

std::string filter_of(pid_t pid) {
  Filter filter;
  for (const std::string& name : words(kRefused)) filter.refuse(seccomp_syscall_resolve_name(name.c_str()));
  for (int call = kNewCalls; call < kEndOfNewCalls; ++call)
    if (std::find(kHarmlessNewCalls.begin(), kHarmlessNewCalls.end(), call) == kHarmlessNewCalls.end())
      filter.lack(call);

  const auto self = static_cast<scmp_datum_t>(pid);
  for (const int call : {SCMP_SYS(kill), SCMP_SYS(tgkill), SCMP_SYS(rt_sigqueueinfo), SCMP_SYS(rt_tgsigqueueinfo)})
    filter.refuse(call, is_not(0, self));
  filter.refuse(SCMP_SYS(prlimit64), is_not(0, 0));
  filter.refuse(SCMP_SYS(clone), masked(0, CLONE_THREAD, 0));
  for (const int call :
       {SCMP_SYS(sched_setaffinity), SCMP_SYS(sched_setscheduler), SCMP_SYS(sched_setparam), SCMP_SYS(sched_setattr)})
    filter.refuse(call, is_not(0, 0));
  filter.refuse(SCMP_SYS(setpriority), is_not(0, PRIO_PROCESS));
  filter.refuse(SCMP_SYS(setpriority), is_not(1, 0));
  // O_RDONLY with O_TRUNC truncates a file that may only be read, before version 3 of Landlock; for access mode 3 it
  // asks nothing at all.
  for (const auto& [call, flags] : {std::pair{SCMP_SYS(open), 1U}, std::pair{SCMP_SYS(openat), 2U}}) {
    filter.refuse(call, masked(flags, O_ACCMODE | O_TRUNC, O_RDONLY | O_TRUNC));
    filter.refuse(call, masked(flags, O_ACCMODE, O_ACCMODE));
  }
  refuse_new_set_id(filter);
  // Signals by a file, leases on files of others, and changes of files by a descriptor that may only read.
  for (const int command : {F_SETOWN, F_SETOWN_EX, F_SETSIG, F_SETLEASE, F_NOTIFY})
    filter.refuse(SCMP_SYS(fcntl), masked(1, kWord, static_cast<scmp_datum_t>(command)));
  refuse_ioctls(filter);
  return filter.instructions();
}

bool enter_instructions(const std::string& instructions, unsigned flags) noexcept {
  auto* all = const_cast<sock_filter*>(reinterpret_cast<const sock_filter*>(instructions.data()));
  const sock_fprog program{static_cast<unsigned short>(instructions.size() / sizeof(sock_filter)), all};
  return ::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &program) == 0;
}

void enter_filter(const std::string& filter) {
  drop_capabilities();
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) throw system_error("no_new_privs", errno);
  if (!enter_instructions(filter))
    throw Error(ErrorKind::unavailable, "this kernel has no seccomp filters", system_error("seccomp", errno).what());
}

const std::string& filter_against_set_id() {
  static const std::string made = make_filter_against_set_id();
  return made;
}

}  // namespace reg::box
