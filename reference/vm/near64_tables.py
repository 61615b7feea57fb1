#!/usr/bin/env python3
"""Writes near64_tables.c: python3 reference/vm/near64_tables.py >reference/vm/near64_tables.c

Needs mpmath. Each number is the double nearest to what the comment of its table in near64_tables.h
says, worked out with 60 decimal digits; those in two parts are a double and the double nearest to
what it leaves."""
from mpmath import mp, mpf, atan, erfc, exp, floor, log, nint, pi, sin, sqrt, erf, cos

mp.dps = 60


def double(value):
    return mpf(float(value))


def two(value):
    return [double(value), double(value - double(value))]


def short_first(value):
    """Of a value in [1, 2): the first part has 27 bits."""
    first = nint(value * 2**26) / 2**26
    return [first, double(value - first)]


def table(name, width, rows):
    rows = list(rows)
    print(f'\n/* clang-format off */\nconst double {name}[{len(rows)}][{width}] = {{')
    for row in rows:
        assert len(row) == width
        print('    {' + ', '.join(float(number).hex() for number in row) + '},')
    print('};\n/* clang-format on */')


def log_row(index):
    """Of the numbers m that have these 8 bits behind the point, from 1 on or, halved, below 1. The
    factor is so short that m * factor - 1 is a double."""
    low = 1 + mpf(index) / 256
    high = low + mpf(1) / 256
    steps = 512
    if index >= 106:
        low, high, steps = low / 2, high / 2, 256
    if index == 0 or index == 255:
        factor = mpf(1)
    else:
        factor = nint(2 / (low + high) * steps) / steps
    for end in (low, high):
        assert abs(end * factor - 1) <= mpf(2)**-8
        assert factor == 1 or abs(end * factor - 1)**3 <= abs(log(end)) * mpf(2)**-16
    head = nint(-log(factor) * 2**42) / 2**42
    assert factor == 1 or abs(head) > max(abs(low * factor - 1), abs(high * factor - 1))
    return [factor, head, double(-log(factor) - head)]


def polynomial(function, middle, half, degree):
    """Interpolates at Chebyshev's points of middle - half to middle + half."""
    nodes = [half * cos(pi * (2 * k + 1) / (2 * degree + 2)) for k in range(degree + 1)]
    values = [function(middle + node) for node in nodes]
    for level in range(1, degree + 1):  # divided differences
        for k in range(degree, level - 1, -1):
            values[k] = (values[k] - values[k - 1]) / (nodes[k] - nodes[k - level])
    sums = [mpf(0)] * (degree + 1)
    for k in range(degree, -1, -1):  # sums = sums * (x - node) + value
        sums = [(sums[i - 1] if i else 0) - nodes[k] * sums[i] for i in range(degree + 1)]
        sums[0] += values[k]
    return sums


def erfcx(x):
    return exp(x * x) * erfc(x)


ERFCX_DEGREE = 10


def erfcx_row(index):
    octave = mpf(2)**(index // 32)
    half = octave / 64
    middle = octave * (1 + mpf(index % 32) / 32) + half - 1
    sums = polynomial(erfcx, middle, half, ERFCX_DEGREE)
    for k in range(9):  # of the numbers as they are stored
        x = half * cos(pi * k / 8)
        near = sum(double(c) * x**i if i > 2 else c * x**i for i, c in enumerate(sums))
        assert abs(near / erfcx(middle + x) - 1) < mpf(2)**-71
    return two(sums[0]) + two(sums[1]) + two(sums[2]) + [double(c) for c in sums[3:]]


def main():
    print('/* Written by near64_tables.py. */')
    print('#include "reference/vm/near64_tables.h"')
    table('near64_exp2_table', 2, (short_first(mpf(2)**(mpf(i) / 128)) for i in range(128)))
    table('near64_log_table', 3, map(log_row, range(256)))
    table('near64_sin_table', 2, (two(sin(pi * i / 512)) for i in range(257)))
    table('near64_atan_table', 2, (two(atan(mpf(i) / 128)) for i in range(129)))
    table('near64_erf_table', 4,
          (two(erf(mpf(i) / 64)) + two(2 / sqrt(pi) * exp(-(mpf(i) / 64)**2)) for i in range(385)))
    table('near64_erfcx_table', 14, map(erfcx_row, range(154)))


main()
