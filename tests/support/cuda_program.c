/* A program that uses CUDA, as far as the injection library can tell: it plays the driver, and the fake CUPTI's records
 * are its work. Its words are done in order:
 *
 *   init            what cuInit does: loads $CUDA_INJECTION64_PATH and calls InitializeInjection
 *   load FILE       a shared library of the program's
 *   play            the next part of the fake's file
 *   push NAME, pop  an NVTX range; domain NAME and undomain one of the domain "part" with a registered string
 *   start NAME      an NVTX range that is no thread's; end N the Nth that was started, end_elsewhere N in a new thread
 *   nvtx FILE       from now on ranges are those of this library, not of the NVTX that is built in
 *   threads COUNT   so many threads that push, play and pop
 *   fork            a child that pushes, pops and exits as usual
 *   exec WORDS...   becomes this program anew
 *   say TEXT        on stdout
 *   wait FILE       until it is there
 *   code N | _exit N | kill   the end
 */
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef HAVE_NVTX
#include <nvtx3/nvToolsExt.h>
#else
static int nvtxRangePushA(const char* name) { return (void)name, -2; }
static int nvtxRangePop(void) { return -2; }
typedef uint64_t nvtxRangeId_t;
static nvtxRangeId_t nvtxRangeStartA(const char* name) { return (void)name, 0; }
static void nvtxRangeEnd(nvtxRangeId_t id) { (void)id; }
#endif

static int (*push_range)(const char*) = nvtxRangePushA;
static int (*pop_range)(void) = nvtxRangePop;

/* Under AddressSanitizer. The child of a process with threads may inherit a lock that nobody releases, and would wait
 * for it forever when it looks for leaks at its end. */
const char* __asan_default_options(void) { return "detect_leaks=0"; }

static void die(const char* what) {
  fprintf(stderr, "cuda_program: %s\n", what);
  _exit(99);
}

static void* function(const char* variable, int flags, const char* name) {
  const char* path = getenv(variable);
  void* library = path == NULL ? NULL : dlopen(path, RTLD_NOW | flags);
  return library == NULL ? NULL : dlsym(library, name);
}

static void init(void) {
  int (*initialize)(void) = function("CUDA_INJECTION64_PATH", 0, "InitializeInjection");
  if (initialize != NULL) initialize(); /* a driver without one, or that cannot load it, goes on */
}

static void play(void) {
  void (*records)(void) = function("REGENGINE_CUPTI", RTLD_NOLOAD, "fake_cupti_play");
  if (records != NULL) records();
}

static void use_nvtx(const char* path) {
  void* library = dlopen(path, RTLD_NOW);
  if (library == NULL) die(dlerror());
  push_range = dlsym(library, "nvtxRangePushA");
  pop_range = dlsym(library, "nvtxRangePop");
}

static void domain(const char* name) {
#ifdef HAVE_NVTX
  static nvtxDomainHandle_t part;
  nvtxEventAttributes_t event = {0};
  if (part == NULL) part = nvtxDomainCreateA("part");
  if (name == NULL) {
    nvtxDomainRangePop(part);
    return;
  }
  event.version = NVTX_VERSION;
  event.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  event.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
  event.message.registered = nvtxDomainRegisterStringA(part, name);
  nvtxDomainRangePushEx(part, &event);
#else
  (void)name;
#endif
}

static nvtxRangeId_t started[8];
static int starts;

static void* end_of(void* which) {
  nvtxRangeEnd(*(nvtxRangeId_t*)which);
  return NULL;
}

static void end_elsewhere(int which) {
  pthread_t thread;
  if (pthread_create(&thread, NULL, end_of, &started[which - 1]) != 0) die("no thread");
  pthread_join(thread, NULL);
}

static void* work(void* unused) {
  int i;
  for (i = 0; i < 1000; ++i) {
    nvtxRangePushA("thread");
    play();
    nvtxRangePop();
  }
  return unused;
}

static void threads(int count) {
  pthread_t all[64];
  int i;
  for (i = 0; i < count; ++i)
    if (pthread_create(&all[i], NULL, work, NULL) != 0) die("no thread");
  for (i = 0; i < count; ++i) pthread_join(all[i], NULL);
}

static void wait_for(const char* file) {
  while (access(file, F_OK) != 0) usleep(1000);
}

static void in_child(void) {
  const pid_t child = fork();
  int status = 0;
  if (child == 0) {
    nvtxRangePushA("child");
    nvtxRangePop();
    exit(0);
  }
  if (waitpid(child, &status, 0) != child || status != 0) die("the child failed");
}

/* Does what `word` asks for, with the word behind it; how many words that were. */
static int act(const char* word, const char* next) {
#define ON(name, words, does) \
  if (strcmp(word, name) == 0) return (does), words
  ON("init", 1, init());
  ON("play", 1, play());
  ON("load", 2, (void)dlopen(next, RTLD_NOW));
  ON("push", 2, push_range(next));
  ON("pop", 1, pop_range());
  ON("start", 2, started[starts++ & 7] = nvtxRangeStartA(next));
  ON("end", 2, nvtxRangeEnd(started[atoi(next) - 1]));
  ON("end_elsewhere", 2, end_elsewhere(atoi(next)));
  ON("nvtx", 2, use_nvtx(next));
  ON("domain", 2, domain(next));
  ON("undomain", 1, domain(NULL));
  ON("threads", 2, threads(atoi(next)));
  ON("fork", 1, in_child());
  ON("say", 2, (puts(next), fflush(stdout)));
  ON("wait", 2, wait_for(next));
  ON("code", 2, exit(atoi(next)));
  ON("_exit", 2, _exit(atoi(next)));
  ON("kill", 1, kill(getpid(), SIGKILL));
  return die(word), 0;
}

int main(int count, char** words) {
  for (int i = 1; i < count;) {
    if (strcmp(words[i], "exec") == 0) words[i] = words[0], execv("/proc/self/exe", words + i);
    i += act(words[i], i + 1 < count ? words[i + 1] : "");
  }
  return 0;
}
