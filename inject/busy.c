#include <stdlib.h>
#include <string.h>

#include "inject.h"

/* Intervals arrive unsorted, since streams and devices run concurrently, and are merged in batches. When too many gaps
 * are kept, the older half is summed and dropped; later intervals are clipped to the time after it, so the sum may be
 * too small, but never too large. */

enum { WAITING = 1 << 14, KEPT = 1 << 16 };

static int earlier(const void* left, const void* right) {
  const uint64_t a = ((const struct rg_interval*)left)->start, b = ((const struct rg_interval*)right)->start;
  return a < b ? -1 : a > b;
}

static void settle_oldest(struct rg_busy* busy) {
  const size_t half = busy->kept_count / 2;
  size_t i;
  if (busy->kept_count < KEPT) return;
  for (i = 0; i < half; ++i) busy->settled_ns += busy->kept[i].end - busy->kept[i].start;
  busy->horizon = busy->kept[half - 1].end;
  memmove(busy->kept, busy->kept + half, (busy->kept_count - half) * sizeof *busy->kept);
  busy->kept_count -= half;
}

/* Merges from the end backwards into the free space after the kept intervals, then moves them to the front. */
static void merge(struct rg_busy* busy) {
  size_t left = busy->kept_count, right = busy->waiting_count, at = KEPT + WAITING;
  struct rg_interval* all = busy->kept;
  qsort(busy->waiting, right, sizeof *busy->waiting, earlier);
  while (left > 0 || right > 0) {
    const int take_kept = right == 0 || (left > 0 && all[left - 1].start > busy->waiting[right - 1].start);
    const struct rg_interval next = take_kept ? all[--left] : busy->waiting[--right];
    /* The merged ones are sorted and disjoint; this one starts before them. */
    struct rg_interval joined = next;
    while (at < KEPT + WAITING && all[at].start <= joined.end) {
      if (all[at].end > joined.end) joined.end = all[at].end;
      ++at;
    }
    all[--at] = joined;
  }
  busy->kept_count = KEPT + WAITING - at;
  memmove(all, all + at, busy->kept_count * sizeof *all);
  busy->waiting_count = 0;
  settle_oldest(busy);
}

void rg_busy_add(struct rg_busy* busy, uint64_t start, uint64_t end) {
  if (busy->kept == NULL) {
    busy->kept = malloc((KEPT + WAITING + WAITING) * sizeof *busy->kept);
    if (busy->kept == NULL) return;
    busy->waiting = busy->kept + KEPT + WAITING;
  }
  if (start < busy->horizon) start = busy->horizon;
  if (end <= start) return;
  busy->waiting[busy->waiting_count].start = start;
  busy->waiting[busy->waiting_count].end = end;
  if (++busy->waiting_count == WAITING) merge(busy);
}

uint64_t rg_busy_ns(struct rg_busy* busy) {
  uint64_t sum = busy->settled_ns;
  size_t i;
  if (busy->waiting_count > 0) merge(busy);
  for (i = 0; i < busy->kept_count; ++i) sum += busy->kept[i].end - busy->kept[i].start;
  return sum;
}
