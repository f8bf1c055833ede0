/* A CUPTI that replays records: $REGENGINE_FAKE_CUPTI names a file of lines, fake_cupti_play() puts them into buffers
 * up to the next line "stop", in the layouts of the real one.
 *
 * It imitates CUPTI 13.0 (its headers; API version 130000) with the driver 580, and "version 26" CUDA 12.8: each thread
 * has a buffer of its own unless the client sets attribute 9 to 0 before it registers its callbacks; the last client
 * that registers has the records of all, and the buffers that the one before gave out; a client that gives no buffer
 * crashes it before version 27. The second client does what kineto does in 2026 (libkineto/src/CuptiActivityApi.cpp):
 * it ignores buffers that are not its own, disables the kinds at its stop, and numbers its calls by CUSTOM0 and
 * CUSTOM1. cupti_v2.c is the same as of CUDA 13.3: clients subscribe by the _v2 functions, several if they allow it,
 * and the older functions are refused while one of them is there.
 *
 *   version NUMBER                             what cuptiGetVersion says
 *   kineto | kineto_stop                       another client begins, ends
 *   mosaic                                     one that aborts where it cannot subscribe, as JAX's raises
 *   holder NAME                                who is subscribed where a subscription is refused
 *   driverless 1                               asked for its version it crashes, as that of CUDA 13.2 without a driver
 *   fixed 1                                    the attribute cannot be set
 *   correlate KIND ID                          another client pushes an external correlation id in this thread
 *   subscribe CODE | refuse KIND CODE          what cuptiSubscribe and cuptiActivityEnable answer
 *   subscribe_v2 CODE | refuse_v2 KIND CODE    the same of the _v2 ones
 *   kernel NAME START END [DEVICE [CORRELATION]]
 *   many COUNT NAME START LENGTH EVERY         so many kernels, one after the other
 *   memcpy KIND BYTES START END | memset BYTES START END
 *   alloc ADDRESS BYTES [MEMORY-KIND] | free ADDRESS BYTES
 *   graph START END [CORRELATION]              a launch of a graph, at the level of graphs: without its kernels
 *   graph_level 1                              another client has chosen that level, for all
 *   call CORRELATION                           a call: with the external correlation that is pushed in this thread
 *   overhead KIND START END | marker | dropped COUNT
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KINDS = 64, DEEPEST = 64, LINE = 9000, THREADS = 256, CORRELATIONS = 6 };
enum { PER_THREAD_BUFFER = 9 /* CUpti_ActivityAttribute */, API_VERSION = 130000, MAY_REJECT = 27 };

static const size_t sizes[KINDS] = {
    [1] = 88, [2] = 80, [4] = 48, [5] = 48, [10] = 224, [12] = 56, [17] = 56, [39] = 24, [49] = 144, [51] = 56};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void (*requested)(uint8_t**, size_t*, size_t*);
static void (*completed)(void*, uint32_t, uint8_t*, size_t, size_t);
static int enabled[KINDS];
static struct buffer {
  uint8_t* at;
  size_t size, used;
} buffers[THREADS]; /* the first one for all, or one for each thread */
static uint8_t per_thread = 1;
static int threads;
static size_t dropped;
static FILE* lines;
static int subscribers;
static int v2_subscribers;     /* among them */
static __thread int called_v2; /* the function that runs is called by its _v2 */
#ifdef CUPTI_13_3
enum { PARAMS = 40 };
#else
enum { PARAMS = 32 };
#endif

static __thread int thread; /* counted from 1 */
static __thread uint64_t pushed[CORRELATIONS][DEEPEST];
static __thread int depth[CORRELATIONS];

static int too_old(void) { return v2_subscribers > 0 && !called_v2; }

/* The answer that a line "WORD [NUMBER] CODE" in the file asks for, else 0. */
static int answer(const char* word, int number) {
  char line[LINE], first[32];
  int a = 0, b = 0, found = 0;
  FILE* file = fopen(getenv("REGENGINE_FAKE_CUPTI") ? getenv("REGENGINE_FAKE_CUPTI") : "", "r");
  while (file != NULL && fgets(line, sizeof line, file) != NULL) {
    const int words = sscanf(line, "%31s %d %d", first, &a, &b);
    if (words == 2 && number < 0 && strcmp(first, word) == 0) found = a;
    if (words == 3 && number == a && strcmp(first, word) == 0) found = b;
  }
  if (file != NULL) fclose(file);
  return found;
}

