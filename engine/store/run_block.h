#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/error.h"
#include "engine/results/shape.h"
#include "engine/results/speedups.h"
#include "engine/results/texts.h"

namespace reg::store {

/// What a block has of each run at its head.
struct RunHead {
  double timestamp;                        ///< NaN: none
  std::uint32_t model, experiment, shape;  ///< ids in texts
  std::uint32_t spellings;                 ///< bytes
};

/// Which metric a number belongs to; nothing for those outside of metrics.
using Column = std::optional<std::string>;

/// Where in a record's numbers those of a column stand. A column can have several stretches.
struct Stretch {
  Column column;
  std::size_t begin, end;
};
std::vector<Stretch> stretches_of(const results::Shape& shape);

/// What a block has of a column: the numbers of its runs, and of a metric what results::time_of() makes of each run's.
/// A run without a time has NaN there.
struct ColumnBlock {
  std::vector<double> numbers;
  std::vector<results::Datapoint> exec, compile;
};

/// Some hundred runs, as they stand in the tables run_blocks and run_numbers.
struct RunBlock {
  std::int64_t first = 1;
  std::vector<RunHead> heads;
  std::vector<results::LongHash> hashes;
  std::string words, spellings;
  std::map<Column, ColumnBlock> columns;
};

/// The bytes of a list as they stand in a BLOB, and back.
template <class T>
std::string_view bytes_of(const std::vector<T>& list) {
  return {reinterpret_cast<const char*>(list.data()), list.size() * sizeof(T)};
}

/// The items of a list in a BLOB, where they lie.
template <class T>
class Items {
 public:
  explicit Items(std::string_view bytes) : bytes_(bytes) {}
  std::size_t size() const { return bytes_.size() / sizeof(T); }
  T operator[](std::size_t at) const {
    if (at >= size()) throw Error(ErrorKind::corrupt, "numbers of a run are missing");
    T item;
    std::memcpy(&item, bytes_.data() + at * sizeof(T), sizeof(T));
    return item;
  }

 private:
  std::string_view bytes_;
};

template <class T>
std::vector<T> list_of(std::string_view bytes) {
  std::vector<T> list(bytes.size() / sizeof(T));
  if (!list.empty()) std::memcpy(list.data(), bytes.data(), list.size() * sizeof(T));
  return list;
}

}  // namespace reg::store
