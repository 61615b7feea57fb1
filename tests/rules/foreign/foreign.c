/* Programs whose launches find pointers that earlier ones left in global memory, right and wrong,
 * one a name: `foreign CASE`. What each is to be found wrong with on the reference device is said
 * in CMakeLists.txt. */
#include "tests/rules/program.h"

#include <string.h>

enum { COUNT = 64 };

/* `phase` 0 leaves pointers, 1 uses what is there, 2 does both. */
static const char source[] =
    "kernel void of_items(global uintptr_t *at, global int *out, int phase) {\n"
    "    const size_t i = get_global_id(0);\n"
    "    int x = i;\n"
    "    if (phase != 1)\n"
    "        at[i] = (uintptr_t)&x;\n"
    "    if (phase != 0)\n"
    "        out[i] = *(int *)at[i];\n"
    "}\n"
    "kernel void of_groups(global uintptr_t *at, global int *out, int phase) {\n"
    "    const size_t i = get_global_id(0);\n"
    "    local int tile[64];\n"
    "    tile[get_local_id(0)] = i;\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    if (phase != 1)\n"
    "        at[i] = (uintptr_t)(tile + get_local_id(0));\n"
    "    if (phase != 0)\n"
    "        out[i] = *(local int *)at[i];\n"
    "}\n"
    "kernel void plain(global uintptr_t *at, global int *out, int phase) {\n"
    "    out[get_global_id(0)] = *(int *)at[get_global_id(0)];\n"
    "}\n"
    "typedef struct node { global struct node *next; } node;\n"
    "kernel void ring(global node *nodes, global int *out, int phase) {\n"
    "    const size_t i = get_global_id(0);\n"
    "    if (phase != 1)\n"
    "        nodes[i].next = nodes + (i + 1) % get_global_size(0);\n"
    "    barrier(CLK_GLOBAL_MEM_FENCE);\n"
    "    if (phase != 0)\n"
    "        out[i] = nodes[i].next->next - nodes;\n"
    "}\n"
    "kernel void indices(global uint *next, global int *out, int phase) {\n"
    "    const size_t i = get_global_id(0);\n"
    "    if (phase == 0)\n"
    "        next[i] = (i + 1) % get_global_size(0);\n"
    "    else\n"
    "        out[i] = next[next[i]];\n"
    "}\n"
    "kernel void moved(global ulong *at, global int *out, int phase) {\n"
    "    if (get_global_id(0) != 0)\n"
    "        return;\n"
    "    if (phase == 0) {\n"
    "        at[0] = (ulong)out;\n"
    "        at[1] = (ulong)(out + 1);\n"
    "    } else {\n"
    "        *(global int *)(at[1] - at[0] + (ulong)out) = phase;\n"
    "    }\n"
    "}\n"
    "kernel void same(global ulong *at, global int *out, global int *again) {\n"
    "    at[0] = (ulong)out;\n"
    "    again[0] = out == again;\n"
    "}\n";

static const char handing_on[] = /* in OpenCL C 3.0 */
    "kernel void halves(global uint2 *at, global int *out, int phase) {\n"
    "    const size_t i = get_global_id(0);\n"
    "    const ulong address = (ulong)(out + i);\n"
    "    if (phase != 1)\n"
    "        at[i] = (uint2)((uint)address, (uint)(address >> 32));\n"
    "    if (phase != 0)\n"
    "        *(global int *)upsample(at[i].y, at[i].x) = i;\n"
    "}\n"
    "kernel void broadcast(global ulong *at, global int *out, int phase) {\n"
    "    const size_t i = get_global_id(0);\n"
    "    if (phase != 1)\n"
    "        at[i] = work_group_broadcast((ulong)(out + i), 0);\n"
    "    if (phase != 0 && i == 0)\n"
    "        *(global int *)at[i] = 1;\n"
    "}\n"
    "kernel void sub_group(global ulong *at, global int *out, int phase) {\n"
    "    const size_t i = get_global_id(0);\n"
    "    if (phase != 1)\n"
    "        at[i] = sub_group_broadcast((ulong)(out + i), 0);\n"
    "    if (phase != 0 && i == 0 && get_sub_group_local_id() == 0)\n"
    "        *(global int *)at[i] = 1;\n"
    "}\n"
    "kernel void send(write_only pipe ulong packets, global int *out) {\n"
    "    ulong address = (ulong)(out + get_global_id(0));\n"
    "    out[get_global_id(0)] = 1;\n"
    "    write_pipe(packets, &address);\n"
    "}\n"
    "kernel void take(read_only pipe ulong packets, global int *out) {\n"
    "    ulong address;\n"
    "    if (read_pipe(packets, &address) == 0 && *(global int *)address == 0)\n"
    "        out[get_global_id(0)] = 1;\n"
    "}\n";

static struct program program;
static cl_mem at, out;

static void check(cl_int status)
{
    PROGRAM_CHECK(status == CL_SUCCESS);
}

static void launch_kernel(cl_kernel kernel, cl_int phase)
{
    const size_t count = COUNT;
    check(clSetKernelArg(kernel, 0, sizeof at, &at));
    check(clSetKernelArg(kernel, 1, sizeof out, &out));
    check(clSetKernelArg(kernel, 2, sizeof phase, &phase));
    check(clEnqueueNDRangeKernel(program.queue, kernel, 1, NULL, &count, NULL, 0, NULL, NULL));
    check(clFinish(program.queue));
    check(clReleaseKernel(kernel));
}

static void launch(const char *name, cl_int phase)
{
    launch_kernel(program_kernel(&program, source, name), phase);
}

static void hand_on(const char *name, cl_int phase)
{
    launch_kernel(program_kernel_with(&program, handing_on, name, "-cl-std=CL3.0"), phase);
}

