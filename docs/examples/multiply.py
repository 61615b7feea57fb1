#!/usr/bin/env python3
"""Multiplies two arrays on the first OpenCL device and checks the product: a pyopencl program as people
write them, for trying clerk with (Debian package python3-pyopencl)."""

import sys

import numpy
import pyopencl

SOURCE = """
kernel void multiply(global const float *a, global const float *b, global float *product)
{
    size_t i = get_global_id(0);
    product[i] = a[i] * b[i];
}
"""


def main():
    count = 50000
    generator = numpy.random.default_rng(1)
    a = generator.random(count, dtype=numpy.float32)
    b = generator.random(count, dtype=numpy.float32)

    device = pyopencl.get_platforms()[0].get_devices()[0]
    context = pyopencl.Context([device])
    queue = pyopencl.CommandQueue(context)
    flags = pyopencl.mem_flags
    a_buffer = pyopencl.Buffer(context, flags.READ_ONLY | flags.COPY_HOST_PTR, hostbuf=a)
    b_buffer = pyopencl.Buffer(context, flags.READ_ONLY | flags.COPY_HOST_PTR, hostbuf=b)
    product_buffer = pyopencl.Buffer(context, flags.WRITE_ONLY, a.nbytes)

    program = pyopencl.Program(context, SOURCE).build()
    program.multiply(queue, a.shape, None, a_buffer, b_buffer, product_buffer)
    product = numpy.empty_like(a)
    pyopencl.enqueue_copy(queue, product, product_buffer)

    wrong = int(numpy.count_nonzero(product != a * b))
    print(f"{count} products, {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
