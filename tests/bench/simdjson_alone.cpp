// simdjson_alone FILE: reads a file of JSON lines and parses each, with simdjson alone: what an import is held against.

#include <simdjson.h>

#include <cstdio>

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const simdjson::padded_string text = simdjson::padded_string::load(argv[1]);
  simdjson::dom::parser parser;
  std::size_t records = 0;
  for (const simdjson::dom::element record : parser.parse_many(text)) records += record.is_object() ? 1 : 0;
  std::printf("%zu\n", records);
  return 0;
}
