/* The parts of CUPTI's activity records that this library reads: kinds, and offsets of fields. The beginnings of
 * records are the same from CUDA 8 to 13, so one binary supports all; only cuptiActivityGetNextRecord steps over
 * records. tests/engine/test_trace_records.cpp compares these numbers with the toolkit's headers. */
#ifndef REGENGINE_INJECT_RECORDS_H
#define REGENGINE_INJECT_RECORDS_H

#include <stddef.h>
#include <stdint.h>

enum rg_kind {
  RG_MEMCPY = 1,
  RG_MEMSET = 2,
  RG_DRIVER = 4,
  RG_RUNTIME = 5,
  RG_CONCURRENT_KERNEL = 10,
  RG_MEMCPY_PEER = 22,
  RG_EXTERNAL_CORRELATION = 39,
  RG_MEMORY2 = 49,
  RG_GRAPH_TRACE = 51
};

enum rg_kernel_at {
  RG_KERNEL_START = 16,
  RG_KERNEL_END = 24,
  RG_KERNEL_DEVICE = 40,
  RG_KERNEL_CORRELATION = 92,
  RG_KERNEL_NAME = 104
};

enum rg_graph_at { RG_GRAPH_CORRELATION = 4, RG_GRAPH_START = 8, RG_GRAPH_END = 16, RG_GRAPH_DEVICE = 24 };

/* Copies between devices begin the same way. */
enum rg_memcpy_at {
  RG_MEMCPY_KIND = 4, /* one byte */
  RG_MEMCPY_BYTES = 8,
  RG_MEMCPY_START = 16,
  RG_MEMCPY_END = 24,
  RG_MEMCPY_DEVICE = 32
};

enum rg_memset_at { RG_MEMSET_BYTES = 8, RG_MEMSET_START = 16, RG_MEMSET_END = 24, RG_MEMSET_DEVICE = 32 };

enum rg_memory_at { RG_MEMORY_OPERATION = 4, RG_MEMORY_KIND = 8, RG_MEMORY_ADDRESS = 16, RG_MEMORY_BYTES = 24 };
enum rg_memory_operation { RG_ALLOCATION = 1, RG_RELEASE = 2 };
enum rg_memory_kind { RG_DEVICE_MEMORY = 3 };

enum rg_external_at { RG_EXTERNAL_KIND = 4, RG_EXTERNAL_ID = 8, RG_EXTERNAL_CORRELATED = 16 };
enum rg_external_kind { RG_CUSTOM2 = 5 }; /* torch.profiler uses the two before it */

enum rg_attribute { RG_PER_THREAD_BUFFER = 9, RG_GRAPH_LEVEL = 20 }; /* one byte each */

/* CUpti_SubscriberParams. Before 13.2 it ends with holder_size, and such a size is taken later, too. */
struct rg_params {
  size_t size;
  const char* name;
  char* holder; /* gets the name of the tool for which CUPTI refuses the subscription */
  size_t holder_size;
  uint8_t several; /* 1: other subscribers are allowed beside this one */
  uint8_t padding[7];
};
enum { RG_HOLDER = 64 };

enum rg_result { RG_SUCCESS = 0, RG_MULTIPLE_SUBSCRIBERS = 39 };

#endif
