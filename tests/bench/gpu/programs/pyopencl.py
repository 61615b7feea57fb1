"""What PyOpenCL's own kernels make of random numbers: pyopencl.py array|reduce|scan|sort|random prints a digest of each result."""
import hashlib
import os
import sys

sys.path.remove(os.path.dirname(os.path.abspath(__file__)))  # this file is not the module of its name

import numpy as np  # noqa: E402
import pyopencl as cl  # noqa: E402
import pyopencl.array  # noqa: E402
import pyopencl.clmath  # noqa: E402
from pyopencl.algorithm import RadixSort, copy_if, partition  # noqa: E402
from pyopencl.bitonic_sort import BitonicSort  # noqa: E402
from pyopencl.clrandom import PhiloxGenerator, ThreefryGenerator  # noqa: E402
from pyopencl.scan import ExclusiveScanKernel, InclusiveScanKernel  # noqa: E402

context = cl.Context([cl.get_platforms()[0].get_devices()[0]])
queue = cl.CommandQueue(context)
numbers = np.random.RandomState(2)


def on_device(values, kind):
    return cl.array.to_device(queue, values.astype(kind))


def show(name, result):
    values = np.ascontiguousarray(result.get())
    print(name, values.dtype, values.shape, hashlib.sha256(values.tobytes()).hexdigest()[:16])


def arrays():
    a, b = (on_device(numbers.rand(1000), np.float32) for _ in range(2))
    c = on_device(numbers.rand(64) + 1j * numbers.rand(64), np.complex64)
    show('sum', 2 * a - 3 * b)
    show('power', a**2)
    show('choice', cl.array.if_positive(a - b, a, b))
    show('complex', c * c.conj())
    show('sine', cl.clmath.sin(a))
    show('angle', cl.clmath.atan2(a, b))


def reductions():
    a = on_device(numbers.randint(-99, 99, 100000), np.int32)
    for name in 'sum', 'min', 'max':
        show(name, getattr(cl.array, name)(a))
    show('dot', cl.array.dot(a, a))


def scans():
    for name, kernel in (('sums', InclusiveScanKernel(context, np.int32, 'a+b', neutral='0')),
                         ('maxima', ExclusiveScanKernel(context, np.int32, 'a>b?a:b', '0'))):
        a = on_device(numbers.randint(0, 9, 30000), np.int32)
        kernel(a)
        show(name, a)


def sorts():
    a = on_device(numbers.randint(0, 1000, 4096), np.int32)
    some, count, event = copy_if(a, 'ary[i]>500')
    event.wait()
    show('some', some[:int(count.get())])
    below = partition(a, 'ary[i]>300')
    show('parted', below[0][:int(below[2].get())])
    by_digits, event = RadixSort(context, 'int *ary', key_expr='ary[i]', sort_arg_names=['ary'])(a, key_bits=12)
    event.wait()
    show('by digits', by_digits[0])
    show('bitonic', BitonicSort(context)(a)[0])


def random():
    for generator in PhiloxGenerator(context, seed=5), ThreefryGenerator(context, seed=6):
        show('uniform', generator.uniform(queue, 4000, np.float32))
        show('normal', generator.normal(queue, 4000, np.float64))


{'array': arrays, 'reduce': reductions, 'scan': scans, 'sort': sorts, 'random': random}[sys.argv[1]]()
