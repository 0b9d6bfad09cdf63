"""Two groups compared: what differs is found, and nothing else."""

import math

import numpy as np
import pytest
from scipy import optimize

import graphoid as gd
from graphoid.errors import DataError, SettingsError
from graphoid.uncertainty.groups import (
    PRIOR_SPREAD,
    difference_p_values,
    log_bayes_factor,
    probabilities,
)

ROBUST = gd.GSMN(preset="robust")


def two_groups(seed, differ, n=1_000):
    """a and b go together in the first group, and in the second unless they differ; b and c in both."""
    rng = np.random.default_rng(seed)
    group = rng.integers(2, size=n)
    a = rng.integers(2, size=n)
    follow = (rng.random(n) < 0.4) & ~(differ & (group == 1))
    b = np.where(follow, a, rng.integers(2, size=n))
    c = np.where(rng.random(n) < 0.4, b, rng.integers(2, size=n))
    return gd.read({"group": group, "a": a, "b": b, "c": c})


def likert(rng, load, rows, cuts=(-1.5, -0.5, 0.5, 1.5)):
    """Five-point items, one for every load on a common factor."""
    factor = rng.normal(size=rows)
    return [np.digitize(w * factor + rng.normal(size=rows), cuts) for w in load]


def stack(first, second, names="abcdefgh"):
    """Return a table of two groups of columns."""
    columns = {name: np.append(x, y) for name, x, y in zip(names, first, second, strict=False)}
    return gd.read({"group": np.repeat([0, 1], [len(first[0]), len(second[0])]), **columns})


def by_pair(found):
    return {(row.x, row.y): row for row in found.pairs}


def some_differ(found):
    return any(row.p_adjusted <= 0.05 for row in found.pairs)


def test_a_difference_is_found_where_it_is():
    found = gd.compare_groups(two_groups(3, differ=True), "group", learner=gd.GSMN(), n=200, random_state=1)
    rows = by_pair(found)
    assert rows["a", "b"].p_adjusted < 0.05
    assert rows["a", "b"].bayes_factor > 100
    assert rows["a", "b"].probability > 0.95
    assert rows["a", "b"].effects[0] > 1 > abs(rows["a", "b"].effects[1])
    assert rows["b", "c"].p_value > 0.05
    assert rows["b", "c"].bayes_factor < 1
    assert rows["b", "c"].probability < 0.5
    assert found.p_value < 0.05
    assert found.groups == (0, 1)
    assert sum(found.rows) == 1_000


def test_opposite_signs_of_two_likert_items_are_found():
    rng = np.random.default_rng(1)
    found = gd.compare_groups(
        stack(likert(rng, (1.2, 1.2), 500), likert(rng, (1.2, -1.2), 500)), "group", random_state=1
    )
    (row,) = found.pairs
    assert row.measure == "linear_by_linear"
    assert row.effects[0] > 0.5 > -0.5 > row.effects[1]
    assert row.difference == pytest.approx(row.effects[0] - row.effects[1])
    assert row.p_adjusted < 0.01
    assert row.bayes_factor > 1e6


def test_a_flip_of_nominal_states_is_found_by_its_size():
    rng = np.random.default_rng(2)
    states = np.array(list("xyz"))
    a = rng.integers(3, size=1_000)
    follow, group = rng.random(1_000) < 0.4, np.repeat([0, 1], 500)
    b = np.where(follow, (a + group) % 3, rng.integers(3, size=1_000))
    table = gd.read({"group": group, "a": states[a], "b": states[b]})
    (row,) = gd.compare_groups(table, "group", learner=gd.GSMN(), random_state=1).pairs
    assert (row.measure, row.dof, row.error) == ("size", 4, None)
    assert all(size > 0.3 for size in row.effects)
    assert row.difference > 0.5
    assert row.p_adjusted < 0.01
    assert row.bayes_factor > 1e6


def test_p_value_and_bayes_factor_of_a_small_group_agree():
    odd = []
    for seed in range(10):
        rng = np.random.default_rng(seed)
        load = (1.2, 1.2, 1.2, 0.0, 0.0)
        table = stack(likert(rng, load, 1_900), likert(rng, load, 100))
        found = gd.compare_groups(table, "group", learner=ROBUST, n=50, random_state=1)
        odd += [row for row in found.pairs if row.bayes_factor > 10 and row.p_value > 0.05]
        odd += [row for row in found.pairs if row.bayes_factor < 0.1 and row.p_value < 0.001]
    assert not odd


