#include <cmath>
#include <cstring>
#include <limits>

#include "engine/arrays/npy.h"
#include "tests/support/unit.h"

using namespace reg::arrays;

namespace {

// A .npy as numpy writes it, with any header.
std::string npy(const std::string& header, const std::string& numbers, int version = 1) {
  std::string bytes = "\x93NUMPY";
  bytes += static_cast<char>(version);
  bytes += '\0';
  for (int i = 0; i < (version == 1 ? 2 : 4); ++i) bytes += static_cast<char>((header.size() >> (8 * i)) & 0xff);
  return bytes + header + numbers;
}

std::string header(const std::string& descr, const std::string& shape, bool fortran = false) {
  return "{'descr': '" + descr + "', 'fortran_order': " + (fortran ? "True" : "False") + ", 'shape': " + shape +
         ", }   \n";
}

template <class T>
std::string bytes_of(const std::vector<T>& values) {
  std::string all(values.size() * sizeof(T), '\0');
  std::memcpy(all.data(), values.data(), all.size());
  return all;
}

std::vector<double> read_npy(const std::string& bytes) {
  Npy array(file_of(bytes));
  std::vector<Number> numbers(array.count());
  array.read(0, numbers.size(), numbers.data());
  return {numbers.begin(), numbers.end()};
}

Difference difference_of(const std::vector<double>& reference, const std::vector<double>& result) {
  const std::string head = header("<f8", "(" + std::to_string(reference.size()) + ",)");
  return compare(file_of(npy(head, bytes_of(reference))), file_of(npy(head, bytes_of(result)))).difference.value();
}

Error error_of_bytes(const std::string& bytes) {
  const std::string path = file_of(bytes);
  Error error = error_of([&] { Npy{path}; });
  CHECK(std::string(error.what()).starts_with(path + ": "));
  CHECK(std::string(error.what()).find('\n') == std::string::npos);
  return error;
}

std::string complaint(const std::string& bytes) {
  const Error error = error_of_bytes(bytes);
  CHECK(error.kind() == ErrorKind::corrupt);
  return error.what();
}

}  // namespace

TEST_CASE("arrays: every usual type") {
  const auto read = [](const char* descr, const auto& values) {
    return read_npy(npy(header(descr, "(3,)"), bytes_of(values)));
  };
  const std::vector<double> wanted{1, 0, 100};
  CHECK(read("<f8", std::vector<double>{1, 0, 100}) == wanted);
  CHECK(read("<f4", std::vector<float>{1, 0, 100}) == wanted);
  CHECK(read("<f2", std::vector<std::uint16_t>{to_f16(1), to_f16(0), to_f16(100)}) == wanted);
  CHECK(read("<V2", std::vector<std::uint16_t>{to_bf16(1), to_bf16(0), to_bf16(100)}) == wanted);  // as ml_dtypes does
  CHECK(read("|V2", std::vector<std::uint16_t>{to_bf16(1), to_bf16(0), to_bf16(100)}) == wanted);
  CHECK(read("<i8", std::vector<std::int64_t>{-1, 0, INT64_MIN}) == std::vector<double>{-1, 0, -0x1p63});
  CHECK(read("<i4", std::vector<std::int32_t>{-1, 0, INT32_MIN}) == std::vector<double>{-1, 0, -0x1p31});
  CHECK(read("<i2", std::vector<std::int16_t>{-1, 0, 258}) == std::vector<double>{-1, 0, 258});
  CHECK(read("|i1", std::vector<std::int8_t>{-1, 0, 1}) == std::vector<double>{-1, 0, 1});
  CHECK(read("<u8", std::vector<std::uint64_t>{1, 0, 1ULL << 63}) == std::vector<double>{1, 0, 0x1p63});
  CHECK(read("<u4", std::vector<std::uint32_t>{1, 0, UINT32_MAX}) == std::vector<double>{1, 0, 0x1p32 - 1});
  CHECK(read("<u2", std::vector<std::uint16_t>{1, 0, 65535}) == std::vector<double>{1, 0, 65535});
  CHECK(read("|u1", std::vector<std::uint8_t>{255, 0, 1}) == std::vector<double>{255, 0, 1});
  CHECK(read("|b1", std::vector<std::uint8_t>{0, 1, 7}) == std::vector<double>{0, 1, 1});
}

