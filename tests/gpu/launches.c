/* launches THREADS COUNT END: each of THREADS threads launches an empty kernel COUNT times. END is how the process
 * ends: return, _exit, kill (SIGKILL to itself), or fork (a child that does nothing runs on after the launches, then
 * return). launches SECONDS COUNT graphs: launches a CUDA graph of 1,000 such kernels COUNT times, or as often as there
 * is time for, and prints how often. It needs a C compiler and the driver: no header of CUDA. */
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const char ptx[] = ".version 6.0\n.target sm_50\n.address_size 64\n.visible .entry nothing() { ret; }\n";

static int (*set_current)(void*);
static int (*synchronize)(void);
static int (*launch)(void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void*, void**,
                     void**);
static void *context, *kernel;
static int count;

static void check(int code, const char* what) {
  if (code == 0) return;
  fprintf(stderr, "%s: CUDA error %d\n", what, code);
  _exit(3);
}

static void* work(void* unused) {
  check(set_current(context), "cuCtxSetCurrent");
  for (int i = 0; i < count; ++i) check(launch(kernel, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL), "cuLaunchKernel");
  return unused;
}

static void launch_graphs(void* driver, int seconds) {
  int (*make)(void**, unsigned) = dlsym(driver, "cuStreamCreate");
  int (*begin)(void*, int) = dlsym(driver, "cuStreamBeginCapture_v2");
  int (*end)(void*, void**) = dlsym(driver, "cuStreamEndCapture");
  int (*instantiate)(void**, void*, unsigned long long) = dlsym(driver, "cuGraphInstantiateWithFlags");
  int (*launch_graph)(void*, void*) = dlsym(driver, "cuGraphLaunch");
  void *stream = NULL, *graph = NULL, *executable = NULL;
  const time_t start = time(NULL);
  int launched = 0;
  check(make(&stream, 1), "cuStreamCreate");
  check(begin(stream, 2), "cuStreamBeginCapture");
  for (int i = 0; i < 1000; ++i) check(launch(kernel, 1, 1, 1, 1, 1, 1, 0, stream, NULL, NULL), "cuLaunchKernel");
  check(end(stream, &graph), "cuStreamEndCapture");
  check(instantiate(&executable, graph, 0), "cuGraphInstantiate");
  for (; launched < count && time(NULL) - start <= seconds; ++launched) {
    check(launch_graph(executable, stream), "cuGraphLaunch");
    if (launched % 100 == 99) check(synchronize(), "cuCtxSynchronize");
  }
  check(synchronize(), "cuCtxSynchronize");
  printf("%d\n", launched);
}

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  const char* path = getenv("REGENGINE_LIBCUDA"); /* the tests' */
  void* driver = dlopen(path != NULL && *path ? path : "libcuda.so.1", RTLD_NOW);
  if (driver == NULL) return fprintf(stderr, "%s\n", dlerror()), 3;
  int (*init)(unsigned) = dlsym(driver, "cuInit");
  int (*retain)(void**, int) = dlsym(driver, "cuDevicePrimaryCtxRetain");
  int (*load)(void**, const void*) = dlsym(driver, "cuModuleLoadData");
  int (*get)(void**, void*, const char*) = dlsym(driver, "cuModuleGetFunction");
  set_current = dlsym(driver, "cuCtxSetCurrent");
  synchronize = dlsym(driver, "cuCtxSynchronize");
  launch = dlsym(driver, "cuLaunchKernel");
  void* module = NULL;
  check(init(0), "cuInit");
  check(retain(&context, 0), "cuDevicePrimaryCtxRetain");
  check(set_current(context), "cuCtxSetCurrent");
  check(load(&module, ptx), "cuModuleLoadData");
  check(get(&kernel, module, "nothing"), "cuModuleGetFunction");

  const int threads = atoi(argv[1]);
  count = atoi(argv[2]);
  if (!strcmp(argv[3], "graphs")) return launch_graphs(driver, threads), 0;
  pthread_t* all = calloc((size_t)threads, sizeof *all);
  for (int i = 0; i < threads; ++i)
    if (pthread_create(&all[i], NULL, work, NULL) != 0) return 3;
  for (int i = 0; i < threads; ++i) pthread_join(all[i], NULL);
  check(synchronize(), "cuCtxSynchronize");
  free(all);

  if (!strcmp(argv[3], "_exit")) _exit(0);
  if (!strcmp(argv[3], "kill")) raise(SIGKILL);
  if (!strcmp(argv[3], "fork")) {
    const pid_t child = fork();
    if (child == 0) return 0;
    waitpid(child, NULL, 0);
  }
  return 0;
}
