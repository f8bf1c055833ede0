/* libnvToolsExt.so.1: NVTX 2, which programs load instead of having NVTX built in, such as PyTorch up to 2.0.
 *
 * It imitates the libraries of CUDA 11.7, 11.8 and 12.1 (wheels nvidia-nvtx-cu11 and -cu12), with which it was
 * compared: at the first call it loads $NVTX_INJECTION64_PATH and looks for InitializeInjectionNvtx2, which gets the
 * table of NVTX 3: get_table answers 1 for a module that it has. Only where that is missing, it looks for
 * InitializeInjectionNvtx, the entry of NVTX 1, whose table is another one: its first function subscribes, and whatever
 * it is given is called at each range. */
#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

typedef void (*function)(void);
enum { CALLBACKS = 1, CORE = 1, PUSH = 9, POP = 11, FUNCTIONS = 16, NOT_TRACED = -2 };

static int (*push)(const char*);
static int (*pop)(void);
static int (*subscribed)(void* data, int module, int function, void* object, void* arguments);
static void* subscribers_data;

static int get_table(int module, function*** table, unsigned* size) {
  static function* core[FUNCTIONS] = {[PUSH] = (function*)&push, [POP] = (function*)&pop};
  if (module != CORE) return 0;
  *table = core;
  *size = FUNCTIONS;
  return 1;
}

static int subscribe(void* callback, void* data) {
  *(void**)&subscribed = callback;
  subscribers_data = data;
  return 0;
}

static const void* table_of_2(uint32_t id) {
  static const struct {
    size_t size;
    int (*get)(int, function***, unsigned*);
  } table = {sizeof table, get_table};
  return id == CALLBACKS ? &table : NULL;
}

static const void* table_of_1(uint32_t id) {
  static const struct {
    size_t size;
    int (*subscribe)(void*, void*);
    void* unsubscribe;
  } table = {sizeof table, subscribe, NULL};
  return id == CALLBACKS ? &table : NULL;
}

static void start(void) {
  static int started;
  const char* path = getenv("NVTX_INJECTION64_PATH");
  void* library = !started++ && path != NULL ? dlopen(path, RTLD_LAZY) : NULL;
  int (*initialize)(const void* (*)(uint32_t)) = NULL;
  if (library == NULL) return;
  *(void**)&initialize = getenv("FAKE_NVTX_1") != NULL ? NULL : dlsym(library, "InitializeInjectionNvtx2");
  if (initialize != NULL) {
    initialize(table_of_2);
    return;
  }
  *(void**)&initialize = dlsym(library, "InitializeInjectionNvtx");
  if (initialize != NULL) initialize(table_of_1);
}

int nvtxRangePushA(const char* name) {
  start();
  if (subscribed != NULL) return subscribed(subscribers_data, CORE, PUSH, NULL, &name);
  return push != NULL ? push(name) : NOT_TRACED;
}

int nvtxRangePop(void) {
  start();
  if (subscribed != NULL) return subscribed(subscribers_data, CORE, POP, NULL, NULL);
  return pop != NULL ? pop() : NOT_TRACED;
}
