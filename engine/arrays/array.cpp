#include "engine/arrays/array.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "engine/arrays/bytes.h"
#include "engine/arrays/npy_header.h"

namespace reg::arrays {
namespace {

// How many numbers the shape holds; nothing where that is more than `most`.
std::optional<std::uint64_t> count_of(const Shape& shape, std::uint64_t most) {
  if (std::find(shape.begin(), shape.end(), 0) != shape.end()) return 0;
  std::uint64_t count = 1;
  for (const std::uint64_t extent : shape)
    if (__builtin_mul_overflow(count, extent, &count) || count > most) return std::nullopt;
  return count;
}

class FileArray : public Array {
 public:
  FileArray(Bytes bytes, std::uint64_t begin, Layout layout)
      : Array(bytes.path(), std::move(layout.shape), layout.fortran),
        bytes_(std::move(bytes)),
        begin_(begin),
        dtype_(layout.dtype) {}

  std::string type() const override { return name_of(dtype_); }

  void read(std::uint64_t first, std::size_t count, Number* out) override {
    buffer_.resize(count * dtype_.size);
    bytes_.read(begin_ + first * dtype_.size, buffer_.size(), buffer_.data(), "its numbers");
    decode(buffer_.data(), count, dtype_, out);
  }

 private:
  Bytes bytes_;
  std::uint64_t begin_;
  Dtype dtype_;
  std::vector<char> buffer_;
};

std::unique_ptr<Array> numbers_from(Bytes bytes, std::uint64_t begin, Layout layout) {
  if (layout.shape.size() > kMostAxes)
    throw bytes.corrupt(fmt::format("claims {} axes, and {} are the most", layout.shape.size(), kMostAxes));
  const std::uint64_t there = bytes.size() - begin;
  const auto count = count_of(layout.shape, there / layout.dtype.size);
  if (!count || *count * layout.dtype.size != there)
    throw bytes.corrupt(fmt::format("holds {} bytes of numbers, {} than {} of shape {} takes", there,
                                    count ? "more" : "fewer", name_of(layout.dtype), to_string(layout.shape)));
  return std::make_unique<FileArray>(std::move(bytes), begin, std::move(layout));
}

}  // namespace

std::string to_string(const Shape& shape) {
  return fmt::format("({}{})", fmt::join(shape, ", "), shape.size() == 1 ? "," : "");
}

Array::Array(std::string path, Shape shape, bool fortran)
    : path_(std::move(path)),
      shape_(std::move(shape)),
      fortran_(fortran),
      count_(count_of(shape_, UINT64_MAX).value()) {}

std::unique_ptr<Array> open_npy(const std::string& path, std::optional<Dtype> as) {
  Bytes bytes(path);
  NpyHeader header = read_npy_header(bytes);
  if (as && header.is_untyped(as->size)) {
    const std::endian endian = header.descr.front() == '>' ? std::endian::big : std::endian::little;
    header.dtype = Dtype{as->kind, as->size, endian};
  }
  if (as && header.dtype && name_of(*as) != name_of(*header.dtype))
    throw Error(ErrorKind::usage, path + ": its numbers are " + name_of(*header.dtype) + ", not " + name_of(*as),
                "leave the dtype out: a .npy says it itself");
  if (!header.dtype)
    throw Error(ErrorKind::unavailable,
                path + ": its numbers are " + excerpt(header.descr) + ", which cannot be compared",
                header.is_untyped(2) ? "bfloat16, written with ml_dtypes? say { file =, dtype = \"bf16\" }"
                                     : "save real numbers: of complex ones the two parts, of records each field");
  return numbers_from(std::move(bytes), header.size, {*header.dtype, std::move(header.shape), header.fortran});
}

std::unique_ptr<Array> open_raw(const std::string& path, Layout layout) {
  return numbers_from(Bytes(path), 0, std::move(layout));
}

}  // namespace reg::arrays
