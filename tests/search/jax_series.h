#pragma once

#include <array>

namespace reg::score {

/// Million lattice updates a second (MLUPS) of a fluid solver in 61 nightly JAX containers, as told in the GitHub
/// discussion on nightly containers, jax issue 17686. 0 = that night's program crashed.
// clang-format off
constexpr std::array<double, 61> kJaxNights = {
    587.9241, 587.8908, 587.3186, 587.3130, 587.8527, 570.1631, 570.2820, 570.1672,  // from 07-06
    587.4372, 587.6703, 577.3064, 577.2363, 577.2102, 577.0716, 577.4223, 577.2256,  // from 07-20
    577.2777, 577.0138, 577.1333, 577.3050, 577.2144, 577.2409, 577.2603, 577.2824,  // from 08-01
    577.3453, 577.3161, 577.1698, 577.3050, 576.9052, 577.5332, 577.5118, 577.5931,  // from 08-09
    577.3540, 577.4190, 577.3004, 577.4264, 577.4088, 577.1095, 0, 537.0165,  // from 08-19
    536.9545, 536.2888, 536.7178, 536.6979, 536.7031, 536.5340, 536.6508, 536.7144,  // from 08-27
    536.7377, 536.7798, 536.7262, 536.7446, 536.6707, 536.6778, 536.7582, 536.6156,  // from 09-08
    536.7321, 536.7105, 536.7492, 536.6760, 536.7361,  // from 09-16
};
// clang-format on

}  // namespace reg::score
