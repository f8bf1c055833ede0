#pragma once

#include <functional>
#include <string>

namespace reg {

/// Tells the user something while work goes on: one line, without its end. Before show_notices was called, to stderr.
void notify(const std::string& line);

/// How notices are shown from now on.
void show_notices(std::function<void(const std::string&)> show);

}  // namespace reg
