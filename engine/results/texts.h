#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>

namespace reg::results {

/// 64 bits of the text, eight bytes at a time. Texts of a record are hundreds of bytes: this takes some nanoseconds.
std::uint64_t hash_of(std::string_view text, std::uint64_t seed = 0);

/// 128 bits, by which texts are told from one another.
struct LongHash {
  std::uint64_t low = 0, high = 0;
  bool operator==(const LongHash&) const = default;
};
LongHash long_hash_of(std::string_view text, const LongHash& seed = {});

struct TextHash {
  std::size_t operator()(std::string_view text) const { return hash_of(text); }
};

/// Texts that come again and again, each kept once: number 0, 1, 2 and so on, as they came.
class Texts {
 public:
  std::uint32_t id(std::string_view text);
  const std::string& operator[](std::uint32_t id) const { return texts_[id]; }
  std::uint32_t size() const { return static_cast<std::uint32_t>(texts_.size()); }

 private:
  std::deque<std::string> texts_;  // never move: the keys are views of them
  std::unordered_map<std::string_view, std::uint32_t, TextHash> ids_;
};

}  // namespace reg::results
