/* The parts of the injection library. It runs in other people's processes: it prints nothing, never ends the process,
 * and its memory is bounded. If it cannot trace, it writes "unavailable" and the reason to its file. */
#ifndef REGENGINE_INJECT_H
#define REGENGINE_INJECT_H

#include <stddef.h>
#include <stdint.h>

#define RG_EXPORT __attribute__((visibility("default")))
enum { RG_WHY = 512, RG_RANGES = 1 << 12 };

/* --- cupti.c: the workload's own CUPTI, found at run time --- */
typedef void (*rg_buffer_requested)(uint8_t** buffer, size_t* size, size_t* records);
typedef void (*rg_buffer_completed)(void* context, uint32_t stream, uint8_t* buffer, size_t size, size_t valid);

struct rg_cupti {
  void* library;
  const char* path; /* what was loaded */
  uint32_t version;
  int (*flush_all)(uint32_t flag);
  int (*result_string)(int result, const char** text); /* may be NULL */
  /* From rg_subscribe on: */
  int (*enable)(int kind);
  int (*next_record)(uint8_t* buffer, size_t valid, uint8_t** record);
  int (*dropped)(void* context, uint32_t stream, size_t* count);
  int (*push_id)(int kind, uint64_t id); /* these may be NULL */
  int (*pop_id)(int kind, uint64_t* id);
};

/* Loads it and fills the table. Returns 0, or -1 with the reason in `why`. */
int rg_load_cupti(struct rg_cupti* cupti, char why[RG_WHY]);
/* Its function of that name in *(a pointer to a function). Returns 0, or -1 with the reason in `why`, if not NULL. */
int rg_find(const struct rg_cupti* cupti, void* function, const char* name, char why[RG_WHY]);

/* --- subscribe.c: by CUPTI's _v2 functions where it has them, else by the older ones --- */
/* Subscribes, and starts to record kernels. Returns 0, or -1 with the reason in `why`. */
int rg_subscribe(struct rg_cupti* cupti, rg_buffer_requested requested, rg_buffer_completed completed,
                 char why[RG_WHY]);

/* --- main.c --- */
/* True in a forked child, where CUDA and this library do not work. */
int rg_is_dead(void);

/* --- write.c: a bounded set of names --- */
struct rg_name {
  const char* text;
  uint32_t length;
  uint32_t parent; /* 0 for none */
  uint64_t hash;
};
struct rg_names {
  struct rg_name* list; /* list[0] stands for all that do not fit */
  uint32_t* slots;
  uint32_t count, limit;
  size_t bytes_left;
  char* chunk;
  size_t chunk_left;
};
int rg_names_make(struct rg_names* names, uint32_t limit, size_t bytes); /* 0, or -1 without memory */
/* The number of this name under this parent, added if it is new; 0 for no name, and if the set is full. */
uint32_t rg_names_find(struct rg_names* names, uint32_t parent, const char* text);

/* --- busy.c: the union of intervals --- */
struct rg_interval {
  uint64_t start, end;
};
struct rg_busy {
  struct rg_interval* kept; /* disjoint and sorted */
  size_t kept_count;
  struct rg_interval* waiting; /* unsorted */
  size_t waiting_count;
  uint64_t settled_ns; /* of intervals that were dropped */
  uint64_t horizon;    /* earlier time is no longer counted */
};
void rg_busy_add(struct rg_busy* busy, uint64_t start, uint64_t end);
uint64_t rg_busy_ns(struct rg_busy* busy);

/* --- write.c: JSON into a file, piece by piece --- */
struct rg_out {
  int fd, failed;
  size_t used;
  char bytes[16384];
};
void rg_put(struct rg_out* out, const char* text);
void rg_put_number(struct rg_out* out, const char* key, uint64_t value);
void rg_put_text(struct rg_out* out, const char* key, const char* text);
void rg_flush(struct rg_out* out);

/* --- summary.c: sums of the records; every call takes its lock --- */
int rg_summary_start(void); /* 0, or -1 without memory */
/* Of the records in the first `valid` bytes. */
void rg_summary_buffer(const struct rg_cupti* cupti, uint8_t* buffer, size_t valid);
void rg_summary_dropped(size_t count);
uint64_t rg_summary_records(void);       /* number so far */
void rg_put_summary(struct rg_out* out); /* "kernels": [...], ... */

/* --- nvtx.c: ranges of threads, passed to CUPTI as external correlation ids --- */
/* Starts passing ranges to CUPTI, with the open ranges of the calling thread. */
void rg_ranges_active(const struct rg_cupti* cupti);
struct rg_range_counts {
  const uint64_t* times_opened; /* [i] belongs to name i */
  uint64_t nameless;            /* found no room */
  uint64_t ended_elsewhere;     /* on another thread than they were started on */
};
/* Locks the names while they are written. */
const struct rg_names* rg_ranges_lock(struct rg_range_counts* counts);
void rg_ranges_unlock(void);

/* --- write.c: the summary as a file --- */
struct rg_header {
  const char* folder;
  const char* why; /* NULL: tracing works */
  const struct rg_cupti* cupti;
  int complete;
};
/* Writes it atomically, under a name unique to this process. Failures are ignored. */
void rg_write_summary(const struct rg_header* header);

#endif
