/* regengine-usage FILE COMMAND...: runs a command in a container, and writes to FILE what it used: processor time in
 * user mode and in the kernel, in microseconds, the largest resident size of one process, in KiB, minor and major page
 * faults, and voluntary and involuntary context switches. As on the host, this is of the command and of every child
 * that it waited for (wait4).
 *
 * It exits as the command does, with 128 + N after signal N, 127 where the command is not found and 126 where it cannot
 * be run. It passes signals on, and reaps orphans where it is process 1. Where FILE cannot be opened it runs nothing
 * and exits with 125, docker's code for its own failures.
 *
 * regengine-usage --mounts DEVICE:INODE:PATH... -- COMMAND...: replaces itself by the command if each path is that file
 * or folder; else it runs nothing and exits with 125. So nothing of the image runs in a container where somebody
 * replaced the source of a mount after it had been checked.
 *
 * It runs in images of any kind and is copied to where the container engine sees it, so it needs no C library and is
 * small. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>

#include "inject/usage/kernel.h"

enum { CANNOT_MEASURE = 125, CANNOT_RUN = 126, NOT_FOUND = 127, LONGEST_PATH = 4096 };

static unsigned long length(const char* text) {
  unsigned long size = 0;
  while (text[size] != '\0') ++size;
  return size;
}

static void say(const char* text) { write_bytes(2, text, length(text)); }

static const char* reason(long error) {
  switch (error) {
    case ENOENT:
      return "No such file or directory";
    case EACCES:
      return "Permission denied";
    case EROFS:
      return "Read-only file system";
    case ENOEXEC:
      return "Exec format error";
    case EAGAIN:
      return "Resource temporarily unavailable";
    case ENOMEM:
      return "Cannot allocate memory";
    default:
      return "the system refused";
  }
}

_Noreturn static void fail(const char* what, const char* name, long error, int code) {
  say("regengine-usage: cannot ");
  say(what);
  say(" '");
  say(name);
  say("': ");
  say(reason(error));
  say("\n");
  leave(code);
}

static const char* variable(char** envp, const char* name) {
  const unsigned long size = length(name);
  for (; *envp != 0; ++envp) {
    unsigned long same = 0;
    while (same < size && (*envp)[same] == name[same]) ++same;
    if (same == size && (*envp)[size] == '=') return *envp + size + 1;
  }
  return 0;
}

/* Puts "FOLDER/NAME" into `path`; the folder "" is the working directory. Returns whether it fits. */
static int join(char* path, const char* folder, unsigned long size, const char* name) {
  const unsigned long rest = length(name);
  unsigned long at = 0;
  if (size + rest + 2 > LONGEST_PATH) return 0;
  for (unsigned long i = 0; i < size; ++i) path[at++] = folder[i];
  if (size > 0) path[at++] = '/';
  for (unsigned long i = 0; i <= rest; ++i) path[at++] = name[i];
  return 1;
}

/* Replaces this process by the command, which is looked up in PATH as execvp does. Returns the error. */
static long run(char** argv, char** envp) {
  char path[LONGEST_PATH];
  long error = ENOENT;
  for (const char* c = argv[0]; *c != '\0'; ++c)
    if (*c == '/') return -execute(argv[0], argv, envp);
  const char* folder = variable(envp, "PATH");
  if (folder == 0) folder = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
  for (;;) {
    unsigned long size = 0;
    while (folder[size] != ':' && folder[size] != '\0') ++size;
    if (join(path, folder, size, argv[0])) {
      const long failed = -execute(path, argv, envp);
      if (failed != ENOENT && failed != ENOTDIR) error = failed;
      if (failed != ENOENT && failed != ENOTDIR && failed != EACCES) return error;
    }
    if (folder[size] == '\0') return error;
    folder += size + 1;
  }
}

/* Writes the decimal digits of `number` and `behind` at `at`; returns where they end. */
static char* put(char* at, unsigned long number, char behind) {
  char digits[20];
  int count = 0;
  do {
    digits[count++] = (char)('0' + number % 10);
    number /= 10;
  } while (number > 0);
  while (count > 0) *at++ = digits[--count];
  *at++ = behind;
  return at;
}

static unsigned long microseconds(const struct timeval* time) {
  return (unsigned long)time->tv_sec * 1000000UL + (unsigned long)time->tv_usec;
}

