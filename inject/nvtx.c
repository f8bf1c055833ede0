#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "inject.h"
#include "records.h"

/* Passes the ranges that a thread pushes and pops to CUPTI as numbers; the records then say in which range work was
 * started. A range of nvtxRangeStart is one of the thread that started it, until it ends; if another thread ends it,
 * the first one gives it up at its next range. The declarations of NVTX 3's stable tool interface are written by hand;
 * tests/engine/test_trace_records.cpp compares them with its headers. */

enum { MAX_DEPTH = 64, STRINGS = 1 << 12, BYTES = 1 << 20, MAX_LENGTH = 512, OPEN = 1 << 12 };

struct entry {
  const char* domain; /* NULL: the default one */
  uint32_t range;
  uint64_t id; /* of nvtxRangeStart; 0: pushed */
};

static __thread struct entry stack[MAX_DEPTH];
static __thread int depth;   /* may be more than the stack holds */
static __thread int pushed;  /* how many CUPTI has */
static __thread int started; /* how many of the stack were not pushed */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct rg_names ranges, strings;
static uint64_t times_opened[RG_RANGES];
static uint64_t nameless;                /* ranges that found no room for their names */
static uint64_t open_ids[OPEN], last_id; /* of nvtxRangeStart: id % OPEN is its place */
static uint64_t ended_elsewhere;
static int made; /* 1: the name tables exist; -1: out of memory */
static const struct rg_cupti* active;

static int stored(void) { return depth < MAX_DEPTH ? depth : MAX_DEPTH; }

/* CUPTI numbers calls only while it records them, which is slow, so recording starts with the first range. */
static int ready(void) {
  static int enabled; /* -1: not supported */
  const struct rg_cupti* cupti = __atomic_load_n(&active, __ATOMIC_ACQUIRE);
  if (cupti == NULL) return 0;
  if (__atomic_load_n(&enabled, __ATOMIC_ACQUIRE) == 0) {
    const int ok = cupti->push_id != NULL && cupti->pop_id != NULL &&
                   cupti->enable(RG_EXTERNAL_CORRELATION) == RG_SUCCESS && cupti->enable(RG_RUNTIME) == RG_SUCCESS &&
                   cupti->enable(RG_DRIVER) == RG_SUCCESS;
    __atomic_store_n(&enabled, ok ? 1 : -1, __ATOMIC_RELEASE);
  }
  return __atomic_load_n(&enabled, __ATOMIC_ACQUIRE) > 0;
}

static void push_to_cupti(void) {
  if (pushed == stored() || !ready()) return;
  for (; pushed < stored(); ++pushed) active->push_id(RG_CUSTOM2, stack[pushed].range);
}

static void pop_from_cupti(int left) {
  uint64_t last;
  for (; pushed > left; --pushed) active->pop_id(RG_CUSTOM2, &last);
}

/* Opens this range in that one. */
static uint32_t range_in(uint32_t parent, const char* text) {
  uint32_t range;
  pthread_mutex_lock(&lock);
  range = made > 0 ? rg_names_find(&ranges, parent, text) : 0;
  if (range != 0)
    ++times_opened[range];
  else /* the table is full: its work counts for the parent */
    __atomic_add_fetch(&nameless, 1, __ATOMIC_RELAXED);
  pthread_mutex_unlock(&lock);
  return range != 0 ? range : parent;
}

static uint32_t range_below(int at) { return at > 0 ? stack[at - 1].range : 0; }

/* Ranges that were opened after it stay open, in what is around it. */
static void take_out(int at) {
  uint32_t was_below = stack[at].range;
  pop_from_cupti(at);
  started -= stack[at].id != 0;
  memmove(&stack[at], &stack[at + 1], (size_t)(depth - at - 1) * sizeof stack[0]);
  --depth;
  for (; at < depth; ++at) {
    const uint32_t below = range_below(at), was = stack[at].range;
    stack[at].range = was == was_below ? below : range_in(below, ranges.list[was].text);
    was_below = was;
  }
  push_to_cupti();
}

