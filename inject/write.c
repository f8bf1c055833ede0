#define _GNU_SOURCE
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "inject.h"

void rg_flush(struct rg_out* out) {
  size_t at = 0;
  while (!out->failed && at < out->used) {
    const ssize_t wrote = write(out->fd, out->bytes + at, out->used - at);
    if (wrote <= 0)
      out->failed = 1; /* also if interrupted: the next snapshot replaces it */
    else
      at += (size_t)wrote;
  }
  out->used = 0;
}

static void put_bytes(struct rg_out* out, const char* bytes, size_t count) {
  if (out->used + count > sizeof out->bytes) rg_flush(out);
  memcpy(out->bytes + out->used, bytes, count); /* pieces are shorter than the buffer */
  out->used += count;
}

void rg_put(struct rg_out* out, const char* text) { put_bytes(out, text, strlen(text)); }

void rg_put_number(struct rg_out* out, const char* key, uint64_t value) {
  char text[24];
  rg_put(out, key);
  snprintf(text, sizeof text, "%" PRIu64, value);
  rg_put(out, text);
}

/* Length of the UTF-8 character that begins here, 0 for an invalid one. */
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

enum { CHUNK = 1 << 16, MAX_LENGTH = 8192 };

/* Eight bytes at a time: kernel names have hundreds of characters, and this runs for every record. */
static uint64_t hash_of(uint32_t parent, const char* text, size_t length) {
  uint64_t hash = 0x9e3779b97f4a7c15u * (parent + 1u) ^ length;
  while (length > 0) {
    uint64_t word = 0;
    const size_t part = length < sizeof word ? length : sizeof word;
    memcpy(&word, text, part);
    hash = (hash ^ word) * 0xff51afd7ed558ccdu;
    hash ^= hash >> 32;
    text += part;
    length -= part;
  }
  return hash;
}

int rg_names_make(struct rg_names* names, uint32_t limit, size_t bytes) {
  memset(names, 0, sizeof *names);
  names->list = calloc(limit, sizeof *names->list);
  names->slots = calloc((size_t)limit * 2, sizeof *names->slots);
  if (names->list == NULL || names->slots == NULL) return -1;
  names->limit = limit; /* a power of two */
  names->bytes_left = bytes;
  names->list[0].text = "(others)";
  names->list[0].length = 8;
  names->count = 1;
  return 0;
}

static const char* keep(struct rg_names* names, const char* text, size_t length) {
  char* kept;
  if (length + 1 > names->bytes_left) return NULL;
  if (length + 1 > names->chunk_left) {
    names->chunk = malloc(CHUNK);
    names->chunk_left = names->chunk == NULL ? 0 : CHUNK;
    if (names->chunk == NULL) return NULL;
  }
  kept = names->chunk;
  memcpy(kept, text, length);
  kept[length] = '\0';
  names->chunk += length + 1;
  names->chunk_left -= length + 1;
  names->bytes_left -= length + 1;
  return kept;
}

uint32_t rg_names_find(struct rg_names* names, uint32_t parent, const char* text) {
  const uint32_t mask = names->limit * 2 - 1;
  const size_t length = text == NULL ? 0 : strnlen(text, MAX_LENGTH);
  const uint64_t hash = hash_of(parent, text, length);
  uint32_t slot = (uint32_t)hash & mask;
  struct rg_name* name;
  const char* kept;
  if (length == 0) return 0;
  for (; names->slots[slot] != 0; slot = (slot + 1) & mask) {
    name = &names->list[names->slots[slot]];
    if (name->hash == hash && name->parent == parent && name->length == length && memcmp(name->text, text, length) == 0)
      return names->slots[slot];
  }
  if (names->count == names->limit || (kept = keep(names, text, length)) == NULL) return 0;
  name = &names->list[names->count];
  name->text = kept;
  name->length = (uint32_t)length;
  name->parent = parent;
  name->hash = hash;
  names->slots[slot] = names->count;
  return names->count++;
}

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
