// Skill ratings updated game by game. The twin is nlgauge/kernels/python/skill.py; both do the same operations in the
// same order.
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <stdexcept>
#include <utility>
#include <vector>

namespace py = pybind11;

namespace nlgauge {
namespace {

using Reals = py::array_t<double, py::array::c_style | py::array::forcecast>;
using Numbers = py::array_t<std::int64_t, py::array::c_style | py::array::forcecast>;

constexpr double kPi = 3.141592653589793;
constexpr double kScale = 173.7178;  // Glickman's rounding of 400 / log(10)
constexpr double kOrigin = 1500.0;
constexpr int kMostSteps = 200;  // the search for the volatility needs about five

// The games in order: who, against whom, and the score of the first (1, 0.5 or 0).
struct Games {
    Games(const Numbers& first, const Numbers& second, const Reals& score, std::size_t players)
        : first(first.data()), second(second.data()), score(score.data()), count(static_cast<std::size_t>(first.size())) {
        if (first.size() != second.size() || first.size() != score.size())
            throw std::invalid_argument("games need as many first players as second players and scores");
        for (std::size_t game = 0; game < count; ++game) {
            const auto a = static_cast<std::uint64_t>(this->first[game]);
            const auto b = static_cast<std::uint64_t>(this->second[game]);
            if (a >= players || b >= players || a == b) throw std::invalid_argument("a game needs two known players");
        }
    }
    const std::int64_t* first;
    const std::int64_t* second;
    const double* score;
    std::size_t count;
};

// The order of the players by rating (equal ratings: by number), and how often each has played since it last changed.
class Ladder {
public:
    Ladder(const double* ratings, std::size_t stride, std::int64_t* played, std::size_t players)
        : ratings_(ratings), stride_(stride), played_(played), ranked_(players), place_(players) {
        std::iota(ranked_.begin(), ranked_.end(), std::size_t{0});
        sort();
        changed_ = false;
    }

    // Put everybody where he belongs: insertion, since the order seldom changes much.
    void sort() {
        for (std::size_t k = 1; k < ranked_.size(); ++k) {
            for (std::size_t p = k; p > 0 && above(ranked_[p], ranked_[p - 1]); --p) {
                std::swap(ranked_[p], ranked_[p - 1]);
                changed_ = true;
            }
        }
        for (std::size_t k = 0; k < ranked_.size(); ++k) place_[ranked_[k]] = k;
    }

    void count(std::size_t player) { ++played_[player]; }

    // Put a player of the last game where he belongs: one of the two has risen and the other has fallen, or neither
    // has moved, so that doing it for one and then the other leaves all in order.
    void settle(std::size_t player) {
        std::size_t p = place_[player];
        const std::size_t before = p;
        for (; p > 0 && above(player, ranked_[p - 1]); --p) put(ranked_[p - 1], p);
        if (p == before)
            for (; p + 1 < ranked_.size() && above(ranked_[p + 1], player); ++p) put(ranked_[p + 1], p);
        put(player, p);
        changed_ = changed_ || p != before;
    }

    // After a game or a period: a change of order starts the counting anew.
    void close() {
        if (changed_) std::fill(played_, played_ + ranked_.size(), std::int64_t{0});
        changed_ = false;
    }

    bool settled(std::int64_t needed) const {
        for (std::size_t k = 0; k < ranked_.size(); ++k)
            if (played_[k] < needed) return false;
        return true;
    }

private:
    double rating(std::size_t player) const { return ratings_[player * stride_]; }
    bool above(std::size_t a, std::size_t b) const {
        return rating(a) > rating(b) || (rating(a) == rating(b) && a < b);
    }
    void put(std::size_t player, std::size_t place) {
        ranked_[place] = player;
        place_[player] = place;
    }

