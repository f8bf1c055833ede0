#include "engine/search/linear.h"

#include <cmath>

namespace reg::search {
namespace {

void forward(const Gram& factor, Columns& b, int size) {
  for (int i = 0; i < size; ++i) {
    for (int k = 0; k < i; ++k) b[i] -= factor[i][k] * b[k];
    b[i] /= factor[i][i];
  }
}

}  // namespace

double solve(Gram& a, Columns& b, int size) {
  double log_determinant = 0;
  for (int j = 0; j < size; ++j) {
    for (int k = 0; k < j; ++k) a[j][j] -= a[j][k] * a[j][k];
    log_determinant += std::log(a[j][j]);
    a[j][j] = std::sqrt(a[j][j]);
    for (int i = j + 1; i < size; ++i) {
      for (int k = 0; k < j; ++k) a[i][j] -= a[i][k] * a[j][k];
      a[i][j] /= a[j][j];
    }
  }
  forward(a, b, size);
  for (int i = size - 1; i >= 0; --i) {
    for (int k = i + 1; k < size; ++k) b[i] -= a[k][i] * b[k];
    b[i] /= a[i][i];
  }
  return log_determinant;
}

double quadratic(const Gram& factor, Columns c, int size) {
  forward(factor, c, size);
  double sum = 0;
  for (int i = 0; i < size; ++i) sum += c[i] * c[i];
  return sum;
}

}  // namespace reg::search
