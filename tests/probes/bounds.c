/* Cases of accesses outside global, constant and local memory. What is written outside lies in the
 * bytes by which allocations are rounded up. */
#include "tests/probes/probed.h"

static const struct probed_case global[] = {
    {.name = "next_element",
     .global = {15},
     .arguments = {PROBED_OUT(PROBED_INT, 15, 0, 2)},
     .source = "kernel void next_element(global int *out)\n"
               "{\n"
               "    size_t i = get_global_id(0);\n"
               "    out[i@ + 1|@] = (int)i * 2; /* BUG */\n"
               "}\n"},
    {.name = "row_below",
     .global = {5, 3},
     .arguments = {PROBED_IN(PROBED_INT, 15), PROBED_OUT(PROBED_INT, 15, 0, 1)},
     .source = "kernel void row_below(global const int *in, global int *out)\n"
               "{\n"
               "    size_t x = get_global_id(0), y = get_global_id(1);\n"
               "    size_t row = @y + 1|y@;\n"
               "    int value = in[row * 5 + x]; /* BUG */\n"
               "    out[y * 5 + x] = value;\n"
               "}\n"},
    {.name = "volume",
     .global = {3, 3, 2},
     .local = {3, 1, 1},
     .arguments = {PROBED_OUT(PROBED_SHORT, 18, 5, 1)},
     .source = "#define AT(x, y, z) (((z)*3 + (y)) * 3 + (x))\n"
               "kernel void volume(global short *out)\n"
               "{\n"
               "    int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);\n"
               "    out[AT(x@ + 1|@, y, z)] = 5 + AT(x, y, z); /* BUG */\n"
               "}\n"},
    {.name = "vector_tail",
     .global = {4},
     .arguments = {PROBED_IN(PROBED_FLOAT, 16), PROBED_OUT(PROBED_FLOAT, 16, 0, 3)},
     .source = "kernel void vector_tail(global const float *in, global float *out)\n"
               "{\n"
               "    size_t i = get_global_id(0);\n"
               "    float4 four = vload4(i, in@ + 1|@); /* BUG */\n"
               "    vstore4(four * 3.0f, i, out);\n"
               "}\n"},
    {.name = "helper_writes",
     .global = {15},
     .arguments = {PROBED_OUT(PROBED_CHAR, 15, 1, 1)},
     .source = "void put(global char *at, char value)\n"
               "{\n"
               "    *at = value; /* BUG */\n"
               "}\n"
               "kernel void helper_writes(global char *out)\n"
               "{\n"
               "    size_t i = get_global_id(0);\n"
               "    put(out + i@ + 1|@, (char)(i + 1));\n"
               "}\n"},
    {.name = "walking_pointer",
     .global = {4},
     .arguments = {PROBED_IN(PROBED_INT, 16), PROBED_OUT(PROBED_INT, 4, 6, 16)},
     .source = "kernel void walking_pointer(global const int *in, global int *out)\n"
               "{\n"
               "    size_t i = get_global_id(0);\n"
               "    global const int *end = in + 4 * i + 4;\n"
               "    int sum = 0;\n"
               "    for (global const int *at = end - 4; at @<=|<@ end; at++)\n"
               "        sum += *at; /* BUG */\n"
               "    out[i] = sum;\n"
               "}\n"},
    {.name = "member_of_next",
     .global = {8},
     .arguments = {PROBED_IN(PROBED_INT, 16), PROBED_OUT(PROBED_INT, 8, 1, 2)},
     .source = "typedef struct { int first; int second; } pair;\n"
               "kernel void member_of_next(global const pair *in, global int *out)\n"
               "{\n"
               "    size_t i = get_global_id(0);\n"
               "    out[i] = in[i@ + 1|@].second; /* BUG */\n"
               "}\n"},
    {.name = "atomic_bin",
     .global = {15},
     .arguments = {PROBED_OUT(PROBED_INT, 5, 3, 1)},
     .source = "kernel void atomic_bin(global int *bins)\n"
               "{\n"
               "    int bin = get_global_id(0) % 5;\n"
               "    atomic_inc(&bins[bin@ + 1|@]); /* BUG */\n"
               "}\n"},
    {.name = "out_of_part",
     .global = {256},
     .arguments = {{.object = PROBED_SUB_BUFFER,
                    .element = PROBED_INT,
                    .count = 256,
                    .result = true,
                    .step = 3}},
     .source = "kernel void out_of_part(global int *out)\n"
               "{\n"
               "    int i = get_global_id(0);\n"
               "    out[i@ + 1|@] = 3 * i; /* BUG */\n"
               "}\n"},
    {.name = "small_buffer",
     .global = {10},
     .offset = {4},
     .arguments = {{.object = PROBED_BUFFER, .element = PROBED_INT, .count = 13, .clean_count = 14},
                   PROBED_OUT(PROBED_INT, 10, 4, 1)},
     .source = "kernel void small_buffer(global const int *in, global int *out)\n"
               "{\n"
               "    size_t i = get_global_id(0);\n"
               "    out[i - get_global_offset(0)] = in[i]; /* BUG */\n"
               "}\n"},
    {.name = "double_pair",
     .needs = PROBED_DOUBLES,
     .global = {8},
     .arguments = {PROBED_IN(PROBED_DOUBLE, 16), PROBED_OUT(PROBED_DOUBLE, 8, 1, 4)},
     .source = "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n"
               "kernel void double_pair(global const double2 *in, global double *out)\n"
               "{\n"
               "    size_t i = get_global_id(0);\n"
               "    double2 two = in[i@ + 1|@]; /* BUG */\n"
               "    out[i] = two.x + two.y;\n"
               "}\n"},
    {.name = "shared_memory",
     .needs = PROBED_SHARED_MEMORY,
     .global = {16},
     .arguments = {{.object = PROBED_SVM, .element = PROBED_INT, .count = 16},
                   PROBED_OUT(PROBED_INT, 16, 7, 1)},
     .source = "kernel void shared_memory(global const int *in, global int *out)\n"
               "{\n"
               "    size_t i = get_global_id(0);\n"
               "    out[i] = 7 + in[i@ + 1|@]; /* BUG */\n"
               "}\n"},
};

