#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "tests/search/history.h"

namespace reg::score {
namespace {

Cell cell_of(std::string name, const Shape& shape, const Bounds& bounds) {
  return {std::move(name), [shape](int, std::uint64_t seed) { return trace(shape, seed); }, 0, bounds};
}

Cell cell_of(std::string name, const Rates& rates, const Bounds& bounds) {
  return {std::move(name), [rates](int, std::uint64_t seed) { return pass_fail(rates, seed); }, 0, bounds};
}

Cell jax_cell(std::string name, double min_effect, int min_width, const Bounds& bounds) {
  return {std::move(name),
          [=](int number, std::uint64_t seed) { return jax_nights(number, seed, min_effect, min_width); }, kJaxCrops,
          bounds};
}

Shape steps(int count, double sigma) { return {.steps = count, .sigma = sigma}; }

Shape dirty(int count, double sigma) {
  return {.steps = count, .sigma = sigma, .broken = 0.1, .outliers = 0.05, .fixed = true};
}

Shape builds_differ(double tau) { return {.sigma = 0.002, .tau = tau}; }

Shape dip(double sigma) { return {.sigma = sigma, .broken = 0.05, .outliers = 0.02, .crashes = 0.01, .dip = 51}; }

}  // namespace

std::vector<Cell> goal_cells() {
  // Where the noise or the builds hide the place of a change, it is only asked that it sees that soon, and says nothing
  // false.
  const auto hidden = [](double runs) { return Bounds{runs, 0, 0.4, 1}; };
  return {
      cell_of("1 step .1% clean", steps(1, 0.001), {30}),
      cell_of("1 step .1% dirty", dirty(1, 0.001), {35}),
      cell_of("1 step 1% clean", steps(1, 0.01), {80}),
      cell_of("1 step 1% dirty", dirty(1, 0.01), {80}),
      cell_of("3 steps .1% dirty", dirty(3, 0.001), {70}),
      cell_of("3 steps 1% dirty", dirty(3, 0.01), {140}),
      cell_of("none .1% dirty", dirty(0, 0.001), {20}),
      cell_of("none 1% clean", steps(0, 0.01), {60}),
      cell_of("none 1% dirty", dirty(0, 0.01), {60}),
      cell_of("build .5% over .2%", builds_differ(0.005), {75}),
      cell_of("dip .1%", dip(0.001), {120}),
      cell_of("dip 1%", dip(0.01), {180}),
      cell_of("step = noise", steps(1, 0.03), hidden(120)),
      cell_of("build = step/3", builds_differ(0.01), hidden(120)),
      cell_of("flaky .1 -> .6", Rates{1000, 0.1, 0.6}, {195}),
      cell_of("flaky none .3", Rates{1000, 0.3, 0.3}, {195, 0.8, 0.2, 0.6}),
      cell_of("pass/fail", Rates{1000, 0, 1}, {20}),
      jax_cell("JAX nights", 0.01, 3, {50}),
  };
}

namespace {

struct Sizes {
  double size, sigma;
  std::vector<double> sizes{};  // of each step, one of these
};

Cell of_shapes(const std::string& name, const std::vector<Shape>& shapes) {
  return {
      name, [shapes](int number, std::uint64_t seed) { return trace(shapes[number % shapes.size()], seed); }, 0, {}};
}

// The same of each length with each of the sizes, without load and with it. `rest(length, sigma)` is the rest of a
// shape.
template <class Rest>
Cell of_each(const std::string& name, const std::vector<int>& lengths, const std::vector<Sizes>& sizes, double load,
             Rest rest) {
  std::vector<Shape> shapes;
  for (const int n : lengths)
    for (const Sizes& of : sizes)
      for (const double with : {0.0, load}) {
        Shape shape = rest(n, of.sigma);
        shape.n = n;
        shape.size = of.size;
        shape.sizes = of.sizes;
        shape.sigma = of.sigma;
        shape.load = with;
        shape.untold = true;
        shapes.push_back(shape);
      }
  return of_shapes(name, shapes);
}

// Those of the harness that the project is measured by.
Cell untold(const std::string& name, int steps, bool dip, const std::vector<Sizes>& sizes, double load, double tau,
            bool tau_of_sigma) {
  return of_each(name, {61, 250, 570}, sizes, load, [=](int n, double sigma) -> Shape {
    return {.steps = steps,
            .tau = tau_of_sigma ? tau * sigma : tau,
            .broken = 0.06,
            .outliers = 0.02,
            .crashes = 0.01,
            .mixed = true,
            .dip = dip ? std::max(3, n / 6) : 0,
            .skew = sigma / 2};
  });
}

// A handful of releases, each with a level of its own making.
Cell few(int steps) {
  const std::vector<Sizes> sizes{{0, .01, {.08, .15, .3}}, {0, .012, {.12, .15, 3.0}}, {0, .025, {.2, .3}}};
  return of_each(fmt::format("few, {} steps", steps), {4, 7, 12}, sizes, .05, [=](int, double sigma) -> Shape {
    return {.steps = steps,
            .close = true,
            .tau = sigma * .3,
            .broken = .08,
            .outliers = .04,
            .crashes = .01,
            .mixed = true,
            .skew = sigma / 2};
  });
}

// A machine that others load.
Cell rough(int steps) {
  const std::vector<Sizes> sizes{{.25, .1}, {.5, .2}, {1.0, .3}};
  return of_each(fmt::format("rough, {} steps", steps), {30, 200}, sizes, .3, [=](int, double sigma) -> Shape {
    return {
        .steps = steps, .tau = .003, .broken = .05, .outliers = .03, .crashes = .01, .skew = sigma, .ends = steps > 0};
  });
}

// A handful of commits between two named ends, on a machine that others load: steps of 0.8 to 2.5 times the noise.
Cell handful(int steps) {
  const std::vector<Sizes> sizes{{.25, .1}, {.2, .2}, {.25, .3}, {.6, .3}};
  return of_each(fmt::format("handful, {} steps", steps), {5, 9, 15}, sizes, .3, [=](int, double sigma) -> Shape {
    return {.steps = steps, .close = steps > 1, .tau = .003, .outliers = .03, .skew = sigma / 2, .ends = true};
  });
}

// A step that is half as large as the noise: hardly to be found, but nothing false may be said.
Cell loud() {
  std::vector<Shape> shapes;
  for (const double load : {0.0, .3})
    for (const double size : {.15, .3})
      shapes.push_back({.n = 40,
                        .steps = 1,
                        .size = size,
                        .sigma = .3,
                        .tau = .003,
                        .outliers = .03,
                        .load = load,
                        .skew = .3,
                        .untold = true,
                        .ends = true});
  return of_shapes("loud, 1 step", shapes);
}

// Named ends far apart, and what is between them: steps of about the noise, or a slope.
Cell summed(const std::string& name, int steps, double size, double slope) {
  return of_shapes(
      "ends: " + name,
      {{.n = 367, .steps = steps, .size = size, .slope = slope, .sigma = .12, .untold = true, .ends = true}});
}

}  // namespace

std::vector<Cell> door_cells() {
  std::vector<Cell> cells;
  for (int steps = 0; steps < 4; ++steps) cells.push_back(few(steps));
  cells.push_back(rough(0));
  cells.push_back(rough(1));
  cells.push_back(loud());
  for (const int steps : {0, 1, 2}) cells.push_back(handful(steps));
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
  struct Row {
    const char* name;
    int steps;
    bool dip, modest;
  };
  std::vector<Cell> cells;
  for (const auto& [name, steps, dip, modest] :
       {Row{"none", 0, false, true}, Row{"1 step", 1, false, true}, Row{"2 steps", 2, false, true},
        Row{"dip", 0, true, true}, Row{"step + dip", 1, true, false}, Row{"4 steps", 4, false, false}}) {
    cells.push_back(untold(fmt::format("ordinary {}", name), steps, dip, plain, .08, .003, false));
    if (modest) cells.push_back(untold(fmt::format("modest {}", name), steps, dip, small, .03, .1, true));
  }
  cells.push_back(jax_cell("JAX nights", 0, 0, {}));
  cells.push_back(jax_cell("JAX nights, min_width 3", 0, 3, {}));
  return cells;
}

}  // namespace reg::score