TEST_CASE("arrays: the three versions of .npy and every form of shape") {
  const std::string one = bytes_of(std::vector<float>{2.5});
  for (const int version : {1, 2, 3})
    CHECK(read_npy(npy(header("<f4", "(1,)"), one, version)) == std::vector<double>{2.5});
  CHECK(Npy(file_of(npy(header("<f4", "()"), one))).shape().empty());
  CHECK(Npy(file_of(npy(header("<f4", "(1, 1, 1)"), one))).shape() == Shape{1, 1, 1});
  CHECK(Npy(file_of(npy(header("<f4", "(18446744073709551615, 0, 18446744073709551615)"), ""))).count() == 0);
  CHECK(Npy(file_of(npy(header("<f4", "(1,)", true), one))).fortran());
}

TEST_CASE("arrays: a damaged file is reported in one line, and never read beyond its end") {
  const std::string good = npy(header("<f4", "(2, 3)"), std::string(24, '\0'));
  CHECK_NOTHROW(Npy(file_of(good)));
  CHECK_THAT(complaint(""), contains("ends at byte 0"));
  CHECK_THAT(complaint("\x93NUM"), contains("ends at byte 4"));
  CHECK_THAT(complaint("PK\x03\x04, a zip file"), contains("is not a valid .npy file: bad magic number"));
  CHECK_THAT(complaint(good.substr(0, 9)), contains("ends at byte 9"));
  CHECK_THAT(complaint(good.substr(0, 40)), contains("ends at byte 40"));
  CHECK_THAT(complaint(std::string("\x93NUMPY\2\0\xff\xff\xff\xff{}", 14)), contains("a header of 4294967295 bytes"));
  CHECK_THAT(complaint(good.substr(0, good.size() - 1)),
             contains("has 23 bytes of numbers, fewer than its shape (2, 3)"));
  CHECK_THAT(complaint(good + "more"), contains("has 28 bytes of numbers, more than its shape (2, 3)"));
  const auto of_shape = [](const std::string& shape) { return complaint(npy(header("<f8", shape), "12345678")); };
  CHECK_THAT(of_shape("(4294967296, 4294967296)"), contains("fewer"));  // 2^64 numbers
  CHECK_THAT(of_shape("(2305843009213693953,)"), contains("fewer"));    // times 8 it is 8
  CHECK_THAT(of_shape("(8, 2305843009213693953)"), contains("fewer"));
  CHECK_THAT(of_shape("(18446744073709551616,)"), contains("a shape that is not valid"));
  CHECK_THAT(of_shape("(-1,)"), contains("a shape that is not valid"));
  CHECK_THAT(of_shape("1"), contains("its header is damaged"));
  CHECK_THAT(complaint(npy("{}", "1234")), contains("its header is damaged"));
  CHECK_THROWS_WITH(Npy("/"), contains("not a regular file"));
}

TEST_CASE("arrays: an intact file of other numbers is unavailable, not corrupt") {
  for (const char* descr :
       {"'<c8'", "'|O'", "'<U4'", "'<f16'", "'>f4'", "''", "[('a', '<f4'), ('b', '<i4', (2,))]", "'\x1b[2J\xff'"}) {
    CAPTURE(descr);
    const Error error = error_of_bytes(
        npy(std::string("{'descr': ") + descr + ", 'fortran_order': False, 'shape': (1,), }", "12345678"));
    CHECK(error.kind() == ErrorKind::unavailable);
    CHECK_THAT(error.what(), contains("cannot compare numbers of type"));
    CHECK(std::string(error.what()).find('\x1b') == std::string::npos);
  }
}

