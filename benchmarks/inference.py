"""What inferring costs: the bookkeeping of GSIMN a question, and its share of a run on data.

The questions of a run are recorded and put again to a new ``Inferring`` whose source has the answers ready,
so that only the bookkeeping is measured. Prints each figure and whether its bar holds; exits with 1 if not.

    python benchmarks/inference.py
"""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING

import graphoid as gd
from measure import N_ROWS, best, closing_line, word

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from graphoid.logic.source import IndependenceSource, Question

MOST_US = 5.0
MOST_SHARE = 0.10


class Recorded:
    """Keeps every batch and its answers."""

    def __init__(self, ci: IndependenceSource) -> None:
        self.names = ci.names
        self._ci = ci
        self.asked: list[Sequence[Question]] = []
        self.answers: list[list[gd.Verdict]] = []

    def independent(self, x: int, y: int, given: Sequence[int] = ()) -> bool:
        """Answer one question."""
        return self.ask([(x, y, given)])[0].independent

    def ask(self, questions: Sequence[Question]) -> list[gd.Verdict]:
        """Answer, and keep question and answer."""
        answers = self._ci.ask(questions)
        self.asked.append(questions)
        self.answers.append(answers)
        return answers


class Ready:
    """Gives recorded answers, one batch after the other."""

    def __init__(self, recorded: Recorded) -> None:
        self.names = recorded.names
        self._answers = iter(recorded.answers)

    def independent(self, x: int, y: int, given: Sequence[int] = ()) -> bool:
        """Answer one question."""
        return self.ask([(x, y, given)])[0].independent

    def ask(self, _: Sequence[Question]) -> list[gd.Verdict]:
        """Return the next answers."""
        return next(self._answers)


def replay(ci: IndependenceSource) -> tuple[Callable[[], None], int]:
    """Return an action that asks again what GSIMN asked, of rules alone, and how many questions that is."""
    source = Recorded(ci)
    asked = Recorded(gd.Inferring(source))
    gd.GSMN().learn(asked)

    def action() -> None:
        inferring = gd.Inferring(Ready(source))
        for questions in asked.asked:
            inferring.ask(questions)

    return action, sum(map(len, asked.asked))


def exact_learning() -> None:
    """Print the bookkeeping of exact learning, microseconds a question."""
    print("Exact learning; bookkeeping in CPU us a question")
    print(f"{'n':>5} {'tau':>4} {'questions':>10} {'us':>6}")
    for n, tau in ((50, 4), (100, 1), (100, 2), (100, 4), (100, 8)):
        action, n_questions = replay(gd.Oracle(gd.datasets.random_graph(n, tau, 0)))
        us = best(action, clock=time.process_time, seconds=2) / n_questions
        print(
            f"{n:>5} {tau:>4} {n_questions:>10,} {us:>6.2f}  {word(f'n={n} tau={tau}', holds=us < MOST_US)}"
        )


def share_of_a_run() -> None:
    """Print which part of GSIMN's time on data is bookkeeping."""
    network = gd.datasets.pairwise_binary(gd.datasets.random_graph(50, 3, 0), 1.0, 0)
    ci = gd.Tester(gd.ChiSquare(), network.sample(N_ROWS, 0))
    action, n_questions = replay(ci)
    whole = best(lambda: gd.GSIMN().learn(ci), clock=time.process_time, seconds=2)
    share = best(action, clock=time.process_time, seconds=2) / whole
    print(f"{N_ROWS:,} rows, 50 binary variables, {n_questions:,} questions: {share:.1%} of the run")
    print(word("share of a run", holds=share < MOST_SHARE))


if __name__ == "__main__":
    exact_learning()
    share_of_a_run()
    sys.exit(closing_line())
