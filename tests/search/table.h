#pragma once

#include <string>

#include "tests/search/score.h"

namespace reg::score {

void print_head();
void print_row(const std::string& name, const Score& score);

}  // namespace reg::score