static void private_of_a_launch(void)
{
    launch("of_items", 0);
    launch("of_items", 1);
}

static void local_of_a_launch(void)
{
    launch("of_groups", 0);
    launch("of_groups", 1);
}

/* The kernel has no variable that a pointer could be to. */
static void used_by_another_kernel(void)
{
    launch("of_items", 0);
    launch("plain", 1);
}

static void private_made_anew(void)
{
    launch("of_items", 0);
    launch("of_items", 2);
}

static void local_made_anew(void)
{
    launch("of_groups", 0);
    launch("of_groups", 2);
}

static void buffer_of_a_launch(void)
{
    launch("ring", 0);
    launch("ring", 1);
}

static void indices_of_a_launch(void)
{
    launch("indices", 0);
    launch("indices", 1);
}

static void buffer_in_a_launch(void)
{
    launch("ring", 2);
    launch("ring", 2);
}

static void halves_of_a_launch(void)
{
    hand_on("halves", 0);
    hand_on("halves", 1);
}

static void halves_in_a_launch(void)
{
    hand_on("halves", 2);
    hand_on("halves", 2);
}

static void broadcast_by_a_launch(void)
{
    hand_on("broadcast", 0);
    hand_on("broadcast", 1);
}

static void broadcast_in_a_launch(void)
{
    hand_on("broadcast", 2);
    hand_on("broadcast", 2);
}

static void broadcast_by_a_sub_group(void)
{
    hand_on("sub_group", 0);
    hand_on("sub_group", 1);
}

static void in_a_pipe(void)
{
    static const char *const names[] = {"send", "take"};
    const size_t count = COUNT;
    cl_int error;
    cl_mem pipe = clCreatePipe(program.context, 0, sizeof(cl_ulong), COUNT, NULL, &error);
    check(error);
    for (int i = 0; i < 2; i++) {
        cl_kernel kernel = program_kernel_with(&program, handing_on, names[i], "-cl-std=CL3.0");
        check(clSetKernelArg(kernel, 0, sizeof pipe, &pipe));
        check(clSetKernelArg(kernel, 1, sizeof out, &out));
        check(clEnqueueNDRangeKernel(program.queue, kernel, 1, NULL, &count, NULL, 0, NULL, NULL));
        check(clFinish(program.queue));
        check(clReleaseKernel(kernel));
    }
    check(clReleaseMemObject(pipe));
}

/* Nobody follows what was left: the distance is right in every launch. */
static void pointers_moved(void)
{
    launch("moved", 0);
    launch("moved", 1);
}

/* Two arguments that are one buffer are equal pointers. */
static void buffer_given_twice(void)
{
    const size_t one = 1;
    cl_int equal = 0;
    cl_kernel kernel = program_kernel(&program, source, "same");
    check(clSetKernelArg(kernel, 0, sizeof at, &at));
    check(clSetKernelArg(kernel, 1, sizeof out, &out));
    check(clSetKernelArg(kernel, 2, sizeof out, &out));
    check(clEnqueueNDRangeKernel(program.queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL));
    check(clEnqueueReadBuffer(program.queue, out, CL_TRUE, 0, sizeof equal, &equal, 0, NULL, NULL));
    PROGRAM_CHECK(equal == 1);
    check(clReleaseKernel(kernel));
}

/* Its addresses last. */
static void shared_memory_of_a_launch(void)
{
    const size_t one = 1;
    void *nodes = clSVMAlloc(program.context, 0, COUNT * sizeof(cl_ulong), 0);
    PROGRAM_CHECK(nodes != NULL);
    for (cl_int phase = 0; phase < 2; phase++) {
        cl_kernel kernel = program_kernel(&program, source, "ring");
        check(clSetKernelArgSVMPointer(kernel, 0, nodes));
        check(clSetKernelArg(kernel, 1, sizeof out, &out));
        check(clSetKernelArg(kernel, 2, sizeof phase, &phase));
        check(clEnqueueNDRangeKernel(program.queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL));
        check(clFinish(program.queue));
        check(clReleaseKernel(kernel));
    }
    clSVMFree(program.context, nodes);
}

static const struct {
    const char *name;
    void (*run)(void);
} cases[] = {
#define CASE(name)                                                                                 \
    {                                                                                              \
#name, name                                                                                \
    }
    CASE(private_of_a_launch),
    CASE(local_of_a_launch),
    CASE(used_by_another_kernel),
    CASE(private_made_anew),
    CASE(local_made_anew),
    CASE(buffer_of_a_launch),
    CASE(buffer_in_a_launch),
    CASE(pointers_moved),
    CASE(buffer_given_twice),
    CASE(shared_memory_of_a_launch),
    CASE(indices_of_a_launch),
    CASE(halves_of_a_launch),
    CASE(halves_in_a_launch),
    CASE(broadcast_by_a_launch),
    CASE(broadcast_in_a_launch),
    CASE(broadcast_by_a_sub_group),
    CASE(in_a_pipe),
};

int main(int argc, char **argv)
{
    for (size_t i = 0; argc == 2 && i < sizeof cases / sizeof *cases; i++) {
        cl_int error;
        if (strcmp(cases[i].name, argv[1]) != 0)
            continue;
        program = program_begin();
        at = clCreateBuffer(program.context, 0, COUNT * sizeof(cl_ulong), NULL, &error);
        check(error);
        out = clCreateBuffer(program.context, 0, COUNT * sizeof(cl_int), NULL, &error);
        check(error);
        cases[i].run();
        check(clReleaseMemObject(at));
        check(clReleaseMemObject(out));
        return program_end(&program);
    }
    fprintf(stderr, "foreign: unknown case\n");
    return 3;
}
