/* Cases of memory that is not there to be used so: written though it is read-only, NULL, never
 * written. */
#include "tests/probes/probed.h"

/* A buffer that the case makes read-only, and the twin makes to be written, with the results start
 * + step * i. */
#define SEALED(type, elements, at_0, each)                                                         \
    {                                                                                              \
        .object = PROBED_BUFFER, .element = type, .count = (elements), .flags = CL_MEM_READ_ONLY,  \
        .clean_flags = CL_MEM_READ_WRITE, .result = true, .start = (at_0), .step = (each)          \
    }

static const struct probed_case read_only[] = {
    {.name = "sealed_output",
     .global = {16},
     .arguments = {SEALED(PROBED_INT, 16, 1, 2)},
     .source = "kernel void sealed_output(global int *out)\n"
               "{\n"
               "    int i = get_global_id(0);\n"
               "    out[i] = 2 * i + 1; /* BUG */\n"
               "}\n"},
    {.name = "wrong_argument",
     .global = {16},
     .arguments =
         {{.object = PROBED_BUFFER, .element = PROBED_INT, .count = 16, .flags = CL_MEM_READ_ONLY},
          PROBED_OUT(PROBED_INT, 16, 0, 1)},
     .source = "kernel void wrong_argument(global int *in, global int *out)\n"
               "{\n"
               "    int i = get_global_id(0);\n"
               "    @in|out@[i] = in[i]; /* BUG */\n"
               "}\n"},
    {.name = "sealed_component",
     .global = {2, 2},
     .arguments = {SEALED(PROBED_FLOAT, 16, 0, 1)},
     .source = "kernel void sealed_component(global float4 *out)\n"
               "{\n"
               "    size_t i = 2 * get_global_id(1) + get_global_id(0);\n"
               "    out[i].y = 4.0f * i + 1; /* BUG */\n"
               "}\n"},
    {.name = "sealed_member",
     .global = {8},
     .local = {4},
     .arguments = {SEALED(PROBED_SHORT, 16, 0, 1)},
     .source = "typedef struct { short key, value; } entry;\n"
               "kernel void sealed_member(global entry *entries)\n"
               "{\n"
               "    size_t i = get_global_id(0);\n"
               "    global entry *mine = &entries[i];\n"
               "    mine->value = (short)(mine->key + 1); /* BUG */\n"
               "}\n"},
    {.name = "sealed_bytes",
     .global = {2, 3, 2},
     .arguments = {SEALED(PROBED_CHAR, 12, 3, 1)},
     .source = "void mark(global uchar *at, uchar what)\n"
               "{\n"
               "    *at = what; /* BUG */\n"
               "}\n"
               "kernel void sealed_bytes(global uchar *out)\n"
               "{\n"
               "    size_t x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);\n"
               "    size_t i = (z * 3 + y) * 2 + x;\n"
               "    mark(&out[i], (uchar)(i + 3));\n"
               "}\n"},
    {.name = "sealed_counter",
     .global = {10},
     .arguments = {SEALED(PROBED_INT, 1, 10, 0)},
     .source = "kernel void sealed_counter(volatile global int *count)\n"
               "{\n"
               "    atomic_inc(count); /* BUG */\n"
               "}\n"},
    {.name = "sealed_vector",
     .global = {4},
     .arguments = {SEALED(PROBED_SHORT, 16, 0, 1)},
     .source = "kernel void sealed_vector(global short *out)\n"
               "{\n"
               "    size_t i = get_global_id(0);\n"
               "    short4 four = (short4)(0, 1, 2, 3) + (short)(4 * i);\n"
               "    vstore4(four, i, out); /* BUG */\n"
               "}\n"},
    {.name = "sealed_loop",
     .global = {4},
     .arguments = {PROBED_NUMBER(4), SEALED(PROBED_INT, 16, 0, 5)},
     .source = "kernel void sealed_loop(int each, global int *values)\n"
               "{\n"
               "    global int *at = values + each * get_global_id(0);\n"
               "    for (int k = 0; k < each; k++, at++)\n"
               "        *at *= 5; /* BUG */\n"
               "}\n"},
    {.name = "sealed_part",
     .global = {256},
     .arguments = {{.object = PROBED_SUB_BUFFER,
                    .element = PROBED_INT,
                    .count = 256,
                    .flags = CL_MEM_READ_ONLY,
                    .clean_flags = CL_MEM_READ_WRITE,
                    .result = true,
                    .step = 1}},
     .source = "kernel void sealed_part(global int *out)\n"
               "{\n"
               "    int i = get_global_id(0);\n"
               "    out[i] = i; /* BUG */\n"
               "}\n"},
    {.name = "sealed_by_macro",
     .global = {6},
     .offset = {2},
     .arguments = {SEALED(PROBED_INT, 8, 0, 1), PROBED_OUT(PROBED_INT, 8, 0, 1)},
     .header = "#define STORE(p, i, v) ((p)[i] = (v))\n",
     .source = "#include \"part.h\"\n"
               "kernel void sealed_by_macro(global int *first, global int *second)\n"
               "{\n"
               "    int i = get_global_id(0);\n"
               "    STORE(second, i, i);\n"
               "    STORE(first, i, i); /* BUG */\n"
               "}\n"},
    {.name = "sealed_copy",
     .global = {8},
     .local = {8},
     .arguments = {SEALED(PROBED_INT, 8, 3, 3)},
     .source = "kernel void sealed_copy(global int *out)\n"
               "{\n"
               "    local int room[8];\n"
               "    int l = get_local_id(0);\n"
               "    room[l] = 3 * l + 3;\n"
               "    barrier(CLK_LOCAL_MEM_FENCE);\n"
               "    event_t copy = async_work_group_copy(out, room, 8, 0); /* BUG */\n"
               "    wait_group_events(1, &copy);\n"
               "}\n"},
};

