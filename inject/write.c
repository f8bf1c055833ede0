#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "inject.h"

enum { PATH = 4096, COMMAND = 200 };

static void put_command(struct rg_out* out) {
  char command[COMMAND + 1] = "";
  const int fd = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
  ssize_t length = 0, i;
  if (fd >= 0) {
    length = read(fd, command, COMMAND);
    close(fd);
  }
  while (length > 0 && command[length - 1] == '\0') --length;
  for (i = 0; i < length; ++i)
    if (command[i] == '\0') command[i] = ' ';
  if (length >= 0) command[length] = '\0';
  rg_put_text(out, "command", command);
}

static void put_all(struct rg_out* out, const struct rg_header* header) {
  rg_put_number(out, "{\"regengine_trace\":1,\"pid\":", (uint64_t)getpid());
  rg_put(out, ",");
  put_command(out);
  rg_put(out, header->complete ? ",\"complete\":true" : ",\"complete\":false");
  if (header->cupti->path != NULL) {
    rg_put(out, ",");
    rg_put_text(out, "cupti", header->cupti->path);
    rg_put_number(out, ",\"cupti_version\":", header->cupti->version);
  }
  if (header->why != NULL) {
    rg_put(out, ",\"status\":\"unavailable\",");
    rg_put_text(out, "why", header->why);
  } else {
    rg_put(out, ",\"status\":\"ok\"");
    rg_put_summary(out);
  }
  rg_put(out, "}\n");
  rg_flush(out);
}

void rg_write_summary(const struct rg_header* header) {
  static struct rg_out out; /* one writer at a time, see main.c */
  static char name[PATH], fresh[PATH];
  if (name[0] == '\0') { /* pids repeat after exec and in other containers */
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    snprintf(name, sizeof name, "%s/%ld-%lld%09ld.json", header->folder, (long)getpid(), (long long)now.tv_sec,
             now.tv_nsec);
    snprintf(fresh, sizeof fresh, "%.*s.new", (int)sizeof fresh - 8, name);
  }
  memset(&out, 0, sizeof out);
  out.fd = open(fresh, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (out.fd < 0) return;
  put_all(&out, header);
  if (close(out.fd) == 0 && !out.failed)
    rename(fresh, name);
  else
    unlink(fresh);
}
