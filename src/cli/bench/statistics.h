// Figures drawn from repeated timings.
#pragma once

#include <span>
#include <vector>

namespace fastgemm::cli {

// Middle value; the mean of the two middle ones for an even count; 0 for none.
double median(std::vector<double> values);

// exp(mean(log)); 0 where there is none, or one is not positive.
double geometric_mean(std::span<const double> values);

}  // namespace fastgemm::cli