int cuptiGetVersion(uint32_t* version) {
  const int asked = answer("version", -1);
  if (answer("driverless", -1) != 0) abort();
  return *version = asked != 0 ? (uint32_t)asked : API_VERSION, 0;
}

int cuptiGetResultString(int result, const char** text) {
  *text = result == 999 ? "CUPTI_ERROR_UNKNOWN" : "CUPTI_ERROR_OF_THE_FAKE";
  return 0;
}

int cuptiSubscribe(void** subscriber, void (*callback)(void*, int, uint32_t, const void*), void* data) {
  const int refused = answer("subscribe", -1);
  if (refused != 0) return refused;
  if (subscribers > 0) return 39;
  ++subscribers;
  *subscriber = &subscribers;
  return 0;
}

struct params { /* CUpti_SubscriberParams */
  size_t size;
  const char* name;
  char* holder;
  size_t holder_size;
  uint8_t several, padding[7];
};

int cuptiSubscribe_v2(void** subscriber, void (*callback)(void*, int, uint32_t, const void*), void* data,
                      struct params* params) {
  const int several = PARAMS == 40 && params != NULL && params->several, asked = answer("subscribe_v2", -1);
  const int refused = asked != 0 ? asked : answer("subscribe", -1);
  static int allowed;
  if (params != NULL && params->size != 32 && params->size != PARAMS) return 1;
  if (refused == 39 || (subscribers > 0 && (!several || !allowed))) {
    FILE* file = fopen(getenv("REGENGINE_FAKE_CUPTI"), "r");
    char line[LINE];
    while (file != NULL && params != NULL && params->holder != NULL && fgets(line, sizeof line, file) != NULL)
      if (sscanf(line, "holder %63[^\n]", params->holder) == 1) break;
    if (file != NULL) fclose(file);
    return 39;
  }
  if (refused != 0) return refused;
  allowed = several;
  ++subscribers;
  v2_subscribers += PARAMS == 40;
  *subscriber = &subscribers;
  return 0;
}

int cuptiUnsubscribe(void* subscriber) {
  if (subscriber != &subscribers) return 1;
  --subscribers;
  if (v2_subscribers > 0) --v2_subscribers;
  return 0;
}

int cuptiActivityEnable(int kind) {
  if (too_old()) return 39;
  const int refused = answer("refuse", kind);
  if (refused != 0) return refused;
  if (kind <= 0 || kind >= KINDS) return 21;
  enabled[kind] = 1;
  return 0;
}

int cuptiActivityRegisterCallbacks(void (*on_request)(uint8_t**, size_t*, size_t*),
                                   void (*on_complete)(void*, uint32_t, uint8_t*, size_t, size_t)) {
  if (too_old()) return 39;
  requested = on_request;
  completed = on_complete;
  return 0;
}

int cuptiActivitySetAttribute(int attribute, size_t* size, void* value) {
  if (too_old()) return 39;
  if (attribute != PER_THREAD_BUFFER || size == NULL || value == NULL) return 1;
  if (*size < sizeof per_thread) return 7;
  if (answer("fixed", -1) != 0) return 1;
  memcpy(&per_thread, value, sizeof per_thread);
  return 0;
}

static void deliver(struct buffer* buffer) { /* with the lock held */
  if (buffer->at == NULL) return;
  completed(NULL, 0, buffer->at, buffer->size, buffer->used);
  buffer->at = NULL;
}

static void deliver_all(void) {
  size_t i;
  for (i = 0; i < THREADS; ++i) deliver(&buffers[i]);
}

static struct buffer* own_buffer(void) {
  if (!per_thread) return &buffers[0];
  if (thread == 0) thread = ++threads;
  return &buffers[thread % THREADS];
}

/* --- the second client --- */
static uint8_t* theirs;

static void they_request(uint8_t** buffer, size_t* size, size_t* most) {
  *size = 1 << 16;
  *buffer = theirs = malloc(*size);
  *most = 0;
}