static void report(long file, const struct rusage* usage) {
  char line[160]; /* seven numbers of 20 digits, and a character behind each */
  char* end = put(line, microseconds(&usage->ru_utime), ' ');
  end = put(end, microseconds(&usage->ru_stime), ' ');
  end = put(end, (unsigned long)usage->ru_maxrss, ' ');
  end = put(end, (unsigned long)usage->ru_minflt, ' ');
  end = put(end, (unsigned long)usage->ru_majflt, ' ');
  end = put(end, (unsigned long)usage->ru_nvcsw, ' ');
  end = put(end, (unsigned long)usage->ru_nivcsw, '\n');
  if (write_bytes(file, line, (unsigned long)(end - line)) != end - line)
    say("regengine-usage: cannot write what the command used\n");
}

/* Passes signals on until the command has ended, and reaps whatever else ends. Returns its status. */
static int attend(long command, const SignalSet* signals, struct rusage* usage) {
  for (;;) {
    const long number = next_signal(signals);
    if (number > 0 && number != SIGCHLD) send_signal(command, number);
    if (number != SIGCHLD) continue;
    for (;;) {
      int status = 0;
      const long ended = wait_for(-1, &status, WNOHANG, usage);
      if (ended == command) return status;
      if (ended <= 0) break;
    }
  }
}

/* Whether `word`, "DEVICE:INODE:PATH", is true. */
static int is_there(const char* word) {
  struct stat found;
  char numbers[48]; /* two numbers of 20 digits, and a character behind each */
  const char* path = word;
  for (int colons = 0; colons < 2; ++path) {
    if (*path == '\0') return 0;
    if (*path == ':') ++colons;
  }
  if (look_at(path, &found) < 0) return 0;
  const char* end = put(put(numbers, found.st_dev, ':'), found.st_ino, ':');
  if (end - numbers != path - word) return 0;
  for (long i = 0; i < end - numbers; ++i)
    if (numbers[i] != word[i]) return 0;
  return 1;
}

static int is(const char* word, const char* name) {
  while (*word != '\0' && *word == *name) ++word, ++name;
  return *word == *name;
}

_Noreturn static void check_and_run(char** words, char** envp) {
  for (; *words != 0 && !is(*words, "--"); ++words) {
    if (is_there(*words)) continue;
    say("regengine-usage: the mount is not what was checked: ");
    say(*words);
    say("\n");
    leave(CANNOT_MEASURE);
  }
  if (*words == 0 || words[1] == 0) fail("run", "", ENOENT, CANNOT_MEASURE);
  const long error = run(words + 1, envp);
  fail("run", words[1], error, error == ENOENT ? NOT_FOUND : CANNOT_RUN);
}

static SignalSet bit(int number) { return 1UL << (number - 1); }

/* The kernel left the number of arguments, the arguments and the environment on the stack. */
__attribute__((used)) _Noreturn void begin(long* stack) {
  char** argv = (char**)(stack + 1);
  char** envp = argv + stack[0] + 1;
  if (stack[0] < 3) {
    say("usage: regengine-usage FILE COMMAND...\n");
    leave(CANNOT_MEASURE);
  }
  if (is(argv[1], "--mounts")) check_and_run(argv + 2, envp);
  const long file = open_for_writing(argv[1], O_WRONLY | O_CLOEXEC);
  if (file < 0) fail("write to", argv[1], -file, CANNOT_MEASURE);

  /* What a mistake in this program raises is not waited for. */
  const SignalSet own = bit(SIGSEGV) | bit(SIGBUS) | bit(SIGILL) | bit(SIGFPE) | bit(SIGTRAP) | bit(SIGSYS);
  const SignalSet passed_on = ~own;
  SignalSet before = 0;
  heed_children(SIGCHLD);
  set_blocked(SIG_BLOCK, &passed_on, &before);
  const long command = fork_with(SIGCHLD);
  if (command < 0) fail("start", argv[2], -command, CANNOT_RUN);
  if (command == 0) {
    set_blocked(SIG_SETMASK, &before, 0);
    const long error = run(argv + 2, envp);
    fail("run", argv[2], error, error == ENOENT ? NOT_FOUND : CANNOT_RUN);
  }
  static struct rusage usage;
  const int status = attend(command, &passed_on, &usage);
  report(file, &usage);
  leave(WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status));
}
