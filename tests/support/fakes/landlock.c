// An older kernel's Landlock, for what is started with LD_PRELOAD: it says that its version is at most
// $FAKE_LANDLOCK_VERSION, 0 for none.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>

long syscall(long number, ...) {
  enum { kCreate = 444, kAskVersion = 1, kArguments = 6 };
  long a[kArguments];
  va_list list;
  va_start(list, number);
  for (int i = 0; i < kArguments; ++i) a[i] = va_arg(list, long);
  va_end(list);

  static long (*real)(long, ...);
  if (real == NULL) *(void**)&real = dlsym(RTLD_NEXT, "syscall");
  const long answer = real(number, a[0], a[1], a[2], a[3], a[4], a[5]);
  const char* most = getenv("FAKE_LANDLOCK_VERSION");
  if (number != kCreate || (a[2] & 0xffffffff) != kAskVersion || most == NULL) return answer;
  if (atol(most) > 0) return answer < atol(most) ? answer : atol(most);
  errno = ENOSYS;
  return -1;
}
