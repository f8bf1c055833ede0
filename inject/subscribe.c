#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "inject.h"
#include "records.h"

/* From CUDA 13.3 on CUPTI has several subscribers at once, if all of them subscribe by the _v2 functions and allow it.
 * Beside a subscriber by the older functions there can be no other, and a program whose own profiler needs one may
 * fail. So the new ones are used where CUPTI has all that are needed, which 13.2 has not, and the driver supports them.
 * main.c and nvtx.c call these functions by the older signatures. */

static void* subscriber;

static struct {
  int (*subscribe)(void** subscriber, void (*callback)(void*, int, uint32_t, const void*), void* data,
                   struct rg_params* params);
  int (*unsubscribe)(void* subscriber);
  int (*register_callbacks)(void* subscriber, void (*requested)(uint8_t**, size_t*, size_t*, void*),
                            void (*completed)(uint8_t*, size_t, size_t, void*));
  int (*set_attribute)(void* subscriber, int attribute, size_t* size, void* value);
  int (*get_attribute)(void* subscriber, int attribute, size_t* size, void* value);
  int (*enable)(void* subscriber, int kind, void* config);
  int (*next_record)(void* subscriber, uint8_t* buffer, size_t valid, uint8_t** record);
  int (*dropped)(void* subscriber, void* context, uint32_t stream, size_t* count);
  int (*push_id)(void* subscriber, int kind, uint64_t id);
  int (*pop_id)(void* subscriber, int kind, uint64_t* id);
  rg_buffer_requested on_requested;
  rg_buffer_completed on_completed;
} v2;

static int enable(int kind) { return v2.enable(subscriber, kind, NULL); }
static int next_record(uint8_t* buffer, size_t valid, uint8_t** record) {
  return v2.next_record(subscriber, buffer, valid, record);
}
static int dropped(void* context, uint32_t stream, size_t* count) {
  return v2.dropped(subscriber, context, stream, count);
}
static int push_id(int kind, uint64_t id) { return v2.push_id(subscriber, kind, id); }
static int pop_id(int kind, uint64_t* id) { return v2.pop_id(subscriber, kind, id); }

static void requested(uint8_t** buffer, size_t* size, size_t* most, void* info) {
  (void)info;
  v2.on_requested(buffer, size, most);
}

static void completed(uint8_t* buffer, size_t size, size_t valid, void* info) {
  (void)info;
  v2.on_completed(NULL, 0, buffer, size, valid);
}

static void ignore(void* data, int domain, uint32_t id, const void* call) {
  (void)data;
  (void)domain;
  (void)id;
  (void)call;
}

static int find_v2(const struct rg_cupti* cupti) {
  rg_find(cupti, &v2.subscribe, "cuptiSubscribe_v2", NULL);
  rg_find(cupti, &v2.unsubscribe, "cuptiUnsubscribe", NULL);
  return rg_find(cupti, &v2.register_callbacks, "cuptiActivityRegisterCallbacks_v2", NULL) == 0 &&
         rg_find(cupti, &v2.set_attribute, "cuptiActivitySetAttribute_v2", NULL) == 0 &&
         rg_find(cupti, &v2.get_attribute, "cuptiActivityGetAttribute_v2", NULL) == 0 &&
         rg_find(cupti, &v2.enable, "cuptiActivityEnable_v2", NULL) == 0 &&
         rg_find(cupti, &v2.next_record, "cuptiActivityGetNextRecord_v2", NULL) == 0 &&
         rg_find(cupti, &v2.dropped, "cuptiActivityGetNumDroppedRecords_v2", NULL) == 0 &&
         rg_find(cupti, &v2.push_id, "cuptiActivityPushExternalCorrelationId_v2", NULL) == 0 &&
         rg_find(cupti, &v2.pop_id, "cuptiActivityPopExternalCorrelationId_v2", NULL) == 0 && v2.subscribe != NULL &&
         v2.unsubscribe != NULL;
}

