"""A pyopencl program with mistakes, each in a line that says which: the rule of the finding whose place it is."""
import numpy
import pyopencl as cl
import pyopencl.array
import pyopencl.elementwise
import pyopencl.reduction
import pyopencl.scan

SOURCE = '''
kernel void beyond(global float *out)
{
    out[get_global_id(0) + 1] = 1;
}
kernel void race(global float *out)
{
    out[0] = get_global_id(0);
}
kernel void share(global float *out, local float *tile)
{
    tile[get_local_id(0)] = get_global_id(0);
    out[get_global_id(0)] = tile[get_local_size(0) - 1 - get_local_id(0)];
}
'''
COUNT = 64
KEPT = []


def attempt(function, *arguments):
    try:
        function(*arguments)
    except (cl.Error, ValueError) as error:
        print(f'{function.__name__}: {type(error).__name__}')


def beyond(queue, program):
    out = cl.Buffer(queue.context, cl.mem_flags.READ_WRITE, 4 * COUNT)
    program.beyond(queue, (COUNT,), None, out)  # bounds-global


def race(queue, program):
    out = cl.Buffer(queue.context, cl.mem_flags.READ_WRITE, 4 * COUNT)
    program.race(queue, (COUNT,), None, out)  # race-global


def share(queue, program):
    out = cl.Buffer(queue.context, cl.mem_flags.READ_WRITE, 4 * COUNT)
    program.share(queue, (COUNT,), (16,), out, cl.LocalMemory(4 * 16))  # race-local


def broken(queue, program):
    cl.Program(queue.context, 'kernel void broken() { nothing; }').build()  # build-failed


def short_copy(queue, program):
    small = cl.Buffer(queue.context, cl.mem_flags.READ_WRITE, 4 * COUNT)
    cl.enqueue_copy(queue, numpy.zeros(2 * COUNT, numpy.float32), small)  # region-bounds


def hidden_copy(queue, program):
    hidden = cl.Buffer(queue.context, cl.mem_flags.HOST_NO_ACCESS, 4 * COUNT)
    cl.enqueue_copy(queue, numpy.zeros(COUNT, numpy.float32), hidden)  # host-access


def released(queue, program):
    buffer = cl.Buffer(queue.context, cl.mem_flags.READ_WRITE, 4 * COUNT)
    other = cl.Buffer.from_int_ptr(buffer.int_ptr, retain=False)
    buffer.release()
    cl.enqueue_fill_buffer(queue, other, numpy.float32(1), 0, 4 * COUNT)  # handle-released
    KEPT.append(other)


def unordered(queue, program):
    apart = cl.CommandQueue(queue.context,
                            properties=cl.command_queue_properties.OUT_OF_ORDER_EXEC_MODE_ENABLE)
    buffer = cl.Buffer(queue.context, cl.mem_flags.READ_WRITE, 4 * COUNT)
    cl.enqueue_fill_buffer(apart, buffer, numpy.float32(1), 0, 4 * COUNT)
    cl.enqueue_copy(apart, numpy.zeros(COUNT, numpy.float32), buffer)  # race-commands
    apart.finish()


def unset(queue, program):
    kernel = cl.Kernel(program, 'race')
    cl.enqueue_nd_range_kernel(queue, kernel, (COUNT,), None)  # kernel-argument-unset


def map_and_use(queue, program):
    array = cl.array.zeros(queue, COUNT, numpy.float32)
    mapped = array.map_to_host()
    with mapped.base:
        mapped[:] = 1
        array.fill(2)  # map-in-use
    queue.finish()


def elementwise(queue, program):
    kernel = cl.elementwise.ElementwiseKernel(queue.context, 'float *x, float *y', 'x[i + 1] = y[i]', 'shift')
    x = cl.array.zeros(queue, COUNT, numpy.float32)
    y = cl.array.zeros(queue, COUNT, numpy.float32)
    kernel(x, y)  # bounds-global


def reduction(queue, program):
    kernel = cl.reduction.ReductionKernel(queue.context, numpy.float32, neutral='0', reduce_expr='a+b',
                                          map_expr='x[i + 1]', arguments='__global float *x')
    x = cl.array.zeros(queue, COUNT, numpy.float32)
    kernel(x).get()  # bounds-global


def scan(queue, program):
    kernel = cl.scan.GenericScanKernel(queue.context, numpy.float32, arguments='__global float *x, __global float *y',
                                       input_expr='x[i + 1]', scan_expr='a+b', neutral='0', output_statement='y[i] = item;')
    x = cl.array.zeros(queue, COUNT, numpy.float32)
    y = cl.array.zeros(queue, COUNT, numpy.float32)
    kernel(x, y)  # bounds-global


def zero(queue, program):
    pixel = cl.ImageFormat(cl.channel_order.RGBA, cl.channel_type.FLOAT)
    cl.Image(queue.context, cl.mem_flags.READ_WRITE, pixel, shape=(0, 4))  # image-size


def main():
    context = cl.create_some_context(interactive=False)
    queue = cl.CommandQueue(context)
    program = cl.Program(context, SOURCE).build()
    for function in (beyond, race, share, broken, short_copy, hidden_copy, unordered, unset, map_and_use,
                     elementwise, reduction, scan, zero, released):
        attempt(function, queue, program)
    queue.finish()


main()
