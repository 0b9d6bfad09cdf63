"""Tail probabilities on the log scale: the plain counterpart of the kernels' own."""

from __future__ import annotations

import math

from scipy import special

_SMALL = 1e-290
"""Below this SciPy's ratio begins to lose digits on its way to zero."""


def log_chi2_sf(x: float, dof: float) -> float:
    r"""Return :math:`\log P(X > x)` for X chi-square with ``dof`` degrees of freedom; finite if x is."""
    if x <= 0 or dof <= 0 or math.isinf(dof):
        return 0.0
    a, h = 0.5 * dof, 0.5 * x
    p = float(special.gammaincc(a, h))
    if p > 0.5:
        return math.log1p(-float(special.gammainc(a, h)))
    if p > _SMALL:
        return math.log(p)
    # Lentz's continued fraction for the upper incomplete gamma function
    tiny = 1e-300
    b = h + 1 - a
    c, d = 1 / tiny, 1 / b
    value = d
    for i in range(1, 10_000):
        an = -i * (i - a)
        b += 2
        d = an * d + b
        d = 1 / (d if abs(d) > tiny else tiny)
        c = b + an / c
        c = c if abs(c) > tiny else tiny
        value *= d * c
        if abs(d * c - 1) < 1e-16:
            break
    return a * math.log(h) - h - math.lgamma(a) + math.log(value)


def log_beta_cdf(x: float, a: float, b: float) -> float:
    r"""Return :math:`\log P(X \le x)` for X beta with parameters a and b; finite if x is positive.

    The tail of an F test: of k columns that leave the share x of a residual sum of squares, with n degrees of
    freedom then, the p-value is that of a = n / 2 and b = k / 2.
    """
    if x >= 1 or a <= 0 or b <= 0:
        return 0.0
    p = float(special.betainc(a, b, x))
    if p > 0.5:
        return math.log1p(-float(special.betaincc(a, b, x)))
    if p > _SMALL:
        return math.log(p)
    # Lentz's continued fraction for the incomplete beta function
    tiny = 1e-300
    c, d = 1.0, 1 / max(1 - (a + b) * x / (a + 1), tiny)
    value = d
    for i in range(1, 10_000):
        for an in (
            i * (b - i) * x / ((a + 2 * i - 1) * (a + 2 * i)),
            -(a + i) * (a + b + i) * x / ((a + 2 * i) * (a + 2 * i + 1)),
        ):
            d = 1 + an * d
            d = 1 / (d if abs(d) > tiny else tiny)
            c = 1 + an / c
            c = c if abs(c) > tiny else tiny
            value *= d * c
        if abs(d * c - 1) < 1e-16:
            break
    front = a * math.log(x) + b * math.log1p(-x) - math.log(a) - float(special.betaln(a, b))
    return front + math.log(value)


def log_normal_two_sided(z: float) -> float:
    r"""Return :math:`\log P(|Z| > |z|)` for a standard normal Z."""
    return min(0.0, math.log(2.0) + float(special.log_ndtr(-abs(z))))
