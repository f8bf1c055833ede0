#pragma once

#include <optional>
#include <string>

#include "engine/arrays/array.h"
#include "engine/arrays/bytes.h"

namespace reg::arrays {

/// What stands before the numbers of a .npy.
struct NpyHeader {
  std::string descr;           ///< the type as it is written there: "<f4"
  std::optional<Dtype> dtype;  ///< nothing for a type that holds no single real number
  Shape shape;
  bool fortran = false;
  std::uint64_t size = 0;  ///< bytes: the numbers begin there

  /// Whether its type is "V2": that many bytes, of which numpy knows no more.
  bool is_untyped(std::size_t bytes) const;
};

/// Throws Error(corrupt). Whether the file holds what the header claims is not looked at here.
NpyHeader read_npy_header(const Bytes& bytes);

}  // namespace reg::arrays
