#include "engine/arrays/npy_header.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <set>
#include <string_view>
#include <utility>

namespace reg::arrays {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
// A header of plain numbers takes some hundred bytes; only records of thousands of fields have larger ones than this.
constexpr std::uint64_t kMostHeader = std::uint64_t{1} << 20;

// The header's text: a Python dict of three entries, of which only the forms that numpy writes are read.
class Reader {
 public:
  Reader(const Bytes& bytes, std::string_view text) : bytes_(bytes), text_(text) {}

  void read(NpyHeader& header) {
    expect('{');
    while (!take('}')) {
      const std::string_view key = quoted();
      expect(':');
      if (!seen_.insert(key).second) throw bytes_.corrupt("its header has '" + excerpt(key) + "' twice");
      if (key == "descr")
        descr(header);
      else if (key == "fortran_order")
        header.fortran = truth();
      else if (key == "shape")
        shape(header.shape);
      else
        throw bytes_.corrupt("its header has an entry '" + excerpt(key) + "'");
      if (!take(',') && peek() != '}') throw unexpected("',' or '}'");
    }
    peek();
    if (at_ < text_.size()) throw unexpected("the end");
    for (const char* key : {"descr", "fortran_order", "shape"})
      if (seen_.count(key) == 0) throw bytes_.corrupt(std::string("its header has no '") + key + "'");
  }

 private:
  // The next character that is no blank; '\0' at the end.
  char peek() {
    const auto next = text_.find_first_not_of(" \t\r\n", at_);
    at_ = next == std::string_view::npos ? text_.size() : next;
    return at_ < text_.size() ? text_[at_] : '\0';
  }

  bool take(char c) {
    if (peek() != c) return false;
    ++at_;
    return true;
  }

  void expect(char c) {
    if (!take(c)) throw unexpected(fmt::format("'{}'", c));
  }

  [[nodiscard]] Error unexpected(const std::string& wanted) const {
    return bytes_.corrupt(fmt::format("its header has '{}' where {} belongs", excerpt(text_.substr(at_)), wanted));
  }

  std::string_view quoted() {
    const char quote = peek();
    if (quote != '\'' && quote != '"') throw unexpected("a string");
    const auto end = text_.find(quote, at_ + 1);
    if (end == std::string_view::npos) throw unexpected("a string that ends");
    const std::string_view inside = text_.substr(at_ + 1, end - at_ - 1);
    at_ = end + 1;
    return inside;
  }

  bool truth() {
    peek();
    for (const auto& [word, value] : {std::pair{std::string_view("True"), true}, {std::string_view("False"), false}}) {
      if (text_.substr(at_, word.size()) != word) continue;
      at_ += word.size();
      return value;
    }
    throw unexpected("True or False");
  }

  // A list is a record's fields: passed over as a whole, since none of it can be compared.
  void descr(NpyHeader& header) {
    if (peek() != '[') {
      header.descr = quoted();
      header.dtype = dtype_of_descr(header.descr);
      return;
    }
    header.descr = "records";
    std::size_t depth = 0;
    do {
      const char c = peek();
      if (c == '\'' || c == '"') {
        quoted();
        continue;
      }
      if (at_ == text_.size()) throw unexpected("']'");
      if (c == '[' || c == '(') ++depth;
      if (c == ']' || c == ')') --depth;
      ++at_;
    } while (depth > 0);
  }

  void shape(Shape& shape) {
    expect('(');
    while (!take(')')) {
      peek();
      std::uint64_t extent = 0;
      const auto read = std::from_chars(text_.data() + at_, text_.data() + text_.size(), extent);
      if (read.ec != std::errc{}) throw unexpected("a whole number of at least 0");
      at_ = static_cast<std::size_t>(read.ptr - text_.data());
      take('L');  // as Python 2 wrote long ones
      shape.push_back(extent);
      if (!take(',') && peek() != ')') throw unexpected("',' or ')'");
    }
  }

  const Bytes& bytes_;
  std::string_view text_;
  std::size_t at_ = 0;
  std::set<std::string_view> seen_;
};

}  // namespace

bool NpyHeader::is_untyped(std::size_t bytes) const {
  return descr.size() > 1 && std::string_view(descr).substr(1) == "V" + std::to_string(bytes);
}

NpyHeader read_npy_header(const Bytes& bytes) {
  std::array<char, 8> start{};
  bytes.read(0, start.size(), start.data(), "the first bytes of a .npy");
  if (std::string_view(start.data(), kMagic.size()) != kMagic) throw bytes.corrupt("is no .npy: it begins otherwise");
  const int version = static_cast<unsigned char>(start[6]);
  if (version < 1 || version > 3 || start[7] != 0)
    throw bytes.corrupt(fmt::format("is a .npy of version {}.{}, and 1.0, 2.0 and 3.0 are known", version,
                                    static_cast<unsigned char>(start[7])));

  std::array<unsigned char, 4> length{};  // little-endian; two bytes in version 1
  const std::size_t digits = version == 1 ? 2 : 4;
  bytes.read(start.size(), digits, reinterpret_cast<char*>(length.data()), "its header's length");
  std::uint64_t size = 0;
  for (std::size_t i = 0; i < digits; ++i) size |= std::uint64_t{length.at(i)} << (8 * i);
  NpyHeader header;
  header.size = start.size() + digits + size;
  if (header.size > bytes.size())
    throw bytes.corrupt(fmt::format("claims a header of {} bytes, and has {} in all", size, bytes.size()));
  if (size > kMostHeader)
    throw bytes.corrupt(fmt::format("claims a header of {} bytes, {} are the most", size, kMostHeader));
  std::string text(size, '\0');
  bytes.read(start.size() + digits, text.size(), text.data(), "its header");
  Reader(bytes, text).read(header);
  return header;
}

}  // namespace reg::arrays