static const struct probed_case constant[] = {
    {.name = "table_end",
     .global = {4},
     .arguments = {PROBED_OUT(PROBED_INT, 4, 10, 10)},
     .source = "constant int table[4] = {10, 20, 30, 40};\n"
               "kernel void table_end(global int *out)\n"
               "{\n"
               "    size_t i = get_global_id(0);\n"
               "    out[i] = table[i@ + 1|@]; /* BUG */\n"
               "}\n"},
    {.name = "constant_argument",
     .global = {16},
     .arguments = {PROBED_IN(PROBED_INT, 16), PROBED_OUT(PROBED_INT, 16, 0, 1)},
     .source = "kernel void constant_argument(constant int *in, global int *out)\n"
               "{\n"
               "    size_t i = get_global_id(0);\n"
               "    out[i] = in[i@ + 1|@]; /* BUG */\n"
               "}\n"},
    {.name = "constant_plane",
     .global = {4, 2},
     .arguments = {PROBED_IN(PROBED_SHORT, 8), PROBED_OUT(PROBED_SHORT, 8, 0, 1)},
     .source = "kernel void constant_plane(constant short *in, global short *out)\n"
               "{\n"
               "    size_t x = get_global_id(0), y = get_global_id(1);\n"
               "    out[y * 4 + x] = in[y * @5|4@ + x]; /* BUG */\n"
               "}\n"},
    {.name = "constant_vector",
     .global = {4},
     .arguments = {PROBED_IN(PROBED_FLOAT, 16), PROBED_OUT(PROBED_FLOAT, 16, 0, 1)},
     .source = "kernel void constant_vector(constant float *in, global float4 *out)\n"
               "{\n"
               "    size_t i = get_global_id(0);\n"
               "    out[i] = vload4(i, in@ + 1|@); /* BUG */\n"
               "}\n"},
    {.name = "constant_pairs",
     .global = {3},
     .arguments = {PROBED_OUT(PROBED_INT, 3, 2, 2)},
     .source = "struct pair { int key; int value; };\n"
               "constant struct pair pairs[3] = {{1, 2}, {2, 4}, {3, 6}};\n"
               "kernel void constant_pairs(global int *out)\n"
               "{\n"
               "    size_t i = get_global_id(0);\n"
               "    constant struct pair *at = pairs + i@ + 1|@;\n"
               "    out[i] = at->value; /* BUG */\n"
               "}\n"},
    {.name = "constant_helper",
     .global = {8},
     .arguments = {PROBED_IN(PROBED_INT, 8), PROBED_OUT(PROBED_INT, 8, 0, 2)},
     .source = "int twice(constant int *from, size_t i)\n"
               "{\n"
               "    return 2 * from[i]; /* BUG */\n"
               "}\n"
               "kernel void constant_helper(constant int *in, global int *out)\n"
               "{\n"
               "    size_t i = get_global_id(0);\n"
               "    out[i] = twice(in@ + 1|@, i);\n"
               "}\n"},
    {.name = "constant_text",
     .global = {8},
     .arguments = {PROBED_OUT(PROBED_CHAR, 8, 'a', 1)},
     .source = "constant char letters[8] = {'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'};\n"
               "kernel void constant_text(global char *out)\n"
               "{\n"
               "    int i = get_global_id(0);\n"
               "    char letter = letters[@8 - i|i@]; /* BUG */\n"
               "    out[i] = letter;\n"
               "}\n"},
    {.name = "filter_taps",
     .global = {8},
     .arguments = {PROBED_IN(PROBED_INT, 3), PROBED_OUT(PROBED_INT, 8, 3, 1)},
     .source = "kernel void filter_taps(constant int *taps, global int *out)\n"
               "{\n"
               "    int i = get_global_id(0);\n"
               "    int sum = i;\n"
               "    for (int k = 0; k @<=|<@ 3; k++)\n"
               "        sum += taps[k]; /* BUG */\n"
               "    out[i] = sum;\n"
               "}\n"},
    {.name = "included_table",
     .global = {4},
     .arguments = {PROBED_OUT(PROBED_INT, 4, 0, 5)},
     .header = "constant int fives[] = {0, 5, 10, 15};\n"
               "#define FIVE(i) fives[(i)@ + 1|@]\n",
     .source = "#include \"part.h\"\n"
               "kernel void included_table(global int *out)\n"
               "{\n"
               "    int i = get_global_id(0);\n"
               "    out[i] = FIVE(i); /* BUG */\n"
               "}\n"},
    {.name = "constant_in_parts",
     .global = {8},
     .arguments = {PROBED_IN(PROBED_INT, 8), PROBED_OUT(PROBED_INT, 8, 1, 1)},
     .source = "int more(constant int *from);\n"
               "kernel void constant_in_parts(constant int *in, global int *out)\n"
               "{\n"
               "    size_t i = get_global_id(0);\n"
               "    out[i] = more(in + i@ + 1|@);\n"
               "}\n",
     .second = "int more(constant int *from);\n"
               "int more(constant int *from)\n"
               "{\n"
               "    return *from + 1; /* BUG */\n"
               "}\n"},
    {.name = "constant_clone",
     .needs = PROBED_CLONES,
     .cloned = true,
     .global = {9},
     .arguments = {{.object = PROBED_BUFFER, .element = PROBED_LONG, .count = 8, .clean_count = 9},
                   PROBED_OUT(PROBED_LONG, 9, 0, 1)},
     .source = "kernel void constant_clone(constant long *in, global long *out)\n"
               "{\n"
               "    size_t i = get_global_id(0);\n"
               "    out[i] = in[i]; /* BUG */\n"
               "}\n"},
};

