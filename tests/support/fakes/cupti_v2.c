/* The fake CUPTI as one of CUDA 13.3: it has the _v2 functions (see cupti.c), and its driver supports them. */
#define CUPTI_13_3
#include "cupti.c"

typedef void (*requested_v2)(uint8_t**, size_t*, size_t*, void*);
typedef void (*completed_v2)(uint8_t*, size_t, size_t, void*);

static requested_v2 request;
static completed_v2 complete;

static void on_request(uint8_t** buffer, size_t* size, size_t* most) { request(buffer, size, most, NULL); }

static void on_complete(void* context, uint32_t stream, uint8_t* buffer, size_t size, size_t valid) {
  complete(buffer, size, valid, NULL);
}

/* What the older function does, which is refused beside such a subscriber. */
#define AS_OLDER(call)                      \
  int result;                               \
  if (subscriber != &subscribers) return 1; \
  called_v2 = 1;                            \
  result = call;                            \
  called_v2 = 0;                            \
  return result

int cuptiActivityRegisterCallbacks_v2(void* subscriber, requested_v2 on_requested, completed_v2 on_completed) {
  request = on_requested;
  complete = on_completed;
  AS_OLDER(cuptiActivityRegisterCallbacks(on_request, on_complete));
}

int cuptiActivityEnable_v2(void* subscriber, int kind, void* config) {
  const int refused = answer("refuse_v2", kind);
  if (config != NULL) return 1;
  if (refused != 0) return refused;
  AS_OLDER(cuptiActivityEnable(kind));
}

int cuptiActivityGetNextRecord_v2(void* subscriber, uint8_t* from, size_t valid, uint8_t** record) {
  AS_OLDER(cuptiActivityGetNextRecord(from, valid, record));
}

int cuptiActivityGetNumDroppedRecords_v2(void* subscriber, void* context, uint32_t stream, size_t* count) {
  AS_OLDER(cuptiActivityGetNumDroppedRecords(context, stream, count));
}

int cuptiActivityPushExternalCorrelationId_v2(void* subscriber, int kind, uint64_t id) {
  AS_OLDER(cuptiActivityPushExternalCorrelationId(kind, id));
}

int cuptiActivityPopExternalCorrelationId_v2(void* subscriber, int kind, uint64_t* id) {
  AS_OLDER(cuptiActivityPopExternalCorrelationId(kind, id));
}

int cuptiActivitySetAttribute_v2(void* subscriber, int attribute, size_t* size, void* value) {
  AS_OLDER(cuptiActivitySetAttribute(attribute, size, value));
}

int cuptiActivityGetAttribute_v2(void* subscriber, int attribute, size_t* size, void* value) {
  if (subscriber != &subscribers || attribute != 20 || *size < 1)
    return 1; /* ..._ENABLE_MULTI_SUBSCRIBER_GRAPH_TRACE */
  *(uint8_t*)value = answer("graph_level", -1) != 0;
  return 0;
}
