#include "engine/cuda/statistics.h"

#include <algorithm>
#include <cmath>

namespace reg::cuda {

double quantile(const std::vector<double>& sorted, double p) {
  const double place = p * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  if (below + 1 >= sorted.size()) return sorted.back();
  const double part = place - static_cast<double>(below);
  return sorted[below] + part * (sorted[below + 1] - sorted[below]);
}

Summary summarize(std::vector<double> values) {
  Summary s;
  if (values.empty()) return s;
  Running running;
  for (const double value : values) running.add(value);
  std::sort(values.begin(), values.end());
  s.n = running.count();
  s.min = values.front();
  s.q1 = quantile(values, 0.25);
  s.median = quantile(values, 0.5);
  s.q3 = quantile(values, 0.75);
  s.max = values.back();
  s.mean = running.mean();
  s.stdev_rel = running.stdev_rel();
  s.iqr_rel = s.median > 0 ? (s.q3 - s.q1) / s.median : 0;
  return s;
}

Line fit_line(const std::vector<double>& y) {
  Line line;
  const auto n = static_cast<double>(y.size());
  if (y.size() < 2) return line;
  double sum = 0;
  for (const double value : y) sum += value;
  const double mean_x = (n - 1) / 2, mean_y = sum / n;
  double xx = 0, xy = 0, yy = 0, x = -mean_x;
  for (const double value : y) {
    const double above = value - mean_y;
    xx += x * x;
    xy += x * above;
    yy += above * above;
    x += 1;
  }
  line.slope = xy / xx;
  if (yy > 0) line.r2 = xy * xy / (xx * yy);
  return line;
}

void Running::add(double value) {
  ++count_;
  const double step = value - mean_;
  mean_ += step / count_;
  squares_ += step * (value - mean_);
}

double Running::stdev_rel() const {
  if (count_ < 2 || mean_ <= 0) return 0;
  return std::sqrt(squares_ / (count_ - 1)) / mean_;
}

}  // namespace reg::cuda