    const double* ratings_;
    std::size_t stride_;
    std::int64_t* played_;
    std::vector<std::size_t> ranked_;
    std::vector<std::size_t> place_;
    bool changed_ = false;
};

// Runs `play(game)` over the games until the order has stood for `needed` games of every player (0: to the end).
template <typename Play>
std::size_t run_games(const Games& games, Ladder& ladder, std::int64_t needed, Play play) {
    for (std::size_t game = 0; game < games.count; ++game) {
        const auto a = static_cast<std::size_t>(games.first[game]);
        const auto b = static_cast<std::size_t>(games.second[game]);
        play(a, b, games.score[game]);
        ladder.count(a);
        ladder.count(b);
        ladder.settle(a);
        ladder.settle(b);
        ladder.close();
        if (needed > 0 && ladder.settled(needed)) return game + 1;
    }
    return games.count;
}

std::size_t players_of(const Reals& state, std::size_t columns, const Numbers& played) {
    if (state.ndim() != 2 || static_cast<std::size_t>(state.shape(1)) != columns)
        throw std::invalid_argument("the state has the wrong number of columns");
    if (played.size() != state.shape(0)) throw std::invalid_argument("each player needs a count of games");
    return static_cast<std::size_t>(state.shape(0));
}

template <typename Array>
Array copy_of(const Array& given) {
    Array made(std::vector<py::ssize_t>(given.shape(), given.shape() + given.ndim()));
    std::copy(given.data(), given.data() + given.size(), made.mutable_data());
    return made;
}

// ---------------------------------------------------------------------------------------------- Glicko-2

struct Glicko {  // on the internal scale
    double mu;
    double phi;
    double sigma;
};

class Glicko2 {
public:
    Glicko2(double tau, double epsilon, bool as_package) : tau2_(tau * tau), tau_(tau), epsilon_(epsilon), as_package_(as_package) {}

    // What one game adds to 1/v and to the sum of g (s - E).
    static std::pair<double, double> evidence(const Glicko& player, const Glicko& opponent, double score) {
        const double g = 1.0 / std::sqrt(1.0 + 3.0 * opponent.phi * opponent.phi / (kPi * kPi));
        const double expected = 1.0 / (1.0 + std::exp(-g * (player.mu - opponent.mu)));
        return {g * g * expected * (1.0 - expected), g * (score - expected)};
    }

    Glicko updated(const Glicko& player, double information, double surprise) const {
        if (!(information > 0.0)) return rested(player);  // a result that was certain to the last bit says nothing
        const double v = 1.0 / information;
        const double sigma = volatility(player, v, v * surprise);
        const double before = player.phi * player.phi + sigma * sigma;
        const double phi2 = 1.0 / (1.0 / before + information);
        return {player.mu + phi2 * surprise, std::sqrt(phi2), sigma};
    }

    static Glicko rested(const Glicko& player) {
        return {player.mu, std::sqrt(player.phi * player.phi + player.sigma * player.sigma), player.sigma};
    }

private:
    // Glickman's step 5, the Illinois variant of regula falsi.
    double volatility(const Glicko& player, double v, double delta) const {
        const double phi2 = player.phi * player.phi;
        const double delta2 = delta * delta;
        // The PyPI package reads the rating where Glickman has the deviation.
        const double inside = as_package_ ? player.mu * player.mu : phi2;
        const double start = std::log(player.sigma * player.sigma);
        const auto f = [&](double x) {
            const double ex = std::exp(x);
            const double sum = inside + v + ex;
            return ex * (delta2 - inside - v - ex) / (2.0 * sum * sum) - (x - start) / tau2_;
        };
        double low = start;
        double high;
        if (delta2 > phi2 + v) {
            high = std::log(delta2 - phi2 - v);
        } else {
            double k = 1.0;
            while (f(start - k * tau_) < 0.0 && k < kMostSteps) k += 1.0;
            high = start - k * tau_;
        }
        double f_low = f(low);
        double f_high = f(high);
        for (int step = 0; std::fabs(high - low) > epsilon_ && step < kMostSteps; ++step) {
            const double middle = low + (low - high) * f_low / (f_high - f_low);
            const double f_middle = f(middle);
            if (f_middle * f_high <= 0.0) {
                low = high;
                f_low = f_high;
            } else {
                f_low = f_low / 2.0;
            }
            high = middle;
            f_high = f_middle;
        }
        return std::exp(low / 2.0);
    }