TEST_CASE("arrays: integers beyond a double's digits, and a large file") {
  constexpr std::int64_t kBig = (std::int64_t{1} << 62) + 1;
  const auto file = [](std::int64_t value) {
    return file_of(npy(header("<i8", "(1,)"), bytes_of(std::vector{value})));
  };
  CHECK(compare(file(kBig), file(kBig + 1)).difference.value().largest_difference == 1);
  std::vector<double> many(200'000, 1);
  const std::vector<double> reference = many;
  many[150'000] = 3;
  const Difference found = difference_of(reference, many);
  CHECK(found.different == 1);
  CHECK(found.largest_at == Shape{150'000});
}

TEST_CASE("arrays: types and orders that differ") {
  const std::string a = file_of(npy(header("<f8", "(2, 1)"), bytes_of(std::vector<double>{1, 2})));
  const std::string b = file_of(npy(header("<i2", "(2, 1)"), bytes_of(std::vector<std::int16_t>{1, 3})));
  const std::string c = file_of(npy(header("<f8", "(2, 1)", true), bytes_of(std::vector<double>{1, 2})));
  CHECK(compare(a, b).difference.value().largest_at == Shape{1, 0});
  const Comparison orders = compare(a, c);
  CHECK(orders.error.value().kind() == ErrorKind::unavailable);
  CHECK(orders.failed == "comparison");
  const auto fortran = [](float at) {
    return file_of(npy(header("<f4", "(2, 3)", true), bytes_of(std::vector<float>{0, 1, 2, at, 4, 5})));
  };
  CHECK(compare(fortran(3), fortran(9)).difference.value().largest_at == Shape{1, 1});
}

TEST_CASE("arrays: a file that has become shorter") {
  const std::string path = file_of(npy(header("|u1", "(8,)"), "12345678"));
  Npy array(path);
  std::vector<Number> numbers(8);
  CHECK(::truncate(path.c_str(), 5) == 0);
  CHECK_THROWS_WITH(array.read(0, 8, numbers.data()), contains("ends at byte"));
}

TEST_CASE("cuda numbers: f16 by its bits, rounded to the nearest, ties to even") {
  const double inf = std::numeric_limits<double>::infinity();
  const std::pair<double, int> rows[] = {
      {-0.0, 0x8000},    {1, 0x3c00},         {-2, 0xc000},           {65504, 0x7bff},       {65519.99, 0x7bff},
      {65520, 0x7c00},   {-inf, 0xfc00},      {std::nan(""), 0x7e00}, {0x1p-14, 0x0400},     {0x1p-24, 0x0001},
      {0x1p-25, 0x0000}, {0x1.8p-24, 0x0002}, {0x1.ffep-15, 0x0400},  {1 + 0x1p-11, 0x3c00}, {1 + 0x1.8p-10, 0x3c02},
      {2047.5, 0x6800}};
  for (const auto& [number, bits] : rows) {
    CAPTURE(number);
    CHECK(to_f16(number) == bits);
  }
}

TEST_CASE("cuda numbers: every f16 and bf16 comes back as it was") {
  int wrong = 0;
  for (unsigned bits = 0; bits < 0x10000; ++bits) {
    const double value = from_f16(static_cast<std::uint16_t>(bits)),
                 other = from_bf16(static_cast<std::uint16_t>(bits));
    if ((!std::isnan(value) && to_f16(value) != bits) || (!std::isnan(other) && to_bf16(other) != bits)) ++wrong;
  }
  CHECK(wrong == 0);
}

TEST_CASE("cuda numbers: bf16 is rounded once, to the nearest, ties to even") {
  CHECK(to_bf16(1) == 0x3f80);
  CHECK(to_bf16(-1.5) == 0xbfc0);
  CHECK(to_bf16(1 + 0x1p-8) == 0x3f80);            // tie to even
  CHECK(to_bf16(1 + 0x1.8p-7) == 0x3f82);          // tie to even
  CHECK(to_bf16(1 + 0x1p-8 + 0x1p-40) == 0x3f81);  // by way of a rounded f32 it would look like a tie
  CHECK(to_bf16(1e300) == 0x7f80);
  CHECK(std::isnan(from_bf16(to_bf16(std::nan("")))));
}
