#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>

#include "engine/arrays/boxes.h"
#include "engine/arrays/difference.h"
#include "engine/arrays/half.h"
#include "engine/base/error.h"
#include "engine/base/file.h"
#include "tests/support/catch.h"
#include "tests/support/errors.h"
#include "tests/support/git.h"

using namespace reg;
using namespace reg::arrays;
using reg::test::error_of;
using reg::test::TempFolder;

namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();
const double kNaN = std::nan("");

std::string file_of(const std::string& bytes, const std::string& suffix = ".npy") {
  static const TempFolder folder;
  static int count = 0;
  std::string path = folder / std::to_string(++count) + suffix;
  write_file(path, bytes);
  return path;
}

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
std::string bytes_of(const std::vector<T>& values, bool reversed = false) {
  std::string all;
  for (const T value : values) {
    std::array<char, sizeof(T)> one{};
    std::memcpy(one.data(), &value, sizeof(T));
    if (reversed) std::reverse(one.begin(), one.end());
    all.append(one.data(), one.size());
  }
  return all;
}

std::vector<double> numbers_of(Array& array) {
  std::vector<Number> numbers(array.count());
  array.read(0, numbers.size(), numbers.data());
  return {numbers.begin(), numbers.end()};
}

std::vector<double> read_npy(const std::string& bytes) { return numbers_of(*open_npy(file_of(bytes))); }

Difference difference_of_values(const std::vector<double>& reference, const std::vector<double>& result,
                                const Tolerance& tolerance = {}) {
  const std::string shape = fmt::format("({},)", reference.size());
  const auto a = open_npy(file_of(npy(header("<f8", shape), bytes_of(reference))));
  const auto b = open_npy(file_of(npy(header("<f8", shape), bytes_of(result))));
  return difference_of(*a, *b, tolerance).value();
}

// What is wrong with the file, behind its name; the kind must be corrupt, and the message one line.
std::string complaint(const std::string& bytes) {
  const std::string path = file_of(bytes);
  try {
    open_npy(path);
  } catch (const Error& error) {
    const std::string message = error.what();
    CHECK(error.kind() == ErrorKind::corrupt);
    CHECK(message.find('\n') == std::string::npos);
    REQUIRE(message.substr(0, path.size() + 2) == path + ": ");
    return message.substr(path.size() + 2);
  }
  return "nothing";
}

std::string json_complaint(const std::string& text) {
  try {
    open_json(file_of(text, ".json"));
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::corrupt);
    return error.what();
  }
  return "nothing";
}

}  // namespace

TEST_CASE("arrays: every type of .npy, in either byte order") {
  const std::vector<double> wanted{1, 0, 100};
  for (const bool reversed : {false, true}) {
    const std::string order = reversed ? ">" : "<";
    const auto read = [&](const char* type, const auto& values) {
      return read_npy(npy(header(order + type, "(3,)"), bytes_of(values, reversed)));
    };
    CHECK(read("f8", std::vector<double>{1, 0, 100}) == wanted);
    CHECK(read("f4", std::vector<float>{1, 0, 100}) == wanted);
    CHECK(read("f2", std::vector<std::uint16_t>{to_f16(1), to_f16(0), to_f16(100)}) == wanted);
    CHECK(read("i8", std::vector<std::int64_t>{-1, 0, INT64_MIN}) == std::vector<double>{-1, 0, -0x1p63});
    CHECK(read("i4", std::vector<std::int32_t>{-1, 0, INT32_MIN}) == std::vector<double>{-1, 0, -0x1p31});
    CHECK(read("i2", std::vector<std::int16_t>{-1, 0, 258}) == std::vector<double>{-1, 0, 258});
    CHECK(read("u8", std::vector<std::uint64_t>{1, 0, 1ULL << 63}) == std::vector<double>{1, 0, 0x1p63});
    CHECK(read("u4", std::vector<std::uint32_t>{1, 0, UINT32_MAX}) == std::vector<double>{1, 0, 0x1p32 - 1});
    CHECK(read("u2", std::vector<std::uint16_t>{1, 0, 65535}) == std::vector<double>{1, 0, 65535});
  }
  CHECK(read_npy(npy(header("|i1", "(2,)"), "\xff\x01")) == std::vector<double>{-1, 1});
  CHECK(read_npy(npy(header("|u1", "(2,)"), "\xff\x01")) == std::vector<double>{255, 1});
  CHECK(read_npy(npy(header("|b1", "(3,)"), std::string("\0\1\7", 3))) == std::vector<double>{0, 1, 1});
}