    double tau2_;
    double tau_;
    double epsilon_;
    bool as_package_;
};

Glicko read_glicko(const double* row) { return {(row[0] - kOrigin) / kScale, row[1] / kScale, row[2]}; }

void write_glicko(const Glicko& player, double* row) {
    row[0] = player.mu * kScale + kOrigin;
    row[1] = player.phi * kScale;
    row[2] = player.sigma;
}

std::vector<Glicko> read_all(const Reals& state) {
    std::vector<Glicko> players;
    for (py::ssize_t k = 0; k < state.shape(0); ++k) players.push_back(read_glicko(state.data() + 3 * k));
    return players;
}

py::tuple glicko2_games(const Numbers& first, const Numbers& second, const Reals& score, const Reals& state,
                        const Numbers& played, double tau, double epsilon, double draw_ratio, bool as_package,
                        std::int64_t needed) {
    const std::size_t n = players_of(state, 3, played);
    const Games games(first, second, score, n);
    Reals after = copy_of(state);
    Numbers since = copy_of(played);
    std::vector<Glicko> players = read_all(state);
    const Glicko2 system(tau, epsilon, as_package);
    double* const rows = after.mutable_data();
    std::int64_t* const counts = since.mutable_data();
    std::size_t used = 0;
    {
        const py::gil_scoped_release unlocked;
        Ladder ladder(&players.data()->mu, sizeof(Glicko) / sizeof(double), counts, n);
        const auto one = [&](const Glicko& player, const Glicko& opponent, double result) {
            const auto [information, surprise] = Glicko2::evidence(player, opponent, result);
            return system.updated(player, information, surprise);
        };
        used = run_games(games, ladder, needed, [&](std::size_t a, std::size_t b, double result) {
            const Glicko x = players[a];
            const Glicko y = players[b];
            if (result == 0.5 && draw_ratio >= 0.0) {
                // The lower gains a part of what a win would bring, the higher loses a part of what a loss would cost.
                if (x.mu == y.mu) return;
                const double won = x.mu < y.mu ? 1.0 : 0.0;
                players[a].mu = x.mu + draw_ratio * (one(x, y, won).mu - x.mu);
                players[b].mu = y.mu + draw_ratio * (one(y, x, 1.0 - won).mu - y.mu);
                return;
            }
            players[a] = one(x, y, result);
            players[b] = one(y, x, 1.0 - result);
        });
        for (std::size_t k = 0; k < n; ++k) write_glicko(players[k], rows + 3 * k);
    }
    return py::make_tuple(after, since, used);
}

py::tuple glicko2_periods(const Numbers& first, const Numbers& second, const Reals& score, const Numbers& ends,
                          const Reals& state, const Numbers& played, double tau, double epsilon, bool inactivity) {
    const std::size_t n = players_of(state, 3, played);
    const Games games(first, second, score, n);
    Reals after = copy_of(state);
    Numbers since = copy_of(played);
    std::vector<Glicko> players = read_all(state);
    const Glicko2 system(tau, epsilon, false);
    double* const rows = after.mutable_data();
    std::int64_t* const counts = since.mutable_data();
    const std::int64_t* const stops = ends.data();
    const auto periods = static_cast<std::size_t>(ends.size());
    {
        const py::gil_scoped_release unlocked;
        Ladder ladder(&players.data()->mu, sizeof(Glicko) / sizeof(double), counts, n);
        std::vector<double> information(n);
        std::vector<double> surprise(n);
        std::vector<std::int64_t> entered(n);
        std::size_t game = 0;
        for (std::size_t period = 0; period < periods; ++period) {
            std::fill(information.begin(), information.end(), 0.0);
            std::fill(surprise.begin(), surprise.end(), 0.0);
            std::fill(entered.begin(), entered.end(), std::int64_t{0});
            for (; game < games.count && static_cast<std::int64_t>(game) < stops[period]; ++game) {
                const auto a = static_cast<std::size_t>(games.first[game]);
                const auto b = static_cast<std::size_t>(games.second[game]);
                const auto mine = Glicko2::evidence(players[a], players[b], games.score[game]);
                const auto theirs = Glicko2::evidence(players[b], players[a], 1.0 - games.score[game]);
                information[a] += mine.first;
                surprise[a] += mine.second;
                information[b] += theirs.first;
                surprise[b] += theirs.second;
                ++entered[a];
                ++entered[b];
            }
            for (std::size_t k = 0; k < n; ++k) {
                if (entered[k] > 0)
                    players[k] = system.updated(players[k], information[k], surprise[k]);
                else if (inactivity)
                    players[k] = Glicko2::rested(players[k]);
                counts[k] += entered[k];
            }
            ladder.sort();
            ladder.close();
        }
        for (std::size_t k = 0; k < n; ++k) write_glicko(players[k], rows + 3 * k);
    }
    return py::make_tuple(after, since);
}

// --------------------------------------------------------------------------------------------- TrueSkill

double density(double x) { return std::exp(-0.5 * x * x) / std::sqrt(2.0 * kPi); }

double below(double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); }

// Mean shift v and variance shrink w of a Gaussian cut by the result; `t` and `margin` in units of the spread c.
std::pair<double, double> cut_by_win(double t, double margin) {
    const double x = t - margin;
    const double chance = below(x);
    const double v = chance > 0.0 ? density(x) / chance : -x;
    return {v, std::fmin(std::fmax(v * (v + x), 0.0), 1.0)};
}

std::pair<double, double> cut_by_draw(double t, double margin) {
    // Both limits are taken on the lower side, where small chances keep their digits.
    const double gap = std::fabs(t);
    const double upper = margin - gap;
    const double lower = -margin - gap;
    const double chance = below(upper) - below(lower);
    if (!(chance > 0.0)) return {t < 0.0 ? -upper : upper, 1.0};
    const double at_upper = density(upper);
    const double at_lower = density(lower);
    const double v = (at_lower - at_upper) / chance;
    const double w = v * v + (upper * at_upper - lower * at_lower) / chance;
    return {t < 0.0 ? -v : v, std::fmin(std::fmax(w, 0.0), 1.0)};
}

py::tuple trueskill_games(const Numbers& first, const Numbers& second, const Reals& score, const Reals& state,
                          const Numbers& played, double beta, double tau, double margin, std::int64_t needed) {
    const std::size_t n = players_of(state, 2, played);
    const Games games(first, second, score, n);
    Reals after = copy_of(state);
    Numbers since = copy_of(played);
    double* const rows = after.mutable_data();
    std::int64_t* const counts = since.mutable_data();
    std::size_t used = 0;
    {
        const py::gil_scoped_release unlocked;
        Ladder ladder(rows, 2, counts, n);
        used = run_games(games, ladder, needed, [&](std::size_t a, std::size_t b, double result) {
            // The winner comes first; a draw is symmetric.
            double* const x = rows + 2 * (result == 0.0 ? b : a);
            double* const y = rows + 2 * (result == 0.0 ? a : b);
            const double var_x = x[1] * x[1] + tau * tau;
            const double var_y = y[1] * y[1] + tau * tau;
            const double c2 = var_x + var_y + 2.0 * beta * beta;
            const double c = std::sqrt(c2);
            const double t = (x[0] - y[0]) / c;
            const auto [v, w] = result == 0.5 ? cut_by_draw(t, margin / c) : cut_by_win(t, margin / c);
            x[0] = x[0] + var_x / c * v;
            y[0] = y[0] - var_y / c * v;
            x[1] = std::sqrt(var_x * (1.0 - var_x / c2 * w));
            y[1] = std::sqrt(var_y * (1.0 - var_y / c2 * w));
        });
    }
    return py::make_tuple(after, since, used);
}

// --------------------------------------------------------------------------------------------------- Elo

py::tuple elo_games(const Numbers& first, const Numbers& second, const Reals& score, const Reals& state,
                    const Numbers& played, double k, double slope, std::int64_t needed) {
    const std::size_t n = players_of(state, 1, played);
    const Games games(first, second, score, n);
    Reals after = copy_of(state);
    Numbers since = copy_of(played);
    double* const rows = after.mutable_data();
    std::int64_t* const counts = since.mutable_data();
    std::size_t used = 0;
    {
        const py::gil_scoped_release unlocked;
        Ladder ladder(rows, 1, counts, n);
        used = run_games(games, ladder, needed, [&](std::size_t a, std::size_t b, double result) {
            const double expected = 1.0 / (1.0 + std::exp(slope * (rows[b] - rows[a])));
            const double change = k * (result - expected);
            rows[a] = rows[a] + change;
            rows[b] = rows[b] - change;
        });
    }
    return py::make_tuple(after, since, used);
}

}  // namespace

