"""Ten programs, each with a bug of another kind somewhere in the middle of much that is right.

    programs.py PROGRAM
"""
import ctypes
import ctypes.util
import sys

import numpy as np
import pyopencl as cl

context = cl.Context([cl.get_platforms()[0].get_devices()[0]])
queue = cl.CommandQueue(context)
flags = cl.mem_flags
random = np.random.default_rng(1)


def build(source):
    return cl.Program(context, source).build()


def buffer(array):
    return cl.Buffer(context, flags.READ_WRITE | flags.COPY_HOST_PTR, hostbuf=array)


def launch(kernel, size, group, *arguments, on=None, wait_for=None):
    kernel.set_args(*arguments)
    return cl.enqueue_nd_range_kernel(on or queue, kernel, size, group, wait_for=wait_for)


def read(array, source, on=None):
    cl.enqueue_copy(on or queue, array, source)
    return array


def blur():
    """Frames of an image; one lacks the row below its last."""
    kernel = build('''kernel void blur(global const float *in, global float *out, int width) {
        int x = get_global_id(0), y = get_global_id(1);
        out[y * width + x] = (in[y * width + x] + in[(y + 1) * width + x]) / 2;
    }''').blur
    width, height = 64, 48
    out = buffer(np.zeros((height, width), np.float32))
    for frame in range(40):
        picture = buffer(random.random((height + (frame != 25), width), np.float32))
        launch(kernel, (width, height), None, picture, out, np.int32(width))
        read(np.empty((height, width), np.float32), out)


def reduce():
    """Sums by groups, of which the last step needs a barrier that is not there for large groups."""
    program = build('''kernel void sum(global const uint *in, global uint *out, local uint *part, uint last) {
        uint i = get_local_id(0);
        part[i] = in[get_global_id(0)];
        for (uint step = get_local_size(0) / 2; step > 0; step /= 2) {
            if (step > last) barrier(CLK_LOCAL_MEM_FENCE);
            if (i < step) part[i] += part[i + step];
        }
        if (i == 0) out[get_group_id(0)] = part[0];
    }''')
    numbers, out = buffer(np.arange(2048, dtype=np.uint32)), buffer(np.zeros(64, np.uint32))
    kernel = program.sum
    for turn in range(300):
        launch(kernel, (2048,), (64,), numbers, out, cl.LocalMemory(256), np.uint32(1 if turn == 81 else 0))
        read(np.empty(64, np.uint32), out)


def histogram():
    """Counts of colours; a faster kernel, tried once, counts without atomics."""
    program = build('''kernel void count(global const uchar *in, global uint *bins) { atomic_inc(&bins[in[get_global_id(0)]]); }
    kernel void count_fast(global const uchar *in, global uint *bins) { bins[in[get_global_id(0)]]++; }''')
    bins = buffer(np.zeros(256, np.uint32))
    kernels = program.count, program.count_fast
    for turn in range(160):
        colours = buffer(random.integers(0, 16, 4096, np.uint8))
        launch(kernels[turn == 30], (4096,), None, colours, bins)
    read(np.empty(256, np.uint32), bins)


def scan():
    """Prefix sums, with a barrier that some work-items do not reach when the size is odd."""
    kernel = build('''kernel void scan(global uint *data, local uint *row, uint size) {
        uint i = get_local_id(0);
        row[i] = data[get_global_id(0)];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint step = 1; step < get_local_size(0); step *= 2) {
            uint other = i >= step ? row[i - step] : 0;
            if (i < size) barrier(CLK_LOCAL_MEM_FENCE);
            row[i] += other;
            if (i < size) barrier(CLK_LOCAL_MEM_FENCE);
        }
        data[get_global_id(0)] = row[i];
    }''').scan
    for turn in range(240):
        data = buffer(np.ones(1024, np.uint32))
        launch(kernel, (1024,), (32,), data, cl.LocalMemory(128), np.uint32(31 if turn == 44 else 32))
        read(np.empty(1024, np.uint32), data)


