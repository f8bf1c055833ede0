// A tool that listens to NVTX, as nsys does: NVTX loads it where NVTX_INJECTION64_PATH names it, and it writes what it
// hears into the file $REGENGINE_FAKE_NVTX, a line each, fields parted by tabs, "-" for what was not given:
//
//   domain    NAME
//   category  DOMAIN  NUMBER  NAME
//   start     ID  DOMAIN  CATEGORY  ARGB  TEXT
//   end       ID  DOMAIN
//
// CATEGORY is the name that was given to it, ? where none was. Each shared object that uses NVTX attaches by itself, so
// the entry is called any number of times; all of them write to the one file, in the order of the calls.
// It imitates a tool for NVTX 3, by the headers of CUDA 13.0 (nvtx3/nvtxDetail/nvtxTypes.h).

#include <nvtx3/nvToolsExt.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_CATEGORIES = 256 };

struct category {
  nvtxDomainHandle_t domain;
  uint32_t number;
  char* name;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static FILE* out;
static struct category categories[MOST_CATEGORIES];
static unsigned category_count;
static nvtxRangeId_t last_range;

// The handles that NVTX hands on are ours to choose: a domain is its own name.
static const char* domain_name(nvtxDomainHandle_t domain) { return domain == NULL ? "-" : (const char*)domain; }

static const char* category_name(nvtxDomainHandle_t domain, uint32_t number) {
  if (number == 0) return "-";
  for (unsigned i = 0; i < category_count; ++i)
    if (categories[i].domain == domain && categories[i].number == number) return categories[i].name;
  return "?";
}

static nvtxDomainHandle_t create_domain(const char* name) {
  pthread_mutex_lock(&lock);
  fprintf(out, "domain\t%s\n", name);
  pthread_mutex_unlock(&lock);
  return (nvtxDomainHandle_t)strdup(name);
}

static void name_category(nvtxDomainHandle_t domain, uint32_t number, const char* name) {
  pthread_mutex_lock(&lock);
  if (category_count < MOST_CATEGORIES) categories[category_count++] = (struct category){domain, number, strdup(name)};
  fprintf(out, "category\t%s\t%u\t%s\n", domain_name(domain), number, name);
  pthread_mutex_unlock(&lock);
}

static nvtxRangeId_t start(nvtxDomainHandle_t domain, const nvtxEventAttributes_t* event) {
  pthread_mutex_lock(&lock);
  const nvtxRangeId_t range = ++last_range;
  fprintf(out, "start\t%llu\t%s\t%s\t", (unsigned long long)range, domain_name(domain),
          category_name(domain, event->category));
  if (event->colorType == NVTX_COLOR_ARGB)
    fprintf(out, "%08x\t%s\n", event->color, event->message.ascii);
  else
    fprintf(out, "-\t%s\n", event->message.ascii);
  pthread_mutex_unlock(&lock);
  return range;
}

static void end(nvtxDomainHandle_t domain, nvtxRangeId_t range) {
  pthread_mutex_lock(&lock);
  fprintf(out, "end\t%llu\t%s\n", (unsigned long long)range, domain_name(domain));
  pthread_mutex_unlock(&lock);
}

static int open_file(void) {
  pthread_mutex_lock(&lock);
  const char* path = getenv("REGENGINE_FAKE_NVTX");
  if (out == NULL && path != NULL) {
    out = fopen(path, "a");
    if (out != NULL) setvbuf(out, NULL, _IOLBF, BUFSIZ);  // a killed engine loses no line
  }
  pthread_mutex_unlock(&lock);
  return out != NULL;
}

__attribute__((visibility("default"))) int InitializeInjectionNvtx2(NvtxGetExportTableFunc_t export_table) {
  const NvtxExportTableCallbacks* callbacks = export_table(NVTX_ETID_CALLBACKS);
  NvtxFunctionTable table = NULL;
  unsigned size = 0;
  if (callbacks == NULL || !callbacks->GetModuleFunctionTable(NVTX_CB_MODULE_CORE2, &table, &size)) return 0;
  if (size <= NVTX_CBID_CORE2_DomainCreateA || !open_file()) return 0;
  *table[NVTX_CBID_CORE2_DomainRangeStartEx] = (NvtxFunctionPointer)start;
  *table[NVTX_CBID_CORE2_DomainRangeEnd] = (NvtxFunctionPointer)end;
  *table[NVTX_CBID_CORE2_DomainNameCategoryA] = (NvtxFunctionPointer)name_category;
  *table[NVTX_CBID_CORE2_DomainCreateA] = (NvtxFunctionPointer)create_domain;
  return 1;
}