TEST_CASE("arrays: the three versions of .npy, and headers as others may write them") {
  const std::string one = bytes_of(std::vector<float>{2.5});
  for (const int version : {1, 2, 3})
    CHECK(read_npy(npy(header("<f4", "(1,)"), one, version)) == std::vector<double>{2.5});
  CHECK(read_npy(npy("{\"shape\":(1L,),\"fortran_order\":False,\"descr\":\"<f4\"}", one)) == std::vector<double>{2.5});
  CHECK(open_npy(file_of(npy(header("<f4", "()"), one)))->shape().empty());
  const auto empty = open_npy(file_of(npy(header("<f4", "(18446744073709551615, 0, 18446744073709551615)"), "")));
  CHECK(empty->count() == 0);
  CHECK(open_npy(file_of(npy(header("<f4", "(1,)", true), one)))->fortran());
}

TEST_CASE("arrays: bfloat16, raw and as ml_dtypes writes it into a .npy") {
  const std::string bytes = bytes_of(std::vector<std::uint16_t>{to_bf16(1.5), to_bf16(-256)});
  const std::vector<double> wanted{1.5, -256};
  CHECK(numbers_of(*open_raw(file_of(bytes, ".raw"), {dtype_named("bf16").value(), {2}})) == wanted);
  const std::string path = file_of(npy(header("<V2", "(2,)"), bytes));
  CHECK(numbers_of(*open_npy(path, dtype_named("bfloat16"))) == wanted);
  CHECK_THROWS_WITH(open_npy(path), contains("V2"));
  // A type that the file says itself is not another's to say.
  const std::string floats = file_of(npy(header("<f4", "(1,)"), bytes));
  CHECK_NOTHROW(open_npy(floats, dtype_named("f32")));
  CHECK_THROWS_WITH(open_npy(floats, dtype_named("f64")), contains("its numbers are float32, not float64"));
}

TEST_CASE("arrays: what is no .npy says what is wrong with it, in one line") {
  const std::string good = npy(header("<f4", "(2, 3)"), std::string(24, '\0'));
  CHECK(complaint(good) == "nothing");
  CHECK_THAT(complaint(""), contains("ends within the first bytes of a .npy, at byte 0"));
  CHECK_THAT(complaint("\x93NUM"), contains("ends within the first bytes"));
  CHECK_THAT(complaint("PK\x03\x04, a zip"), contains("is no .npy"));
  CHECK_THAT(complaint(npy(header("<f4", "(1,)"), "1234", 4)), contains("version 4.0"));
  CHECK_THAT(complaint(good.substr(0, 9)), contains("its header's length"));
  CHECK_THAT(complaint(good.substr(0, 40)), contains("claims a header of"));
  CHECK_THAT(complaint(std::string("\x93NUMPY\2\0\xff\xff\xff\xff{}", 14)),
             contains("claims a header of 4294967295 bytes, and has 14"));
  CHECK_THAT(complaint(npy(std::string(2 << 20, ' '), "", 2)), contains("are the most"));
  CHECK_THAT(complaint(good.substr(0, good.size() - 1)),
             contains("holds 23 bytes of numbers, fewer than float32 of shape (2, 3)"));
  CHECK_THAT(complaint(good + "more"), contains("holds 28 bytes of numbers, more than float32 of shape (2, 3)"));
  const auto of_shape = [](const std::string& shape) { return complaint(npy(header("<f8", shape), "12345678")); };
  CHECK(of_shape("(1,)") == "nothing");
  CHECK_THAT(of_shape("(4294967296, 4294967296)"),
             contains("fewer than float64"));                                      // 2^64 places: one too many to count
  CHECK_THAT(of_shape("(2305843009213693953,)"), contains("fewer than float64"));  // times 8 it is 8
  CHECK_THAT(complaint(npy(header("|u1", "(8, 2305843009213693953)"), "12345678")),  // 2^64 + 8 places
             contains("fewer than uint8"));
  CHECK_THAT(of_shape("(18446744073709551616,)"), contains("a whole number of at least 0"));
  CHECK_THAT(of_shape("(-1,)"), contains("a whole number of at least 0"));
  CHECK_THAT(of_shape("(1 1)"), contains("',' or ')' belongs"));
  CHECK_THAT(of_shape("(1,"), contains("a whole number"));
  CHECK_THAT(of_shape("1"), contains("'(' belongs"));
  std::string axes;
  for (int i = 0; i < 65; ++i) axes += "1, ";
  CHECK_THAT(of_shape("(" + axes + ")"), contains("claims 65 axes"));
  const auto of_header = [](const std::string& text) { return complaint(npy(text, "1234")); };
  CHECK_THAT(of_header(""), contains("'{' belongs"));
  CHECK_THAT(of_header("{}"), contains("has no 'descr'"));
  CHECK_THAT(of_header("{'descr': '<f4', 'shape': (1,)}"), contains("has no 'fortran_order'"));
  CHECK_THAT(of_header("{'descr': '<f4"), contains("a string that ends"));
  CHECK_THAT(of_header("{'descr': '<f4', 'descr': '<f4'}"), contains("'descr' twice"));
  CHECK_THAT(of_header("{'color': 1}"), contains("an entry 'color'"));
  CHECK_THAT(of_header("{'fortran_order': Maybe}"), contains("True or False"));
  CHECK_THAT(of_header("{'descr': [('a', '<f4')"), contains("']' belongs"));
  CHECK_THAT(of_header(header("<f4", "(1,)") + "x"), contains("the end belongs"));
  CHECK_THAT(of_header("\x1b[2J\n\xff"), contains(R"('\x1b[2J?)"));
}