void bind_skill(py::module_& module) {
    module.def("glicko2_games", &glicko2_games, py::arg("first"), py::arg("second"), py::arg("score"), py::arg("state"),
               py::arg("played"), py::arg("tau"), py::arg("epsilon"), py::arg("draw_ratio"), py::arg("as_package"),
               py::arg("needed"), "Glicko-2 game by game: new state, games since the order changed, games used.");
    module.def("glicko2_periods", &glicko2_periods, py::arg("first"), py::arg("second"), py::arg("score"), py::arg("ends"),
               py::arg("state"), py::arg("played"), py::arg("tau"), py::arg("epsilon"), py::arg("inactivity"),
               "Glicko-2 by rating periods: new state, games since the order changed.");
    module.def("trueskill_games", &trueskill_games, py::arg("first"), py::arg("second"), py::arg("score"),
               py::arg("state"), py::arg("played"), py::arg("beta"), py::arg("tau"), py::arg("margin"), py::arg("needed"),
               "TrueSkill game by game: new state, games since the order changed, games used.");
    module.def("elo_games", &elo_games, py::arg("first"), py::arg("second"), py::arg("score"), py::arg("state"),
               py::arg("played"), py::arg("k"), py::arg("slope"), py::arg("needed"),
               "Elo game by game: new state, games since the order changed, games used.");
}

}  // namespace nlgauge
