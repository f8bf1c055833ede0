/* A hole in a C library, as an attacker would use it: preloaded into regengine, it runs native code in the process that
 * runs a script, which asks for it by opening a file "hole-NAME". The attempt's result is what the file then holds:
 * "did it", or the kernel's answer. No check of regengine stands in between: what stops it is the box. "hole-forge"
 * sends what the file holds to the broker, as the engine would. Whoever opens a file "foreign.NAME" tries to leave a
 * file outside: only a process that no box holds can. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define SECRET "../outside/secret.txt"

static long raw_open(const char* path, int flags) { return syscall(SYS_openat, AT_FDCWD, path, flags, 0600); }

static long open_in(const char* variable, const char* rest, int flags) {
  char path[4096];
  const char* folder = getenv(variable);
  snprintf(path, sizeof path, "%s%s", folder ? folder : "", rest);
  return raw_open(path, flags);
}

static long spawn_shell(void) {
  const pid_t pid = vfork();
  if (pid == 0) {
    execl("/bin/sh", "sh", "-c", "touch REACHED ../REACHED", (char*)0);
    _exit(127);
  }
  if (pid < 0) return -1;
  int status = 0;
  waitpid(pid, &status, 0);
  return 0;
}

static long leave_child(void) {
  const long pid = syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
  if (pid == 0) _exit(0);
  return pid;
}

static long open_of_parent(const char* what, int flags) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/%s", (int)getppid(), what);
  return raw_open(path, flags);
}

static long open_set_id(void) {
  return syscall(SYS_openat, AT_FDCWD, "set-id", O_WRONLY | O_CREAT, S_ISUID | S_ISGID | 0755);
}

static long see_token(void) {
  errno = ENOENT;
  return getenv("TOKEN_OF_ANN") ? 0 : -1;
}

static long take_memory(void) {
  const size_t size = (size_t)64 << 30;
  return mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0) == MAP_FAILED ? -1
                                                                                                                    : 0;
}

static long raise_limit(void) {
  const struct rlimit all = {RLIM_INFINITY, RLIM_INFINITY};
  return setrlimit(RLIMIT_DATA, &all);
}

/* No signal but SIGKILL ends it, and it is never done. */
static long hang(void) {
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, NULL);
  raw_open("hanging", O_WRONLY | O_CREAT);
  while (pause() != 0) continue;
  return -1;
}

static long compute(void) {
  volatile long turns = 1;
  while (turns != 0) turns = turns % 2 + 1;
  return -1;
}

static long spin(void) {
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_BLOCK, &all, 0);
  raw_open("hanging", O_WRONLY | O_CREAT);
  return compute();
}

static long set_clock(void) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  return clock_settime(CLOCK_REALTIME, &now);
}

static long set_affinity(pid_t pid) {
  cpu_set_t cpus;
  if (sched_getaffinity(0, sizeof cpus, &cpus) != 0) return -1;
  return sched_setaffinity(pid, sizeof cpus, &cpus);
}