static int subscribe_v2(struct rg_cupti* cupti, rg_buffer_requested on_requested, rg_buffer_completed on_completed) {
  struct rg_params params = {sizeof params, "regengine", NULL, 0, 1, {0}};
  uint8_t per_thread = 0, graph_level = 0;
  size_t size = sizeof per_thread;
  if (!find_v2(cupti) || v2.subscribe(&subscriber, ignore, NULL, &params) != RG_SUCCESS) return -1;
  v2.on_requested = on_requested;
  v2.on_completed = on_completed;
  v2.set_attribute(subscriber, RG_PER_THREAD_BUFFER, &size, &per_thread);
  if (v2.register_callbacks(subscriber, requested, completed) != RG_SUCCESS ||
      enable(RG_CONCURRENT_KERNEL) != RG_SUCCESS) {
    v2.unsubscribe(subscriber);
    return -1;
  }
  /* Launches of CUDA graphs have no records of their kernels if the first subscriber said so for all. */
  if (v2.get_attribute(subscriber, RG_GRAPH_LEVEL, &size, &graph_level) == RG_SUCCESS && graph_level == 1)
    enable(RG_GRAPH_TRACE);
  cupti->enable = enable;
  cupti->next_record = next_record;
  cupti->dropped = dropped;
  cupti->push_id = push_id;
  cupti->pop_id = pop_id;
  return 0;
}

/* Another client has the subscription. Its name is in the answer of one that is refused; older CUPTIs tell none. */
static void say_holder(char why[RG_WHY]) {
  char holder[RG_HOLDER + 1] = "";
  struct rg_params params = {offsetof(struct rg_params, several), "regengine", holder, RG_HOLDER, 0, {0}};
  if (v2.subscribe != NULL && v2.unsubscribe != NULL && v2.subscribe(&subscriber, ignore, NULL, &params) == RG_SUCCESS)
    v2.unsubscribe(subscriber); /* it has just ended */
  snprintf(why, RG_WHY, "another tool traces this process (%s): CUPTI allows only one",
           holder[0] != '\0' ? holder : "nsys, compute-sanitizer, another profiler");
}

static int failed(const struct rg_cupti* cupti, const char* what, int result, char why[RG_WHY]) {
  const char* text = NULL;
  if (result == RG_SUCCESS) return 0;
  if (result == RG_MULTIPLE_SUBSCRIBERS) {
    say_holder(why);
    return 1;
  }
  if (cupti->result_string != NULL) cupti->result_string(result, &text);
  snprintf(why, RG_WHY, "%s failed: %s (%d)", what, text == NULL ? "unknown error" : text, result);
  return 1;
}

int rg_subscribe(struct rg_cupti* cupti, rg_buffer_requested on_requested, rg_buffer_completed on_completed,
                 char why[RG_WHY]) {
  int (*subscribe)(void**, void (*)(void*, int, uint32_t, const void*), void*) = NULL;
  int (*register_callbacks)(rg_buffer_requested, rg_buffer_completed) = NULL;
  int (*set_attribute)(int, size_t*, void*) = NULL;
  uint8_t per_thread = 0;
  size_t size = sizeof per_thread;
  if (subscribe_v2(cupti, on_requested, on_completed) == 0) return 0;
  rg_find(cupti, &cupti->push_id, "cuptiActivityPushExternalCorrelationId", NULL);
  rg_find(cupti, &cupti->pop_id, "cuptiActivityPopExternalCorrelationId", NULL);
  if (rg_find(cupti, &subscribe, "cuptiSubscribe", why) != 0 ||
      rg_find(cupti, &cupti->enable, "cuptiActivityEnable", why) != 0 ||
      rg_find(cupti, &register_callbacks, "cuptiActivityRegisterCallbacks", why) != 0 ||
      rg_find(cupti, &cupti->next_record, "cuptiActivityGetNextRecord", why) != 0 ||
      rg_find(cupti, &cupti->dropped, "cuptiActivityGetNumDroppedRecords", why) != 0 ||
      failed(cupti, "cuptiSubscribe", subscribe(&subscriber, ignore, NULL), why))
    return -1;
  /* One buffer for all threads: with one for each, which is the default of CUDA 13, they run out. Older ones refuse. */
  if (rg_find(cupti, &set_attribute, "cuptiActivitySetAttribute", NULL) == 0)
    set_attribute(RG_PER_THREAD_BUFFER, &size, &per_thread);
  return failed(cupti, "cuptiActivityRegisterCallbacks", register_callbacks(on_requested, on_completed), why) ||
                 failed(cupti, "cuptiActivityEnable", cupti->enable(RG_CONCURRENT_KERNEL), why)
             ? -1
             : 0;
}
