#include "engine/results/texts.h"

#include <algorithm>
#include <cstring>

namespace reg::results {
namespace {

std::uint64_t mixed(std::uint64_t a, std::uint64_t b) {
  a = (a ^ b) * 0x9E3779B97F4A7C15U;
  return a ^ a >> 32;
}

}  // namespace

std::uint64_t hash_of(std::string_view text, std::uint64_t seed) {
  constexpr std::size_t kLanes = 4;  // side by side: a processor need not wait for one multiplication to begin the next
  std::uint64_t lanes[kLanes] = {seed, ~seed, seed << 1, text.size()};
  std::uint64_t words[kLanes] = {};
  std::size_t at = 0;
  for (; at + sizeof words <= text.size(); at += sizeof words) {
    std::memcpy(words, text.data() + at, sizeof words);
    for (std::size_t k = 0; k < kLanes; ++k) lanes[k] = mixed(lanes[k], words[k]);
  }
  std::fill_n(words, kLanes, 0);
  if (at < text.size()) std::memcpy(words, text.data() + at, text.size() - at);  // an empty text may have no address
  std::uint64_t hash = mixed(seed, text.size());
  for (std::size_t k = 0; k < kLanes; ++k) hash = mixed(hash, mixed(lanes[k], words[k]));
  return mixed(hash, 0xD6E8FEB86659FD93U);
}

LongHash long_hash_of(std::string_view text, const LongHash& seed) {
  // Two hashes that have nothing in common but the text: another seed makes other carries in each multiplication.
  return {hash_of(text, seed.low), hash_of(text, ~seed.high * 0xC2B2AE3D27D4EB4FU)};
}

std::uint32_t Texts::id(std::string_view text) {
  if (const auto found = ids_.find(text); found != ids_.end()) return found->second;
  const std::uint32_t id = size();
  ids_.emplace(texts_.emplace_back(text), id);
  return id;
}

}  // namespace reg::results
