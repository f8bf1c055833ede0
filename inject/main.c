#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "inject.h"
#include "old_glibc.h"
#include "records.h"

/* The CUDA driver loads this library at cuInit because CUDA_INJECTION64_PATH names it, and calls InitializeInjection.
 * The library sums up GPU activity and writes it to $REGENGINE_TRACE_DIR: at the start, every half second while there
 * are new records (the last snapshot survives _exit and SIGKILL), and completely at exit. */

enum {
  BUFFER = 8 << 20,
  KEPT_BUFFERS = 4,
  MAX_BUFFERS = 32,
  PERIOD_MS = 500,
  EXIT_WAIT_MS = 5000,
  RETURN_WAIT_MS = 200
};
enum { MAY_REJECT = 27 }; /* the first CUPTI, of CUDA 12.9, that does not crash when it gets no buffer */

static struct rg_cupti cupti;
static struct rg_header header;
static char why[RG_WHY];
static char folder[4096];
static int writing; /* a lock: its holder flushes and writes */
static int dead;    /* a child that was forked and has executed nothing else */

int rg_is_dead(void) { return dead; }

static void in_child(void) { dead = 1; }

static pthread_mutex_t buffers_lock = PTHREAD_MUTEX_INITIALIZER;
static uint8_t* spare[KEPT_BUFFERS];
static int spares;

/* --- buffers --- */

/* Each has room at its end for the round that it was handed out in: 1 once the last flush has begun. CUPTI returns all
 * of round 0 in that flush, unless another client has registered its own callbacks, which get them instead of these. */
static int last_round;
static int out[2]; /* by round */

static void buffer_requested(uint8_t** buffer, size_t* size, size_t* most_records) {
  uint8_t* given = NULL;
  pthread_mutex_lock(&buffers_lock);
  if (out[0] + out[1] < MAX_BUFFERS || cupti.version < MAY_REJECT) { /* otherwise CUPTI drops records and counts them */
    given = spares > 0 ? spare[--spares] : malloc(BUFFER + 1);
    if (given != NULL) {
      given[BUFFER] = (uint8_t)last_round;
      ++out[last_round];
    }
  }
  pthread_mutex_unlock(&buffers_lock);
  *buffer = given;
  *size = given == NULL ? 0 : BUFFER;
  *most_records = 0;
}

static void take_dropped(void) {
  size_t count = 0;
  if (cupti.dropped(NULL, 0, &count) == RG_SUCCESS && count > 0) rg_summary_dropped(count);
}

static void buffer_completed(void* context, uint32_t stream, uint8_t* buffer, size_t size, size_t valid) {
  (void)context;
  (void)stream;
  (void)size;
  if (buffer == NULL) return;
  rg_summary_buffer(&cupti, buffer, valid);
  take_dropped();
  pthread_mutex_lock(&buffers_lock);
  --out[buffer[BUFFER]];
  if (spares < KEPT_BUFFERS) {
    spare[spares++] = buffer;
    buffer = NULL;
  }
  pthread_mutex_unlock(&buffers_lock);
  free(buffer);
}

/* --- writing --- */
static int lock_writing(void) { return __atomic_exchange_n(&writing, 1, __ATOMIC_ACQUIRE) == 0; }
static void unlock_writing(void) { __atomic_store_n(&writing, 0, __ATOMIC_RELEASE); }

static void sleep_ms(long ms) {
  const struct timespec time = {ms / 1000, ms % 1000 * 1000000};
  nanosleep(&time, NULL);
}

static void* snapshots(void* unused) {
  uint64_t written = 0;
  for (;;) {
    sleep_ms(PERIOD_MS);
    if (!lock_writing()) return unused; /* the process is ending */
    cupti.flush_all(0);
    take_dropped();
    if (rg_summary_records() != written) {
      written = rg_summary_records();
      rg_write_summary(&header);
    }
    unlock_writing();
  }
}

/* Whether the buffers that were out before the last flush have come back: one may be in the hands of CUPTI's thread. */
static int came_back(void) {
  int waited, missing = 1;
  for (waited = 0; missing > 0 && waited < RETURN_WAIT_MS; ++waited) {
    if (waited > 0) sleep_ms(1);
    pthread_mutex_lock(&buffers_lock);
    missing = out[0];
    pthread_mutex_unlock(&buffers_lock);
  }
  return missing == 0;
}

static void at_exit(void) {
  int waited = 0;
  if (rg_is_dead()) return;
  while (!lock_writing()) { /* never released */
    if (++waited > EXIT_WAIT_MS) return;
    sleep_ms(1);
  }
  pthread_mutex_lock(&buffers_lock);
  last_round = 1;
  pthread_mutex_unlock(&buffers_lock);
  cupti.flush_all(1);
  take_dropped();
  if (!came_back())
    header.why = "another CUPTI client took the records over (such as torch.profiler or jax.profiler in the program)";
  header.complete = 1;
  rg_write_summary(&header);
}

/* With all signals blocked, so that the workload's signals do not reach this thread. */
static void start_snapshots(void) {
  pthread_t thread;
  pthread_attr_t detached;
  sigset_t all, before;
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, &before);
  pthread_attr_init(&detached);
  pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
  pthread_create(&thread, &detached, snapshots, NULL);
  pthread_attr_destroy(&detached);
  sigprocmask(SIG_SETMASK, &before, NULL);
}

/* --- starting --- */
static int begin(void) {
  /* Older CUPTIs do not have all. */
  static const int wanted[] = {RG_MEMCPY, RG_MEMCPY_PEER, RG_MEMSET, RG_MEMORY2};
  size_t i;
  if (rg_summary_start() != 0) {
    snprintf(why, sizeof why, "out of memory");
    return -1;
  }
  if (rg_load_cupti(&cupti, why) != 0 || rg_subscribe(&cupti, buffer_requested, buffer_completed, why) != 0) return -1;
  for (i = 0; i < sizeof wanted / sizeof wanted[0]; ++i) cupti.enable(wanted[i]);
  return 0;
}

RG_EXPORT int InitializeInjection(void) {
  static int started;
  const char* named = getenv("REGENGINE_TRACE_DIR");
  if (named == NULL || named[0] == '\0' || strlen(named) >= sizeof folder - 64) return 1;
  if (__atomic_exchange_n(&started, 1, __ATOMIC_ACQ_REL) != 0) return 1;
  strcpy(folder, named);
  header.folder = folder;
  header.cupti = &cupti;
  if (begin() != 0) header.why = why;
  header.complete = header.why != NULL; /* no more records will come */
  rg_write_summary(&header);
  if (header.why != NULL) return 1;
  pthread_atfork(NULL, NULL, in_child);
  atexit(at_exit);
  start_snapshots();
  rg_ranges_active(&cupti);
  return 1;
}
