// Numbers for variables and their blankets: what scores of Markov networks are made of.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "tests/batch.hpp"
#include "counting/dataset.hpp"
#include "tests/judge.hpp"
#include "counting/slices.hpp"

namespace graphoid {

// A variable and a set of others, sorted.
struct Blanket {
    int x;
    std::vector<int> members;
};

// The rows of the data as a variable and its blanket see them: configurations of the blanket that occur, and for
// each of them how often every state of the variable does.
struct Family {
    std::size_t n = 0;                     // configurations
    std::uint32_t states = 0;              // of the variable
    std::vector<std::uint16_t> members;    // [configuration][member]
    std::vector<double> counts;            // [configuration][state]
    std::vector<std::uint32_t> rows;       // of the data, where every one of them is a configuration
};
Family count_family(const Dataset& data, const Blanket& blanket);
// The same with a configuration for every row, in the order of the rows: where members are numbers, hardly any two are the same.
// `scores`: for every variable null or its numbers, of which those that are missing are NaN.
Family family_of_rows(const Dataset& data, const Blanket& blanket, const std::vector<const double*>& scores);

// The closure of every blanket: for each variable y the log odds of X ⊥ Y given the blanket, without y where y is a
// member. One line of as many numbers as there are variables for each blanket; x itself gets 0.
void closure_log_odds(Dataset& data, SliceCache& cache, const Settings& settings, const std::vector<Blanket>& blankets,
                      unsigned threads, double* out);

// Log marginal likelihood of x given its blanket: Dirichlet priors of ess / (states * configurations).
// `tables` are kept by the caller: they depend on numbers of states only, and serve again.
double marginal_likelihood(const Dataset& data, RisingTables& tables, double ess, const Blanket& blanket, const Family& family);
void marginal_likelihoods(const Dataset& data, RisingTables& tables, double ess, const std::vector<Blanket>& blankets,
                          unsigned threads, double* out);

// Multinomial logistic models of x: main effects of the members and, with `interactions`, products of two of them that are
// worth it. Effects are normal with standard deviation `scale` a priori, and a model is worth the logarithm of its marginal
// likelihood (Laplace's approximation); where `scale` is infinite, its maximum log-likelihood less `price` for every weight.
// Variables that are ordered have one effect, that of the scores of their states, and more where the evidence asks for it: their
// `margins` are how many rows each state has; those of others are empty. Variables that are numbers have `scores`, one a row, and
// are members only. With `moment`, the prior of the effects of a member is proportional to their squares, too.
struct LogisticSettings {
    bool interactions;
    double price, scale;
    bool moment;
    std::vector<std::vector<double>> margins;
    std::vector<const double*> scores;
};
void logistic_terms(const Dataset& data, const LogisticSettings& settings, const std::vector<Blanket>& blankets, unsigned threads,
                    double* out);

// For every blanket two numbers, of rows counted once: what the logistic model and the full table of x are worth, as
// logistic_terms with a finite scale and marginal_likelihoods have them. All variables have states.
void evidence_terms(const Dataset& data, const LogisticSettings& settings, RisingTables& tables, double ess,
                    const std::vector<Blanket>& blankets, unsigned threads, double* out);

}  // namespace graphoid
