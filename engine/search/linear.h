#pragma once

#include <array>

namespace reg::search {

constexpr int kMostColumns = 7;
using Columns = std::array<double, kMostColumns>;
using Gram = std::array<Columns, kMostColumns>;

/// Solves a x = b in place for the leading `size` rows of a symmetric positive definite `a`, of which the lower
/// triangle counts and which becomes its Cholesky factor. Returns the logarithm of its determinant.
double solve(Gram& a, Columns& b, int size);

/// cᵀ a⁻¹ c, with the factor that solve() left.
double quadratic(const Gram& factor, Columns c, int size);

}  // namespace reg::search