static void drop_ended(void) {
  int at;
  if (depth > MAX_DEPTH) return; /* later */
  for (at = depth - 1; at >= 0 && started > 0; --at)
    if (stack[at].id != 0 && __atomic_load_n(&open_ids[stack[at].id % OPEN], __ATOMIC_ACQUIRE) != stack[at].id)
      take_out(at);
}

static int push(const char* domain, const char* name, uint64_t id) {
  char text[MAX_LENGTH];
  uint32_t range;
  if (rg_is_dead()) return -1;
  drop_ended();
  snprintf(text, sizeof text, "%s%s%s", domain == NULL ? "" : domain, domain == NULL ? "" : ":",
           name == NULL || name[0] == '\0' ? "(unnamed)" : name);
  range = range_in(range_below(stored()), text);
  if (depth < MAX_DEPTH) {
    stack[depth].domain = domain;
    stack[depth].range = range;
    stack[depth].id = id;
    started += id != 0;
  }
  ++depth;
  push_to_cupti();
  return depth - 1;
}

static int pop(const char* domain) {
  int at;
  if (rg_is_dead()) return -1;
  drop_ended();
  if (depth > MAX_DEPTH) return --depth;
  for (at = depth - 1; at >= 0 && (stack[at].domain != domain || stack[at].id != 0); --at) {
  }
  if (at < 0) return -1;
  take_out(at);
  return depth;
}