@pytest.mark.parametrize("cuts", [(1.0,), (0.0, 1.0, 1.5, 2.0)])
def test_other_margins_are_no_difference(cuts):
    even = np.array(cuts) - np.mean(cuts)
    false = 0
    for seed in range(20):
        rng = np.random.default_rng(seed)
        load = (1.0, 1.0, 1.0, 0.0)
        table = stack(likert(rng, load, 500, even), likert(rng, load, 500, cuts))
        false += some_differ(gd.compare_groups(table, "group", learner=ROBUST, n=200, random_state=1))
    assert false <= 3  # .05 of 20 and two standard errors


def chain_of(rng, signs, rows):
    """Binary columns, each after the one before it or, where the sign is negative, its opposite."""
    columns = [rng.integers(2, size=rows)]
    for sign in signs:
        after = columns[-1] if sign > 0 else 1 - columns[-1]
        columns.append(np.where(rng.random(rows) < 0.5, after, rng.integers(2, size=rows)))
    return columns


def test_an_edge_that_differs_leaves_its_neighbors_alone():
    false = 0
    for seed in range(20):
        rng = np.random.default_rng(seed)
        table = stack(chain_of(rng, (1, 1, 1), 500), chain_of(rng, (1, -1, 1), 500))
        found = gd.compare_groups(table, "group", learner=gd.GSMN(), n=200, random_state=1)
        called = {pair for pair, row in by_pair(found).items() if row.p_adjusted <= 0.05}
        assert ("b", "c") in called
        assert found.graph.has_edge("b", "c")  # of either group, though of both together there is none
        false += called != {("b", "c")}
    assert false <= 3


def test_log_odds_are_those_of_the_rows_with_half_a_row_in_every_cell():
    # two columns alone: the mode under Jeffreys' prior adds 1/2 to each cell of the table of a group
    table = two_groups(3, differ=True)
    joined = gd.compare_groups(
        gd.read({name: table.column(name) for name in ("group", "a", "b")}),
        "group",
        learner=gd.GSMN(),
        n=5,
        random_state=1,
    )
    group, a, b, _ = table.codes.T
    for k, effect in enumerate(joined.pairs[0].effects):
        cells = [[np.sum((group == k) & (a == i) & (b == j)) + 0.5 for j in (0, 1)] for i in (0, 1)]
        expected = math.log(cells[0][0] * cells[1][1] / (cells[0][1] * cells[1][0]))
        assert effect == pytest.approx(expected, abs=1e-4)


def test_columns_of_every_kind_are_compared():
    rng = np.random.default_rng(4)
    number = rng.normal(size=600)
    group = np.repeat([0, 1], 300)
    other = np.where(group == 0, number, -number) + rng.normal(size=600)
    item = np.digitize(number + rng.normal(size=600), (-1, 0, 1))
    name = np.array(list("xyz"))[rng.integers(3, size=600)]
    columns = {"group": group, "number": number, "other": other, "item": item, "name": name}
    table = gd.read(columns, discretize=None)

    class Nothing:
        """A learner of graphs without edges."""

        def fit(self, table):
            self.structure_ = type("Found", (), {"graph": gd.UndirectedGraph(table.names)})()
            return self

    rows = by_pair(gd.compare_groups(table, "group", learner=Nothing(), n=200, random_state=1))
    assert rows["number", "other"].measure == "fisher_z"
    assert rows["number", "other"].p_adjusted < 0.05
    assert rows["number", "item"].measure == "linear_by_linear"
    assert min(rows["number", "item"].effects) > 0.3
    assert rows["number", "item"].p_adjusted > 0.05
    assert rows["number", "name"].dof == 2


def test_a_column_that_is_constant_in_a_group_tells_nothing():
    rng = np.random.default_rng(5)
    table = stack([rng.integers(2, size=50), np.zeros(50, int)], rng.integers(2, size=(2, 50)))
    (row,) = gd.compare_groups(table, "group", learner=gd.GSMN(), n=5, random_state=1).pairs
    assert row.p_value > 0.2
    assert row.bayes_factor is None or 0.3 < row.bayes_factor < 3


@pytest.mark.slow
def test_p_values_are_level_where_nothing_differs():
    p = [
        gd.compare_groups(
            two_groups(seed, differ=False, n=400), "group", learner=gd.GSMN(), n=99, random_state=1
        )
        for seed in range(100)
    ]
    assert np.mean([some_differ(found) for found in p]) <= 0.12  # .05 and three standard errors of 100 tries
    assert np.mean([found.p_value <= 0.05 for found in p]) <= 0.12


