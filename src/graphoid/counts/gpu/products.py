"""Pairs of variables whose lines of numbers have large products: a look at all pairs on a device."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import torch

from graphoid.limits import check_time

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray
    from torch import Tensor


def strong_pairs(
    lines: NDArray[np.float32],
    widths: NDArray[np.int64],
    limits: NDArray[np.float32],
    changed: NDArray[np.bool_],
    device: torch.device,
    memory: int,
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return pairs x < y, one of them changed, whose squared products add up to a limit.

    See :class:`graphoid.regression.residuals.Products`; ``memory`` is what may be taken on the device.
    """
    owner = np.repeat(np.arange(len(widths)), widths)
    found = [(np.zeros(0, dtype=np.int64),) * 2]
    for right in _blocks(owner, lines.shape[1], memory):
        held = torch.from_numpy(lines[right]).to(device)
        for left in _blocks(owner, max(lines.shape[1], 3 * len(held)), memory):
            check_time()
            mine = owner[left]
            if not changed[mine].any():
                continue
            block = held if left == right else torch.from_numpy(lines[left]).to(device)
            squares = (block @ held.T).square_()
            x, y = _pairs_above(squares, mine, owner[right], torch.from_numpy(limits).to(device), widths)
            some = changed[x] & (x != y) & (~changed[y] | (x < y))
            found.append((np.minimum(x, y)[some], np.maximum(x, y)[some]))
    x, y = (np.concatenate(parts) for parts in zip(*found, strict=True))
    order = np.lexsort((y, x))
    return x[order], y[order]


def _blocks(owner: NDArray[np.int64], width: int, memory: int) -> Iterator[slice]:
    """Yield ranges of lines that take a quarter of the memory, none of which parts a variable."""
    step, first = max(1, memory // (16 * width)), 0
    while first < len(owner):
        last = min(len(owner), first + step)
        if last < len(owner):
            start = int(np.searchsorted(owner, owner[last]))
            last = start if start > first else int(np.searchsorted(owner, owner[last], side="right"))
        yield slice(first, last)
        first = last


def _pairs_above(
    squares: Tensor,
    left: NDArray[np.int64],
    right: NDArray[np.int64],
    limits: Tensor,
    widths: NDArray[np.int64],
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the variables of lines and columns whose squares, added up, are at a limit."""
    variables = []
    for axis, owner in enumerate((left, right)):
        some, place = np.unique(owner, return_inverse=True)
        variables.append(some)
        if len(some) < len(owner):
            shape = (len(some), squares.shape[1]) if axis == 0 else (squares.shape[0], len(some))
            total = torch.zeros(shape, dtype=squares.dtype, device=squares.device)
            squares = total.index_add_(axis, torch.from_numpy(place).to(squares.device), squares)
    a, b = (torch.from_numpy(widths[some]).to(squares.device) for some in variables)
    least = (
        limits[int(a[0]), int(b[0])]
        if bool((a == a[0]).all() and (b == b[0]).all())
        else limits[a[:, None], b]
    )
    i, j = (part.cpu().numpy() for part in torch.nonzero(squares >= least, as_tuple=True))
    return variables[0][i], variables[1][j]
