// The cheapest way to move one distribution of mass onto another (the transportation problem), exactly.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

namespace nlgauge {

// Network simplex on a tree over rows, which send, and columns, which receive. Each row sends a trifle more, all of which
// goes to the last column, so that no two ways of leaving the tree tie and no pivot stands still; costs and flows are
// those of the true amounts. The memory serves one problem after another. The steps are those of
// kernels/python/transport.py, in the same order, so that both give the same bits.
class Transport {
public:
    // costs: rows x columns, row by row. Supply and demand add up to the same. Returns the cost of the cheapest flow.
    double solve(const double* costs, const std::vector<double>& supply, const std::vector<double>& demand);

    // What each row sends to each column in the last solution, row by row.
    void flows(const std::vector<double>& supply, const std::vector<double>& demand, double* out);

private:
    static constexpr double kTrifle = 1e-9;     // of what a row has on the average
    static constexpr double kTolerance = 1e-11;  // of the largest cost
    static constexpr std::size_t kBlock = 4;     // rows priced before the best entry found is taken

    void begin(const std::vector<double>& supply, const std::vector<double>& demand);
    void order_rows();
    void hang();
    bool price();
    void pivot();
    void move(std::int32_t node, std::int32_t below, std::int32_t last, double amount);
    void link(std::int32_t node, std::int32_t below);
    void unlink(std::int32_t node);
    bool is_row(std::int32_t node) const { return node < rows_; }
    double cost(std::int32_t a, std::int32_t b) const {
        return is_row(a) ? costs_[a * columns_ + (b - rows_)] : costs_[b * columns_ + (a - rows_)];
    }

    struct Edge {
        std::int32_t row, column;
        double amount;
    };

    const double* costs_ = nullptr;
    std::int32_t rows_ = 0, columns_ = 0;
    double largest_ = 0.0;
    std::vector<double> left_, wanted_, cheapest_, regret_;
    std::vector<std::int32_t> order_, open_;
    std::vector<Edge> edges_;
    std::vector<std::int32_t> first_edge_, next_edge_;
    // The tree, by node: rows first, then columns. `carried_` flows between a node and the one above it.
    std::vector<double> price_, carried_;
    std::vector<std::int32_t> above_, depth_, child_, next_, previous_, stack_;
    std::int32_t at_ = 0, entering_row_ = -1, entering_column_ = -1;
};

}  // namespace nlgauge
