#include <inttypes.h>
#include <stdio.h>
#include <string.h>
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
