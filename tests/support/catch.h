#pragma once

#include <string>

// Catch2 2.13 (Debian 12) and 3 name their headers and a matcher differently; the tests include this one.
#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
using Catch::Approx;
inline auto contains(const std::string& text) { return Catch::Matchers::ContainsSubstring(text); }
#else
#include <catch2/catch.hpp>
inline auto contains(const std::string& text) { return Catch::Contains(text); }
#endif
