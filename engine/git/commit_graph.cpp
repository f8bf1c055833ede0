#include "engine/git/commit_graph.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <cstring>

#include "engine/base/error.h"
#include "engine/base/file.h"
#include "engine/base/text.h"

namespace reg::git {
namespace {

constexpr std::size_t kIdBytes = 20;
constexpr std::size_t kEntryBytes = kIdBytes + 16;  // tree, two parents, generation and time
constexpr std::size_t kHeaderBytes = 8;
constexpr std::size_t kChunkRowBytes = 12;
constexpr std::uint32_t kNoParent = 0x70000000;

std::uint32_t read32(const unsigned char* at) {
  return std::uint32_t{at[0]} << 24 | std::uint32_t{at[1]} << 16 | std::uint32_t{at[2]} << 8 | std::uint32_t{at[3]};
}

std::uint64_t read64(const unsigned char* at) { return std::uint64_t{read32(at)} << 32 | read32(at + 4); }

}  // namespace

CommitGraph::CommitGraph(const std::string& object_folder) {
  const std::string info = object_folder + "/info/";
  if (add_layer(info + "commit-graph")) return;
  const auto chain = read_file_if_there(info + "commit-graphs/commit-graph-chain");
  if (!chain) return;
  for (const std::string_view hash : lines(*chain))
    if (!add_layer(info + "commit-graphs/graph-" + std::string(hash) + ".graph")) return;
}

CommitGraph::~CommitGraph() {
  for (const Layer& layer : layers_) munmap(const_cast<unsigned char*>(layer.data), layer.size);
}

bool CommitGraph::add_layer(const std::string& file) {
  const Fd fd(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat info {};
  if (!fd || fstat(fd.get(), &info) != 0 || info.st_size < static_cast<off_t>(kHeaderBytes)) return false;
  Layer layer;
  layer.size = static_cast<std::size_t>(info.st_size);
  void* mapped = mmap(nullptr, layer.size, PROT_READ, MAP_PRIVATE, fd.get(), 0);
  if (mapped == MAP_FAILED) return false;
  layer.data = static_cast<const unsigned char*>(mapped);

  const unsigned chunks = layer.data[6];
  const bool valid = std::memcmp(layer.data, "CGPH\1\1", 6) == 0 && layer.data[7] == layers_.size() &&
                     layer.size >= kHeaderBytes + (chunks + 1) * kChunkRowBytes;
  std::size_t ids_bytes = 0, commits_bytes = 0;
  for (unsigned i = 0; valid && i < chunks; ++i) {
    const unsigned char* row = layer.data + kHeaderBytes + i * kChunkRowBytes;
    const std::uint64_t begin = read64(row + 4);
    const std::uint64_t end = read64(row + 4 + kChunkRowBytes);
    if (begin > end || end > layer.size) continue;
    const std::size_t bytes = end - begin;
    if (std::memcmp(row, "OIDF", 4) == 0 && bytes >= 256 * 4) {
      layer.fanout = layer.data + begin;
      layer.count = read32(layer.fanout + 255 * 4);
    } else if (std::memcmp(row, "OIDL", 4) == 0) {
      layer.ids = layer.data + begin;
      ids_bytes = bytes;
    } else if (std::memcmp(row, "CDAT", 4) == 0) {
      layer.commits = layer.data + begin;
      commits_bytes = bytes;
    }
  }
  if (layer.fanout == nullptr || ids_bytes < std::size_t{layer.count} * kIdBytes ||
      commits_bytes < std::size_t{layer.count} * kEntryBytes || layer.count >= kNoParent - total_) {
    munmap(mapped, layer.size);
    return false;
  }
  layer.first = total_;
  total_ += layer.count;
  layers_.push_back(layer);
  return true;
}

std::optional<CommitGraph::Position> CommitGraph::find(const unsigned char* id) const {
  for (const Layer& layer : layers_) {
    std::uint32_t low = id[0] == 0 ? 0 : read32(layer.fanout + (std::size_t{id[0]} - 1) * 4);
    std::uint32_t high = read32(layer.fanout + std::size_t{id[0]} * 4);
    if (high > layer.count) continue;
    while (low < high) {
      const std::uint32_t middle = low + (high - low) / 2;
      const int order = std::memcmp(layer.ids + std::size_t{middle} * kIdBytes, id, kIdBytes);
      if (order == 0) return layer.first + middle;
      if (order < 0)
        low = middle + 1;
      else
        high = middle;
    }
  }
  return std::nullopt;
}

const CommitGraph::Layer& CommitGraph::layer_of(Position at) const {
  std::size_t i = layers_.size() - 1;
  while (at < layers_[i].first) --i;
  return layers_[i];
}

const unsigned char* CommitGraph::entry(Position at) const {
  const Layer& layer = layer_of(at);
  return layer.commits + std::size_t{at - layer.first} * kEntryBytes;
}

const unsigned char* CommitGraph::id(Position at) const {
  const Layer& layer = layer_of(at);
  return layer.ids + std::size_t{at - layer.first} * kIdBytes;
}

UnixTime CommitGraph::time(Position at) const {
  // 34 bits of time; the other 30 are the generation number.
  return static_cast<UnixTime>(read64(entry(at) + kIdBytes + 8) & 0x3FFFFFFFF);
}

std::optional<CommitGraph::Position> CommitGraph::first_parent(Position at) const {
  const std::uint32_t parent = read32(entry(at) + kIdBytes);
  if (parent == kNoParent) return std::nullopt;
  if (parent >= total_)
    throw Error(ErrorKind::corrupt, "git's commit-graph file names a commit it does not hold",
                "write it anew: git commit-graph write --reachable");
  return parent;
}

}  // namespace reg::git