def test_groups_that_cannot_be_compared():
    table = two_groups(0, differ=True, n=50)
    for columns, message in (
        ({"g": [0] * 20, "a": [0, 1] * 10, "b": [0, 1] * 10}, "'g' is 0 in all rows"),
        ({"g": ["x"] * 17 + ["y"] * 3, "a": [0, 1] * 10, "b": [0, 1] * 10}, "'g' is 'y' in 3 row"),
        ({"g": [0, 1] * 10, "a": [0, 1] * 10}, "beside 'g' there is 'a'"),
    ):
        with pytest.raises(DataError, match=message):
            gd.compare_groups(columns, "g")
    with pytest.raises(LookupError, match="country"):
        gd.compare_groups(table, "country")
    with pytest.raises(SettingsError, match="n is 0"):
        gd.compare_groups(table, "group", n=0)
    with pytest.raises(SettingsError, match="cannot be a covariate"):
        gd.compare_groups(table, "group", covariates=["group"])
    holes = gd.read({"g": ["x", None] * 20, "a": [0, 1] * 20, "b": [1, 1, 0, 0] * 10}, missing="available")
    with pytest.raises(DataError, match="20 missing"):
        gd.compare_groups(holes, "g")


def countries(rng, effects, rows=400):
    """Three columns in several groups: a and b have an effect by group, b and c the same in all."""
    parts = []
    for effect in effects:
        a = rng.normal(size=rows)
        b = effect * a + rng.normal(size=rows)
        c = 0.6 * b + rng.normal(size=rows)
        parts.append(np.column_stack([a, b, c]))
    return np.vstack(parts), np.repeat([f"country {g}" for g in range(len(effects))], rows)


def cut(columns, kind):
    """Return columns as numbers, grades, two states or names of them."""
    if kind == "numbers":
        return dict(zip("abc", columns.T, strict=True))
    codes = np.digitize(columns, (0.0,) if kind == "binary" else (-1.0, 0.0, 1.0))
    names = np.array(list("wxyz"))
    return dict(zip("abc", (names[codes] if kind == "names" else codes).T, strict=True))


@pytest.mark.parametrize("kind", ["numbers", "grades", "binary", "names"])
def test_of_several_groups_the_edge_that_differs_is_found(kind):
    rows, group = countries(np.random.default_rng(8), (0.8, 0.8, -0.8))
    table = gd.read({"group": group, **cut(rows, kind)})
    found = gd.compare_groups(table, "group", learner=ROBUST, n=200, random_state=1)
    pairs = by_pair(found)
    assert found.groups == ("country 0", "country 1", "country 2")
    assert found.rows == (400, 400, 400)
    assert len(found.graphs) == len(found.strengths) == 3
    assert found.p_value < 0.05
    assert pairs["a", "b"].p_adjusted < 0.05
    assert pairs["a", "b"].probability > 0.95
    assert pairs["b", "c"].p_adjusted > 0.05
    assert len(pairs["a", "b"].effects) == 3
    assert pairs["a", "b"].dof == (18 if kind == "names" else 2)
    for low, high in pairs["a", "b"].intervals:
        assert low < high
    for effect, (low, high) in zip(pairs["b", "c"].effects, pairs["b", "c"].intervals, strict=True):
        assert low <= effect <= high


def test_two_groups_among_several_are_as_if_alone():
    # numbers of a pair in two groups by hand: Fisher's z of each, apart in standard errors
    rows, group = countries(np.random.default_rng(9), (0.7, 0.2), 300)
    table = gd.read({"group": group, "a": rows[:, 0], "b": rows[:, 1]})
    (row,) = gd.compare_groups(table, "group", learner=ROBUST, n=20, random_state=1).pairs
    expected = (row.effects[0] - row.effects[1]) ** 2 / (1 / 297 + 1 / 297)
    assert row.statistic == pytest.approx(expected)
    assert row.error == pytest.approx(math.sqrt(2 / 297))


@pytest.mark.parametrize("kind", ["numbers", "grades", "binary"])
def test_an_edge_that_changes_with_a_number_is_found(kind):
    rng = np.random.default_rng(11)
    age = rng.uniform(20, 80, size=1_000)
    a = rng.normal(size=1_000)
    b = (age - 50) / 25 * a + rng.normal(size=1_000)
    c = 0.6 * a + rng.normal(size=1_000)
    table = gd.read({"age": age, **cut(np.column_stack([a, b, c]), kind)})
    found = gd.compare_groups(table, "age", learner=ROBUST, n=200, random_state=1)
    pairs = by_pair(found)
    assert found.groups == pytest.approx((26, 50, 74), abs=2)
    assert found.rows == (1_000,)
    assert pairs["a", "b"].p_adjusted < 0.05
    assert pairs["a", "b"].effects[0] < -0.3
    assert pairs["a", "b"].effects[2] > 0.3
    assert abs(pairs["a", "b"].effects[1]) < 0.3
    assert pairs["a", "c"].p_adjusted > 0.05
    with pytest.raises(SettingsError, match="shared is for groups"):
        gd.compare_groups(table, "age", shared=True)


