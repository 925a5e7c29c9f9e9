"""Log-likelihood ratios of game results, exact and compiled: the one kernel of the harness.

A result has n classes with scores a_i = i/(n-1): pairs n = 5, single games n = 3. Counts of zero
become `ZERO_COUNT`; N is their sum, p_i = c_i/N the observed frequencies. A hypothesis fixes one
number of the unknown distribution q, and

    LLR = N [l(H1) - l(H0)],    l(H) = max over q in H of sum_i p_i ln(q_i / p_i) <= 0.

This is the generalised SPRT of Van den Bergh (support_MLE_multinomial.pdf, Proposition 1.1), of
which only the maximum under a *linear* constraint E_q[phi] = 0 is elementary (`tilt`).

Logistic Elo e: the mean is s = 1/(1 + 10^(-e/400)), so phi_i = a_i - s and one `tilt` is enough.

Normalized Elo e (normalized_elo_practical.pdf, section 4.1): the t-value is fixed, mean minus 1/2
over standard deviation = t; t = sqrt(2) e/C for pairs, e/C for games, C = 800/ln 10. With
x = a - 1/2 and tau = t/sqrt(1 + t^2) this says E[x] = tau sqrt(E[x^2]), and because
sqrt(z) = min over r > 0 of (z/r + r)/2, reached at r = sqrt(z), it is tangent at r = sqrt(E[x^2])
to the linear constraint E[phi_r] = 0 with phi_r = x - tau (x^2/r + r)/2. Let t > 0 (else mirror the
classes) and l(r) the maximum of `tilt` under phi_r. Then

  * observed t-value below t: H is reached first where E[x] >= tau sqrt(E[x^2]), the union of the
    half-spaces E[phi_r] >= 0: l(H) = max over r of l(r). Setting r to sqrt(E_q[x^2]) again and
    again climbs (each half of the step maximises). There is one peak for games, at most two for
    pairs (mass moved to draws-and-wins or to wins: many draws, wide bounds), and the climbs from
    the two ends of the possible range tau min|x| <= r <= 1/2 find both;
  * above t: the other side is convex, the intersection of the half-spaces E[phi_r] <= 0:
    l(H) = min over r of l(r), a single trough where sqrt(E_q[x^2]) - r changes sign.

The textbook iteration linearises at the running mean and variance instead and starts from the
uniform distribution. It has the same fixed points, but a linearisation may have no solution (wide
bounds), where programs raise or report NaN. Here every `tilt` that is asked for has its solution:
the result is a finite number for all counts and all finite bounds.
"""

# mypy: no-warn-return-any
# (`kernel` hands over a compiled function, whose result mypy cannot know.)

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from engine.jit import kernel
from harness.likelihood.constants import NORMALIZED_ELO_SCALE, ZERO_COUNT

_MAX_STEPS = 200
_TOLERANCE = 1e-9

#: Below, tau is 0: its inverse square must not overflow.
_ZERO = 1e-100

Floats = NDArray[np.float64]


@kernel
def tilt(p: Floats, phi: Floats, q: Floats) -> float:
    """The distribution nearest to `p` whose mean of `phi` is 0: its sum of p ln(q/p), at most 0.

    q : float64[n], out. Precondition: every p > 0, `phi` takes both signs.

    q_i = p_i/(1 + lambda phi_i), where lambda solves sum_i p_i phi_i/(1 + lambda phi_i) = 0. The
    sign of `phi` is chosen so that E_p[phi] <= 0; with psi = phi/max(phi) <= 1 and
    lambda max(phi) = delta - 1 the equation times delta is G(delta) = 0,
    G = sum p psi delta/(1 - psi + delta psi): concave on [0, 1], G(0) > 0 >= G(1). So Newton's
    method from 1 descends to the root without a bracket, and a pole beside the root (a class of
    frequency 1e-9) costs neither steps nor digits.
    """
    drift = 0.0
    for i in range(p.size):
        drift += p[i] * phi[i]
    sign = -1.0 if drift > 0.0 else 1.0
    top = 0.0
    for i in range(p.size):
        top = max(top, sign * phi[i])
    delta = 1.0
    for _ in range(_MAX_STEPS):
        value = 0.0
        slope = 0.0
        for i in range(p.size):
            psi = sign * phi[i] / top
            share = p[i] * psi / (1.0 - psi + delta * psi)
            value += delta * share
            slope += share * (1.0 - psi) / (1.0 - psi + delta * psi)
        step = value / slope
        delta -= step
        if step <= _TOLERANCE * delta:
            break
    gain = 0.0
    for i in range(p.size):
        psi = sign * phi[i] / top
        ratio = 1.0 - psi + delta * psi
        q[i] = p[i] / ratio
        # log1p keeps the digits of a large sample near p, log those of a rare class.
        gain -= p[i] * (math.log(ratio) if ratio < 0.5 else math.log1p((delta - 1.0) * psi))
    return gain