/* A counted buffer, for which the case sets NULL. */
#define FORGOTTEN(type, elements)                                                                  \
    {                                                                                              \
        .object = PROBED_BUFFER, .element = type, .count = (elements), .null = true                \
    }

/* What is read and has no influence compilers leave out, so that only checked kernels fault. */
static const struct probed_case null[] = {
    {.name = "null_read",
     .global = {16},
     .arguments = {FORGOTTEN(PROBED_INT, 16), PROBED_OUT(PROBED_INT, 16, 0, 1)},
     .source = "kernel void null_read(global const int *in, global int *out)\n"
               "{\n"
               "    int i = get_global_id(0);\n"
               "    int read = in[i]; /* BUG */\n"
               "    out[i] = i + 0 * read;\n"
               "}\n"},
    {.name = "null_constant",
     .global = {4, 4},
     .arguments = {FORGOTTEN(PROBED_SHORT, 16), PROBED_OUT(PROBED_SHORT, 16, 2, 1)},
     .source = "kernel void null_constant(constant short *in, global short *out)\n"
               "{\n"
               "    int i = 4 * get_global_id(1) + get_global_id(0);\n"
               "    short read = in[i]; /* BUG */\n"
               "    out[i] = (short)(2 + i + 0 * read);\n"
               "}\n"},
    {.name = "null_vector",
     .global = {4},
     .arguments = {FORGOTTEN(PROBED_INT, 16), PROBED_OUT(PROBED_INT, 4, 0, 1)},
     .source = "kernel void null_vector(global const int *in, global int *out)\n"
               "{\n"
               "    int i = get_global_id(0);\n"
               "    int4 four = vload4(i, in); /* BUG */\n"
               "    out[i] = i + (four.w & 0);\n"
               "}\n"},
    {.name = "null_helper",
     .global = {8},
     .arguments = {FORGOTTEN(PROBED_INT, 16), PROBED_OUT(PROBED_INT, 8, 0, 1)},
     .source = "typedef struct { int first, second; } pair;\n"
               "int second(global const pair *of)\n"
               "{\n"
               "    return of->second; /* BUG */\n"
               "}\n"
               "kernel void null_helper(global const pair *in, global int *out)\n"
               "{\n"
               "    int i = get_global_id(0);\n"
               "    out[i] = i + 0 * second(in + i);\n"
               "}\n"},
    {.name = "null_in_parts",
     .global = {8},
     .arguments = {FORGOTTEN(PROBED_CHAR, 8), PROBED_OUT(PROBED_CHAR, 8, 4, 1)},
     .source = "char first_of(global const char *bytes);\n"
               "kernel void null_in_parts(global const char *in, global char *out)\n"
               "{\n"
               "    int i = get_global_id(0);\n"
               "    out[i] = (char)(4 + i + 0 * first_of(in + i));\n"
               "}\n",
     .second = "char first_of(global const char *bytes);\n"
               "char first_of(global const char *bytes)\n"
               "{\n"
               "    return bytes[0]; /* BUG */\n"
               "}\n"},
    {.name = "null_written",
     .faults = true,
     .global = {8},
     .arguments = {{.object = PROBED_BUFFER,
                    .element = PROBED_INT,
                    .count = 8,
                    .null = true,
                    .result = true,
                    .start = 9}},
     .source = "kernel void null_written(global int *out)\n"
               "{\n"
               "    out[get_global_id(0)] = 9; /* BUG */\n"
               "}\n"},
    {.name = "null_sum",
     .faults = true,
     .global = {2, 2, 2},
     .arguments = {FORGOTTEN(PROBED_FLOAT, 4), PROBED_OUT(PROBED_FLOAT, 8, 6, 1)},
     .source = "kernel void null_sum(global const float *in, global float *out)\n"
               "{\n"
               "    size_t x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);\n"
               "    float sum = 4 * z + 2 * y + x;\n"
               "    for (int k = 0; k < 4; k++)\n"
               "        sum += in[k]; /* BUG */\n"
               "    out[4 * z + 2 * y + x] = sum;\n"
               "}\n"},
    {.name = "null_atomic",
     .faults = true,
     .global = {8},
     .arguments = {{.object = PROBED_BUFFER,
                    .element = PROBED_INT,
                    .count = 1,
                    .null = true,
                    .result = true,
                    .start = 8}},
     .source = "kernel void null_atomic(volatile global int *count)\n"
               "{\n"
               "    atomic_add(count, 1); /* BUG */\n"
               "}\n"},
    {.name = "null_chosen",
     .faults = true,
     .global = {8},
     .arguments = {PROBED_IN(PROBED_INT, 8), FORGOTTEN(PROBED_INT, 8),
                   PROBED_OUT(PROBED_INT, 8, 0, 2)},
     .source = "kernel void null_chosen(global int *even, global int *odd, global int *out)\n"
               "{\n"
               "    int i = get_global_id(0);\n"
               "    global int *from = i % 2 == 0 ? even : odd;\n"
               "    out[i] = i + from[i]; /* BUG */\n"
               "}\n"},
    {.name = "null_walked",
     .faults = true,
     .global = {3, 2},
     .arguments = {FORGOTTEN(PROBED_INT, 12), PROBED_OUT(PROBED_INT, 6, 1, 4)},
     .source = "kernel void null_walked(global const int *in, global int *out)\n"
               "{\n"
               "    int i = 3 * get_global_id(1) + get_global_id(0), sum = 0;\n"
               "    global const int *end = in + 2 * i + 2;\n"
               "    for (global const int *p = end - 2; p != end; p++)\n"
               "        sum += *p; /* BUG */\n"
               "    out[i] = sum;\n"
               "}\n"},
    {.name = "null_shared",
     .needs = PROBED_SHARED_MEMORY,
     .faults = true,
     .global = {8},
     .arguments = {{.object = PROBED_SVM, .element = PROBED_INT, .count = 8, .null = true},
                   PROBED_OUT(PROBED_INT, 8, 0, 1)},
     .source = "kernel void null_shared(global const int *in, global int *out)\n"
               "{\n"
               "    int i = get_global_id(0);\n"
               "    out[i] = in[i]; /* BUG */\n"
               "}\n"},
};

