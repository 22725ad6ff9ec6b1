// The reference length of BLEU and ΔBLEU, where a segment has several references.
#pragma once

#include <pybind11/pybind11.h>

#include <cstddef>
#include <cstdlib>
#include <string>

#include "tokens.hpp"

namespace nlgauge {

enum class ReferenceLength { closest, shortest, average };

inline ReferenceLength reference_length_rule(const std::string& name) {
    if (name == "closest") return ReferenceLength::closest;
    if (name == "shortest") return ReferenceLength::shortest;
    if (name == "average") return ReferenceLength::average;
    throw pybind11::value_error("reference_length must be closest, shortest or average");
}

inline double reference_length(const TokenBatch& tokens, std::size_t segment, ReferenceLength rule) {
    const std::size_t count = tokens.references(segment);
    const auto hypothesis = static_cast<std::ptrdiff_t>(tokens.hypothesis(segment).size);
    std::ptrdiff_t best = 0, sum = 0;
    for (std::size_t j = 0; j < count; ++j) {
        const auto length = static_cast<std::ptrdiff_t>(tokens.reference(segment, j).size);
        sum += length;
        const std::ptrdiff_t distance = std::abs(length - hypothesis), nearest = std::abs(best - hypothesis);
        const bool better = rule == ReferenceLength::closest
                                ? distance < nearest || (distance == nearest && length < best)
                                : length < best;
        if (j == 0 || better) best = length;
    }
    if (rule != ReferenceLength::average) return static_cast<double>(best);
    return count ? static_cast<double>(sum) / static_cast<double>(count) : 0;
}

}  // namespace nlgauge
