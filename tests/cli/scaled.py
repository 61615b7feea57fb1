"""Two kernels, launched four times each by turns: a buffer is doubled, and one is added."""
import numpy
import pyopencl

context = pyopencl.create_some_context(interactive=False)
queue = pyopencl.CommandQueue(context)
program = pyopencl.Program(context, """
kernel void scale(global float *a, float f, int n) {
    int i = get_global_id(0);
    if (i < n)
        a[i] = a[i] * f;
}
kernel void other(global float *a) { a[get_global_id(0)] += 1; }
""").build()
values = numpy.arange(16, dtype=numpy.float32)
flags = pyopencl.mem_flags.READ_WRITE | pyopencl.mem_flags.COPY_HOST_PTR
buffer = pyopencl.Buffer(context, flags, hostbuf=values)
scale, other = program.scale, program.other
for _ in range(4):
    scale(queue, (16,), None, buffer, numpy.float32(2), numpy.int32(16))
    other(queue, (16,), None, buffer)
pyopencl.enqueue_copy(queue, values, buffer)