/* A buffer that nobody has written, which the twin fills with numbers counted. */
#define UNWRITTEN(type, elements)                                                                  \
    {                                                                                              \
        .object = PROBED_BUFFER, .element = type, .count = (elements),                             \
        .contents = PROBED_UNWRITTEN, .clean_written = true                                        \
    }

/* The line is that where the value has consequences. */
static const struct probed_case undefined[] = {
    {.name = "undefined_copy",
     .global = {16},
     .arguments = {UNWRITTEN(PROBED_INT, 16), PROBED_OUT(PROBED_INT, 16, 5, 1)},
     .source = "kernel void undefined_copy(global const int *in, global int *out)\n"
               "{\n"
               "    size_t i = get_global_id(0);\n"
               "    out[i] = in[i] + 5; /* BUG */\n"
               "}\n"},
    {.name = "undefined_branch",
     .rule = "uninitialised-branch",
     .global = {4, 4},
     .arguments = {UNWRITTEN(PROBED_INT, 16), PROBED_OUT(PROBED_INT, 16, 3, 0)},
     .source = "kernel void undefined_branch(global const int *in, global int *out)\n"
               "{\n"
               "    size_t i = 4 * get_global_id(1) + get_global_id(0);\n"
               "    out[i] = 3;\n"
               "    if (in[i] > 1000) /* BUG */\n"
               "        out[i] = 4;\n"
               "}\n"},
    {.name = "undefined_index",
     .rule = "uninitialised-address",
     .global = {16},
     .arguments = {UNWRITTEN(PROBED_INT, 16), PROBED_IN(PROBED_INT, 16),
                   PROBED_OUT(PROBED_INT, 16, 0, 1)},
     .source = "kernel void undefined_index(global const int *at, global const int *in,\n"
               "                            global int *out)\n"
               "{\n"
               "    size_t i = get_global_id(0);\n"
               "    int value = in[at[i] & 15]; /* BUG */\n"
               "    out[i] = value;\n"
               "}\n"},
    {.name = "undefined_sum",
     .global = {4},
     .arguments = {UNWRITTEN(PROBED_FLOAT, 16), PROBED_OUT(PROBED_FLOAT, 4, 6, 16)},
     .source = "kernel void undefined_sum(global const float4 *in, global float *out)\n"
               "{\n"
               "    size_t i = get_global_id(0);\n"
               "    float4 four = in[i];\n"
               "    out[i] = four.x + four.y + four.z + four.w; /* BUG */\n"
               "}\n"},
    {.name = "undefined_bytes",
     .global = {2, 2, 4},
     .arguments = {UNWRITTEN(PROBED_CHAR, 16), PROBED_OUT(PROBED_CHAR, 16, 1, 1)},
     .source = "char next(global const char *of)\n"
               "{\n"
               "    return (char)(*of + 1);\n"
               "}\n"
               "kernel void undefined_bytes(global const char *in, global char *out)\n"
               "{\n"
               "    size_t x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);\n"
               "    size_t i = 4 * z + 2 * y + x;\n"
               "    out[i] = next(in + i); /* BUG */\n"
               "}\n"},
    {.name = "undefined_member",
     .global = {8},
     .arguments = {UNWRITTEN(PROBED_INT, 16), PROBED_OUT(PROBED_INT, 8, 1, 2)},
     .source = "struct pair { int first, second; };\n"
               "kernel void undefined_member(global struct pair *pairs, global int *out)\n"
               "{\n"
               "    size_t i = get_global_id(0);\n"
               "    pairs[i].first = 0;\n"
               "    out[i] = pairs[i].second; /* BUG */\n"
               "}\n"},
    {.name = "undefined_accumulator",
     .global = {8},
     .launches = 2,
     .arguments = {{.object = PROBED_BUFFER,
                    .element = PROBED_INT,
                    .count = 8,
                    .contents = PROBED_UNWRITTEN,
                    .clean_written = true,
                    .result = true,
                    .start = 2,
                    .step = 1}},
     .source = "kernel void undefined_accumulator(global int *sums)\n"
               "{\n"
               "    sums[get_global_id(0)] += 1; /* BUG */\n"
               "}\n"},
    {.name = "undefined_atomic",
     .rule = "uninitialised-atomic",
     .global = {8},
     .arguments = {{.object = PROBED_BUFFER,
                    .element = PROBED_INT,
                    .count = 4,
                    .contents = PROBED_UNWRITTEN,
                    .clean_written = true,
                    .result = true,
                    .start = 2,
                    .step = 1}},
     .source = "kernel void undefined_atomic(global int *counts)\n"
               "{\n"
               "    atomic_inc(counts + get_global_id(0) % 4); /* BUG */\n"
               "}\n"},
    {.name = "undefined_half",
     .global = {16},
     .arguments = {UNWRITTEN(PROBED_INT, 16), PROBED_OUT(PROBED_INT, 16, 0, 1)},
     .steps = {PROBED_START(0, "first_half", "0"), PROBED_START(0, NULL, "01")},
     .source = "kernel void first_half(global int *made)\n"
               "{\n"
               "    int i = get_global_id(0);\n"
               "    if (i < 8)\n"
               "        made[i] = i;\n"
               "}\n"
               "kernel void undefined_half(global const int *made, global int *out)\n"
               "{\n"
               "    size_t i = get_global_id(0);\n"
               "    out[i] = made[i]; /* BUG */\n"
               "}\n"},
    {.name = "undefined_pixels",
     .needs = PROBED_IMAGES,
     .global = {4, 2},
     .arguments = {{.object = PROBED_IMAGE,
                    .element = PROBED_INT,
                    .count = 4,
                    .height = 2,
                    .contents = PROBED_UNWRITTEN,
                    .clean_written = true},
                   PROBED_OUT(PROBED_INT, 32, 0, 1)},
     .source = "kernel void undefined_pixels(read_only image2d_t in, global int4 *out)\n"
               "{\n"
               "    const sampler_t as_is = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_NONE |\n"
               "                            CLK_FILTER_NEAREST;\n"
               "    int x = get_global_id(0), y = get_global_id(1);\n"
               "    out[4 * y + x] = read_imagei(in, as_is, (int2)(x, y)); /* BUG */\n"
               "}\n"},
    {.name = "undefined_room",
     .global = {8},
     .local = {8},
     .arguments = {PROBED_ROOM(PROBED_INT, 8), PROBED_OUT(PROBED_INT, 8, 5, 0)},
     .source = "kernel void undefined_room(local int *room, global int *out)\n"
               "{\n"
               "    int l = get_local_id(0);\n"
               "    if (l < @4|8@)\n"
               "        room[l] = 5;\n"
               "    barrier(CLK_LOCAL_MEM_FENCE);\n"
               "    out[l] = room[7 - l]; /* BUG */\n"
               "}\n"},
};

#define COUNT(cases) (sizeof(cases) / sizeof(cases)[0])
const struct probed_kind probed_read_only = {"read-only", "access-read-only", read_only,
                                             COUNT(read_only)};
const struct probed_kind probed_null = {"null", "access-null", null, COUNT(null)};
const struct probed_kind probed_undefined = {"undefined", "uninitialised-output", undefined,
                                             COUNT(undefined)};