static const struct probed_case local[] = {
    {.name = "room_end",
     .global = {16},
     .local = {8},
     .arguments = {PROBED_ROOM(PROBED_INT, 8), PROBED_OUT(PROBED_INT, 16, 0, 1)},
     .source = "kernel void room_end(local int *room, global int *out)\n"
               "{\n"
               "    int i = get_global_id(0), l = get_local_id(0);\n"
               "    room[l] = i;\n"
               "    barrier(CLK_LOCAL_MEM_FENCE);\n"
               "    int value = room[l@ + 1|@]; /* BUG */\n"
               "    out[i] = i + 0 * value;\n"
               "}\n"},
    {.name = "variable_end",
     .global = {16},
     .local = {8},
     .arguments = {PROBED_OUT(PROBED_INT, 16, 0, 1)},
     .source = "kernel void variable_end(global int *out)\n"
               "{\n"
               "    local int room[8];\n"
               "    int i = get_global_id(0), l = get_local_id(0);\n"
               "    local int *mine = room + l;\n"
               "    mine[@1|0@] = i; /* BUG */\n"
               "    out[i] = i;\n"
               "}\n"},
    {.name = "small_room",
     .global = {8},
     .local = {8},
     .arguments = {{.object = PROBED_LOCAL, .element = PROBED_INT, .count = 7, .clean_count = 8},
                   PROBED_OUT(PROBED_INT, 8, 5, 1)},
     .source = "kernel void small_room(local int *room, global int *out)\n"
               "{\n"
               "    int l = get_local_id(0);\n"
               "    room[l] = l + 5; /* BUG */\n"
               "    barrier(CLK_LOCAL_MEM_FENCE);\n"
               "    out[l] = room[0] + l;\n"
               "}\n"},
    {.name = "tile_halo",
     .global = {4, 4},
     .local = {4, 4},
     .arguments = {PROBED_IN(PROBED_FLOAT, 16), PROBED_OUT(PROBED_FLOAT, 16, 0, 1)},
     .source = "kernel void tile_halo(global const float *in, global float *out)\n"
               "{\n"
               "    local float tile[16];\n"
               "    int x = get_local_id(0), y = get_local_id(1);\n"
               "    tile[4 * y + x] = in[4 * y + x];\n"
               "    barrier(CLK_LOCAL_MEM_FENCE);\n"
               "    int below = @y + 1|y@;\n"
               "    float value = tile[4 * below + x]; /* BUG */\n"
               "    out[4 * y + x] = below > 3 ? 0 : value;\n"
               "}\n"},
    {.name = "local_bytes",
     .global = {8},
     .local = {8},
     .arguments = {PROBED_ROOM(PROBED_CHAR, 8), PROBED_OUT(PROBED_CHAR, 8, 9, 1)},
     .source = "kernel void local_bytes(local char *room, global char *out)\n"
               "{\n"
               "    int l = get_local_id(0);\n"
               "    room[l@ + 1|@] = (char)l; /* BUG */\n"
               "    out[l] = (char)(l + 9);\n"
               "}\n"},
    {.name = "local_structures",
     .global = {2, 2, 2},
     .local = {2, 2, 2},
     .arguments = {PROBED_OUT(PROBED_INT, 8, 0, 1)},
     .source = "struct cell { short kind; int value; };\n"
               "kernel void local_structures(global int *out)\n"
               "{\n"
               "    local struct cell cells[8];\n"
               "    int l = (get_local_id(2) * 2 + get_local_id(1)) * 2 + get_local_id(0);\n"
               "    struct cell mine = {1, l};\n"
               "    cells[l@ + 1|@] = mine; /* BUG */\n"
               "    out[l] = mine.value;\n"
               "}\n"},
    {.name = "local_vectors",
     .global = {8},
     .local = {4},
     .arguments = {PROBED_ROOM(PROBED_FLOAT, 16), PROBED_OUT(PROBED_FLOAT, 8, 0, 2)},
     .source = "kernel void local_vectors(local float4 *room, global float *out)\n"
               "{\n"
               "    size_t i = get_global_id(0), l = get_local_id(0);\n"
               "    room[l@ + 1|@].z = 2.0f * i; /* BUG */\n"
               "    out[i] = 2.0f * i;\n"
               "}\n"},
    {.name = "local_helper",
     .global = {8},
     .local = {8},
     .arguments = {PROBED_OUT(PROBED_INT, 8, 0, 1)},
     .source = "static void keep(local short *where, short what)\n"
               "{\n"
               "    where[0] = what; /* BUG */\n"
               "}\n"
               "kernel void local_helper(global int *out)\n"
               "{\n"
               "    local short kept[8];\n"
               "    int l = get_local_id(0);\n"
               "    keep(&kept[@l + 1|l@], (short)l);\n"
               "    out[l] = l;\n"
               "}\n"},
    {.name = "reduction_start",
     .global = {8},
     .local = {8},
     .arguments = {PROBED_ROOM(PROBED_INT, 8), PROBED_OUT(PROBED_INT, 1, 8, 0)},
     .source = "kernel void reduction_start(local int *sums, global int *out)\n"
               "{\n"
               "    int l = get_local_id(0);\n"
               "    sums[l] = 1;\n"
               "    for (int half_of = @5|4@; half_of > 0; half_of /= 2) {\n"
               "        barrier(CLK_LOCAL_MEM_FENCE);\n"
               "        if (l >= half_of)\n"
               "            continue;\n"
               "        int other = sums[l + half_of]; /* BUG */\n"
               "        sums[l] += l + half_of < 8 ? other : 0;\n"
               "    }\n"
               "    if (l == 0)\n"
               "        out[0] = sums[0];\n"
               "}\n"},
    {.name = "local_bins",
     .global = {16},
     .local = {8},
     .arguments = {PROBED_IN(PROBED_INT, 16), PROBED_OUT(PROBED_INT, 8, 2, 0)},
     .source = "kernel void local_bins(global const int *in, global int *out)\n"
               "{\n"
               "    local int bins[4];\n"
               "    int i = get_global_id(0), l = get_local_id(0);\n"
               "    if (l < 4)\n"
               "        bins[l] = 0;\n"
               "    barrier(CLK_LOCAL_MEM_FENCE);\n"
               "    atomic_add(&bins[in[i] % @5|4@], 1); /* BUG */\n"
               "    barrier(CLK_LOCAL_MEM_FENCE);\n"
               "    if (l < 4)\n"
               "        out[4 * get_group_id(0) + l] = bins[l];\n"
               "}\n"},
    {.name = "local_copy",
     .global = {8},
     .local = {8},
     .arguments = {PROBED_IN(PROBED_INT, 16), PROBED_OUT(PROBED_INT, 8, 0, 1)},
     .source = "kernel void local_copy(global const int *in, global int *out)\n"
               "{\n"
               "    local int room[8];\n"
               "    int l = get_local_id(0);\n"
               "    event_t copy = async_work_group_copy(room, in, @9|8@, 0); /* BUG */\n"
               "    wait_group_events(1, &copy);\n"
               "    out[l] = room[l];\n"
               "}\n"},
    {.name = "local_three",
     .global = {4},
     .local = {4},
     .arguments = {PROBED_ROOM(PROBED_INT, 12), PROBED_OUT(PROBED_INT, 4, 3, 1)},
     .source = "kernel void local_three(local int *room, global int *out)\n"
               "{\n"
               "    int l = get_local_id(0);\n"
               "    vstore3((int3)(1, 2, l), l, room@ + 1|@); /* BUG */\n"
               "    out[l] = l + 3;\n"
               "}\n"},
};

#define COUNT(cases) (sizeof(cases) / sizeof(cases)[0])
const struct probed_kind probed_bounds_global = {"bounds-global", "bounds-global", global,
                                                 COUNT(global)};
const struct probed_kind probed_bounds_constant = {"bounds-constant", "bounds-constant", constant,
                                                   COUNT(constant)};
const struct probed_kind probed_bounds_local = {"bounds-local", "bounds-local", local,
                                                COUNT(local)};