TEST_CASE("arrays: a sound .npy without real numbers is another thing than a broken one") {
  for (const char* descr :
       {"'<c8'", "'|O'", "'<U4'", "'<f16'", "'<f3'", "'f4'", "''", "[('a', '<f4'), ('b', '<i4', (2,))]"}) {
    const std::string path =
        file_of(npy(std::string("{'descr': ") + descr + ", 'fortran_order': False, 'shape': (1,)}", "12345678"));
    CAPTURE(descr);
    const Error error = error_of([&] { open_npy(path); });
    CHECK(error.kind() == ErrorKind::unavailable);
    CHECK_THAT(error.what(), contains("cannot be compared"));
  }
}

TEST_CASE("arrays: raw bytes are exactly as many as the layout takes") {
  const std::string path = file_of("12345678", ".raw");
  CHECK(open_raw(path, {dtype_named("i16").value(), {2, 2}})->count() == 4);
  CHECK_THROWS_WITH(open_raw(path, {dtype_named("i16").value(), {2, 3}}),
                    contains("holds 8 bytes of numbers, fewer than int16"));
  CHECK_THROWS_WITH(open_raw(path, {dtype_named("i16").value(), {3}}), contains("more than int16 of shape (3,)"));
  CHECK_THROWS_WITH(open_raw("/", {dtype_named("i16").value(), {3}}), contains("not a regular file"));
  CHECK_FALSE(dtype_named("f31"));
}

TEST_CASE("arrays: JSON of any depth, with Python's words") {
  const auto read = [](const std::string& text) { return open_json(file_of(text, ".json")); };
  const auto matrix = read(" [[1, -2.5, 3e2],\n [0, true, false]] \n");
  CHECK(matrix->shape() == Shape{2, 3});
  CHECK(numbers_of(*matrix) == std::vector<double>{1, -2.5, 300, 0, 1, 0});
  CHECK(read("7")->shape().empty());
  CHECK(read("[]")->shape() == Shape{0});
  CHECK(read("[[], []]")->shape() == Shape{2, 0});
  CHECK(read("[[[1]], [[2]]]")->shape() == Shape{2, 1, 1});
  const auto special = numbers_of(*read("[NaN, Infinity, -Infinity, null]"));
  CHECK(std::isnan(special[0]));
  CHECK(special[1] == kInfinite);
  CHECK(special[2] == -kInfinite);
  CHECK(std::isnan(special[3]));

  CHECK_THAT(json_complaint(""), contains("byte 1: the end where a number"));
  CHECK_THAT(json_complaint("[1, 2"), contains("',' or ']' belongs"));
  CHECK_THAT(json_complaint("[1, ]"), contains("byte 5: ']' where a number"));
  CHECK_THAT(json_complaint("[1] 2"), contains("the end belongs"));
  CHECK_THAT(json_complaint("[[1, 2], [3]]"), contains("a list of 1 ends beside lists of 2"));
  CHECK_THAT(json_complaint("[1, [2]]"), contains("a number belongs, as before"));
  CHECK_THAT(json_complaint("[[1], 2]"), contains("a list belongs, as before"));
  CHECK_THAT(json_complaint("[[], [[1]]]"), contains("beside lists of 0"));
  CHECK_THAT(json_complaint("{\"a\": 1}"), contains("a number of a double's range belongs"));
  CHECK_THAT(json_complaint("[1e999]"), contains("a double's range"));
  CHECK_THAT(json_complaint("[inf]"), contains("a number"));
  CHECK_THAT(json_complaint(std::string(1'000'000, '[')), contains("64 levels are the most"));
  CHECK_THAT(json_complaint(std::string("[1\0]", 4)), contains("',' or ']' belongs"));
}

