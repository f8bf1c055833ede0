// nlohmann_alone FILE: reads a file of JSON lines and parses each with the JSON library alone: what reading results is
// compared with.

#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  std::ifstream file(argv[1]);
  std::size_t records = 0;
  for (std::string line; std::getline(file, line);) records += nlohmann::json::parse(line).is_object() ? 1 : 0;
  std::printf("%zu\n", records);
  return 0;
}
