#include <cmath>

#include "engine/search/chain.h"
#include "tests/engine/test_search_play.h"

using namespace reg::search;

namespace {

// A small problem, drawn from a seed. Every path of levels can be enumerated.
struct Problem {
  Lattice lattice;
  Jumps jumps;
  std::vector<Row> emission;
  std::vector<Stay> stay;
};

double draw(std::uint64_t seed, std::uint64_t a, std::uint64_t b = 0) { return uniform_of(seed, a, b); }

Row row_of(std::size_t levels, std::uint64_t seed, std::uint64_t what) {
  Row row;
  for (std::size_t g = 0; g < levels; ++g) row.push_back(0.02 + draw(seed, what, g));
  return row;
}

Stay stay_of(std::uint64_t seed, std::uint64_t what) {
  return {0.2 + 0.7 * draw(seed, what, 1), 0.2 + 0.7 * draw(seed, what, 2)};
}

Problem problem(std::uint64_t seed) {
  Problem p;
  const std::size_t units = 2 + static_cast<std::size_t>(4 * draw(seed, 1));
  const std::size_t levels = 3 + static_cast<std::size_t>(4 * draw(seed, 2));
  int cell = -2;
  for (std::size_t g = 0; g < levels; ++g) {
    p.lattice.cells.push_back(cell);
    cell += 1 + static_cast<int>(3 * draw(seed, 3, g));  // with cells left out between them
  }
  p.jumps.reach = 1 + static_cast<int>(2 * draw(seed, 4));
  for (int k = 0; k < 1 + static_cast<int>(3 * draw(seed, 5)); ++k)
    p.jumps.rings.push_back({p.jumps.reach + 2 + 5 * k, 0.01 + 0.1 * draw(seed, 6, k)});
  p.jumps.notable = static_cast<int>(5 * draw(seed, 7));  // also within what is too near, and beyond the first ring
  p.jumps.large = p.jumps.notable + static_cast<int>(6 * draw(seed, 8));
  for (std::size_t j = 0; j < units; ++j) p.emission.push_back(row_of(levels, seed, 100 + j));
  for (std::size_t j = 0; j + 1 < units; ++j) p.stay.push_back(stay_of(seed, 200 + j));
  return p;
}

// What the header describes, path by path.
struct Enumeration {
  explicit Enumeration(const Problem& problem) : p(problem) {
    change = Shifts(p.stay.size());
    level.assign(p.emission.size(), Row(p.lattice.size(), 0));
    walk({}, 1, std::vector<bool>{});
    for (Row* row : {&change.any, &change.notable, &change.large})
      for (double& c : *row) c /= evidence;
    for (Row& row : level)
      for (double& v : row) v /= evidence;
  }

  int distance_of(std::size_t from, std::size_t to) const {
    return std::abs(p.lattice.cells[from] - p.lattice.cells[to]);
  }

  double jump(std::size_t from, std::size_t to) const {
    const int distance = distance_of(from, to);
    if (distance < p.jumps.reach) return 0;
    double density = 0;
    for (const Jumps::Ring& ring : p.jumps.rings)
      if (distance < ring.cells) density += ring.density;
    return density;
  }

  void walk(const std::vector<std::size_t>& path, double weight, const std::vector<bool>& changed) {
    const std::size_t j = path.size();
    if (j == p.emission.size()) {
      evidence += weight;
      for (std::size_t k = 0; k < changed.size(); ++k) {
        if (!changed[k]) continue;
        const int distance = distance_of(path[k], path[k + 1]);
        change.any[k] += weight;
        change.notable[k] += distance >= p.jumps.notable ? weight : 0;
        change.large[k] += distance >= p.jumps.large ? weight : 0;
      }
      for (std::size_t k = 0; k < j; ++k) level[k][path[k]] += weight;
      return;
    }
    const bool ever = std::find(changed.begin(), changed.end(), true) != changed.end();
    for (std::size_t g = 0; g < p.lattice.size(); ++g) {
      std::vector<std::size_t> longer = path;
      longer.push_back(g);
      if (j == 0) {
        walk(longer, p.emission[0][g], changed);
        continue;
      }
      const double stay = ever ? p.stay[j - 1].next : p.stay[j - 1].first;
      std::vector<bool> more = changed;
      more.push_back(g != path.back());
      walk(longer, weight * p.emission[j][g] * (g == path.back() ? stay : (1 - stay) * jump(path.back(), g)), more);
    }
  }

  const Problem& p;
  double evidence = 0;
  Shifts change;
  std::vector<Row> level;  // of each unit, for all numbers together
};

Chain chain_of(const Problem& p) {
  Chain chain(p.lattice, p.jumps);
  chain.run(p.emission, p.stay);
  return chain;
}

void check_same(const std::vector<double>& a, const std::vector<double>& b) {
  REQUIRE(a.size() == b.size());
  for (std::size_t k = 0; k < a.size(); ++k) CHECK(a[k] == Approx(b[k]).margin(1e-10));
}

void check_same(const Shifts& a, const Shifts& b) {
  check_same(a.any, b.any);
  check_same(a.notable, b.notable);
  check_same(a.large, b.large);
}

}  // namespace

TEST_CASE("search chain: changes, large ones and evidence are those of all paths together") {
  bool matters = false;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    INFO("seed " << seed);
    const Problem p = problem(seed);
    const Chain chain = chain_of(p);
    const Enumeration all(p);
    check_same(chain.change(), all.change);
    // A level is as likely as any other at first.
    CHECK(chain.log_evidence() == Approx(std::log(all.evidence / static_cast<double>(p.lattice.size()))).margin(1e-10));
    check_same(chain.jump_of(p.lattice, p.jumps, p.jumps.large), all.change.large);
    matters = matters || all.change.large[0] < 0.9 * all.change.any[0];
  }
  CHECK(matters);
}

TEST_CASE("search chain: a replaced row, and one more unit, are a run with these") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Problem p = problem(seed);
    for (std::size_t j = 0; j < p.emission.size(); ++j) {
      INFO("seed " << seed << " unit " << j);
      Problem other = p;
      other.emission[j] = row_of(p.lattice.size(), seed, 300 + j);
      Chain chain = chain_of(p);
      chain.replace(j, other.emission[j]);
      check_same(chain.change(), chain_of(other).change());
      if (j == 0) continue;
      const auto at = static_cast<long>(j);
      other = p;
      other.emission.insert(other.emission.begin() + at, row_of(p.lattice.size(), seed, 600 + j));
      other.stay[j - 1] = stay_of(seed, 400 + j);
      other.stay.insert(other.stay.begin() + at, stay_of(seed, 500 + j));
      chain = chain_of(p);
      chain.insert(j, other.stay[j - 1], other.stay[j], other.emission[j]);
      check_same(chain.change(), chain_of(other).change());
      check_same(chain.level(j), Enumeration(other).level[j]);
    }
  }
}

TEST_CASE("search chain: hundreds of units under- and overflow nothing") {
  const std::size_t m = 600;
  Problem p = problem(5);
  p.emission.clear();
  p.stay.assign(m - 1, {0.99, 0.99});
  for (std::size_t j = 0; j < m; ++j) {
    Row row(p.lattice.size(), 1e-12);
    row[j < 400 ? 0 : 2] = 1;
    p.emission.push_back(row);
  }
  const std::vector<double> change = chain_of(p).change().any;
  for (std::size_t k = 0; k < change.size(); ++k) {
    INFO("gap " << k);
    CHECK((k == 399 ? change[k] > 0.999 : change[k] < 0.001));
  }
}