TEST_CASE("arrays: JSON too large to be held in memory is refused before it is read") {
  const std::string path = file_of("[1]", ".json");
  REQUIRE(::truncate(path.c_str(), off_t{1} << 40) == 0);
  CHECK_THROWS_WITH(open_json(path), contains("1099511627776 bytes of JSON"));
}

TEST_CASE("arrays: the numbers of a difference, against values worked out by hand") {
  const Difference found = difference_of_values({1, 2, -4, 0}, {1.1, 2, -3, 0});
  CHECK(found.count == 4);
  CHECK(found.different == 2);
  CHECK(found.not_close == 2);
  CHECK(found.mean_relative_error == Approx((0.1 + 0.25) / 4));
  CHECK(found.rmse == Approx(std::sqrt((0.01 + 1) / 4)));
  CHECK(found.relative_rmse == Approx(std::sqrt((0.01 + 1) / 21)));
  CHECK(found.largest == 1);
  CHECK(found.largest_at == Shape{2});
  CHECK(found.reference == -4);
  CHECK(found.result == -3);

  CHECK(difference_of_values({1, 2}, {1.5, 2.5}, {0.25, 0}).not_close == 1);
  CHECK(difference_of_values({1, 2}, {1.5, 2.5}, {0.25, 0.25}).not_close == 0);
}

TEST_CASE("arrays: equal numbers differ by nothing, and nothing by nothing") {
  for (const std::vector<double>& same :
       {std::vector<double>{kNaN, kInfinite, -kInfinite, 0, 5}, std::vector<double>{}}) {
    const Difference found = difference_of_values(same, same);
    CHECK(found.count == same.size());
    CHECK(found.different == 0);
    CHECK(found.mean_relative_error == 0);
    CHECK(found.rmse == 0);
    CHECK(found.relative_rmse == 0);
    CHECK(found.largest == 0);
    CHECK(found.largest_at.size() == (same.empty() ? 0 : 1));
  }
  CHECK(difference_of_values({0.0}, {-0.0}).different == 0);
}

TEST_CASE("arrays: NaN or an infinity in one alone is infinitely far") {
  for (const auto& [reference, result] : std::vector<std::pair<double, double>>{
           {kNaN, 1}, {1, kNaN}, {kInfinite, 1}, {1, -kInfinite}, {kInfinite, -kInfinite}, {kNaN, kInfinite}}) {
    const Difference found = difference_of_values({1, reference, 3}, {1, result, 3.5}, {1e300, 1e300});
    CHECK(found.unmatched == 1);
    CHECK(found.not_close == 1);
    CHECK(found.mean_relative_error == kInfinite);
    CHECK(found.rmse == kInfinite);
    CHECK(found.relative_rmse == kInfinite);
    CHECK(found.largest == kInfinite);
    CHECK(found.largest_at == Shape{1});
  }
}

TEST_CASE("arrays: a reference of 0 makes the mean relative error infinite, and the others tell") {
  const Difference found = difference_of_values({0, 0, 3, 4}, {0, 1e-3, 3, 4});
  CHECK(found.off_zero == 1);
  CHECK(found.mean_relative_error == kInfinite);
  CHECK(found.rmse == Approx(5e-4));
  CHECK(found.relative_rmse == Approx(1e-3 / 5));
  CHECK(difference_of_values({0}, {1}).relative_rmse == kInfinite);
}

