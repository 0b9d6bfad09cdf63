"""Tables generated from their rule: every case there is, once."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import numpy as np

from graphoid.data.table import Table
from graphoid.data.variables import Variable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

SQUARES = tuple(
    f"{row}-{column}" for row in ("top", "middle", "bottom") for column in ("left", "middle", "right")
)
LINES = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))
X, BLANK = 0, 2  # codes of a square; 1 is o


def tic_tac_toe() -> Table:
    """Return the 958 ways a game of tic-tac-toe can stand when it is over, x having moved first.

    Nine squares with states "x", "o" and "blank", and ``class``: "positive" where x has won.

    Notes
    -----
    The set of [Aha1991]_ in the UCI repository, found here by playing all games; rows are sorted by square.
    """
    ends: set[tuple[int, ...]] = set()
    seen: set[tuple[int, ...]] = set()

    def play(board: tuple[int, ...], player: int) -> None:
        if board in seen:
            return
        seen.add(board)
        if _has_line(board, 1 - player) or BLANK not in board:
            ends.add(board)
            return
        for square in range(9):
            if board[square] == BLANK:
                play((*board[:square], player, *board[square + 1 :]), 1 - player)

    play((BLANK,) * 9, X)
    variables = [Variable(name, ("x", "o", "blank")) for name in SQUARES]
    variables.append(Variable("class", ("negative", "positive")))
    rows = [(*board, int(_has_line(board, X))) for board in sorted(ends)]
    return _table("tic-tac-toe", variables, rows)


def _has_line(board: tuple[int, ...], player: int) -> bool:
    return any(all(board[square] == player for square in line) for line in LINES)


def monks(problem: int) -> Table:
    """Return all 432 robots of a MONK's problem, with the class its rule gives them.

    Attributes ``a1`` to ``a6`` have 3, 3, 2, 3, 4 and 2 values; ``class`` is 1 where the rule holds:

    1. ``a1 == a2`` or ``a5 == 1``;
    2. exactly two attributes have the value 1;
    3. ``a5 == 3 and a4 == 1``, or ``a5 != 4 and a2 != 3``.

    Notes
    -----
    [Thrun1991]_ drew training rows from these 432 and, in the third problem, gave 5 % of them a wrong class.
    Here every assignment occurs once and none is wrong, in the third problem too: this is the published
    test set, and not the training sets.
    """
    rules: dict[int, Callable[..., bool]] = {
        1: lambda a1, a2, _a3, _a4, a5, _a6: a1 == a2 or a5 == 1,
        2: lambda *attributes: attributes.count(1) == 2,
        3: lambda _a1, a2, _a3, a4, a5, _a6: (a5 == 3 and a4 == 1) or (a5 != 4 and a2 != 3),
    }
    rule = rules[problem]
    values = [range(1, arity + 1) for arity in (3, 3, 2, 3, 4, 2)]
    variables = [Variable(f"a{i}", tuple(v)) for i, v in enumerate(values, start=1)]
    variables.append(Variable("class", (0, 1)))
    rows = ((*(v - 1 for v in robot), int(rule(*robot))) for robot in itertools.product(*values))
    notes = ("all 432 assignments once, without the wrong labels of the published training rows",)
    return _table(f"monks-{problem}", variables, rows, notes if problem == 3 else ())


def balance_scale() -> Table:
    """Return the 625 settings of a balance with two arms, and where it tips.

    Weights and distances of both arms go from 1 to 5; ``class`` is "left", "balanced" or "right", by the
    larger product of weight and distance.

    Notes
    -----
    The experiment of [Siegler1976]_ as in the UCI repository.
    """
    names = ("left-weight", "left-distance", "right-weight", "right-distance")
    variables = [Variable(name, (1, 2, 3, 4, 5), ordered=True) for name in names]
    variables.append(Variable("class", ("left", "balanced", "right"), ordered=True))
    rows = []
    for setting in itertools.product(range(1, 6), repeat=4):
        torque = setting[2] * setting[3] - setting[0] * setting[1]
        rows.append((*(v - 1 for v in setting), 1 + (torque > 0) - (torque < 0)))
    return _table("balance-scale", variables, rows)


def _table(
    name: str, variables: list[Variable], rows: Iterable[tuple[int, ...]], notes: tuple[str, ...] = ()
) -> Table:
    """Return the table of rows of codes."""
    codes = np.array(list(rows), dtype=np.uint8)
    columns = tuple(np.ascontiguousarray(column) for column in codes.T)
    return Table(tuple(variables), columns, len(codes), notes=notes, name=name)
