"""Statistics of all pairs in one pass over their counts, by Triton, which comes with PyTorch on Linux."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

if TYPE_CHECKING:
    from torch import Tensor

BLOCK = 1024
"""Right variables that a program looks at."""

try:
    import triton
    import triton.language as tl
except ImportError:  # other systems, and processors
    triton = None

if triton is not None:

    @triton.jit
    def _term(count, expected, G: tl.constexpr):  # noqa: N803 - constants of Triton
        off = count - expected
        if not G:
            return off * off / expected
        # log(c / e) = 2 atanh(s): near 0 by its series, which loses nothing where c and e are large and alike
        s = off / (count + expected)
        t = s * s
        series = 2 * s * (1 + t * (1 / 3 + t * (1 / 5 + t * (1 / 7 + t / 9))))
        ratio = tl.where(count > 0, count / expected, 1.0)
        return 2 * (count * tl.where(tl.abs(s) < 0.25, series, tl.log(ratio)) - off)

    @triton.jit
    def _statistics(
        counts,
        rows,
        columns,
        out,
        total,
        n_left,
        n_right,
        left_stride,
        right_stride,
        width,
        LEFT: tl.constexpr,  # noqa: N803
        RIGHT: tl.constexpr,  # noqa: N803
        ONE: tl.constexpr,  # noqa: N803
        G: tl.constexpr,  # noqa: N803
        BLOCK: tl.constexpr,  # noqa: N803
    ):
        x = tl.program_id(0)
        y = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
        inside = y < n_right
        found = tl.zeros((BLOCK,), dtype=tl.float32)
        if ONE:
            both = tl.load(counts + x.to(tl.int64) * width + y, mask=inside, other=0).to(tl.float32)
            a = tl.load(rows + n_left + x)
            b = tl.load(columns + n_right + y, mask=inside, other=1.0)
            e = a / total * b
            found += _term(both, tl.maximum(e, 1e-30), G)
            found += _term(a - both, tl.maximum(a - e, 1e-30), G)
            found += _term(b - both, tl.maximum(b - e, 1e-30), G)
            found += _term(total - a - (b - both), tl.maximum(total - a - (b - e), 1e-30), G)
        else:
            for i in range(LEFT):
                share = tl.load(rows + i * n_left + x) / total
                line = counts + (i * left_stride + x).to(tl.int64) * width
                for j in range(RIGHT):
                    c = tl.load(line + j * right_stride + y, mask=inside, other=0).to(tl.float32)
                    e = share * tl.load(columns + j * n_right + y, mask=inside, other=1.0)
                    found += _term(c, tl.maximum(e, 1e-30), G)
        tl.store(out + x.to(tl.int64) * n_right + y, found, mask=inside)


def can_fuse(device: torch.device) -> bool:
    """Return whether statistics can be worked out in one pass."""
    return triton is not None and device.type == "cuda"


def fused_statistics(counts: Tensor, rows: Tensor, columns: Tensor, total: float, *, g: bool) -> Tensor:
    """Return G, or Pearson's statistic, of every left and right variable.

    Parameters
    ----------
    counts
        By left state, left variable, right state and right variable; of two states the second alone will do.
        Variables may be followed by others that are none.
    rows, columns
        A line for every state of how many rows have it, for the left and the right variables.
    """
    left, right = rows.shape[1], columns.shape[1]
    found = torch.empty((left, right), dtype=torch.float32, device=counts.device)
    strides = counts.shape[1], counts.shape[3], counts.shape[2] * counts.shape[3]
    shape = {"LEFT": len(rows), "RIGHT": len(columns), "ONE": counts.shape[0] == 1}
    grid = left, -(-right // BLOCK)
    _statistics[grid](
        counts, rows, columns, found, float(total), left, right, *strides, **shape, G=g, BLOCK=BLOCK
    )
    return found
