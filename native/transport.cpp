// Moving words: the exact transportation problem, and Word Mover's Distance with its bounds over a batch of texts
// (Kusner et al. 2015). The Python twin is kernels/python/transport.py.
#include "transport.hpp"

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

#include "text_view.hpp"

namespace py = pybind11;

namespace nlgauge {

double Transport::solve(const double* costs, const std::vector<double>& supply, const std::vector<double>& demand) {
    costs_ = costs;
    rows_ = static_cast<std::int32_t>(supply.size());
    columns_ = static_cast<std::int32_t>(demand.size());
    price_.assign(supply.size() + demand.size(), 0.0);
    if (rows_ == 0 || columns_ == 0) return 0.0;
    begin(supply, demand);
    hang();
    at_ = 0;
    std::size_t left = 1000 * (supply.size() + demand.size());
    while (price()) {
        if (left-- == 0) throw std::runtime_error("a transportation problem did not come to an end");
        pivot();
    }
    double total = 0.0;
    for (std::int32_t i = 0; i < rows_; ++i) total += supply[i] * price_[i];
    for (std::int32_t j = 0; j < columns_; ++j) total += demand[j] * price_[rows_ + j];
    return total;
}

// A first flow: each row to its cheapest columns that still want something; rows with most to lose by waiting go first.
void Transport::begin(const std::vector<double>& supply, const std::vector<double>& demand) {
    double whole = 0.0;
    for (const double amount : supply) whole += amount;
    const double trifle = kTrifle * whole / rows_;
    left_ = supply;
    for (double& amount : left_) amount += trifle;
    wanted_ = demand;
    wanted_.back() += rows_ * trifle;
    order_rows();
    open_.resize(columns_);
    for (std::int32_t j = 0; j < columns_; ++j) open_[j] = j;
    std::size_t open = open_.size();
    edges_.clear();
    for (const std::int32_t i : order_) {
        const double* const cost = costs_ + i * columns_;
        for (;;) {
            std::size_t best = 0;
            double least = cost[open_[0]] - cheapest_[open_[0]];
            for (std::size_t k = 1; k < open; ++k) {
                const double more = cost[open_[k]] - cheapest_[open_[k]];
                if (more < least) {
                    least = more;
                    best = k;
                }
            }
            const std::int32_t j = open_[best];
            if (open == 1 || wanted_[j] >= left_[i]) {
                edges_.push_back({i, j, left_[i]});
                wanted_[j] -= left_[i];
                break;
            }
            edges_.push_back({i, j, wanted_[j]});
            left_[i] -= wanted_[j];
            open_[best] = open_[--open];
        }
    }
}

// What the cheapest entry of each column costs, and the rows by how much dearer their second choice is.
void Transport::order_rows() {
    cheapest_.assign(costs_, costs_ + columns_);
    largest_ = 0.0;
    for (std::int32_t i = 0; i < rows_; ++i)
        for (std::int32_t j = 0; j < columns_; ++j) {
            const double cost = costs_[i * columns_ + j];
            cheapest_[j] = std::min(cheapest_[j], cost);
            largest_ = std::max(largest_, cost);
        }
    regret_.resize(rows_);
    order_.resize(rows_);
    for (std::int32_t i = 0; i < rows_; ++i) {
        double first = std::numeric_limits<double>::infinity(), second = first;
        for (std::int32_t j = 0; j < columns_; ++j) {
            const double more = costs_[i * columns_ + j] - cheapest_[j];
            second = std::min(second, std::max(first, more));
            first = std::min(first, more);
        }
        regret_[i] = columns_ > 1 ? second - first : 0.0;
        order_[i] = i;
    }
    std::stable_sort(order_.begin(), order_.end(),
                     [this](std::int32_t a, std::int32_t b) { return regret_[a] > regret_[b]; });
}

// Hangs the tree of the first flow on row 0 and sets the prices: those of an edge's ends add up to its cost.
void Transport::hang() {
    const std::size_t nodes = price_.size();
    first_edge_.assign(nodes, -1);
    next_edge_.resize(2 * edges_.size());
    for (std::size_t e = 0; e < edges_.size(); ++e) {
        const std::int32_t row = edges_[e].row, column = rows_ + edges_[e].column;
        next_edge_[2 * e] = first_edge_[row];
        first_edge_[row] = static_cast<std::int32_t>(2 * e);
        next_edge_[2 * e + 1] = first_edge_[column];
        first_edge_[column] = static_cast<std::int32_t>(2 * e + 1);
    }
    carried_.assign(nodes, 0.0);
    above_.assign(nodes, -1);
    depth_.assign(nodes, 0);
    child_.assign(nodes, -1);
    next_.assign(nodes, -1);
    previous_.assign(nodes, -1);
    stack_.assign(1, 0);
    while (!stack_.empty()) {
        const std::int32_t node = stack_.back();
        stack_.pop_back();
        for (std::int32_t half = first_edge_[node]; half >= 0; half = next_edge_[half]) {
            const Edge& edge = edges_[half / 2];
            const std::int32_t other = is_row(node) ? rows_ + edge.column : edge.row;
            if (other == above_[node]) continue;
            link(other, node);
            depth_[other] = depth_[node] + 1;
            carried_[other] = edge.amount;
            price_[other] = cost(node, other) - price_[node];
            stack_.push_back(other);
        }
    }
}

// Looks for an entry that costs less than its prices; false where there is none, and the flow is the cheapest.
bool Transport::price() {
    const double* const columns = price_.data() + rows_;
    double least = -kTolerance * largest_;
    entering_row_ = -1;
    std::size_t block = 0;
    for (std::int32_t done = 0; done < rows_; ++done) {
        const std::int32_t row = at_;
        const double* const cost = costs_ + row * columns_;
        double lows[4] = {cost[0] - columns[0], cost[0] - columns[0], cost[0] - columns[0], cost[0] - columns[0]};
        std::int32_t j = 0;
        for (; j + 4 <= columns_; j += 4)
            for (int k = 0; k < 4; ++k) lows[k] = std::min(lows[k], cost[j + k] - columns[j + k]);
        for (; j < columns_; ++j) lows[0] = std::min(lows[0], cost[j] - columns[j]);
        const double low = std::min(std::min(lows[0], lows[1]), std::min(lows[2], lows[3]));
        if (low - price_[row] < least) {
            least = low - price_[row];
            entering_row_ = row;
            for (entering_column_ = 0; cost[entering_column_] - columns[entering_column_] != low;) ++entering_column_;
        }
        at_ = row + 1 == rows_ ? 0 : row + 1;
        if (++block >= kBlock) {
            if (entering_row_ >= 0) return true;
            block = 0;
        }
    }
    return entering_row_ >= 0;
}

// Sends along the new edge, and back around the cycle it closes, as much as one of the edges there lets go of; that edge
// leaves the tree. Going up from the new edge's row, rows send less and columns get more; from its column the reverse.
void Transport::pivot() {
    const std::int32_t row = entering_row_, column = rows_ + entering_column_;
    double amount = std::numeric_limits<double>::infinity();
    std::int32_t leaving = -1, a = row, b = column;
    bool below_row = false;
    while (a != b) {
        if (depth_[a] >= depth_[b]) {
            if (is_row(a) && carried_[a] < amount) {
                amount = carried_[a];
                leaving = a;
                below_row = true;
            }
            a = above_[a];
        } else {
            if (!is_row(b) && carried_[b] < amount) {
                amount = carried_[b];
                leaving = b;
                below_row = false;
            }
            b = above_[b];
        }
    }
    const std::int32_t top = a;
    for (a = row; a != top; a = above_[a]) carried_[a] += is_row(a) ? -amount : amount;
    for (b = column; b != top; b = above_[b]) carried_[b] += is_row(b) ? amount : -amount;
    const std::int32_t node = below_row ? row : column, below = below_row ? column : row;
    const double shift = cost(node, below) - price_[below] - price_[node];
    move(node, below, leaving, amount);
    stack_.assign(1, node);
    while (!stack_.empty()) {
        const std::int32_t next = stack_.back();
        stack_.pop_back();
        price_[next] += is_row(next) == is_row(node) ? shift : -shift;
        depth_[next] = depth_[above_[next]] + 1;
        for (std::int32_t child = child_[next]; child >= 0; child = next_[child]) stack_.push_back(child);
    }
}

// Hangs `node` below another, and what was above it, up to `last`, upside down below it.
void Transport::move(std::int32_t node, std::int32_t below, std::int32_t last, double amount) {
    for (;;) {
        const std::int32_t above = above_[node];
        const double carried = carried_[node];
        unlink(node);
        link(node, below);
        carried_[node] = amount;
        if (node == last) return;
        below = node;
        node = above;
        amount = carried;
    }
}

void Transport::link(std::int32_t node, std::int32_t below) {
    above_[node] = below;
    next_[node] = child_[below];
    previous_[node] = -1;
    if (child_[below] >= 0) previous_[child_[below]] = node;
    child_[below] = node;
}

void Transport::unlink(std::int32_t node) {
    if (previous_[node] >= 0)
        next_[previous_[node]] = next_[node];
    else
        child_[above_[node]] = next_[node];
    if (next_[node] >= 0) previous_[next_[node]] = previous_[node];
}

// The tree tells where mass flows; how much, follows from the leaves up.
void Transport::flows(const std::vector<double>& supply, const std::vector<double>& demand, double* out) {
    std::fill(out, out + supply.size() * demand.size(), 0.0);
    if (rows_ == 0 || columns_ == 0) return;
    std::vector<double> balance(supply);
    for (const double amount : demand) balance.push_back(-amount);
    std::vector<std::int32_t> down(1, 0);
    for (std::size_t k = 0; k < down.size(); ++k)
        for (std::int32_t child = child_[down[k]]; child >= 0; child = next_[child]) down.push_back(child);
    for (std::size_t k = down.size(); k-- > 1;) {
        const std::int32_t node = down[k], above = above_[node];
        balance[above] += balance[node];
        const std::int32_t row = is_row(node) ? node : above, column = (is_row(node) ? above : node) - rows_;
        out[row * columns_ + column] = std::max(0.0, is_row(node) ? balance[node] : -balance[node]);
    }
}

namespace {

template <class T>
using Numbers = py::array_t<T, py::array::c_style | py::array::forcecast>;

constexpr std::size_t kLanes = 8;  // sums kept apart, so that they need not wait for each other

// The squared length of a - b; `dim` is a multiple of kLanes.
inline double squared(const double* a, const double* b, std::size_t dim) {
    double sums[kLanes] = {};
    for (std::size_t d = 0; d < dim; d += kLanes)
        for (std::size_t k = 0; k < kLanes; ++k) {
            const double apart = a[d + k] - b[d + k];
            sums[k] += apart * apart;
        }
    return ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
}

// Wider registers where the processor has them: the same sums in the same order, hence the same bits.
#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__)
#define NLGAUGE_WIDER __attribute__((target_clones("avx2", "default")))
#else
#define NLGAUGE_WIDER
#endif

// The distance of each word of one list from each of the other, row by row.
NLGAUGE_WIDER void distances(const double* vectors, std::size_t dim, const std::vector<std::int32_t>& from,
                             const std::vector<std::int32_t>& to, double* out) {
    for (const std::int32_t a : from) {
        const double* const row = vectors + static_cast<std::size_t>(a) * dim;
        for (const std::int32_t b : to) *out++ = std::sqrt(squared(row, vectors + static_cast<std::size_t>(b) * dim, dim));
    }
}

// The distinct words of a text in order of first appearance, and how much of each there is.
struct Bag {
    std::vector<std::int32_t> words;
    std::vector<double> masses;
    double whole = 0.0;
};

enum class Bound { exact, relaxed, centroid };

class Mover {
public:
    Mover(const double* vectors, std::size_t count, std::size_t dim)
        : vectors_(vectors), dim_(dim), place_(count, 0), stamp_(count, 0) {}

