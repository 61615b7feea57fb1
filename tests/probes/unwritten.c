/* Local memory that is read and that nobody has written. The line is that where the value has
 * consequences; the twin of the first reads it too, and makes nothing of it. */
#include "tests/probes/probed.h"

#define BARRIER "barrier(CLK_LOCAL_MEM_FENCE);"

static const struct probed_case undefined_local[] = {
    {.name = "half_filled",
     .global = {8},
     .local = {8},
     .arguments = {PROBED_ROOM(PROBED_INT, 8), PROBED_OUT(PROBED_INT, 8, 5, 0)},
     .source = "kernel void half_filled(local int *room, global int *out)\n"
               "{\n"
               "    int l = get_local_id(0);\n"
               "    if (l < 4)\n"
               "        room[l] = 5;\n"
               "    " BARRIER "\n"
               "    int value = room[7 - l];\n"
               "    out[l] = @value|l > 3 ? value : 5@; /* BUG */\n"
               "}\n"},
    {.name = "sum_from_nothing",
     .global = {8},
     .local = {8},
     .arguments = {PROBED_IN(PROBED_FLOAT, 8), PROBED_OUT(PROBED_FLOAT, 8, 0, 1)},
     .source = "kernel void sum_from_nothing(global const float *in, global float *out)\n"
               "{\n"
               "    local float sums[8];\n"
               "    size_t l = get_local_id(0);\n"
               "    @|sums[l] = 0;@\n"
               "    for (int k = 0; k < 1; k++)\n"
               "        out[l] = sums[l] += in[l]; /* BUG */\n"
               "}\n"},
    {.name = "histogram_of_anything",
     .rule = "uninitialised-atomic",
     .global = {8},
     .local = {8},
     .arguments = {PROBED_OUT(PROBED_INT, 8, 2, 0)},
     .source = "kernel void histogram_of_anything(global int *out)\n"
               "{\n"
               "    local int bins[4];\n"
               "    int l = get_local_id(0);\n"
               "    if (l < @0|4@)\n"
               "        bins[l] = 0;\n"
               "    " BARRIER "\n"
               "    atomic_inc(bins + l % 4); /* BUG */\n"
               "    " BARRIER "\n"
               "    @if (l < 0)|@\n"
               "        out[l] = bins[l % 4];\n"
               "}\n"},
    {.name = "halo_forgotten",
     .global = {8},
     .local = {4},
     .arguments = {PROBED_IN(PROBED_INT, 8), PROBED_OUT(PROBED_INT, 8, 1, 1)},
     .source = "kernel void halo_forgotten(global const int *in, global int *out)\n"
               "{\n"
               "    local int tile[5];\n"
               "    size_t l = get_local_id(0), i = get_global_id(0);\n"
               "    tile[l] = in[i];\n"
               "    @|if (l == 3) tile[4] = i + 1;@\n"
               "    " BARRIER "\n"
               "    out[i] = tile[l + 1]; /* BUG */\n"
               "}\n"},
    {.name = "flag_never_set",
     .rule = "uninitialised-branch",
     .global = {8},
     .local = {8},
     .arguments = {PROBED_OUT(PROBED_INT, 8, 3, 0)},
     .source = "kernel void flag_never_set(global int *out)\n"
               "{\n"
               "    local int found;\n"
               "    int l = get_local_id(0);\n"
               "    if (l == @8|0@)\n"
               "        found = 0;\n"
               "    " BARRIER "\n"
               "    out[l] = 3;\n"
               "    if (found == 1000) /* BUG */\n"
               "        out[l] = 4;\n"
               "}\n"},
    {.name = "index_from_room",
     .rule = "uninitialised-address",
     .global = {2, 4},
     .local = {2, 4},
     .arguments = {PROBED_IN(PROBED_INT, 16), PROBED_ROOM(PROBED_INT, 8),
                   PROBED_OUT(PROBED_INT, 8, 0, 1)},
     .source = "kernel void index_from_room(global const int *in, local int *at, global int *out)\n"
               "{\n"
               "    int l = 2 * get_local_id(1) + get_local_id(0);\n"
               "    if (get_local_id(1) < @3|4@)\n"
               "        at[l] = l;\n"
               "    " BARRIER "\n"
               "    int value = in[at[l] & 15]; /* BUG */\n"
               "    out[l] = value;\n"
               "}\n"},
    {.name = "vectors_by_parts",
     .global = {4},
     .local = {4},
     .arguments = {PROBED_OUT(PROBED_INT, 4, 6, 0)},
     .source = "kernel void vectors_by_parts(global int *out)\n"
               "{\n"
               "    local int4 rows[4];\n"
               "    int l = get_local_id(0);\n"
               "    if (l @!= 2|< 4@) {\n"
               "        rows[l].xy = (int2)(1, 2);\n"
               "        rows[l].z = 3;\n"
               "    }\n"
               "    " BARRIER "\n"
               "    int4 row = rows[3 - l];\n"
               "    out[l] = row.x + row.y + row.z; /* BUG */\n"
               "}\n"},
    {.name = "bytes_in_helper",
     .global = {8},
     .local = {8},
     .arguments = {PROBED_ROOM(PROBED_CHAR, 8), PROBED_OUT(PROBED_CHAR, 8, 1, 0)},
     .source = "char get(local const char *from, int i)\n"
               "{\n"
               "    return from[i];\n"
               "}\n"
               "kernel void bytes_in_helper(local char *room, global char *out)\n"
               "{\n"
               "    int l = get_local_id(0);\n"
               "    if (@l % 2 == 0|true@)\n"
               "        room[l] = 1;\n"
               "    " BARRIER "\n"
               "    out[l] = get(room, l ^ 1); /* BUG */\n"
               "}\n"},
    {.name = "loaded_as_vector",
     .global = {4},
     .local = {4},
     .arguments = {PROBED_OUT(PROBED_INT, 4, 4, 0)},
     .header = "#define LAST @2|3@\n",
     .source = "#include \"part.h\"\n"
               "kernel void loaded_as_vector(global int *out)\n"
               "{\n"
               "    local int room[16];\n"
               "    int l = get_local_id(0);\n"
               "    if (l <= LAST)\n"
               "        vstore4((int4)(1), l, room);\n"
               "    " BARRIER "\n"
               "    int4 four = vload4(3 - l, room);\n"
               "    out[l] = four.x + four.y + four.z + four.w; /* BUG */\n"
               "}\n"},
    {.name = "member_unset",
     .global = {2, 2, 2},
     .local = {2, 2, 2},
     .arguments = {PROBED_OUT(PROBED_INT, 8, 0, 1)},
     .source = "struct cell { char kind; int value; };\n"
               "kernel void member_unset(global int *out)\n"
               "{\n"
               "    local struct cell cells[8];\n"
               "    int l = (get_local_id(2) * 2 + get_local_id(1)) * 2 + get_local_id(0);\n"
               "    struct cell mine = {1, l};\n"
               "    @cells[l].kind = mine.kind|cells[l] = mine@;\n"
               "    " BARRIER "\n"
               "    out[l] = cells[l].value; /* BUG */\n"
               "}\n"},
    {.name = "two_groups_one_fills",
     .global = {8},
     .local = {4},
     .arguments = {PROBED_ROOM(PROBED_SHORT, 4), PROBED_OUT(PROBED_SHORT, 8, 2, 0)},
     .source = "kernel void two_groups_one_fills(local short *room, global short *out)\n"
               "{\n"
               "    if (get_group_id(0) < @1|2@)\n"
               "        room[get_local_id(0)] = 2;\n"
               "    " BARRIER "\n"
               "    out[get_global_id(0)] = room[3 - get_local_id(0)]; /* BUG */\n"
               "}\n"},
};

const struct probed_kind probed_undefined_local = {
    "undefined-local", "uninitialised-output", undefined_local,
    sizeof undefined_local / sizeof undefined_local[0]};
