/* The file and the log of the fake driver. */
#include "state.h"

#include <fcntl.h>
#include <stdarg.h>
#include <unistd.h>

/* --- the file ---------------------------------------------------------------------------------------------------- */
const char* state_file(void) {
  const char* file = getenv("REGENGINE_FAKE_NVML");
  return file ? file : "/nonexistent";
}

static char* slurp(const char* path) {
  size_t size = 0, room = 4096;
  char* text = malloc(room);
  const int fd = open(path, O_RDONLY | O_CLOEXEC);
  ssize_t n = 0;
  while (fd >= 0 && (n = read(fd, text + size, room - size - 1)) > 0) {
    size += (size_t)n;
    if (room - size < 1024) text = realloc(text, room *= 2);
  }
  if (fd >= 0) close(fd);
  text[size] = '\0';
  return text;
}

const char* value_of(const char* key, const char* otherwise, char* out, size_t room) {
  char* text = slurp(state_file());
  const size_t length = strlen(key);
  const char* found = otherwise;
  for (char *rest = text, *line; (line = strsep(&rest, "\n"));)
    if (!strncmp(line, key, length) && line[length] == '=') found = line + length + 1;
  snprintf(out, room, "%s", found);
  free(text);
  return out;
}

ull number(const char* key, ull otherwise) {
  char text[64], fallback[32];
  snprintf(fallback, sizeof fallback, "%llu", otherwise);
  return strtoull(value_of(key, fallback, text, sizeof text), NULL, 0);
}

u index_of(dev d) { return (u)(uintptr_t)d - 1; }

const char* gpu_text(u gpu, const char* name, const char* otherwise, char* out, size_t room) {
  char key[160];
  snprintf(key, sizeof key, "gpu%u.%s", gpu, name);
  return value_of(key, otherwise, out, room);
}

ull gpu_number(u gpu, const char* name, ull otherwise) {
  char key[160];
  snprintf(key, sizeof key, "gpu%u.%s", gpu, name);
  return number(key, otherwise);
}

const char* uuid_of(u gpu, char* out, size_t room) {
  char usual[64];
  u hash = 5381; /* of the file's name: engines lock a GPU for the whole machine, and tests run side by side */
  for (const char* c = state_file(); *c; ++c) hash = hash * 33 + (unsigned char)*c;
  snprintf(usual, sizeof usual, "GPU-%08x-0000-0000-0000-%012u", hash, gpu);
  return gpu_text(gpu, "uuid", usual, out, room);
}

const char* pci_of(u gpu, char* out, size_t room) {
  snprintf(out, room, "00000000:%02X:00.0", gpu + 1);
  return out;
}

int answer(const char* function) {
  char key[128];
  snprintf(key, sizeof key, "rc.%s", function);
  return (int)number(key, OK);
}

int gpu_answer(dev d, const char* function) {
  char name[128];
  if (!d || index_of(d) >= number("gpus", 1)) return INVALID;
  if (gpu_number(index_of(d), "lost", 0)) return LOST;
  snprintf(name, sizeof name, "rc.%s", function);
  const int rc = (int)gpu_number(index_of(d), name, OK);
  return rc ? rc : answer(function);
}

/* --- the log ------------------------------------------------------------------------------------------------------ */
void note(const char* format, ...) {
  char path[4096], line[256], what[200];
  struct timespec t;
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(what, sizeof what, format, arguments);
  va_end(arguments);
  clock_gettime(CLOCK_REALTIME, &t);
  const int size =
      snprintf(line, sizeof line, "%lld %d %s\n", (long long)t.tv_sec * 1000000000 + t.tv_nsec, (int)getpid(), what);
  snprintf(path, sizeof path, "%s.log", state_file());
  const int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (fd < 0) return;
  if (write(fd, line, (size_t)size) != size) abort();
  close(fd);
}

int locked(u gpu, const char* set, const char* reset, u* low, u* high) {
  char path[4096], uuid[96], function[64], whose[96];
  snprintf(path, sizeof path, "%s.log", state_file());
  uuid_of(gpu, uuid, sizeof uuid);
  char* text = slurp(path);
  int stands = 0;
  for (char *rest = text, *line; (line = strsep(&rest, "\n"));) {
    u a = 0, b = 0;
    if (sscanf(line, "%*s %*s %63s %95s %u %u", function, whose, &a, &b) < 2 || strcmp(whose, uuid)) continue;
    if (!strcmp(function, set)) stands = 1, *low = a, *high = b;
    if (!strcmp(function, reset)) stands = 0;
  }
  free(text);
  return stands;
}
