#include <pthread.h>
#include <string.h>

#include "inject.h"
#include "records.h"

enum {
  KERNELS = 1 << 13, /* names; those beyond go to "(others)" */
  NAME_BYTES = 8 << 20,
  DEVICES = 16, /* the last one includes those beyond */
  COPIES = 12,  /* CUPTI's kinds of copies, 0 to 10, and memset */
  MEMSET = 11,
  ALLOCATIONS = 1 << 16, /* remembered by address */
  CALLS = 1 << 18        /* latest correlation ids that are kept */
};

struct span {
  uint64_t count, total, least, most;
};

struct copy {
  uint64_t count, bytes, ns;
};

struct allocation {
  uint64_t address, bytes; /* address 0: free */
};

struct work {
  uint64_t kernels, ns, nccl_ns; /* of NCCL's kernels, which wait for other GPUs */
};

/* A driver call, by its correlation id. Its range and the work it started come in separate records, in any order. */
struct call {
  uint32_t correlation, range;
  struct work waiting; /* without a range so far */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct rg_names names;
static struct span kernels[KERNELS]; /* by the name's number */
static struct rg_busy busy[DEVICES];
static struct copy copies[COPIES];
static struct allocation allocations[ALLOCATIONS];
static uint32_t allocation_count;
static int64_t memory_now, memory_peak;
static struct call calls[CALLS];
static struct work ranges[RG_RANGES];
static uint64_t records, dropped, first_ns, last_ns;

static uint8_t byte_at(const uint8_t* record, size_t offset) { return record[offset]; }

static uint32_t word_at(const uint8_t* record, size_t offset) {
  uint32_t value;
  memcpy(&value, record + offset, sizeof value);
  return value;
}

static uint64_t long_at(const uint8_t* record, size_t offset) {
  uint64_t value;
  memcpy(&value, record + offset, sizeof value);
  return value;
}

static const char* text_at(const uint8_t* record, size_t offset) {
  const char* value;
  memcpy(&value, record + offset, sizeof value);
  return value;
}

/* Adds a record of GPU work. Returns 0 for a record without times, because CUPTI ran out of memory: it counts as
 * dropped. */
static int at_work(uint32_t device, uint64_t start, uint64_t end) {
  if (start == 0 || end < start) {
    ++dropped;
    return 0;
  }
  if (first_ns == 0 || start < first_ns) first_ns = start;
  if (end > last_ns) last_ns = end;
  rg_busy_add(&busy[device < DEVICES ? device : DEVICES - 1], start, end);
  return 1;
}

static struct call* call_of(uint32_t correlation) {
  struct call* call = &calls[correlation & (CALLS - 1)];
  if (call->correlation != correlation) {
    memset(call, 0, sizeof *call);
    call->correlation = correlation;
  }
  return call;
}

/* Also a mangled name: _Z28ncclDevKernel... */
static int is_nccl(const char* name) {
  if (name == NULL) return 0;
  if (strncmp(name, "_Z", 2) == 0) name += 2 + strspn(name + 2, "0123456789");
  return strncmp(name, "nccl", 4) == 0;
}

static void add(struct work* to, const struct work* more) {
  to->kernels += more->kernels;
  to->ns += more->ns;
  to->nccl_ns += more->nccl_ns;
}

static void kernel(const char* name, uint32_t device, uint64_t start, uint64_t end, uint32_t correlation) {
  const uint64_t ns = end - start;
  const struct work work = {1, ns, is_nccl(name) ? ns : 0};
  struct span* span;
  struct call* call;
  if (!at_work(device, start, end)) return;
  span = &kernels[rg_names_find(&names, 0, name)];
  if (span->count == 0 || ns < span->least) span->least = ns;
  if (ns > span->most) span->most = ns;
  ++span->count;
  span->total += ns;
  call = call_of(correlation);
  add(call->range != 0 ? &ranges[call->range] : &call->waiting, &work);
}

static void correlation(const uint8_t* record) {
  const uint64_t range = long_at(record, RG_EXTERNAL_ID);
  struct call* call;
  if (word_at(record, RG_EXTERNAL_KIND) != RG_CUSTOM2 || range == 0 || range >= RG_RANGES) return;
  call = call_of(word_at(record, RG_EXTERNAL_CORRELATED));
  call->range = (uint32_t)range;
  add(&ranges[range], &call->waiting);
  memset(&call->waiting, 0, sizeof call->waiting);
}

static void copy(uint32_t kind, uint32_t device, uint64_t bytes, uint64_t start, uint64_t end) {
  struct copy* of = &copies[kind < COPIES ? kind : 0];
  if (!at_work(device, start, end)) return;
  ++of->count;
  of->bytes += bytes;
  of->ns += end - start;
}

static uint32_t slot_of(uint64_t address) {
  return (uint32_t)((address * 0x9e3779b97f4a7c15u) >> 48) & (ALLOCATIONS - 1);
}

static void remember(uint64_t address, uint64_t bytes) {
  uint32_t at = slot_of(address);
  if (allocation_count > ALLOCATIONS / 4 * 3) return; /* then the sizes in release records are used */
  while (allocations[at].address != 0 && allocations[at].address != address) at = (at + 1) & (ALLOCATIONS - 1);
  if (allocations[at].address == 0) ++allocation_count;
  allocations[at].address = address;
  allocations[at].bytes = bytes;
}

/* Removes an allocation and returns its size, or `otherwise` if it was not remembered. */
static uint64_t forget(uint64_t address, uint64_t otherwise) {
  uint32_t at = slot_of(address), gap, home;
  uint64_t bytes;
  while (allocations[at].address != address) {
    if (allocations[at].address == 0) return otherwise;
    at = (at + 1) & (ALLOCATIONS - 1);
  }
  bytes = allocations[at].bytes;
  for (gap = at;;) { /* closes the gap, so that linear probing still works */
    at = (at + 1) & (ALLOCATIONS - 1);
    if (allocations[at].address == 0) break;
    home = slot_of(allocations[at].address);
    if (((at - home) & (ALLOCATIONS - 1)) < ((at - gap) & (ALLOCATIONS - 1))) continue;
    allocations[gap] = allocations[at];
    gap = at;
  }
  allocations[gap].address = 0;
  --allocation_count;
  return bytes;
}

static void memory(const uint8_t* record) {
  const uint64_t address = long_at(record, RG_MEMORY_ADDRESS), bytes = long_at(record, RG_MEMORY_BYTES);
  const uint32_t operation = word_at(record, RG_MEMORY_OPERATION);
  if (word_at(record, RG_MEMORY_KIND) != RG_DEVICE_MEMORY || address == 0) return;
  if (operation == RG_ALLOCATION) {
    remember(address, bytes);
    memory_now += (int64_t)bytes;
    if (memory_now > memory_peak) memory_peak = memory_now;
  } else if (operation == RG_RELEASE) {
    memory_now -= (int64_t)forget(address, bytes);
  }
}

int rg_summary_start(void) { return rg_names_make(&names, KERNELS, NAME_BYTES); }

static void add_record(const uint8_t* record) {
  ++records;
  switch (word_at(record, 0)) {
    case RG_CONCURRENT_KERNEL:
      kernel(text_at(record, RG_KERNEL_NAME), word_at(record, RG_KERNEL_DEVICE), long_at(record, RG_KERNEL_START),
             long_at(record, RG_KERNEL_END), word_at(record, RG_KERNEL_CORRELATION));
      break;
    case RG_GRAPH_TRACE:
      kernel("(CUDA graph)", word_at(record, RG_GRAPH_DEVICE), long_at(record, RG_GRAPH_START),
             long_at(record, RG_GRAPH_END), word_at(record, RG_GRAPH_CORRELATION));
      break;
    case RG_MEMCPY:
    case RG_MEMCPY_PEER:
      copy(byte_at(record, RG_MEMCPY_KIND), word_at(record, RG_MEMCPY_DEVICE), long_at(record, RG_MEMCPY_BYTES),
           long_at(record, RG_MEMCPY_START), long_at(record, RG_MEMCPY_END));
      break;
    case RG_MEMSET:
      copy(MEMSET, word_at(record, RG_MEMSET_DEVICE), long_at(record, RG_MEMSET_BYTES),
           long_at(record, RG_MEMSET_START), long_at(record, RG_MEMSET_END));
      break;
    case RG_MEMORY2:
      memory(record);
      break;
    case RG_EXTERNAL_CORRELATION:
      correlation(record);
      break;
    default: /* API calls, which are recorded only for their correlation ids */
      break;
  }
}

void rg_summary_buffer(const struct rg_cupti* cupti, uint8_t* buffer, size_t valid) {
  uint8_t* record = NULL;
  pthread_mutex_lock(&lock);
  while (valid > 0 && cupti->next_record(buffer, valid, &record) == RG_SUCCESS) add_record(record);
  pthread_mutex_unlock(&lock);
}

void rg_summary_dropped(size_t count) {
  pthread_mutex_lock(&lock);
  dropped += count;
  pthread_mutex_unlock(&lock);
}

uint64_t rg_summary_records(void) {
  uint64_t count;
  pthread_mutex_lock(&lock);
  count = records;
  pthread_mutex_unlock(&lock);
  return count;
}

static void put_kernels(struct rg_out* out) {
  const char* separator = "\n{";
  uint32_t i;
  rg_put(out, ",\n\"kernels\":[");
  for (i = 0; i < names.count; ++i) {
    if (kernels[i].count == 0) continue;
    rg_put(out, separator);
    rg_put_text(out, "name", names.list[i].text);
    rg_put_number(out, ",\"count\":", kernels[i].count);
    rg_put_number(out, ",\"total_ns\":", kernels[i].total);
    rg_put_number(out, ",\"min_ns\":", kernels[i].least);
    rg_put_number(out, ",\"max_ns\":", kernels[i].most);
    rg_put(out, "}");
    separator = ",\n{";
  }
  rg_put(out, "]");
}

static void put_copies(struct rg_out* out) {
  static const char* const kinds[COPIES] = {"other", "htod", "dtoh", "htoa", "atoh", "atoa",
                                            "atod",  "dtoa", "dtod", "htoh", "ptop", "memset"};
  const char* separator = "\n{";
  uint32_t i;
  rg_put(out, ",\n\"copies\":[");
  for (i = 0; i < COPIES; ++i) {
    if (copies[i].count == 0) continue;
    rg_put(out, separator);
    rg_put_text(out, "kind", kinds[i]);
    rg_put_number(out, ",\"count\":", copies[i].count);
    rg_put_number(out, ",\"bytes\":", copies[i].bytes);
    rg_put_number(out, ",\"total_ns\":", copies[i].ns);
    rg_put(out, "}");
    separator = ",\n{";
  }
  rg_put(out, "]");
}

/* Parents come before their ranges: name i is element i of the list, counted from 1. */
static void put_ranges(struct rg_out* out) {
  struct rg_range_counts counts;
  const struct rg_names* of = rg_ranges_lock(&counts);
  uint32_t i;
  rg_put(out, ",\n\"ranges\":[");
  for (i = 1; of != NULL && i < of->count; ++i) {
    rg_put(out, i == 1 ? "\n{" : ",\n{");
    rg_put_text(out, "name", of->list[i].text);
    rg_put_number(out, ",\"parent\":", of->list[i].parent);
    rg_put_number(out, ",\"count\":", counts.times_opened[i]);
    rg_put_number(out, ",\"kernels\":", ranges[i].kernels);
    rg_put_number(out, ",\"self_ns\":", ranges[i].ns);
    rg_put_number(out, ",\"nccl_ns\":", ranges[i].nccl_ns);
    rg_put(out, "}");
  }
  rg_put(out, "]");
  if (counts.nameless > 0) rg_put_number(out, ",\n\"nameless_ranges\":", counts.nameless);
  if (counts.ended_elsewhere > 0) rg_put_number(out, ",\n\"ranges_ended_elsewhere\":", counts.ended_elsewhere);
  rg_ranges_unlock();
}

void rg_put_summary(struct rg_out* out) {
  uint64_t busy_ns = 0;
  int i;
  pthread_mutex_lock(&lock);
  for (i = 0; i < DEVICES; ++i) busy_ns += rg_busy_ns(&busy[i]);
  rg_put_number(out, ",\n\"records\":", records);
  rg_put_number(out, ",\"dropped\":", dropped);
  rg_put_number(out, ",\"first_ns\":", first_ns);
  rg_put_number(out, ",\"last_ns\":", last_ns);
  rg_put_number(out, ",\"busy_ns\":", busy_ns);
  /* Without an allocation seen it is unknown: CUPTI does not record all kinds of them, and older ones none. */
  if (memory_peak > 0) rg_put_number(out, ",\"memory_peak_bytes\":", (uint64_t)memory_peak);
  put_kernels(out);
  put_copies(out);
  put_ranges(out);
  pthread_mutex_unlock(&lock);
}
