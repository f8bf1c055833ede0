#include <cmath>
#include <cstring>
#include <limits>

#include "engine/arrays/npy.h"
#include "engine/cuda/dtype.h"
#include "tests/support/catch.h"

using namespace reg;
using namespace reg::cuda;

TEST_CASE("cuda numbers: f16 by its bits") {
  CHECK(to_f16(0) == 0x0000);
  CHECK(to_f16(-0.0) == 0x8000);
  CHECK(to_f16(1) == 0x3c00);
  CHECK(to_f16(-2) == 0xc000);
  CHECK(to_f16(65504) == 0x7bff);
  CHECK(to_f16(65519.99) == 0x7bff);
  CHECK(to_f16(65520) == 0x7c00);  // the tie goes to even, which is infinity
  CHECK(to_f16(-std::numeric_limits<double>::infinity()) == 0xfc00);
  CHECK(to_f16(std::nan("")) == 0x7e00);
  CHECK(to_f16(0x1p-14) == 0x0400);
  CHECK(to_f16(0x1p-24) == 0x0001);
  CHECK(to_f16(0x1p-25) == 0x0000);          // tie to even
  CHECK(to_f16(0x1.8p-24) == 0x0002);        // tie to even
  CHECK(to_f16(0x1.ffep-15) == 0x03ff + 1);  // the largest subnormal's upper half rounds to the smallest normal
  CHECK(to_f16(1 + 0x1p-11) == 0x3c00);      // tie to even
  CHECK(to_f16(1 + 0x1.8p-10) == 0x3c02);    // tie to even
  CHECK(to_f16(2047.5) == 0x6800);           // carries into the exponent
}

TEST_CASE("cuda numbers: every f16 comes back as it was") {
  int wrong = 0;
  for (unsigned bits = 0; bits < 0x10000; ++bits) {
    const double value = from_f16(static_cast<std::uint16_t>(bits));
    if (!std::isnan(value) && to_f16(value) != bits) ++wrong;
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
  int wrong = 0;
  for (unsigned bits = 0; bits < 0x10000; ++bits) {
    const double value = from_bf16(static_cast<std::uint16_t>(bits));
    if (!std::isnan(value) && to_bf16(value) != bits) ++wrong;
  }
  CHECK(wrong == 0);
}

TEST_CASE("cuda numbers: names, sizes and bytes") {
  CHECK(dtype_of("bf16") == Dtype::bf16);
  CHECK_FALSE(dtype_of("f8"));
  std::string bytes;
  append(bytes, Dtype::i16, std::int64_t{-2});
  append(bytes, Dtype::f32, 1.5);
  append(bytes, Dtype::i8, 3.0);
  REQUIRE(bytes.size() == 7);
  CHECK(read_integer(bytes.data(), Dtype::i16) == -2);
  CHECK(read_number(bytes.data() + 2, Dtype::f32) == 1.5);
  CHECK(read_number(bytes.data() + 6, Dtype::i8) == 3);
  CHECK(range_of(Dtype::u16).second == 65535);
  CHECK(range_of(Dtype::i8).first == -128);
}
