#include "engine/nvtx/domain.h"

#include <memory>
#include <string_view>

namespace reg::nvtx {

const Presence& status() {
  static const Presence found = tool::attach();
  return found;
}

Domain::Domain(const std::string& name) {
  if (attached() && !name.empty()) handle_ = tool::create_domain(name.c_str());
}

Domain& Domain::named(const std::string& name) {
  static std::map<std::string, std::unique_ptr<Domain>> domains;
  auto& domain = domains[name];
  if (!domain) domain.reset(new Domain(name));
  return *domain;
}

std::uint32_t Domain::category(const std::string& name) {
  if (!attached() || name.empty()) return 0;
  const auto [found, made] = categories_.emplace(name, static_cast<std::uint32_t>(categories_.size() + 1));
  if (made) tool::name_category(handle_, found->second, name.c_str());
  return found->second;
}

void Domain::mark(const Event& event) {
  if (attached()) tool::mark(handle_, event);
}

std::uint64_t Domain::start(const Event& event) { return attached() ? tool::start(handle_, event) : 0; }

void Domain::end(std::uint64_t range) {
  if (attached()) tool::end(handle_, range);
}

void Domain::push(const Event& event) {
  if (attached()) tool::push(handle_, event);
}

void Domain::pop() {
  if (attached()) tool::pop(handle_);
}

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