    void gather(const std::int32_t* words, const double* masses, std::size_t size, Bag& bag) {
        bag.words.clear();
        bag.masses.clear();
        bag.whole = 0.0;
        ++now_;
        for (std::size_t k = 0; k < size; ++k) {
            if (words[k] < 0) continue;
            const auto word = static_cast<std::size_t>(words[k]);
            const double mass = masses ? masses[k] : 1.0;
            if (stamp_[word] != now_) {
                stamp_[word] = now_;
                place_[word] = static_cast<std::uint32_t>(bag.words.size());
                bag.words.push_back(words[k]);
                bag.masses.push_back(0.0);
            }
            bag.masses[place_[word]] += mass;
            bag.whole += mass;
        }
    }

    double distance(const Bag& left, const Bag& right, Bound bound) {
        if (left.words.empty() || right.words.empty()) return std::numeric_limits<double>::quiet_NaN();
        if (bound == Bound::centroid) return centroid(left, right);
        return bound == Bound::relaxed ? relaxed(left, right) : exact(left, right);
    }

private:
    const double* row(std::int32_t word) const { return vectors_ + static_cast<std::size_t>(word) * dim_; }

    // Mass of a word that both texts have stays where it is: by the triangle inequality moving it gains nothing. Amounts
    // are scaled by the other text's whole, so that those of word counts are whole numbers.
    double exact(const Bag& left, const Bag& right) {
        supply_.clear();
        demand_.clear();
        from_.clear();
        to_.clear();
        ++now_;
        for (std::size_t j = 0; j < right.words.size(); ++j) {
            const auto word = static_cast<std::size_t>(right.words[j]);
            stamp_[word] = now_;
            place_[word] = static_cast<std::uint32_t>(j);
        }
        wanted_.resize(right.words.size());
        for (std::size_t j = 0; j < right.words.size(); ++j) wanted_[j] = right.masses[j] * left.whole;
        for (std::size_t i = 0; i < left.words.size(); ++i) {
            const auto word = static_cast<std::size_t>(left.words[i]);
            double amount = left.masses[i] * right.whole;
            if (stamp_[word] == now_) {
                double& there = wanted_[place_[word]];
                const double stays = std::min(amount, there);
                amount -= stays;
                there -= stays;
            }
            if (amount > 0.0) {
                from_.push_back(left.words[i]);
                supply_.push_back(amount);
            }
        }
        for (std::size_t j = 0; j < right.words.size(); ++j)
            if (wanted_[j] > 0.0) {
                to_.push_back(right.words[j]);
                demand_.push_back(wanted_[j]);
            }
        costs_.resize(from_.size() * to_.size());
        distances(vectors_, dim_, from_, to_, costs_.data());
        return transport_.solve(costs_.data(), supply_, demand_) / (left.whole * right.whole);
    }

