#include "tests/search/cells.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "tests/search/jax.h"
#include "tests/search/pass_fail.h"
#include "tests/search/traces.h"

namespace reg::score {
namespace {

Cell cell_of(std::string name, const Shape& shape, const Bounds& bounds = {}) {
  return {std::move(name), [shape](int, std::uint64_t seed) { return std::make_unique<Trace>(shape, seed); }, 0,
          bounds};
}

Cell cell_of(std::string name, const Rates& rates, const Bounds& bounds) {
  return {std::move(name), [rates](int, std::uint64_t seed) { return std::make_unique<PassFail>(rates, seed); }, 0,
          bounds};
}

Cell jax_cell(std::string name, const JaxNights::Told& told, const Bounds& bounds = {}) {
  return {std::move(name),
          [told](int number, std::uint64_t seed) { return std::make_unique<JaxNights>(number, seed, told); }, kJaxCrops,
          bounds};
}

Shape steps(int count, double sigma) {
  Shape shape;
  shape.steps = count;
  shape.sigma = sigma;
  return shape;
}

Shape dirty(Shape shape) {
  shape.broken = 0.1;
  shape.outliers = 0.05;
  shape.fixed = true;
  return shape;
}

Shape builds_differ(Shape shape, double tau) {
  shape.tau = tau;
  return shape;
}

Shape dip(double sigma) {
  Shape shape = steps(1, sigma);
  shape.dip = 51;
  shape.broken = 0.05;
  shape.outliers = 0.02;
  shape.crashes = 0.01;
  return shape;
}

}  // namespace

std::vector<Cell> goal_cells() {
  // Where the noise or the builds hide the place of a change, it is only asked that it sees that soon, and says nothing
  // false.
  const auto hidden = [](double runs) { return Bounds{runs, 0, 0.4, 1}; };
  std::vector<Cell> cells{
      cell_of("1 step .1% clean", steps(1, 0.001), {30}),
      cell_of("1 step .1% dirty", dirty(steps(1, 0.001)), {35}),
      cell_of("1 step 1% clean", steps(1, 0.01), {80}),
      cell_of("1 step 1% dirty", dirty(steps(1, 0.01)), {80}),
      cell_of("3 steps .1% dirty", dirty(steps(3, 0.001)), {70}),
      cell_of("3 steps 1% dirty", dirty(steps(3, 0.01)), {140}),
      cell_of("none .1% dirty", dirty(steps(0, 0.001)), {20}),
      cell_of("none 1% clean", steps(0, 0.01), {60}),
      cell_of("none 1% dirty", dirty(steps(0, 0.01)), {60}),
      cell_of("build .5% over .2%", builds_differ(steps(1, 0.002), 0.005), {75}),
      cell_of("dip .1%", dip(0.001), {120}),
      cell_of("dip 1%", dip(0.01), {180}),
      cell_of("step = noise", steps(1, 0.03), hidden(120)),
      cell_of("build = step/3", builds_differ(steps(1, 0.002), 0.01), hidden(120)),
      cell_of("flaky .1 -> .6", Rates{1000, 0.1, 0.6}, {195}),
      cell_of("flaky none .3", Rates{1000, 0.3, 0.3}, {195, 0.8, 0.2, 0.6}),
      cell_of("pass/fail", Rates{1000, 0, 1}, {20}),
  };
  cells.push_back(jax_cell("JAX nights", {0.01, 3}, {50}));
  return cells;
}

namespace {

struct Sizes {
  double size, sigma;
};

Cell of_shapes(const std::string& name, const std::vector<Shape>& shapes) {
  return {name,
          [shapes](int number, std::uint64_t seed) {
            return std::make_unique<Trace>(shapes[static_cast<std::size_t>(number) % shapes.size()], seed);
          },
          0,
          {}};
}

// One cell of many shapes, in turn: lengths, sizes and loads. Those of the harness that the project is measured by.
Cell untold(const std::string& name, int steps, bool dip, const std::vector<Sizes>& sizes, double load, double tau,
            bool tau_of_sigma) {
  std::vector<Shape> shapes;
  for (const int n : {61, 250, 570}) {
    for (const Sizes& of : sizes) {
      for (const double with : {0.0, load}) {
        Shape shape;
        shape.n = n, shape.steps = steps, shape.size = of.size, shape.sigma = of.sigma, shape.mixed = true;
        shape.dip = dip ? std::max(3, n / 6) : 0;
        shape.broken = 0.06, shape.outliers = 0.02, shape.crashes = 0.01;
        shape.tau = tau_of_sigma ? tau * of.sigma : tau;
        shape.load = with, shape.skew = of.sigma / 2, shape.untold = true;
        shapes.push_back(shape);
      }
    }
  }
  return of_shapes(name, shapes);
}

// A handful of releases, each with a level of its own making.
Cell few(int steps) {
  std::vector<Shape> shapes;
  for (const int n : {4, 7, 12}) {
    for (const auto& [sizes, sigma] :
         {std::pair{std::vector{.08, .15, .3}, .01}, std::pair{std::vector{.12, .15, 3.0}, .012},
          std::pair{std::vector{.2, .3}, .025}}) {
      for (const double load : {0.0, .05}) {
        Shape shape;
        shape.n = n, shape.steps = steps, shape.close = true, shape.sizes = sizes, shape.sigma = sigma;
        shape.mixed = true, shape.broken = .08, shape.outliers = .04, shape.crashes = .01, shape.tau = sigma * .3;
        shape.load = load, shape.skew = sigma / 2, shape.untold = true;
        shapes.push_back(shape);
      }
    }
  }
  return of_shapes(fmt::format("few, {} steps", steps), shapes);
}

// A machine that others load.
Cell rough(int steps) {
  std::vector<Shape> shapes;
  for (const int n : {30, 200}) {
    for (const Sizes& of : {Sizes{.25, .1}, Sizes{.5, .2}, Sizes{1.0, .3}}) {
      for (const double load : {0.0, .3}) {
        Shape shape;
        shape.n = n, shape.steps = steps, shape.size = of.size, shape.sigma = of.sigma, shape.broken = .05;
        shape.outliers = .03, shape.crashes = .01, shape.tau = .003, shape.load = load, shape.skew = of.sigma;
        shape.untold = true, shape.ends = steps > 0;
        shapes.push_back(shape);
      }
    }
  }
  return of_shapes(fmt::format("rough, {} steps", steps), shapes);
}

// Named ends far apart, and what is between them: steps of about the noise, or a slope.
Cell summed(const std::string& name, int steps, double size, double slope) {
  Shape shape;
  shape.n = 367, shape.steps = steps, shape.size = size, shape.slope = slope, shape.sigma = .12;
  shape.untold = true, shape.ends = true;
  return of_shapes("ends: " + name, {shape});
}

}  // namespace

std::vector<Cell> door_cells() {
  std::vector<Cell> cells;
  for (int steps = 0; steps < 4; ++steps) cells.push_back(few(steps));
  cells.push_back(rough(0));
  cells.push_back(rough(1));
  for (const double rate : {0.0, .02, .05, .1, .2}) {
    cells.push_back(cell_of(fmt::format("chance {}", rate), Rates{100, rate, 1, true}, {}));
    if (rate > 0) cells.push_back(cell_of(fmt::format("chance {}, told: --flaky", rate), Rates{100, rate, 1}, {}));
  }
  cells.push_back(cell_of("chance .3, no change", Rates{100, .3, .3, true}, {}));
  cells.push_back(cell_of("chance 0 to .6", Rates{100, 0, .6, true}, {}));
  cells.push_back(summed("1 step of 50 %", 1, .5, 0));
  cells.push_back(summed("2 steps of 23 %", 2, .23, 0));
  cells.push_back(summed("4 steps of 12 %", 4, .12, 0));
  cells.push_back(summed("8 steps of 6 %", 8, .06, 0));
  cells.push_back(summed("slope of 50 %", 0, 0, .5));
  cells.push_back(summed("slope of 30 %, 1 step of 25 %", 1, .25, .3));
  return cells;
}

std::vector<Cell> untold_cells() {
  const std::vector<Sizes> plain{{.1, .01}, {.5, .04}, {4.0, .04}, {.3, .02}};
  const std::vector<Sizes> small{{.1, .03}, {.06, .02}, {.03, .01}};
  std::vector<Cell> cells;
  const auto ordinary = [&](const char* name, int steps, bool dip) {
    cells.push_back(untold(fmt::format("ordinary {}", name), steps, dip, plain, .08, .003, false));
  };
  const auto modest = [&](const char* name, int steps, bool dip) {
    cells.push_back(untold(fmt::format("modest {}", name), steps, dip, small, .03, .1, true));
  };
  ordinary("none", 0, false);
  ordinary("1 step", 1, false);
  ordinary("2 steps", 2, false);
  ordinary("dip", 0, true);
  ordinary("step + dip", 1, true);
  ordinary("4 steps", 4, false);
  modest("none", 0, false);
  modest("1 step", 1, false);
  modest("2 steps", 2, false);
  modest("dip", 0, true);
  cells.push_back(jax_cell("JAX nights", {}));
  cells.push_back(jax_cell("JAX nights, min_width 3", {0, 3}));
  return cells;
}

std::uint64_t seed_of(const std::string& seed, const Cell& cell, int number) {
  std::uint64_t hash = 0xcbf29ce484222325ULL;  // FNV-1a
  for (const char c : fmt::format("{}/{}/{}", seed, cell.name, number))
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  return hash;
}

}  // namespace reg::score