/* Returns 0 for a range that is too deep, or has too many others beside it: it counts for the one around it. */
static uint64_t start(const char* domain, const char* name) {
  const uint64_t id = __atomic_add_fetch(&last_id, 1, __ATOMIC_RELAXED);
  uint64_t none = 0;
  if (rg_is_dead()) return 0;
  if (depth >= MAX_DEPTH ||
      !__atomic_compare_exchange_n(&open_ids[id % OPEN], &none, id, 0, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) {
    __atomic_add_fetch(&nameless, 1, __ATOMIC_RELAXED);
    return 0;
  }
  push(domain, name, id);
  return id;
}

static void end(uint64_t id) {
  uint64_t open = id;
  int at;
  if (rg_is_dead() || id == 0 ||
      !__atomic_compare_exchange_n(&open_ids[id % OPEN], &open, 0, 0, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
    return;
  for (at = stored() - 1; at >= 0 && stack[at].id != id; --at) {
  }
  if (at < 0)
    __atomic_add_fetch(&ended_elsewhere, 1, __ATOMIC_RELAXED);
  else
    drop_ended();
}

void rg_ranges_active(const struct rg_cupti* cupti) {
  __atomic_store_n(&active, cupti, __ATOMIC_RELEASE);
  push_to_cupti();
}

const struct rg_names* rg_ranges_lock(struct rg_range_counts* counts) {
  pthread_mutex_lock(&lock);
  counts->times_opened = times_opened;
  counts->nameless = __atomic_load_n(&nameless, __ATOMIC_RELAXED);
  counts->ended_elsewhere = __atomic_load_n(&ended_elsewhere, __ATOMIC_RELAXED);
  return made > 0 ? &ranges : NULL;
}

void rg_ranges_unlock(void) { pthread_mutex_unlock(&lock); }

/* --- the tool interface of NVTX --- */
struct attributes { /* nvtxEventAttributes_t */
  uint16_t version, size;
  uint32_t category;
  int32_t color_type;
  uint32_t color;
  int32_t payload_type, reserved;
  uint64_t payload;
  int32_t message_type;
  union {
    const char* ascii; /* or the handle of a registered string: from intern() */
    const void* wide;
  } message;
};
enum message_type { ASCII = 1, REGISTERED = 3 };

typedef void (*function)(void);
struct callbacks { /* NvtxExportTableCallbacks */
  size_t size;
  int (*get_table)(int module, function*** table, unsigned* size);
};
enum { CALLBACKS = 1, CORE = 1, CORE2 = 5 };

/* Handles of domains and registered strings are the interned names. */
static const char* intern(const char* text) {
  const char* handle = NULL;
  if (rg_is_dead()) return NULL;
  pthread_mutex_lock(&lock);
  if (made > 0) handle = strings.list[rg_names_find(&strings, 0, text)].text;
  pthread_mutex_unlock(&lock);
  return handle;
}

/* The message of an event. Wide ones, of Windows, have no name here. */
static const char* name_of(const struct attributes* of) {
  return of != NULL && (of->message_type == ASCII || of->message_type == REGISTERED) ? of->message.ascii : NULL;
}

static int domain_push_ex(const char* domain, const struct attributes* of) { return push(domain, name_of(of), 0); }
static int range_push_ex(const struct attributes* of) { return push(NULL, name_of(of), 0); }
static int range_push_a(const char* name) { return push(NULL, name, 0); }
static int range_push_w(const void* name) {
  (void)name;
  return push(NULL, NULL, 0);
}
static int range_pop(void) { return pop(NULL); }
static uint64_t domain_start_ex(const char* domain, const struct attributes* of) { return start(domain, name_of(of)); }
static uint64_t range_start_ex(const struct attributes* of) { return start(NULL, name_of(of)); }
static uint64_t range_start_a(const char* name) { return start(NULL, name); }
static uint64_t range_start_w(const void* name) {
  (void)name;
  return start(NULL, NULL);
}
static void domain_end(const char* domain, uint64_t id) {
  (void)domain;
  end(id);
}
static const char* domain_create_w(const void* name) {
  (void)name;
  return intern("(unnamed)");
}
static const char* register_a(const char* domain, const char* text) {
  (void)domain;
  return intern(text);
}
static const char* register_w(const char* domain, const void* text) {
  (void)domain;
  (void)text;
  return intern("(unnamed)");
}

struct hook {
  unsigned id;
  function call;
};

static void set_hooks(const struct callbacks* callbacks, int module, const struct hook* hooks, size_t count) {
  function** table = NULL;
  unsigned size = 0;
  size_t i;
  if (callbacks->get_table(module, &table, &size) == 0 || table == NULL) return;
  for (i = 0; i < count; ++i)
    if (hooks[i].id < size && table[hooks[i].id] != NULL) *table[hooks[i].id] = hooks[i].call;
}

/* Called once for every object in the process that contains NVTX 3, and by libnvToolsExt.so.1 (NVTX 2), with the same
 * table. NVTX 1 calls InitializeInjectionNvtx with a table of its own, whose first function subscribes: there is none
 * here, since programs that old have no CUPTI that this library opens either. */
RG_EXPORT int InitializeInjectionNvtx2(const void* (*get_export_table)(uint32_t)) {
  static const struct hook core[] = {{4, (function)range_start_ex}, {5, (function)range_start_a},
                                     {6, (function)range_start_w},  {7, (function)end},
                                     {8, (function)range_push_ex},  {9, (function)range_push_a},
                                     {10, (function)range_push_w},  {11, (function)range_pop}};
  static const struct hook core2[] = {{2, (function)domain_start_ex}, {3, (function)domain_end},
                                      {4, (function)domain_push_ex},  {5, (function)pop},
                                      {10, (function)register_a},     {11, (function)register_w},
                                      {12, (function)intern},         {13, (function)domain_create_w}};
  const struct callbacks* callbacks = get_export_table(CALLBACKS);
  if (callbacks == NULL || callbacks->size < sizeof *callbacks) return 0;
  pthread_mutex_lock(&lock);
  if (made == 0)
    made = rg_names_make(&ranges, RG_RANGES, BYTES) == 0 && rg_names_make(&strings, STRINGS, BYTES) == 0 ? 1 : -1;
  pthread_mutex_unlock(&lock);
  set_hooks(callbacks, CORE, core, sizeof core / sizeof core[0]);
  set_hooks(callbacks, CORE2, core2, sizeof core2 / sizeof core2[0]);
  return 1;
}