    // Every word to the nearest of the other text, both ways; the larger is the tighter bound.
    double relaxed(const Bag& left, const Bag& right) {
        wanted_.assign(right.words.size(), std::numeric_limits<double>::infinity());
        costs_.resize(left.words.size() * right.words.size());
        distances(vectors_, dim_, left.words, right.words, costs_.data());
        const double* far = costs_.data();
        double forth = 0.0, back = 0.0;
        for (std::size_t i = 0; i < left.words.size(); ++i) {
            double least = std::numeric_limits<double>::infinity();
            for (std::size_t j = 0; j < right.words.size(); ++j, ++far) {
                least = std::min(least, *far);
                wanted_[j] = std::min(wanted_[j], *far);
            }
            forth += left.masses[i] * least;
        }
        for (std::size_t j = 0; j < right.words.size(); ++j) back += right.masses[j] * wanted_[j];
        return std::max(forth / left.whole, back / right.whole);
    }

    void mean(const Bag& bag, std::vector<double>& out) const {
        out.assign(dim_, 0.0);
        for (std::size_t i = 0; i < bag.words.size(); ++i) {
            const double* const vector = row(bag.words[i]);
            const double mass = bag.masses[i];
            for (std::size_t d = 0; d < dim_; ++d) out[d] += mass * vector[d];
        }
        for (double& value : out) value /= bag.whole;
    }