def bodies():
    """Particles that move; after some time they grow in number, and the new ones have no place yet."""
    kernel = build('''kernel void move(global float2 *places, global const float2 *speeds, float time) {
        uint i = get_global_id(0);
        float2 place = places[i] + time * speeds[i];
        places[i] = place.x > 1 ? place - 1 : place;
    }''').move
    places = cl.Buffer(context, flags.READ_WRITE, 8 * 1024)
    speeds = buffer(random.random((1024, 2), np.float32))
    cl.enqueue_copy(queue, places, random.random((1000, 2), np.float32))
    for turn in range(80):
        launch(kernel, (1024 if turn == 60 else 1000,), None, places, speeds, np.float32(0.01))
        read(np.empty((1000, 2), np.float32), places)


def blas():
    """Products of matrices by CLBlast; one is then scaled in pairs that begin at an odd place."""
    library = ctypes.CDLL(ctypes.util.find_library('clblast'))
    size = 32
    a, b = (buffer(random.random((size, size), np.float32)) for _ in range(2))
    kernel = build('kernel void scale(global float *m, uint first) { ((global float2 *)(m + first))[get_global_id(0)] *= 2; }').scale
    for turn in range(12):
        c = buffer(np.zeros((size, size), np.float32))
        number = ctypes.c_void_p(queue.int_ptr)
        assert library.CLBlastSgemm(101, 111, 111, *map(ctypes.c_size_t, (size, size, size)), ctypes.c_float(1),
                                    ctypes.c_void_p(a.int_ptr), *map(ctypes.c_size_t, (0, size)),
                                    ctypes.c_void_p(b.int_ptr), *map(ctypes.c_size_t, (0, size)), ctypes.c_float(0),
                                    ctypes.c_void_p(c.int_ptr), *map(ctypes.c_size_t, (0, size)),
                                    ctypes.byref(number), None) == 0
        launch(kernel, (size * size // 4,), None, c, np.uint32(turn == 9))
        read(np.empty((size, size), np.float32), c)


def queues():
    """Two queues take turns; once the second does not wait for the first."""
    kernel = build('kernel void add(global uint *data, uint what) { data[get_global_id(0)] += what; }').add
    other = cl.CommandQueue(context)
    data = buffer(np.zeros(4096, np.uint32))
    last = None
    for turn in range(600):
        wait = [last] if last and turn != 97 else None
        last = launch(kernel, (4096,), None, data, np.uint32(turn), on=(queue, other)[turn % 2], wait_for=wait)
        (queue, other)[turn % 2].flush()
    other.finish()
    queue.finish()
    read(np.empty(4096, np.uint32), data)


def mapped():
    """Buffers that the host fills by a map; one is used by a kernel before it is unmapped."""
    kernel = build('kernel void twice(global uint *data) { data[get_global_id(0)] *= 2; }').twice
    data = buffer(np.zeros(2048, np.uint32))
    for turn in range(240):
        array, _ = cl.enqueue_map_buffer(queue, data, cl.map_flags.READ | cl.map_flags.WRITE, 0, 2048, np.uint32)
        array[:] = turn
        if turn != 73:
            array.base.release(queue)
        launch(kernel, (2048,), None, data)
        if turn == 73:
            array.base.release(queue)
        queue.finish()


def released():
    """Tiles that are made and released; one kernel's argument is released before its launch."""
    kernel = build('kernel void invert(global uint *tile) { tile[get_global_id(0)] ^= 255; }').invert
    for turn in range(300):
        tile = buffer(random.integers(0, 255, 1024, np.uint32))
        kernel.set_args(tile)
        if turn == 191:
            tile.release()
        cl.enqueue_nd_range_kernel(queue, kernel, (1024,), None)
        queue.finish()


def strips():
    """Strips of a long list, of which the last one is read past the end of the buffer."""
    kernel = build('kernel void root(global float *data) { data[get_global_id(0)] = sqrt(data[get_global_id(0)]); }').root
    data = buffer(random.random(4096, np.float32))
    strip = np.empty(512, np.float32)
    for turn in range(400):
        launch(kernel, (4096,), None, data)
        try:
            cl.enqueue_copy(queue, strip, data, src_offset=4 * 512 * (turn % 8 if turn != 99 else 8))
        except cl.Error:
            pass


{'blur': blur, 'reduce': reduce, 'histogram': histogram, 'scan': scan, 'bodies': bodies, 'blas': blas, 'queues': queues,
 'mapped': mapped, 'released': released, 'strips': strips}[sys.argv[1]]()
queue.finish()
