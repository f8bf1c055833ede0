#ifndef REGENGINE_USAGE_KERNEL_H
#define REGENGINE_USAGE_KERNEL_H

#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>

/* Linux without a C library: system calls, which return -errno where they fail, and the entry of the program. */

typedef unsigned long SignalSet; /* one bit for each signal, from signal 1 on */

#if defined(__x86_64__)
static inline long kernel(long number, long a, long b, long c, long d) {
  long result;
  register long fourth __asm__("r10") = d;
  register long fifth __asm__("r8") = 0;
  __asm__ volatile("syscall"
                   : "=a"(result)
                   : "a"(number), "D"(a), "S"(b), "d"(c), "r"(fourth), "r"(fifth)
                   : "rcx", "r11", "memory");
  return result;
}
__asm__(
    ".globl _start\n"
    "_start:\n"
    "  xor %ebp, %ebp\n"
    "  mov %rsp, %rdi\n"
    "  and $-16, %rsp\n"
    "  call begin\n");
#elif defined(__aarch64__)
static inline long kernel(long number, long a, long b, long c, long d) {
  register long result __asm__("x0") = a;
  register long second __asm__("x1") = b;
  register long third __asm__("x2") = c;
  register long fourth __asm__("x3") = d;
  register long fifth __asm__("x4") = 0;
  register long which __asm__("x8") = number;
  __asm__ volatile("svc 0" : "+r"(result) : "r"(second), "r"(third), "r"(fourth), "r"(fifth), "r"(which) : "memory");
  return result;
}
__asm__(
    ".globl _start\n"
    "_start:\n"
    "  mov x29, #0\n"
    "  mov x30, #0\n"
    "  mov x0, sp\n"
    "  bl begin\n");
#else
#error "regengine-usage knows x86-64 and ARM64"
#endif

static inline long open_for_writing(const char* path, int flags) {
  return kernel(SYS_openat, -100 /* AT_FDCWD */, (long)path, flags, 0);
}
static inline long look_at(const char* path, struct stat* found) {
  return kernel(SYS_newfstatat, -100 /* AT_FDCWD */, (long)path, (long)found, 0);
}
static inline long write_bytes(long fd, const char* bytes, unsigned long size) {
  return kernel(SYS_write, fd, (long)bytes, (long)size, 0);
}
static inline long fork_with(long signal_at_its_end) { return kernel(SYS_clone, signal_at_its_end, 0, 0, 0); }
static inline long execute(const char* path, char** argv, char** envp) {
  return kernel(SYS_execve, (long)path, (long)argv, (long)envp, 0);
}
static inline long wait_for(long pid, int* status, int flags, struct rusage* usage) {
  return kernel(SYS_wait4, pid, (long)status, flags, (long)usage);
}
static inline long send_signal(long pid, long number) { return kernel(SYS_kill, pid, number, 0, 0); }
static inline long set_blocked(int how, const SignalSet* set, SignalSet* before) {
  return kernel(SYS_rt_sigprocmask, how, (long)set, (long)before, sizeof *set);
}
static inline long next_signal(const SignalSet* set) {
  return kernel(SYS_rt_sigtimedwait, (long)set, 0, 0, sizeof *set);
}
/* As at the start of a program: what ends is kept to be waited for, whoever started this program. */
static inline void heed_children(long signal_of_child) {
  const unsigned long action[4] = {0, 0, 0, 0}; /* SIG_DFL, without flags */
  kernel(SYS_rt_sigaction, signal_of_child, (long)action, 0, sizeof(SignalSet));
}
_Noreturn static inline void leave(long code) {
  for (;;) kernel(SYS_exit_group, code, 0, 0, 0);
}

#endif