TEST_CASE("arrays: whole numbers beyond a double's digits, and squares beyond its range") {
  const auto compare = [](const std::string& descr, const std::string& a, const std::string& b) {
    return difference_of(*open_npy(file_of(npy(header(descr, "(1,)"), a))),
                         *open_npy(file_of(npy(header(descr, "(1,)"), b))))
        .value();
  };
  constexpr std::int64_t kBig = (std::int64_t{1} << 62) + 1;
  CHECK(compare("<i8", bytes_of(std::vector{kBig}), bytes_of(std::vector{kBig + 1})).largest == 1);
  CHECK(compare("<u8", bytes_of(std::vector{UINT64_MAX}), bytes_of(std::vector{UINT64_MAX - 1})).largest == 1);
  const Difference huge = difference_of_values({1e300, 1e300}, {2e300, 2e300});
  CHECK(huge.rmse == Approx(1e300));
  CHECK(huge.relative_rmse == Approx(1));
}

TEST_CASE("arrays: shapes that differ have no difference, types may differ") {
  const auto a = open_npy(file_of(npy(header("<f8", "(2, 1)"), bytes_of(std::vector<double>{1, 2}))));
  const auto b = open_npy(file_of(npy(header("<i2", "(2, 1)"), bytes_of(std::vector<std::int16_t>{1, 3}))));
  const auto c = open_json(file_of("[[1, 2]]", ".json"));
  CHECK(difference_of(*a, *b).value().largest_at == Shape{1, 0});
  CHECK_FALSE(difference_of(*a, *c));
}

TEST_CASE("arrays: C and Fortran order of one array are equal, in boxes of any size") {
  for (const Shape& shape :
       {Shape{3, 4, 5}, Shape{1, 7}, Shape{300, 400}, Shape{2, 50000, 3}, Shape{41, 42, 43}, Shape{5}, Shape{}}) {
    std::vector<float> c, fortran(1);
    std::uint64_t count = 1;
    for (const std::uint64_t extent : shape) count *= extent;
    fortran.resize(count);
    for (std::uint64_t i = 0; i < count; ++i) {
      c.push_back(static_cast<float>(i));
      std::uint64_t rest = i, at = 0;
      for (std::size_t axis = shape.size(); axis-- > 0; rest /= shape[axis]) at = at * shape[axis] + rest % shape[axis];
      // `at` above counts the last axis slowest: just where Fortran puts it.
      fortran[at] = static_cast<float>(i);
    }
    const Layout rows{dtype_named("f32").value(), shape, false}, columns{dtype_named("f32").value(), shape, true};
    const auto a = open_raw(file_of(bytes_of(c), ".raw"), rows);
    const auto b = open_raw(file_of(bytes_of(fortran), ".raw"), columns);
    CHECK(difference_of(*a, *b).value().different == 0);
    CHECK(difference_of(*a, *b).value().count == count);

    // One number is other: found, with its place, whichever is which.
    c.back() += 1;
    const auto other = open_raw(file_of(bytes_of(c), ".raw"), rows);
    Shape last = shape;
    for (std::uint64_t& index : last) --index;
    for (const auto& found :
         {difference_of(*other, *b).value(), difference_of(*b, *other).value(), difference_of(*a, *other).value()}) {
      CHECK(found.different == 1);
      CHECK(found.largest_at == last);
    }
    if (count > 1000) continue;
    std::uint64_t places = 0;
    each_box(shape, 7, [&](const Box& box) {
      std::uint64_t size = 1;
      for (const std::uint64_t extent : box.extent) size *= extent;
      CHECK(size <= 7);
      places += size;
    });
    CHECK(places == count);
  }
}

TEST_CASE("arrays: two Fortran arrays name their places as the C ones do") {
  const auto of = [](const std::vector<float>& values) {
    return open_raw(file_of(bytes_of(values), ".raw"), {dtype_named("f32").value(), {2, 3}, true});
  };
  CHECK(difference_of(*of({0, 1, 2, 3, 4, 5}), *of({0, 1, 2, 9, 4, 5})).value().largest_at == Shape{1, 1});
}

TEST_CASE("arrays: a file that became shorter since is said to be") {
  const std::string path = file_of("12345678", ".raw");
  const auto array = open_raw(path, {dtype_named("u8").value(), {8}});
  std::vector<Number> numbers(8);
  CHECK(::truncate(path.c_str(), 5) == 0);
  CHECK_THROWS_WITH(array->read(0, 8, numbers.data()), contains("ends within its numbers, at byte 5"));
}
