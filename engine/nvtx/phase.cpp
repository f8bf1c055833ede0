#include "engine/nvtx/phase.h"

#include <string_view>

#include "engine/nvtx/domain.h"

namespace reg::nvtx {
namespace {

constexpr std::size_t kLongest = 200;

std::uint32_t colour_of(std::string_view category) {
  if (category == "checkout") return 0xff9467bd;
  if (category == "pull") return 0xff17becf;
  if (category == "container") return 0xff8c564b;
  return 0xff7f7f7f;  // process
}

Domain& domain() {
  static Domain& engine = Domain::named(kEngineDomain);
  return engine;
}

}  // namespace

Phase::Phase(const char* category, std::string text) {
  if (!attached()) return;
  if (text.size() > kLongest) text = text.substr(0, kLongest) + "...";
  range_ = domain().start({.text = text.c_str(), .category = domain().category(category), .argb = colour_of(category)});
}

Phase::~Phase() {
  if (range_) domain().end(*range_);
}

}  // namespace reg::nvtx
