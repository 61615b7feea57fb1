/* Programs whose launches find pointers to local and private memory that earlier ones left in
 * global memory, right and wrong, one a name: `foreign CASE`. What each is to be found wrong with
 * on the reference device is said in CMakeLists.txt. */
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
    "}\n";

static struct program program;
static cl_mem at, out;

static void check(cl_int status)
{
    PROGRAM_CHECK(status == CL_SUCCESS);
}

static void launch(const char *name, cl_int phase)
{
    const size_t count = COUNT;
    cl_kernel kernel = program_kernel(&program, source, name);
    check(clSetKernelArg(kernel, 0, sizeof at, &at));
    check(clSetKernelArg(kernel, 1, sizeof out, &out));
    check(clSetKernelArg(kernel, 2, sizeof phase, &phase));
    check(clEnqueueNDRangeKernel(program.queue, kernel, 1, NULL, &count, NULL, 0, NULL, NULL));
    check(clFinish(program.queue));
    check(clReleaseKernel(kernel));
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

static const struct {
    const char *name;
    void (*run)(void);
} cases[] = {
#define CASE(name)                                                                                 \
    {                                                                                              \
#name, name                                                                                \
    }
    CASE(private_of_a_launch), CASE(local_of_a_launch), CASE(used_by_another_kernel),
    CASE(private_made_anew),   CASE(local_made_anew),
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
    fprintf(stderr, "foreign: there is no such case\n");
    return 3;
}