def test_a_covariate_is_given_and_not_compared():
    # one cause of both columns differs between groups in strength: given it, nothing is left to differ
    rng = np.random.default_rng(12)
    cause, group = rng.normal(size=2_000), np.repeat([0, 1], 1_000)
    load = np.where(group == 0, 1.2, 0.2)
    a, b = (load * cause + rng.normal(size=2_000) for _ in range(2))
    table = gd.read({"group": group, "a": a, "b": b, "cause": cause})
    (plain, *_) = gd.compare_groups(table, "group", learner=ROBUST, n=99, random_state=1).pairs
    without = gd.compare_groups({"group": group, "a": a, "b": b}, "group", n=99, random_state=1).pairs
    found = gd.compare_groups(table, "group", covariates=["cause"], n=99, random_state=1)
    (row,) = found.pairs
    assert without[0].p_adjusted < 0.05 < row.p_adjusted
    assert found.covariates == ("cause",)
    assert found.graph.names == ("a", "b")
    assert row.effects == pytest.approx(plain.effects, abs=0.02)


def test_groups_estimated_together_borrow_what_they_share():
    rows, group = countries(np.random.default_rng(13), (0.5, 0.5, 0.5, -1.0), 100)
    table = gd.read({"group": group, **cut(rows, "numbers")})
    alone, together = (
        by_pair(gd.compare_groups(table, "group", learner=ROBUST, n=99, random_state=1, shared=shared))
        for shared in (False, True)
    )
    common, differs = together["b", "c"], together["a", "b"]
    assert np.ptp(common.effects) < np.ptp(alone["b", "c"].effects) / 2
    assert common.intervals[0][1] - common.intervals[0][0] < 0.8 * np.diff(alone["b", "c"].intervals[0])[0]
    assert differs.effects == pytest.approx(alone["a", "b"].effects, abs=0.1)
    assert common.p_value == alone["b", "c"].p_value


def test_permutations_say_what_draws_say():
    for differ in (False, True):
        table = two_groups(4, differ=differ, n=400)
        found = gd.compare_groups(table, "group", learner=gd.GSMN(), n=400, permutations=40, random_state=1)
        assert (found.permutation_p_values[0] < 0.05) == (found.p_value < 0.05) == differ


def test_p_values_of_two_tables_are_those_of_groups():
    table = two_groups(3, differ=True, n=400)
    group = table.column("group")
    rest = table.take([1, 2, 3])
    found = gd.compare_groups(table, "group", learner=gd.GSMN(), n=5, random_state=1)
    p = difference_p_values(rest.keep(group == 0), rest.keep(group == 1), found.graph)
    assert list(p.values()) == pytest.approx([row.p_value for row in found.pairs])


def test_groups_do_not_depend_on_threads():
    table = two_groups(1, differ=True, n=300)
    one, two = (
        gd.compare_groups(table, "group", learner=gd.GSMN(), n=30, n_jobs=jobs, random_state=2).pairs
        for jobs in (1, 2)
    )
    assert one == two


def test_bayes_factor_is_that_of_a_normal_prior():
    # the likelihood N(d; 0, s^2) against the marginal N(d; 0, s^2 + prior), by the densities themselves
    d, s = 0.6, 0.25

    def density(variance):
        return math.exp(-d * d / (2 * variance)) / math.sqrt(2 * math.pi * variance)

    found = log_bayes_factor((d / s) ** 2, 1, np.array([[1 / s**2]]))
    assert math.exp(found) == pytest.approx(density(s**2 + PRIOR_SPREAD**2) / density(s**2))


def test_probability_weighs_how_many_pairs_differ():
    # 40 pairs with odds of 10 : 1 against make the share that differ small, and one with 10 : 1 for doubtful
    alone, among = (probabilities(np.log([10.0] + [0.1] * others))[0] for others in (0, 40))
    assert alone == pytest.approx(10 / 11, abs=1e-4)
    assert among < 0.5


