#include "engine/box/filter.h"

#include <fcntl.h>
#include <linux/capability.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include "engine/base/error.h"
#include "engine/box/seccomp.h"
#include "engine/box/set_id.h"

namespace reg::box {
namespace {

constexpr std::array kRefused{
    // programs and processes
    SCMP_SYS(execve), SCMP_SYS(execveat), SCMP_SYS(fork), SCMP_SYS(vfork), SCMP_SYS(ptrace), SCMP_SYS(tkill),
    SCMP_SYS(process_vm_readv), SCMP_SYS(process_vm_writev), SCMP_SYS(kcmp), SCMP_SYS(migrate_pages),
    SCMP_SYS(move_pages),
    // the network; a pair of datagram sockets sends to any path
    SCMP_SYS(socketpair), SCMP_SYS(socket), SCMP_SYS(connect), SCMP_SYS(bind), SCMP_SYS(listen), SCMP_SYS(accept),
    SCMP_SYS(accept4),
    // what a file is, of any file that can be read; its length by its path
    SCMP_SYS(chmod), SCMP_SYS(fchmod), SCMP_SYS(fchmodat), SCMP_SYS(chown), SCMP_SYS(fchown), SCMP_SYS(lchown),
    SCMP_SYS(fchownat), SCMP_SYS(setxattr), SCMP_SYS(lsetxattr), SCMP_SYS(fsetxattr), SCMP_SYS(removexattr),
    SCMP_SYS(lremovexattr), SCMP_SYS(fremovexattr), SCMP_SYS(utime), SCMP_SYS(utimes), SCMP_SYS(futimesat),
    SCMP_SYS(utimensat), SCMP_SYS(truncate), SCMP_SYS(mknod), SCMP_SYS(mknodat), SCMP_SYS(name_to_handle_at),
    SCMP_SYS(open_by_handle_at), SCMP_SYS(fanotify_init), SCMP_SYS(fanotify_mark), SCMP_SYS(inotify_init),
    SCMP_SYS(inotify_init1), SCMP_SYS(inotify_add_watch),
    // where things are
    SCMP_SYS(mount), SCMP_SYS(umount2), SCMP_SYS(pivot_root), SCMP_SYS(chroot), SCMP_SYS(unshare), SCMP_SYS(setns),
    // who it is
    SCMP_SYS(setuid), SCMP_SYS(setgid), SCMP_SYS(setreuid), SCMP_SYS(setregid), SCMP_SYS(setresuid),
    SCMP_SYS(setresgid), SCMP_SYS(setfsuid), SCMP_SYS(setfsgid), SCMP_SYS(setgroups), SCMP_SYS(capset),
    SCMP_SYS(setsid), SCMP_SYS(setpgid), SCMP_SYS(personality),
    // the machine
    SCMP_SYS(bpf), SCMP_SYS(perf_event_open), SCMP_SYS(userfaultfd), SCMP_SYS(keyctl), SCMP_SYS(add_key),
    SCMP_SYS(request_key), SCMP_SYS(init_module), SCMP_SYS(finit_module), SCMP_SYS(delete_module), SCMP_SYS(kexec_load),
    SCMP_SYS(kexec_file_load), SCMP_SYS(reboot), SCMP_SYS(swapon), SCMP_SYS(swapoff), SCMP_SYS(sethostname),
    SCMP_SYS(setdomainname), SCMP_SYS(settimeofday), SCMP_SYS(clock_settime), SCMP_SYS(adjtimex),
    SCMP_SYS(clock_adjtime), SCMP_SYS(acct), SCMP_SYS(quotactl), SCMP_SYS(iopl), SCMP_SYS(ioperm), SCMP_SYS(syslog),
    SCMP_SYS(vhangup), SCMP_SYS(nfsservctl), SCMP_SYS(lookup_dcookie), SCMP_SYS(ioprio_set),
    // System V's objects are shared by all of a user's programs
    SCMP_SYS(shmget), SCMP_SYS(shmat), SCMP_SYS(shmctl), SCMP_SYS(semget), SCMP_SYS(semctl), SCMP_SYS(semop),
    SCMP_SYS(semtimedop), SCMP_SYS(msgget), SCMP_SYS(msgctl), SCMP_SYS(msgsnd), SCMP_SYS(msgrcv), SCMP_SYS(mq_open),
    SCMP_SYS(mq_unlink)};

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
  constexpr std::uint32_t kKept = 1U << CAP_DAC_OVERRIDE;
  sets[0] = {sets[0].effective & kKept, sets[0].permitted & kKept, 0};
  sets[1] = {};
  if (::syscall(SYS_capset, &header, sets.data()) != 0) throw system_error("capset", errno);
}

}  // namespace

std::string filter_of(pid_t pid) {
  Filter filter;
  for (const int call : kRefused) filter.refuse(call);
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

void enter_filter(const std::string& filter) {
  drop_capabilities();
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) throw system_error("no_new_privs", errno);
  if (!enter_instructions(filter))
    throw Error(ErrorKind::unavailable, "this kernel has no seccomp filters", system_error("seccomp", errno).what());
}

}  // namespace reg::box
