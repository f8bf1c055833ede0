/* For portable binaries alone: lets what Debian 12's compiler and archives made run with glibc 2.28. The linker sends
 * each call of a function NAME below to __wrap_NAME (CMakeLists.txt passes --wrap for all of them). packaging/build
 * refuses a binary that needs more. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* Functions that got a newer version and did what is needed before: mostly those that glibc 2.34 moved from libpthread
 * and libdl into libc. A jump, because dlopen and dlsym look at who calls. */
#ifdef __aarch64__ /* whose oldest version is 2.17 */
#define OLD(name, version)                                                                             \
  __asm__(".symver old_" #name "," #name "@GLIBC_2.17\n.globl __wrap_" #name "\n.hidden __wrap_" #name \
          "\n__wrap_" #name ": adrp x16, :got:old_" #name "\n ldr x16, [x16, :got_lo12:old_" #name "]\n br x16");
#define START "__libc_start_main@GLIBC_2.17"
enum { STAT_VERSION = 0 };
#else
#define START "__libc_start_main@GLIBC_2.2.5"
enum { STAT_VERSION = 1 };
#define OLD(name, version)                                                                                    \
  __asm__(".symver old_" #name "," #name "@GLIBC_" version "\n.globl __wrap_" #name "\n.hidden __wrap_" #name \
          "\n__wrap_" #name ": jmp *old_" #name "@GOTPCREL(%rip)");
#endif

__asm__(".text");
OLD(dladdr, "2.2.5")
OLD(dlclose, "2.2.5")
OLD(dlerror, "2.2.5")
OLD(dlopen, "2.2.5")
OLD(dlsym, "2.2.5")
OLD(exp, "2.2.5")
OLD(log, "2.2.5")
OLD(log2, "2.2.5")
OLD(pow, "2.2.5")
OLD(hypot, "2.2.5")
OLD(pthread_condattr_setclock, "2.3.3")
OLD(pthread_create, "2.2.5")
OLD(pthread_detach, "2.2.5")
OLD(pthread_getspecific, "2.2.5")
OLD(pthread_join, "2.2.5")
OLD(pthread_key_create, "2.2.5")
OLD(pthread_key_delete, "2.2.5")
OLD(pthread_mutex_trylock, "2.2.5")
OLD(pthread_mutexattr_destroy, "2.2.5")
OLD(pthread_mutexattr_init, "2.2.5")
OLD(pthread_mutexattr_settype, "2.2.5")
OLD(pthread_once, "2.2.5")
OLD(pthread_rwlock_destroy, "2.2.5")
OLD(pthread_rwlock_init, "2.2.5")
OLD(pthread_rwlock_rdlock, "2.2.5")
OLD(pthread_rwlock_unlock, "2.2.5")
OLD(pthread_rwlock_wrlock, "2.2.5")
OLD(pthread_setspecific, "2.2.5")
OLD(pthread_sigmask, "2.2.5")

/* Until glibc 2.33 these were inline functions in its headers. On 64-bit systems the variants with 64 are the same. */
int __xstat(int version, const char* path, struct stat* result);
int __lxstat(int version, const char* path, struct stat* result);
int __fxstat(int version, int file, struct stat* result);
int __wrap_stat(const char* path, struct stat* result) { return __xstat(STAT_VERSION, path, result); }
int __wrap_stat64(const char* path, struct stat* result) { return __xstat(STAT_VERSION, path, result); }
int __wrap_lstat(const char* path, struct stat* result) { return __lxstat(STAT_VERSION, path, result); }
int __wrap_lstat64(const char* path, struct stat* result) { return __lxstat(STAT_VERSION, path, result); }
int __wrap_fstat(int file, struct stat* result) { return __fxstat(STAT_VERSION, file, result); }
int __wrap_fstat64(int file, struct stat* result) { return __fxstat(STAT_VERSION, file, result); }

/* glibc 2.34 */
int __wrap_close_range(unsigned first, unsigned last, int flags) {
  return (int)syscall(SYS_close_range, first, last, flags);
}

/* glibc 2.36. libstdc++'s std::random_device, which never fails there, so this one does not either. */
uint32_t __wrap_arc4random(void) {
  uint32_t value;
  if (getrandom(&value, sizeof value, 0) != sizeof value) abort();
  return value;
}

/* glibc 2.32. Only an optimization for programs of one thread. */
__attribute__((visibility("hidden"))) char __libc_single_threaded = 0;

/* glibc 2.30. What std::condition_variable waits with; older systems get the time on the clock that they can wait on.
 */
typedef int ClockWait(pthread_cond_t*, pthread_mutex_t*, clockid_t, const struct timespec*);
int __wrap_pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t clock,
                                  const struct timespec* until) {
  ClockWait* real = (ClockWait*)dlsym(RTLD_DEFAULT, "pthread_cond_clockwait");
  if (real) return real(condition, mutex, clock, until);
  struct timespec there, here, at;
  clock_gettime(clock, &there);
  clock_gettime(CLOCK_REALTIME, &here);
  const int64_t nanoseconds = (int64_t)until->tv_nsec - there.tv_nsec + here.tv_nsec + 1000000000;
  at.tv_sec = until->tv_sec - there.tv_sec + here.tv_sec - 1 + nanoseconds / 1000000000;
  at.tv_nsec = nanoseconds % 1000000000;
  return pthread_cond_timedwait(condition, mutex, &at);
}

/* Since glibc 2.34 it runs a program's constructors itself. The older one is told how, as programs did until then. */
typedef void Initialize(int argc, char** argv, char** environment);
typedef int Main(int argc, char** argv, char** environment);
__asm__(".symver old_start," START);
int old_start(Main* main, int argc, char** argv, Initialize* init, void (*fini)(void), void (*rtld_fini)(void),
              void* stack);
extern Initialize* __init_array_start[] __attribute__((visibility("hidden")));
extern Initialize* __init_array_end[] __attribute__((visibility("hidden")));
void _init(void);
static void initialize(int argc, char** argv, char** environment) {
  _init();
  for (Initialize** each = __init_array_start; each != __init_array_end; ++each) (*each)(argc, argv, environment);
}
int __wrap___libc_start_main(Main* main, int argc, char** argv, Initialize* init, void (*fini)(void),
                             void (*rtld_fini)(void), void* stack) {
  (void)init;
  return old_start(main, argc, argv, initialize, fini, rtld_fini, stack);
}