def jeffreys(response, columns):
    """Return weights of a logistic regression at the mode under Jeffreys' prior, and their covariance.

    By a general optimizer of the log-likelihood plus half the log determinant of the information.
    """
    design = np.column_stack([np.ones(len(response)), *columns])

    def information(weights):
        p = 1 / (1 + np.exp(-design @ weights))
        return (design * (p * (1 - p))[:, None]).T @ design

    def loss(weights):
        eta = design @ weights
        return -(response @ eta - np.logaddexp(0, eta).sum() + np.linalg.slogdet(information(weights))[1] / 2)

    found = optimize.minimize(loss, np.zeros(design.shape[1]), method="BFGS", options={"gtol": 1e-8})
    return found.x, np.linalg.inv(information(found.x))


def test_effects_along_a_number_are_those_of_a_regression_with_a_product():
    # logit P(a = 1) = c + d m + (beta + gamma m) b, m the standardized number
    rng = np.random.default_rng(21)
    m = rng.normal(50, 10, size=400)
    b = rng.integers(2, size=400)
    a = (rng.random(400) < 1 / (1 + np.exp(-(0.3 + (1.0 + 0.05 * (m - 50)) * (2 * b - 1))))).astype(int)
    found = gd.compare_groups({"m": m, "a": a, "b": b}, "m", learner=gd.GSMN(), n=20, random_state=1)
    (row,) = found.pairs
    z = (m - m.mean()) / m.std()
    weights, covariance = jeffreys(a, [z, b, z * b])
    expected = weights[2] + weights[3] * (np.quantile(m, (0.1, 0.5, 0.9)) - m.mean()) / m.std()
    assert row.effects == pytest.approx(expected.tolist(), abs=1e-3)
    assert row.difference == pytest.approx(weights[3], abs=1e-3)
    assert row.error == pytest.approx(math.sqrt(covariance[3, 3]), rel=1e-3)
    assert row.statistic == pytest.approx(weights[3] ** 2 / covariance[3, 3], rel=1e-2)


def test_effects_given_a_covariate_are_those_of_a_regression_with_it():
    # logit P(a = 1) = c + beta b + gamma z in each group by itself, z the covariate
    rng = np.random.default_rng(22)
    group, z = np.repeat([0, 1], 250), rng.integers(2, size=500)
    b = (rng.random(500) < 0.3 + 0.4 * z).astype(int)
    odds = np.where(group == 0, 1.2, -0.3) * b + 1.5 * z - 1
    a = (rng.random(500) < 1 / (1 + np.exp(-odds))).astype(int)
    columns = {"group": group, "a": a, "b": b, "z": z}
    found = gd.compare_groups(columns, "group", covariates=["z"], learner=gd.GSMN(), n=20, random_state=1)
    (row,) = found.pairs
    fits = [jeffreys(a[group == g], [b[group == g], z[group == g]]) for g in (0, 1)]
    values, errors = [w[1] for w, _ in fits], [math.sqrt(c[1, 1]) for _, c in fits]
    assert row.effects == pytest.approx(values, abs=1e-3)
    assert row.error == pytest.approx(math.hypot(*errors), rel=1e-3)
    for (low, high), value, error in zip(row.intervals, values, errors, strict=True):
        assert (low, high) == pytest.approx((value - 1.96 * error, value + 1.96 * error), abs=3e-3)


def test_global_strength_is_the_sum_of_the_sizes_of_the_edges_of_all_rows():
    rows, group = countries(np.random.default_rng(23), (0.8, 0.8, 0.0))
    table = gd.read({"group": group, **cut(rows, "numbers")})
    found = gd.compare_groups(table, "group", learner=gd.GSMN(), n=200, random_state=1)
    pooled = gd.GSMN().fit(table.take([1, 2, 3])).structure_.graph
    rows_of = {pair: row for pair, row in by_pair(found).items() if pooled.has_edge(*pair)}
    assert len(rows_of) == 2
    for g, strength in enumerate(found.strengths):
        sizes = [math.sqrt(max(0.0, row.effects[g] ** 2 - 1 / (400 - 4))) for row in rows_of.values()]
        assert strength == pytest.approx(sum(sizes), rel=1e-3)  # z given one column has variance 1 / (n - 4)
    assert found.strength_p_value < 0.05


@pytest.mark.slow
def test_global_strength_is_level_where_nothing_differs():
    tables = [two_groups(seed, differ=False, n=200) for seed in range(500, 700)]
    ps = [
        gd.compare_groups(t, "group", learner=gd.GSMN(), n=199, random_state=1).strength_p_value
        for t in tables
    ]
    assert np.mean(np.array(ps) <= 0.05) <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / len(ps))
