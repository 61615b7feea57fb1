/* Cases of reads and writes outside of images, where nothing says what happens there. */
#include "tests/probes/probed.h"

#define PICTURE(type, width, rows)                                                                 \
    {                                                                                              \
        .object = PROBED_IMAGE, .element = type, .count = (width), .height = (rows)                \
    }
#define PICTURE_OUT(type, width, rows, at_0, each)                                                 \
    {                                                                                              \
        .object = PROBED_IMAGE, .element = type, .count = (width), .height = (rows),               \
        .result = true, .start = (at_0), .step = (each)                                            \
    }
#define OTHER_IMAGE(its_type, type, width, rows, planes)                                           \
    {                                                                                              \
        .object = PROBED_IMAGE, .image = its_type, .element = type, .count = (width),              \
        .height = (rows), .depth = (planes)                                                        \
    }

#define EXACT(NAME)                                                                                \
    "const sampler_t " NAME " = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_NONE |\n"                \
    "                            CLK_FILTER_NEAREST;\n"

static const struct probed_case images[] = {
    {.name = "texel_right_of",
     .needs = PROBED_IMAGES,
     .global = {4, 2},
     .arguments = {PICTURE_OUT(PROBED_INT, 4, 2, 0, 1)},
     .source = "kernel void texel_right_of(write_only image2d_t to)\n"
               "{\n"
               "    int x = get_global_id(0), y = get_global_id(1);\n"
               "    int4 texel = (int4)(0, 1, 2, 3) + 4 * (4 * y + x);\n"
               "    write_imagei(to, (int2)(x@ + 1|@, y), texel); /* BUG */\n"
               "}\n"},
    {.name = "texel_above",
     .needs = PROBED_IMAGES,
     .global = {4, 2},
     .local = {2, 2},
     .arguments = {PICTURE(PROBED_INT, 4, 2), PROBED_OUT(PROBED_INT, 8, 0, 4)},
     .source =
         "kernel void texel_above(read_only image2d_t from, global int *out)\n"
         "{\n"
         "    " EXACT(
             "as_is") "    int x = get_global_id(0), y = get_global_id(1);\n"
                      "    int4 texel = read_imagei(from, as_is, (int2)(x, y@ - 1|@)); /* BUG */\n"
                      "    out[4 * y + x] = @4 * (4 * y + x)|texel.x@;\n"
                      "}\n"},
    {.name = "texels_in_a_row",
     .needs = PROBED_IMAGES,
     .global = {8},
     .local = {4},
     .arguments = {OTHER_IMAGE(CL_MEM_OBJECT_IMAGE1D, PROBED_FLOAT, 8, 0, 0),
                   PROBED_OUT(PROBED_FLOAT, 8, 3, 4)},
     .source = "kernel void texels_in_a_row(read_only image1d_t from, global float *out)\n"
               "{\n"
               "    int i = get_global_id(0);\n"
               "    float4 texel = read_imagef(from, i@ + 1|@); /* BUG */\n"
               "    out[i] = texel.w;\n"
               "}\n"},
    {.name = "sampled_beside",
     .needs = PROBED_IMAGES,
     .global = {4},
     .arguments = {PICTURE(PROBED_FLOAT, 4, 1),
                   {.object = PROBED_SAMPLER,
                    .addressing = CL_ADDRESS_NONE,
                    .clean_addressing = CL_ADDRESS_CLAMP_TO_EDGE},
                   PROBED_OUT(PROBED_FLOAT, 4, 5, 4)},
     .source = "kernel void sampled_beside(read_only image2d_t from, sampler_t how,\n"
               "                           global float *out)\n"
               "{\n"
               "    int i = get_global_id(0);\n"
               "    float4 texel = read_imagef(from, how, (float2)(i + 1.5f, 0.5f)); /* BUG */\n"
               "    out[i] = i == 3 ? 17 : texel.y;\n"
               "}\n"},
    {.name = "normalised_twice",
     .needs = PROBED_IMAGES,
     .global = {4, 4},
     .arguments = {PICTURE(PROBED_FLOAT, 4, 4), PROBED_OUT(PROBED_FLOAT, 16, 0, 4)},
     .source = "constant sampler_t scaled = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_NONE |\n"
               "                            CLK_FILTER_NEAREST;\n"
               "kernel void normalised_twice(read_only image2d_t from, global float *out)\n"
               "{\n"
               "    int x = get_global_id(0), y = get_global_id(1);\n"
               "    float2 at = (float2)(x + 0.5f, y + 0.5f)@|  / 4@;\n"
               "    out[4 * y + x] = read_imagef(from, scaled, at).x; /* BUG */\n"
               "}\n"},
    {.name = "slice_behind",
     .needs = PROBED_IMAGES,
     .global = {2, 2, 2},
     .arguments = {OTHER_IMAGE(CL_MEM_OBJECT_IMAGE3D, PROBED_INT, 2, 2, 2),
                   PROBED_OUT(PROBED_INT, 8, 2, 4)},
     .source = "kernel void slice_behind(read_only image3d_t from, global int *out)\n"
               "{\n"
               "    int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);\n"
               "    int4 at = (int4)(x, y, z@ + 1|@, 0);\n"
               "    int4 texel = read_imagei(from, at); /* BUG */\n"
               "    out[(2 * z + y) * 2 + x] = texel.z;\n"
               "}\n"},
    {.name = "layer_behind",
     .needs = PROBED_IMAGES,
     .global = {3, 2, 2},
     .arguments = {{.object = PROBED_IMAGE,
                    .image = CL_MEM_OBJECT_IMAGE2D_ARRAY,
                    .element = PROBED_INT,
                    .count = 3,
                    .height = 2,
                    .depth = 2,
                    .result = true,
                    .start = 7,
                    .step = 1}},
     .source = "kernel void layer_behind(write_only image2d_array_t to)\n"
               "{\n"
               "    int x = get_global_id(0), y = get_global_id(1), layer = get_global_id(2);\n"
               "    int4 texel = (int4)(7, 8, 9, 10) + 4 * ((2 * layer + y) * 3 + x);\n"
               "    write_imagei(to, (int4)(x, y, layer@ + 1|@, 0), texel); /* BUG */\n"
               "}\n"},
    {.name = "row_of_layers",
     .needs = PROBED_IMAGES,
     .global = {4, 3},
     .offset = {0, 0},
     .arguments = {OTHER_IMAGE(CL_MEM_OBJECT_IMAGE1D_ARRAY, PROBED_INT, 4, 3, 0),
                   PROBED_OUT(PROBED_INT, 12, 0, 4)},
     .source = "kernel void row_of_layers(read_only image1d_array_t from, global int *out)\n"
               "{\n"
               "    int x = get_global_id(0), layer = get_global_id(1);\n"
               "    out[4 * layer + x] = read_imagei(from, (int2)(x, @3|layer@)).x; /* BUG */\n"
               "}\n"},
    {.name = "helper_paints",
     .needs = PROBED_IMAGES,
     .global = {4, 2},
     .arguments = {PICTURE_OUT(PROBED_FLOAT, 4, 2, 1, 1)},
     .source =
         "void paint(write_only image2d_t to, int i)\n"
         "{\n"
         "    write_imagef(to, (int2)(i % 4, i / 4), (float4)(1, 2, 3, 4) + 4 * i); /* BUG */\n"
         "}\n"
         "kernel void helper_paints(write_only image2d_t to)\n"
         "{\n"
         "    paint(to, 4 * get_global_id(1) + get_global_id(0)@ + 4|@);\n"
         "}\n"},
    {.name = "unguarded_border",
     .needs = PROBED_IMAGES,
     .global = {4, 4},
     .local = {4, 1},
     .arguments = {PICTURE(PROBED_FLOAT, 4, 4), PICTURE_OUT(PROBED_FLOAT, 4, 4, 1, 1)},
     .source = "kernel void unguarded_border(read_only image2d_t from, write_only image2d_t to)\n"
               "{\n"
               "    const int2 at = (int2)(get_global_id(0), get_global_id(1));\n"
               "    float4 sum = 0;\n"
               "    for (int by = -1; by <= 1; by++) {\n"
               "        int2 beside = at + (int2)(by, 0);\n"
               "        @|beside.x = clamp(beside.x, 0, 3);@\n"
               "        sum += read_imagef(from, beside); /* BUG */\n"
               "    }\n"
               "    write_imagef(to, at, (float4)(1, 2, 3, 4) + 4 * (4 * at.y + at.x));\n"
               "}\n"},
    {.name = "linked_filter",
     .needs = PROBED_IMAGES,
     .global = {4, 2},
     .launches = 3,
     .arguments = {PICTURE(PROBED_INT, 4, 2), PICTURE_OUT(PROBED_INT, 4, 2, 0, 1)},
     .source = "int4 look(read_only image2d_t from, int2 at);\n"
               "kernel void linked_filter(read_only image2d_t from, write_only image2d_t to)\n"
               "{\n"
               "    int2 at = (int2)(get_global_id(0), get_global_id(1));\n"
               "    int4 texel = look(from, at@ - 1|@);\n"
               "    write_imagei(to, at, texel);\n"
               "}\n",
     .second = "constant sampler_t as_is = CLK_FILTER_NEAREST | CLK_NORMALIZED_COORDS_FALSE |\n"
               "                           CLK_ADDRESS_NONE;\n"
               "int4 look(read_only image2d_t from, int2 at);\n"
               "int4 look(read_only image2d_t from, int2 at)\n"
               "{\n"
               "    return read_imagei(from, as_is, at); /* BUG */\n"
               "}\n"},
    {.name = "picture_too_small",
     .needs = PROBED_IMAGES,
     .global = {5, 5},
     .arguments = {{.object = PROBED_IMAGE,
                    .element = PROBED_FLOAT,
                    .count = 4,
                    .clean_count = 5,
                    .height = 5},
                   PROBED_OUT(PROBED_FLOAT, 25, 0, 4)},
     .header = "#define TEXEL(p, x, y) read_imagef(p, (int2)(x, y))\n",
     .source = "#include \"part.h\"\n"
               "kernel void picture_too_small(read_only image2d_t from, global float *out)\n"
               "{\n"
               "    int x = get_global_id(0), y = get_global_id(1);\n"
               "    out[5 * y + x] = TEXEL(from, x, y).x; /* BUG */\n"
               "}\n"},
};

const struct probed_kind probed_images = {"images", "image-bounds", images,
                                          sizeof images / sizeof images[0]};