    double centroid(const Bag& left, const Bag& right) {
        mean(left, supply_);
        mean(right, demand_);
        return std::sqrt(squared(supply_.data(), demand_.data(), dim_));
    }

    const double* vectors_;
    std::size_t dim_;
    std::vector<std::uint32_t> place_;
    std::vector<std::uint64_t> stamp_;
    std::uint64_t now_ = 0;
    Transport transport_;
    std::vector<double> supply_, demand_, wanted_, costs_;
    std::vector<std::int32_t> from_, to_;
};

Bound bound_named(const std::string& name) {
    if (name == "exact") return Bound::exact;
    if (name == "relaxed") return Bound::relaxed;
    if (name == "centroid") return Bound::centroid;
    throw std::invalid_argument("a bound is exact, relaxed or centroid");
}

py::array_t<double> mover_distances(const Numbers<double>& vectors, const Numbers<std::int32_t>& words,
                                    const py::object& masses, const Numbers<std::int64_t>& text_start,
                                    const Numbers<std::int64_t>& pairs, const std::string& bound, int jobs) {
    const Bound wanted = bound_named(bound);
    if (vectors.ndim() != 2 || vectors.shape(1) % kLanes || pairs.ndim() != 2 || pairs.shape(1) != 2)
        throw std::invalid_argument("vectors must be as long as a multiple of 8, and pairs have two texts");
    const auto count = static_cast<std::size_t>(vectors.shape(0)), dim = static_cast<std::size_t>(vectors.shape(1));
    const auto texts = static_cast<std::int64_t>(text_start.size()) - 1;
    const auto size = static_cast<std::int64_t>(words.size());
    for (std::int64_t t = 0; t < texts; ++t)
        if (text_start.data()[t] < 0 || text_start.data()[t] > text_start.data()[t + 1] || text_start.data()[t + 1] > size)
            throw std::invalid_argument("the texts do not fit the words");
    for (std::int64_t k = 0; k < size; ++k)
        if (words.data()[k] >= static_cast<std::int64_t>(count)) throw std::invalid_argument("a word has no vector");
    for (py::ssize_t k = 0; k < pairs.size(); ++k)
        if (pairs.data()[k] < 0 || pairs.data()[k] >= texts) throw std::invalid_argument("a pair names no text");
    Numbers<double> held;
    const double* mass = nullptr;
    if (!masses.is_none()) {
        held = masses.cast<Numbers<double>>();
        if (held.size() != words.size()) throw std::invalid_argument("as many masses as words are needed");
        mass = held.data();
    }
    const auto total = static_cast<std::size_t>(pairs.shape(0));
    py::array_t<double> result(static_cast<py::ssize_t>(total));
    double* const out = result.mutable_data();
    const double* const rows = vectors.data();
    const std::int32_t* const word = words.data();
    const std::int64_t *const start = text_start.data(), *const pair = pairs.data();
    py::gil_scoped_release release;
    parallel_for(total, jobs, [&](std::size_t begin, std::size_t end) {
        Mover mover(rows, count, dim);
        Bag left, right;
        const auto gather = [&](std::int64_t text, Bag& bag) {
            const auto first = static_cast<std::size_t>(start[text]);
            mover.gather(word + first, mass ? mass + first : nullptr,
                         static_cast<std::size_t>(start[text + 1]) - first, bag);
        };
        for (std::size_t p = begin; p < end; ++p) {
            gather(pair[2 * p], left);
            gather(pair[2 * p + 1], right);
            out[p] = mover.distance(left, right, wanted);
        }
    });
    return result;
}

py::tuple transport(const Numbers<double>& costs, const Numbers<double>& supply, const Numbers<double>& demand) {
    if (costs.ndim() != 2 || costs.shape(0) != supply.size() || costs.shape(1) != demand.size())
        throw std::invalid_argument("costs must have a row for each supply and a column for each demand");
    const std::vector<double> sent(supply.data(), supply.data() + supply.size());
    const std::vector<double> received(demand.data(), demand.data() + demand.size());
    const std::size_t rows = sent.size(), columns = received.size();
    py::array_t<double> flow({rows, columns});
    double* const out = flow.mutable_data();
    const double* const cost = costs.data();
    double total = 0.0;
    {
        py::gil_scoped_release release;
        Transport problem;
        total = problem.solve(cost, sent, received);
        problem.flows(sent, received, out);
    }
    return py::make_tuple(total, flow);
}

}  // namespace

void bind_transport(py::module_& module) {
    module.def("mover_distances", &mover_distances, py::arg("vectors"), py::arg("words"), py::arg("masses"),
               py::arg("text_start"), py::arg("pairs"), py::arg("bound"), py::arg("jobs") = 1);
    module.def("transport", &transport, py::arg("costs"), py::arg("supply"), py::arg("demand"));
}

}  // namespace nlgauge
