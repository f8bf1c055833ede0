#define _GNU_SOURCE
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "inject.h"

enum { PATH = 4096, COMMAND = 200 };

static void flush(struct rg_out* out) {
  size_t at = 0;
  while (!out->failed && at < out->used) {
    const ssize_t wrote = write(out->fd, out->bytes + at, out->used - at);
    if (wrote <= 0)
      out->failed = 1; /* a signal too: the next snapshot will do */
    else
      at += (size_t)wrote;
  }
  out->used = 0;
}

static void put_bytes(struct rg_out* out, const char* bytes, size_t count) {
  if (out->used + count > sizeof out->bytes) flush(out);
  memcpy(out->bytes + out->used, bytes, count); /* pieces are short */
  out->used += count;
}

void rg_put(struct rg_out* out, const char* text) { put_bytes(out, text, strlen(text)); }

void rg_put_number(struct rg_out* out, const char* key, uint64_t value) {
  char text[24];
  rg_put(out, key);
  snprintf(text, sizeof text, "%" PRIu64, value);
  rg_put(out, text);
}

/* Length of the UTF-8 character that begins here, 0 for what is none. */
static size_t character(const unsigned char* text) {
  const size_t length = text[0] < 0x80   ? 1
                        : text[0] < 0xc2 ? 0
                        : text[0] < 0xe0 ? 2
                        : text[0] < 0xf0 ? 3
                        : text[0] < 0xf5 ? 4
                                         : 0;
  size_t i;
  for (i = 1; i < length; ++i)
    if ((text[i] & 0xc0) != 0x80) return 0;
  if (length == 3 && ((text[0] == 0xe0 && text[1] < 0xa0) || (text[0] == 0xed && text[1] > 0x9f))) return 0;
  if (length == 4 && ((text[0] == 0xf0 && text[1] < 0x90) || (text[0] == 0xf4 && text[1] > 0x8f))) return 0;
  return length;
}

void rg_put_text(struct rg_out* out, const char* key, const char* text) {
  const unsigned char* at = (const unsigned char*)text;
  char escaped[8];
  size_t length;
  rg_put(out, "\"");
  rg_put(out, key);
  rg_put(out, "\":\"");
  for (; *at != 0; at += length > 0 ? length : 1) {
    length = character(at);
    if (length == 0) {
      rg_put(out, "?");
    } else if (*at < 0x20 || *at == '"' || *at == '\\') {
      snprintf(escaped, sizeof escaped, "\\u%04x", *at);
      rg_put(out, escaped);
    } else {
      put_bytes(out, (const char*)at, length);
    }
  }
  rg_put(out, "\"");
}

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
  flush(out);
}

void rg_write_summary(const struct rg_header* header) {
  static struct rg_out out; /* one writer at a time, see main.c */
  static char name[PATH], fresh[PATH];
  if (name[0] == '\0') { /* a pid alone comes again: after exec, and in another container */
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
