#include <stdlib.h>
#include <string.h>

#include "inject.h"

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
