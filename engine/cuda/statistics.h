#pragma once

#include <vector>

namespace reg::cuda {

/// What many times of one thing say. Quantiles by linear interpolation between the sorted values.
struct Summary {
  int n = 0;
  double min = 0, q1 = 0, median = 0, q3 = 0, max = 0;
  double mean = 0;
  double stdev_rel = 0;  ///< standard deviation (n - 1) by mean; 0 for one value
  double iqr_rel = 0;    ///< (q3 - q1) by median
};

Summary summarize(std::vector<double> values);

/// The value below which the part `p` of the sorted, non-empty `values` lies.
double quantile(const std::vector<double>& sorted, double p);

/// A straight line through (0, y[0]), (1, y[1]), ... by least squares.
struct Line {
  double slope = 0;
  double r2 = 1;  ///< how much of the variation it tells; 1 where there is none
};

Line fit_line(const std::vector<double>& y);

/// Mean and standard deviation of values that come one by one.
class Running {
 public:
  void add(double value);
  int count() const { return count_; }
  double mean() const { return mean_; }
  double stdev_rel() const;  ///< n - 1; 0 for fewer than two

 private:
  int count_ = 0;
  double mean_ = 0, squares_ = 0;
};

}  // namespace reg::cuda