static long attempt(const char* name) {
#define ACT(what, does) \
  if (strcmp(name, what) == 0) return (does)
  ACT("read", raw_open(SECRET, O_RDONLY));
  ACT("read-passwords", raw_open("/etc/shadow", O_RDONLY));
  ACT("read-memory", raw_open("/proc/kcore", O_RDONLY));
  ACT("read-home", open_in("HOME", "/hole", O_RDONLY));
  ACT("read-environment", open_of_parent("environ", O_RDONLY));
  ACT("write", raw_open(SECRET, O_WRONLY));
  ACT("make", raw_open("../outside/new", O_WRONLY | O_CREAT));
  ACT("trust", open_in("XDG_STATE_HOME", "/regengine/trusted", O_WRONLY | O_APPEND));
  ACT("journal", open_in("XDG_STATE_HOME", "/regengine/forged.journal", O_WRONLY | O_CREAT));
  ACT("injection", open_in("INJECTION", "", O_WRONLY | O_APPEND));
  ACT("token", see_token());
  ACT("memory", take_memory());
  ACT("raise-limit", raise_limit());
  ACT("set-id", open_set_id());
  ACT("change-script", pwrite(STDIN_FILENO, "-", 1, 0));
  ACT("hang", hang());
  ACT("spin", spin());
  ACT("compute", compute());
  ACT("truncate", truncate(SECRET, 0));
  ACT("open-and-truncate", raw_open(SECRET, O_RDONLY | O_TRUNC));
  ACT("remove", unlink(SECRET));
  ACT("rename", rename("hole-rename", SECRET));
  ACT("take", rename(SECRET, "taken"));
  ACT("link", link(SECRET, "taken"));
  ACT("mode", chmod(SECRET, 0777));
  ACT("owner", chown(SECRET, 1, 1));
  ACT("times", utimensat(AT_FDCWD, SECRET, 0, 0));
  ACT("device", mknod("device", S_IFBLK | 0600, 0x800));
  ACT("execute", execl("/bin/touch", "touch", "REACHED", (char*)0));
  ACT("shell", spawn_shell());
  ACT("child", leave_child());
  ACT("connect", socket(AF_UNIX, SOCK_STREAM, 0));
  ACT("send", socket(AF_INET, SOCK_DGRAM, 0));
  ACT("kill", kill(getppid(), 0));
  ACT("kill-all", kill(-1, 0));
  ACT("trace", ptrace(PTRACE_ATTACH, getppid(), 0, 0));
  ACT("write-memory", open_of_parent("mem", O_RDWR));
  ACT("type", ioctl(STDERR_FILENO, TIOCSTI, "\n"));
  ACT("clock", set_clock());
  ACT("mount", syscall(SYS_mount, "none", ".", "tmpfs", 0, 0));
  ACT("leave", chroot("."));
  ACT("open-without-access", raw_open(SECRET, 3));
  ACT("signal-by-file", fcntl(STDOUT_FILENO, F_SETOWN, getppid()));
  ACT("lease", fcntl(STDIN_FILENO, F_SETLEASE, F_WRLCK));
  ACT("terminal", ioctl(STDERR_FILENO, TIOCSPGRP, &(pid_t){getpid()}));
  ACT("datagram", socketpair(AF_UNIX, SOCK_DGRAM, 0, (int[2]){0}));
  ACT("watch", inotify_init1(0));
  ACT("priority", setpriority(PRIO_PROCESS, (id_t)getppid(), 5));
  ACT("affinity", set_affinity(getppid()));
  ACT("freeze", ioctl(STDOUT_FILENO, 0xc0045877, 0)); /* FIFREEZE */
  ACT("ring", syscall(SYS_io_uring_setup, 1, (char[256]){0}));
  errno = EINVAL;
  return -1;
}

/* The answer of the broker to the request that the file holds, with "." for what is not ASCII. */
static void forge(char* text, size_t size) {
  char request[8192] = "t";
  const long file = raw_open("hole-forge", O_RDONLY);
  const ssize_t length = file < 0 ? -1 : read((int)file, request + 1, sizeof request - 1);
  struct pollfd answer = {3, POLLIN, 0};
  ssize_t got = -1;
  if (length > 0 && send(3, request, (size_t)length + 1, 0) > 0 && poll(&answer, 1, 60000) == 1)
    got = recv(3, text, size - 1, 0);
  if (got < 0) got = snprintf(text, size, "%s", strerror(errno));
  for (ssize_t i = 0; i < got; ++i)
    if (text[i] < ' ' || text[i] > '~') text[i] = '.';
  text[got] = 0;
}

/* What the attacker sees of it. */
static int result(const char* name) {
  char text[8192];
  if (strcmp(name, "forge") == 0)
    forge(text, sizeof text);
  else
    snprintf(text, sizeof text, "%s", attempt(name) < 0 ? strerror(errno) : "did it");
  const int fd = (int)syscall(SYS_memfd_create, "result", 0);
  if (write(fd, text, strlen(text)) < 0) return -1;
  lseek(fd, 0, SEEK_SET);
  return fd;
}

static int open_or_attempt(const char* path, int flags, int mode) {
  const char* slash = strrchr(path, '/');
  const char* base = slash ? slash + 1 : path;
  if (strncmp(base, "foreign.", 8) == 0 && !strstr(base, ".lock") && !(flags & O_PATH))
    raw_open("../outside/opened", O_WRONLY | O_CREAT);
  if (strncmp(base, "hole-", 5) == 0 && (flags & O_ACCMODE) == O_RDONLY) return result(base + 5);
  return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

int open(const char* path, int flags, ...) {
  int mode = 0;
  va_list more;
  va_start(more, flags);
  if (flags & (O_CREAT | O_TMPFILE)) mode = va_arg(more, int);
  va_end(more);
  return open_or_attempt(path, flags, mode);
}

int open64(const char* path, int flags, ...) __attribute__((alias("open")));