static void they_complete(void* context, uint32_t stream, uint8_t* buffer, size_t size, size_t valid) {
  if (buffer == theirs) free(buffer);
}

int cuptiActivityGetNextRecord(uint8_t* from, size_t valid, uint8_t** record) {
  uint32_t kind;
  uint8_t* next = from;
  if (too_old()) return 39;
  if (*record != NULL) {
    memcpy(&kind, *record, sizeof kind);
    next = *record + sizes[kind];
  }
  if (next >= from + valid) return 12;
  *record = next;
  return 0;
}

/* Counted by the caller's own thread while it holds the lock. */
int cuptiActivityGetNumDroppedRecords(void* context, uint32_t stream, size_t* count) {
  if (too_old()) return 39;
  *count = __atomic_exchange_n(&dropped, 0, __ATOMIC_ACQ_REL);
  return 0;
}

int cuptiActivityPushExternalCorrelationId(int kind, uint64_t id) {
  if (too_old()) return 39;
  if (kind <= 0 || kind >= CORRELATIONS || depth[kind] == DEEPEST) return 1;
  pushed[kind][depth[kind]++] = id;
  return 0;
}

int cuptiActivityPopExternalCorrelationId(int kind, uint64_t* id) {
  if (too_old()) return 39;
  if (kind <= 0 || kind >= CORRELATIONS) return 1;
  if (depth[kind] == 0) return 18;
  *id = pushed[kind][--depth[kind]];
  return 0;
}

static uint8_t* record_of(uint32_t kind) {
  struct buffer* buffer = own_buffer();
  uint8_t* record;
  uint32_t version;
  size_t most = 0;
  if (!enabled[kind]) return NULL;
  if (buffer->at != NULL && buffer->used + sizes[kind] > buffer->size) deliver(buffer);
  if (buffer->at == NULL) {
    requested(&buffer->at, &buffer->size, &most);
    buffer->used = 0;
  }
  if (buffer->at == NULL) {
    cuptiGetVersion(&version);
    if (version < MAY_REJECT) abort();
    __atomic_add_fetch(&dropped, 1, __ATOMIC_ACQ_REL);
    return NULL;
  }
  record = buffer->at + buffer->used;
  memset(record, 0xa5, sizes[kind]); /* what nobody should read */
  memcpy(record, &kind, sizeof kind);
  buffer->used += sizes[kind];
  return record;
}

static void put32(uint8_t* record, size_t offset, uint32_t value) { memcpy(record + offset, &value, sizeof value); }
static void put64(uint8_t* record, size_t offset, uint64_t value) { memcpy(record + offset, &value, sizeof value); }

/* CUPTI keeps the names of kernels; so does this. */
static const char* lasting(const char* name) {
  static char* known[1 << 16];
  uint32_t at = 5381;
  const char* c;
  for (c = name; *c != '\0'; ++c) at = at * 33 + (unsigned char)*c;
  for (at &= 0xffff; known[at] != NULL; at = (at + 1) & 0xffff)
    if (strcmp(known[at], name) == 0) return known[at];
  return known[at] = strdup(name);
}

static void kernel(const char* name, uint64_t start, uint64_t end, uint32_t device, uint32_t correlation) {
  uint8_t* record = record_of(10);
  if (record == NULL) return;
  put64(record, 16, start);
  put64(record, 24, end);
  put32(record, 40, device);
  put32(record, 92, correlation);
  name = lasting(name);
  memcpy(record + 104, &name, sizeof name);
}

static void copy(uint32_t kind, uint8_t copy_kind, uint64_t bytes, uint64_t start, uint64_t end) {
  uint8_t* record = record_of(kind);
  if (record == NULL) return;
  if (kind == 1) record[4] = copy_kind;
  put64(record, 8, bytes);
  put64(record, 16, start);
  put64(record, 24, end);
  put32(record, 32, 0);
}

static void memory(uint32_t operation, uint64_t address, uint64_t bytes, uint32_t memory_kind) {
  uint8_t* record = record_of(49);
  if (record == NULL) return;
  put32(record, 4, operation);
  put32(record, 8, memory_kind);
  put64(record, 16, address);
  put64(record, 24, bytes);
}

