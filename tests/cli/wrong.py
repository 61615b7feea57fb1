"""A pyopencl program with mistakes, each in a line that says which: 'rule' of the finding whose place it is."""
import numpy
import pyopencl


def launch(queue, kernel, out):
    kernel(queue, (65,), None, out)  # bounds-global


def build(context, text):
    return pyopencl.Program(context, text).build()  # build-failed


context = pyopencl.create_some_context(interactive=False)
queue = pyopencl.CommandQueue(context)
program = build(context, 'kernel void fill(global int *out) { out[get_global_id(0)] = 1; }')
try:
    build(context, '#error')
except pyopencl.RuntimeError:
    pass
launch(queue, program.fill, pyopencl.Buffer(context, pyopencl.mem_flags.WRITE_ONLY, 64 * 4))
hidden = pyopencl.Buffer(context, pyopencl.mem_flags.HOST_NO_ACCESS, 64 * 4)
try:
    pyopencl.enqueue_copy(queue, numpy.zeros(64, numpy.int32), hidden)  # host-access
except pyopencl.LogicError:
    pass