@kernel
def tangent_maximum(p: Floats, tau: float, r: float, q: Floats, phi: Floats) -> float:
    """l(r) of the module's text; q, phi : float64[n], out."""
    for i in range(p.size):
        x = i / (p.size - 1) - 0.5
        phi[i] = x - 0.5 * tau * (x * x / r + r)
    return tilt(p, phi, q)


@kernel
def root_mean_square(q: Floats) -> float:
    """sqrt(E_q[x^2]), x = score - 1/2."""
    total = 0.0
    for i in range(q.size):
        x = i / (q.size - 1) - 0.5
        total += q[i] * x * x
    return math.sqrt(total)


@kernel
def peak(p: Floats, tau: float, start: float, q: Floats, phi: Floats) -> float:
    """The maximum of l(r) that the climb from `start` reaches; q, phi : float64[n], scratch."""
    r = start
    best = 0.0
    for _ in range(_MAX_STEPS):
        best = tangent_maximum(p, tau, r, q, phi)
        previous = r
        r = root_mean_square(q)
        if abs(r - previous) <= _TOLERANCE * r:
            break
    return best


@kernel
def trough(p: Floats, tau: float, mean: float, q: Floats, phi: Floats) -> float:
    """The minimum of l(r), given E_p[x] = `mean` > tau sqrt(E_p[x^2]); q, phi as in `peak`.

    The constraint acts between the roots of E_p[phi_r] = 0. The step of `peak` is kept inside the
    interval by bisection, since here it need not be monotone.
    """
    r = root_mean_square(p)
    width = math.sqrt(max((mean / tau) ** 2 - r * r, 0.0))
    low = max(mean / tau - width, 0.0)
    high = mean / tau + width
    best = 0.0
    for _ in range(_MAX_STEPS):
        best = tangent_maximum(p, tau, r, q, phi)
        previous = r
        r = root_mean_square(q)
        if abs(r - previous) <= _TOLERANCE * r:
            break
        if r > previous:
            low = previous
        else:
            high = previous
        if not low < r < high:
            r = 0.5 * (low + high)
    return best


@kernel
def normalized_maximum(observed: Floats, t: float) -> float:
    """l(H) for the t-value `t` of normalized Elo; observed : float64[n], frequencies > 0."""
    n = observed.size
    p = observed if t >= 0.0 else observed[::-1].copy()
    q = np.empty(n)
    phi = np.empty(n)
    tau = abs(t) / math.sqrt(1.0 + t * t)
    if tau < _ZERO:
        return tangent_maximum(p, tau, 0.5, q, phi)
    mean = 0.0
    for i in range(n):
        mean += p[i] * (i / (n - 1) - 0.5)
    if mean > tau * root_mean_square(p):
        return trough(p, tau, mean, q, phi)
    return max(
        peak(p, tau, tau / (n - 1), q, phi),
        peak(p, tau, 0.5, q, phi),
    )


@kernel
def logistic_maximum(p: Floats, elo: float) -> float:
    """l(H) for the mean score of logistic `elo`; p : float64[n], frequencies > 0."""
    n = p.size
    q = np.empty(n)
    phi = np.empty(n)
    win = 1.0 / (1.0 + 10.0 ** (-elo / 400.0))
    loss = 1.0 / (1.0 + 10.0 ** (elo / 400.0))
    for i in range(n):
        # a - s without the cancellation of 1 - s
        phi[i] = (i * loss - (n - 1 - i) * win) / (n - 1)
    return tilt(p, phi, q)


@kernel
def log_likelihood_ratio(counts: Floats, elo0: float, elo1: float, normalized: bool) -> float:
    """LLR of H1 (`elo1`) against H0 (`elo0`): positive speaks for H1. Finite for all finite input.

    counts : float64[5] pairs or float64[3] games, lowest score first, not negative.
    """
    n = counts.size
    p = np.empty(n)
    total = 0.0
    for i in range(n):
        p[i] = counts[i] if counts[i] > 0.0 else ZERO_COUNT
        total += p[i]
    for i in range(n):
        p[i] /= total
    if not normalized:
        return total * (logistic_maximum(p, elo1) - logistic_maximum(p, elo0))
    # The classes' variance is that of a game (n = 3) or half of it (n = 5, a mean of two).
    scale = math.sqrt((n - 1) / 2.0) / NORMALIZED_ELO_SCALE
    return total * (normalized_maximum(p, elo1 * scale) - normalized_maximum(p, elo0 * scale))