static void call(uint32_t correlation) {
  uint32_t kind;
  for (kind = 1; kind < CORRELATIONS; ++kind) {
    uint8_t* record = depth[kind] > 0 ? record_of(39) : NULL;
    if (record == NULL) continue;
    put32(record, 4, kind);
    put64(record, 8, pushed[kind][depth[kind] - 1]);
    put32(record, 16, correlation);
  }
  record_of(5);
}

static int play(const char* line) {
  char word[32], name[LINE];
  unsigned long long a = 0, b = 0, c = 0, d = 0, n;
  uint8_t* record;
  if (sscanf(line, "%31s", word) != 1) return 1;
  if (strcmp(word, "stop") == 0) return 0;
  if (sscanf(line, "kernel %8999s %llu %llu %llu %llu", name, &a, &b, &c, &d) >= 3) {
    kernel(name, a, b, (uint32_t)c, (uint32_t)d);
  } else if (sscanf(line, "many %llu %8999s %llu %llu %llu", &n, name, &a, &b, &c) == 5) {
    for (d = 0; d < n; ++d) kernel(name, a + d * c, a + d * c + b, 0, (uint32_t)d + 1);
  } else if (sscanf(line, "memcpy %llu %llu %llu %llu", &a, &b, &c, &d) == 4) {
    copy(1, (uint8_t)a, b, c, d);
  } else if (sscanf(line, "graph %llu %llu %llu", &a, &b, &c) >= 2) {
    if ((record = record_of(51)) == NULL) return 1;
    put32(record, 4, (uint32_t)c);
    put64(record, 8, a);
    put64(record, 16, b);
    put32(record, 24, 0);
  } else if (sscanf(line, "memset %llu %llu %llu", &a, &b, &c) == 3) {
    copy(2, 0, a, b, c);
  } else if (c = 3, sscanf(line, "alloc %llx %llu %llu", &a, &b, &c) >= 2) {
    memory(1, a, b, (uint32_t)c);
  } else if (sscanf(line, "free %llx %llu", &a, &b) == 2) {
    memory(2, a, b, 3);
  } else if (sscanf(line, "call %llu", &a) == 1) {
    call((uint32_t)a);
  } else if (sscanf(line, "overhead %llu %llu %llu", &a, &b, &c) == 3) {
    if ((record = record_of(17)) == NULL) return 1;
    put32(record, 4, (uint32_t)a);
    put64(record, 24, b);
    put64(record, 32, c);
  } else if (strcmp(word, "marker") == 0) {
    enabled[12] = 1; /* another tool may have asked for it */
    record_of(12);
  } else if (sscanf(line, "dropped %llu", &a) == 1) {
    __atomic_add_fetch(&dropped, a, __ATOMIC_ACQ_REL);
  } else if (sscanf(line, "correlate %llu %llu", &a, &b) == 2) {
    cuptiActivityPushExternalCorrelationId((int)a, b);
  } else if (strcmp(word, "mosaic") == 0) {
    struct params params = {PARAMS, "MosaicGpuProfiler", NULL, 0, 1, {0}};
    void* handle;
    if (cuptiSubscribe_v2(&handle, NULL, NULL, &params) != 0) abort();
  } else if (strcmp(word, "kineto") == 0) {
    cuptiActivityRegisterCallbacks(they_request, they_complete);
    enabled[10] = 1;
  } else if (strcmp(word, "kineto_stop") == 0) {
    deliver_all();
    if (!too_old()) enabled[10] = 0;
  }
  return 1;
}

void fake_cupti_play(void) {
  char line[LINE];
  pthread_mutex_lock(&lock);
  if (lines == NULL) lines = fopen(getenv("REGENGINE_FAKE_CUPTI"), "r");
  while (lines != NULL && fgets(line, sizeof line, lines) != NULL)
    if (!play(line)) break;
  pthread_mutex_unlock(&lock);
}

int cuptiActivityFlushAll(uint32_t flag) {
  pthread_mutex_lock(&lock);
  deliver_all();
  pthread_mutex_unlock(&lock);
  return 0;
}
