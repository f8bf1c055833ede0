#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "inject.h"
#include "old_glibc.h"

/* Finds the workload's CUPTI: the one it has loaded, else the one beside its CUDA libraries or in a standard location.
 * A CUPTI newer than the driver does not work and is not tried. */

enum { PATH = 4096, PACKAGES = 8 };

struct loaded {
  char cupti[PATH];              /* a CUPTI that is already loaded */
  char packages[PACKAGES][PATH]; /* Python's site-packages, with wheels: of the system, of a virtual environment */
  char runtime[PATH];            /* the folder of libcudart */
};

static void keep_folder(char into[PATH], const char* path, size_t length) {
  if (into[0] != '\0' || length >= PATH) return;
  memcpy(into, path, length);
  into[length] = '\0';
}

static void keep_packages(struct loaded* loaded, const char* path, size_t length) {
  int i;
  for (i = 0; i < PACKAGES && loaded->packages[i][0] != '\0'; ++i)
    if (strncmp(loaded->packages[i], path, length) == 0 && loaded->packages[i][length] == '\0') return;
  if (i < PACKAGES) keep_folder(loaded->packages[i], path, length);
}

static int look_at(struct dl_phdr_info* info, size_t size, void* data) {
  struct loaded* loaded = data;
  const char *path = info->dlpi_name, *slash, *packages;
  (void)size;
  if (path == NULL || (slash = strrchr(path, '/')) == NULL) return 0;
  if (strncmp(slash + 1, "libcupti", 8) == 0) keep_folder(loaded->cupti, path, strlen(path));
  if (strncmp(slash + 1, "libcudart", 9) == 0) keep_folder(loaded->runtime, path, (size_t)(slash - path));
  packages = strstr(path, "-packages/"); /* site-packages, dist-packages */
  if (packages != NULL) keep_packages(loaded, path, (size_t)(packages - path) + 9);
  return 0;
}

/* 13 for a driver that supports CUDA 13; a large number if unknown. */
static int newest_usable(void) {
  void* driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
  int (*ask)(int*) = NULL;
  int version = 0;
  if (driver != NULL) *(void**)&ask = dlsym(driver, "cuDriverGetVersion");
  return ask != NULL && ask(&version) == 0 && version > 0 ? version / 1000 : 1000;
}

/* Opens the newest in a folder; folder NULL: on the loader's search path. */
static void* open_in(const char* folder, const char* below, int newest) {
  static const char* const versions[] = {"14",   "13",   "12",   "11.8", "11.7", "11.6", "11.5",
                                         "11.4", "11.3", "11.2", "11.1", "11.0", "10.2"};
  char path[3 * PATH];
  void* library = NULL;
  size_t i;
  if (folder != NULL && folder[0] == '\0') return NULL;
  for (i = 0; library == NULL && i < sizeof versions / sizeof versions[0]; ++i) {
    if (atoi(versions[i]) > newest) continue;
    snprintf(path, sizeof path, "%s%slibcupti.so.%s", folder == NULL ? "" : folder, below, versions[i]);
    library = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
  }
  return library;
}

static void* open_any(char why[RG_WHY]) {
  static struct loaded loaded;
  const char* named = getenv("REGENGINE_CUPTI");
  const int newest = newest_usable();
  void* library = NULL;
  int i;
  dl_iterate_phdr(look_at, &loaded);
  if (loaded.cupti[0] != '\0') library = dlopen(loaded.cupti, RTLD_LAZY | RTLD_NOLOAD);
  if (library != NULL) return library;
  if (named != NULL && named[0] != '\0') {
    library = dlopen(named, RTLD_LAZY | RTLD_LOCAL);
    if (library == NULL) snprintf(why, RG_WHY, "cannot load REGENGINE_CUPTI: %s", named);
    return library;
  }
  /* First the program's own, of any version: it may load that later, and a process can use only one CUPTI. */
  for (i = 0; library == NULL && i < PACKAGES; ++i) {
    library = open_in(loaded.packages[i], "/nvidia/cuda_cupti/lib/", newest);
    if (library == NULL) library = open_in(loaded.packages[i], "/nvidia/cu14/lib/", newest);
    if (library == NULL) library = open_in(loaded.packages[i], "/nvidia/cu13/lib/", newest);
  }
  if (library == NULL) library = open_in(loaded.runtime, "/", newest);
  if (library == NULL) library = open_in(loaded.runtime, "/../extras/CUPTI/lib64/", newest);
  if (library == NULL) library = open_in(NULL, "", newest);
  if (library == NULL) library = open_in("/usr/local/cuda", "/extras/CUPTI/lib64/", newest);
  if (library == NULL) library = open_in("/usr/local/cuda", "/lib64/", newest);
  if (library == NULL) library = open_in("/usr/local/cuda", "/lib/", newest);
  if (library == NULL) snprintf(why, RG_WHY, "no libcupti found that the driver supports");
  return library;
}

int rg_find(const struct rg_cupti* cupti, void* function, const char* name, char why[RG_WHY]) {
  *(void**)function = dlsym(cupti->library, name);
  if (*(void**)function != NULL) return 0;
  if (why != NULL) snprintf(why, RG_WHY, "libcupti has no function %s", name);
  return -1;
}

int rg_load_cupti(struct rg_cupti* cupti, char why[RG_WHY]) {
  int (*version)(uint32_t*) = NULL;
  Dl_info where;
  memset(cupti, 0, sizeof *cupti);
  cupti->library = open_any(why);
  if (cupti->library == NULL) return -1;
  if (rg_find(cupti, &version, "cuptiGetVersion", NULL) == 0) version(&cupti->version);
  rg_find(cupti, &cupti->result_string, "cuptiGetResultString", NULL);
  if (rg_find(cupti, &cupti->flush_all, "cuptiActivityFlushAll", why) != 0) return -1;
  if (dladdr(*(void**)&cupti->flush_all, &where) != 0) cupti->path = where.dli_fname;
  return 0;
}
