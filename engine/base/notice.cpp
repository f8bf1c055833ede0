#include "engine/base/notice.h"

#include <cstdio>
#include <utility>

namespace reg {
namespace {

std::function<void(const std::string&)>& shown_by() {
  static std::function<void(const std::string&)> show = [](const std::string& line) {
    std::fprintf(stderr, "%s\n", line.c_str());
  };
  return show;
}

}  // namespace

void notify(const std::string& line) { shown_by()(line); }

void show_notices(std::function<void(const std::string&)> show) { shown_by() = std::move(show); }

}  // namespace reg
