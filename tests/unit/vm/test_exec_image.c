/* Images in kernels. What a sampler gives is compared, bit by bit, with the formulas of OpenCL C
 * 3.0, 8.2, written out for one coordinate at a time and any texel. */
#include "reference/lower/lower.h"
#include "reference/sched/ndrange.h"
#include "reference/vm/image.h"
#include "reference/vm/shape.h"

#include <CL/cl.h>
#include <math.h>
#include <setjmp.h>
#include <spirv/unified1/spirv.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { ITEMS = 128, WIDTH = 5, HEIGHT = 3, DEPTH = 4, TEXELS = WIDTH * HEIGHT * DEPTH };

/* ---- launches ---- */

struct machine {
    struct spv_module *module;
    struct vm_code *code;
    struct vm_memory *memory;
    struct sched_argument arguments[5];
    struct observer observer;
    /* What was told. */
    uint32_t fault_count, read_count, write_count, undefined_count;
    struct observer_fault fault; /* the last */
    struct observer_image image;
};

static void note_fault(void *state, const struct observer_fault *fault)
{
    struct machine *machine = state;
    machine->fault_count++;
    machine->fault = *fault;
    if (fault->image != NULL)
        machine->image = *fault->image;
}

static void note_access(void *state, const struct lane_access *access)
{
    struct machine *machine = state;
    if (strcmp(access->object->name, "image") != 0)
        return;
    if (access->kind == OBSERVER_WRITE)
        machine->write_count++;
    else
        machine->read_count++;
}

static void note_undefined(void *state, const struct observer_undefined *undefined)
{
    struct machine *machine = state;
    (void)undefined;
    machine->undefined_count++;
}

static void machine_create(struct machine *machine, const char *module, const char *kernel)
{
    char path[512];
    static uint8_t bytes[1 << 20];
    struct error error = {0};
    memset(machine, 0, sizeof *machine);
    machine->observer = (struct observer){
        .state = machine, .fault = note_fault, .access = note_access, .undefined = note_undefined};
    snprintf(path, sizeof path, "%s/%s.spv", CLERK_TEST_KERNELS, module);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    const size_t size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    if (spv_module_parse(bytes, size, &machine->module, &error) != STATUS_OK ||
        vm_lower_kernel(machine->module, kernel, NULL, &machine->code, &error) != STATUS_OK)
        fail_msg("%s: %s", module, error.text);
    vm_code_check(machine->code);
    assert_int_equal(vm_memory_create(&machine->memory, &error), STATUS_OK);
}

static void machine_destroy(struct machine *machine)
{
    vm_memory_destroy(machine->memory);
    vm_code_destroy(machine->code);
    spv_module_destroy(machine->module);
}

static void set_object(struct machine *machine, uint32_t index, const struct vm_buffer_info *info,
                       const void *bytes)
{
    struct error error = {0};
    uint32_t object = 0;
    assert_int_equal(vm_memory_create_object(machine->memory, info, &object, &error), STATUS_OK);
    if (bytes != NULL)
        vm_memory_write(machine->memory, object, 0, bytes, info->size);
    machine->arguments[index].object = object;
}

static void set_buffer(struct machine *machine, uint32_t index, const void *bytes, size_t size)
{
    const struct vm_buffer_info info = {.size = size, .defined = bytes != NULL, .name = "buffer"};
    set_object(machine, index, &info, bytes);
}

static struct vm_image image_make(enum vm_image_type type, uint32_t order, uint32_t channel)
{
    const bool array = type == VM_IMAGE_1D_ARRAY || type == VM_IMAGE_2D_ARRAY;
    struct vm_image image = {.type = type,
                             .order = order,
                             .channel = channel,
                             .texel_size = vm_image_texel_size(order, channel),
                             .width = WIDTH,
                             .height = 1,
                             .depth = type == VM_IMAGE_3D ? DEPTH : 1,
                             .layers = array ? DEPTH : 1};
    if (type == VM_IMAGE_2D || type == VM_IMAGE_2D_ARRAY || type == VM_IMAGE_3D)
        image.height = HEIGHT;
    image.row_pitch = image.width * image.texel_size;
    image.slice_pitch = image.height * image.row_pitch;
    return image;
}

static void set_image(struct machine *machine, uint32_t index, const struct vm_image *image,
                      const void *texels)
{
    const struct vm_buffer_info info = {.size = image->slice_pitch * image->depth * image->layers,
                                        .defined = texels != NULL,
                                        .image = image,
                                        .name = "image"};
    set_object(machine, index, &info, texels);
}

static void get_object(struct machine *machine, uint32_t index, void *bytes, size_t size)
{
    vm_memory_read(machine->memory, machine->arguments[index].object, 0, bytes, size);
}

static void run(struct machine *machine, uint64_t items)
{
    struct error error = {0};
    struct sched_result result;
    const struct sched_launch launch = {
        .code = machine->code,
        .memory = machine->memory,
        .dimensions = 1,
        .global_size = {items, 1, 1},
        .local_size = {items, 1, 1},
        .arguments = machine->arguments,
        .observer = &machine->observer,
        .sub_group_size = 32,
    };
    if (sched_run(&launch, &result, &error) != STATUS_OK)
        fail_msg("%s", error.text);
}

/* ---- the formulas ---- */

static uint64_t random_state = 1;

static uint32_t random_next(void)
{
    random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(random_state >> 33);
}

struct formula {
    bool normalised;
    uint32_t addressing;
    bool linear;
};

static int clamp(int a, int b, int c)
{
    return a < b ? b : a > c ? c : a;
}

static int address_mode(uint32_t addressing, int coordinate, int size)
{
    if (addressing == SpvSamplerAddressingModeClampToEdge)
        return clamp(coordinate, 0, size - 1);
    return clamp(coordinate, -1, size);
}

/* One coordinate: i0, i1 and a, or i in i0. */
static void formula_axis(const struct formula *f, float s, int size, int *i0, int *i1, float *a)
{
    float u;
    *i1 = 0;
    *a = 0;
    if (f->addressing == SpvSamplerAddressingModeRepeat) {
        u = (s - floorf(s)) * (float)size;
        if (!f->linear) {
            *i0 = (int)floorf(u);
            if (*i0 > size - 1)
                *i0 = *i0 - size;
            return;
        }
        *i0 = (int)floorf(u - 0.5f);
        *i1 = *i0 + 1;
        if (*i0 < 0)
            *i0 = size + *i0;
        if (*i1 > size - 1)
            *i1 = *i1 - size;
    } else if (f->addressing == SpvSamplerAddressingModeRepeatMirrored) {
        float prime = 2.0f * rintf(0.5f * s);
        prime = fabsf(s - prime);
        u = prime * (float)size;
        if (!f->linear) {
            *i0 = (int)floorf(u);
            *i0 = *i0 < size - 1 ? *i0 : size - 1;
            return;
        }
        *i0 = (int)floorf(u - 0.5f);
        *i1 = *i0 + 1;
        *i0 = *i0 > 0 ? *i0 : 0;
        *i1 = *i1 < size - 1 ? *i1 : size - 1;
    } else {
        u = f->normalised ? s * (float)size : s;
        if (!f->linear) {
            *i0 = address_mode(f->addressing, (int)floorf(u), size);
            return;
        }
        *i0 = address_mode(f->addressing, (int)floorf(u - 0.5f), size);
        *i1 = address_mode(f->addressing, (int)floorf(u - 0.5f) + 1, size);
    }
    *a = (u - 0.5f) - floorf(u - 0.5f);
}

static void formula_texel(const struct vm_image *image, const uint8_t *texels, const int at[3],
                          float color[4])
{
    const bool array = image->type == VM_IMAGE_1D_ARRAY || image->type == VM_IMAGE_2D_ARRAY;
    const int depth = (int)(array ? image->layers : image->depth);
    if (at[0] < 0 || at[0] >= (int)image->width || at[1] < 0 || at[1] >= (int)image->height ||
        at[2] < 0 || at[2] >= depth) {
        memset(color, 0, 4 * sizeof *color); /* of RGBA */
        return;
    }
    vm_image_unpack(image,
                    texels + (uint64_t)at[0] * image->texel_size +
                        (uint64_t)at[1] * image->row_pitch + (uint64_t)at[2] * image->slice_pitch,
                    color);
}

static void formula_sample(const struct formula *f, const struct vm_image *image,
                           const uint8_t *texels, const float at[4], float color[4])
{
    int low[3] = {0};
    int high[3] = {0};
    float part[3] = {0};
    int dimensions = 1;
    const int layers = (int)image->layers;
    switch (image->type) {
    case VM_IMAGE_1D_ARRAY:
        low[2] = clamp((int)rintf(at[1]), 0, layers - 1);
        break;
    case VM_IMAGE_2D_ARRAY:
        low[2] = clamp((int)rintf(at[2]), 0, layers - 1);
        dimensions = 2;
        break;
    case VM_IMAGE_2D:
        dimensions = 2;
        break;
    case VM_IMAGE_3D:
        dimensions = 3;
        break;
    default:
        break;
    }
    const int sizes[3] = {(int)image->width, (int)image->height, (int)image->depth};
    for (int d = 0; d < dimensions; d++)
        formula_axis(f, at[d], sizes[d], &low[d], &high[d], &part[d]);
    if (!f->linear) {
        formula_texel(image, texels, low, color);
        return;
    }
    float sum[4] = {0};
    for (int corner = 0; corner < 1 << dimensions; corner++) {
        float weight = 1.0f; /* 1 * x is x */
        float texel[4];
        int where[3] = {low[0], low[1], low[2]};
        for (int d = 0; d < dimensions; d++) {
            const bool second = corner >> d & 1;
            weight *= second ? part[d] : 1.0f - part[d];
            where[d] = second ? high[d] : low[d];
        }
        formula_texel(image, texels, where, texel);
        for (int c = 0; c < 4; c++)
            sum[c] = corner == 0 ? weight * texel[c] : sum[c] + weight * texel[c];
    }
    memcpy(color, sum, sizeof sum);
}

static void make_coordinates(bool normalised, float at[ITEMS][4])
{
    for (int i = 0; i < ITEMS; i++) {
        for (int d = 0; d < 4; d++) {
            const float spread = normalised ? 3.0f : 12.0f;
            at[i][d] = ((float)(random_next() % 4096) / 4096.0f - 0.5f) * 2.0f * spread;
            if (i % 4 == 0) /* seams and the middles between them */
                at[i][d] = floorf(at[i][d] * 2.0f) * 0.5f;
        }
    }
}

static void check_sampler(struct machine *machine, const struct vm_image *image,
                          const uint8_t *texels, const struct formula *f)
{
    static float at[ITEMS][4], out[ITEMS][4];
    make_coordinates(f->normalised, at);
    machine->arguments[1].sampler = vm_sampler_make(f->normalised, f->addressing, f->linear);
    set_buffer(machine, 2, at, sizeof at);
    set_buffer(machine, 3, NULL, sizeof out);
    run(machine, ITEMS);
    get_object(machine, 3, out, sizeof out);
    for (int i = 0; i < ITEMS; i++) {
        float expected[4];
        formula_sample(f, image, texels, at[i], expected);
        if (memcmp(expected, out[i], sizeof expected) != 0)
            fail_msg("type %d mode %u %s %s at (%g, %g, %g): %g %g, not %g %g", (int)image->type,
                     f->addressing, f->normalised ? "normalised" : "plain",
                     f->linear ? "linear" : "nearest", (double)at[i][0], (double)at[i][1],
                     (double)at[i][2], (double)out[i][0], (double)out[i][1], (double)expected[0],
                     (double)expected[1]);
    }
    assert_int_equal(machine->fault_count, 0);
}

static void check_kernel(const char *kernel, enum vm_image_type type)
{
    struct machine machine;
    uint8_t texels[TEXELS * 4];
    const struct vm_image image =
        image_make(type, SpvImageChannelOrderRGBA, SpvImageChannelDataTypeUnormInt8);
    for (size_t i = 0; i < sizeof texels; i++)
        texels[i] = (uint8_t)random_next();
    for (int optimised = 0; optimised < 2; optimised++) {
        machine_create(&machine, optimised ? "image-O2" : "image-O0", kernel);
        set_image(&machine, 0, &image, texels);
        for (uint32_t addressing = SpvSamplerAddressingModeClampToEdge;
             addressing <= SpvSamplerAddressingModeRepeatMirrored; addressing++) {
            for (int bits = 0; bits < 4; bits++) {
                const struct formula f = {bits & 1, addressing, bits & 2};
                if (f.normalised || addressing <= SpvSamplerAddressingModeClamp)
                    check_sampler(&machine, &image, texels, &f);
            }
        }
        machine_destroy(&machine);
    }
}

static void samplers_give_what_the_formulas_say(void **state)
{
    (void)state;
    check_kernel("sample_1d", VM_IMAGE_1D);
    check_kernel("sample_1d_array", VM_IMAGE_1D_ARRAY);
    check_kernel("sample_2d", VM_IMAGE_2D);
    check_kernel("sample_2d_array", VM_IMAGE_2D_ARRAY);
    check_kernel("sample_3d", VM_IMAGE_3D);
}

/* ---- reads, writes, queries ---- */

static void make_positions(int32_t at[ITEMS][2])
{
    for (int i = 0; i < ITEMS; i++) {
        at[i][0] = i % WIDTH;
        at[i][1] = i / WIDTH % HEIGHT;
    }
}

static void reads_without_a_sampler_are_told_when_they_leave_the_image(void **state)
{
    (void)state;
    struct machine machine;
    int32_t at[ITEMS][2];
    uint32_t out[ITEMS][4];
    uint16_t texels[WIDTH * HEIGHT];
    const struct vm_image image =
        image_make(VM_IMAGE_2D, SpvImageChannelOrderR, SpvImageChannelDataTypeUnsignedInt16);
    for (int i = 0; i < WIDTH * HEIGHT; i++)
        texels[i] = (uint16_t)(1000 * i);
    make_positions(at);
    machine_create(&machine, "image-O0", "read");
    set_image(&machine, 0, &image, texels);
    set_buffer(&machine, 1, at, sizeof at);
    set_buffer(&machine, 2, NULL, sizeof out);
    run(&machine, ITEMS);
    get_object(&machine, 2, out, sizeof out);
    for (int i = 0; i < ITEMS; i++) {
        assert_int_equal(out[i][0], texels[at[i][1] * WIDTH + at[i][0]]);
        assert_true(out[i][1] == 0 && out[i][2] == 0 && out[i][3] == 1);
    }
    assert_int_equal(machine.fault_count, 0);
    assert_int_equal(machine.read_count, 2); /* two vectors */
    at[70][1] = -1;
    set_buffer(&machine, 1, at, sizeof at);
    run(&machine, ITEMS);
    assert_int_equal(machine.fault_count, 1);
    assert_int_equal(machine.fault.kind, OBSERVER_FAULT_IMAGE_BOUNDS);
    assert_true(machine.fault.mask == UINT64_C(1) << 6);
    assert_int_equal(machine.image.coordinates[0], 70 % WIDTH);
    assert_int_equal(machine.image.coordinates[1], -1);
    assert_int_equal(machine.image.size[1], HEIGHT);
    machine_destroy(&machine);
}

static void writes_convert_and_stay_inside(void **state)
{
    (void)state;
    struct machine machine;
    int32_t at[ITEMS][2];
    int32_t colors[ITEMS][4];
    int8_t texels[WIDTH * HEIGHT][4];
    const struct vm_image image =
        image_make(VM_IMAGE_2D, SpvImageChannelOrderBGRA, SpvImageChannelDataTypeSignedInt8);
    make_positions(at);
    for (int i = 0; i < ITEMS; i++) {
        for (int c = 0; c < 4; c++)
            colors[i][c] = (i - 60) * (c + 1);
    }
    at[ITEMS - 1][0] = WIDTH;
    machine_create(&machine, "image-O0", "write");
    set_image(&machine, 0, &image, NULL);
    set_buffer(&machine, 1, at, sizeof at);
    set_buffer(&machine, 2, colors, sizeof colors);
    run(&machine, ITEMS);
    get_object(&machine, 0, texels, sizeof texels);
    for (int i = ITEMS - 1 - WIDTH * HEIGHT; i < ITEMS - 1; i++) {
        const int8_t *texel = texels[at[i][1] * WIDTH + at[i][0]];
        assert_int_equal(texel[0], clamp(colors[i][2], -128, 127));
        assert_int_equal(texel[1], clamp(colors[i][1], -128, 127));
        assert_int_equal(texel[2], clamp(colors[i][0], -128, 127));
        assert_int_equal(texel[3], clamp(colors[i][3], -128, 127));
    }
    assert_int_equal(machine.fault_count, 1);
    assert_int_equal(machine.fault.access, OBSERVER_WRITE);
    assert_int_equal(machine.image.coordinates[0], WIDTH);
    assert_true(machine.write_count > 0 && machine.read_count == 0);
    machine_destroy(&machine);
}

static void other_channels_than_the_function_is_for_are_told(void **state)
{
    (void)state;
    struct machine machine;
    int32_t at[ITEMS][2];
    uint32_t out[ITEMS][4];
    const float texels[WIDTH * HEIGHT] = {1.0f};
    const struct vm_image image =
        image_make(VM_IMAGE_2D, SpvImageChannelOrderR, SpvImageChannelDataTypeFloat);
    make_positions(at);
    machine_create(&machine, "image-O0", "read");
    set_image(&machine, 0, &image, texels);
    set_buffer(&machine, 1, at, sizeof at);
    set_buffer(&machine, 2, NULL, sizeof out);
    run(&machine, ITEMS);
    get_object(&machine, 2, out, sizeof out);
    assert_int_equal(out[0][0], 0);
    assert_int_equal(machine.fault_count, 2);
    assert_int_equal(machine.fault.kind, OBSERVER_FAULT_IMAGE_FORMAT);
    assert_string_equal(machine.image.wanted, "unsigned integers");
    assert_string_equal(machine.image.found, "floating-point or normalised");
    machine_destroy(&machine);
}

static void check_integers(uint32_t sampler, int32_t x, float expected, uint32_t faults)
{
    struct machine machine;
    int32_t at[ITEMS][2];
    float out[ITEMS][4];
    float texels[WIDTH * HEIGHT];
    const struct vm_image image =
        image_make(VM_IMAGE_2D, SpvImageChannelOrderR, SpvImageChannelDataTypeFloat);
    for (int i = 0; i < WIDTH * HEIGHT; i++)
        texels[i] = (float)(i + 1);
    for (int i = 0; i < ITEMS; i++) {
        at[i][0] = x;
        at[i][1] = 1;
    }
    machine_create(&machine, "image-O0", "sample_integers");
    set_image(&machine, 0, &image, texels);
    machine.arguments[1].sampler = sampler;
    set_buffer(&machine, 2, at, sizeof at);
    set_buffer(&machine, 3, NULL, sizeof out);
    run(&machine, ITEMS);
    get_object(&machine, 3, out, sizeof out);
    assert_true(out[ITEMS - 1][0] == expected);
    assert_int_equal(machine.fault_count, 2 * faults);
    machine_destroy(&machine);
}

static void integer_coordinates_are_addressed_exactly(void **state)
{
    (void)state;
    const uint32_t edge = vm_sampler_make(false, SpvSamplerAddressingModeClampToEdge, 0);
    const uint32_t border = vm_sampler_make(false, SpvSamplerAddressingModeClamp, 0);
    const uint32_t none = vm_sampler_make(false, SpvSamplerAddressingModeNone, 0);
    check_integers(edge, 3, 9.0f, 0);
    check_integers(edge, INT32_MAX, 10.0f, 0);
    check_integers(border, INT32_MIN, 0.0f, 0);
    check_integers(none, 4, 10.0f, 0);
    check_integers(none, 5, 0.0f, 1);
    check_integers(edge | 1, 3, 9.0f, 1);  /* normalised */
    check_integers(edge | 16, 3, 9.0f, 1); /* linear */
    check_integers(vm_sampler_make(false, SpvSamplerAddressingModeRepeat, 0), 7, 10.0f, 1);
}

static void infinite_coordinates_are_told(void **state)
{
    (void)state;
    struct machine machine;
    static float at[ITEMS][4], out[ITEMS][4];
    const float texels[TEXELS] = {0};
    const struct vm_image image =
        image_make(VM_IMAGE_3D, SpvImageChannelOrderR, SpvImageChannelDataTypeFloat);
    at[3][2] = INFINITY;
    at[9][0] = NAN;
    machine_create(&machine, "image-O0", "sample_3d");
    set_image(&machine, 0, &image, texels);
    machine.arguments[1].sampler = vm_sampler_make(true, SpvSamplerAddressingModeRepeat, 1);
    set_buffer(&machine, 2, at, sizeof at);
    set_buffer(&machine, 3, NULL, sizeof out);
    run(&machine, ITEMS);
    assert_int_equal(machine.fault_count, 1);
    assert_true(machine.fault.mask == (1 << 3 | 1 << 9) && machine.image.not_finite);
    machine_destroy(&machine);
}

static void an_image_may_be_read_and_written(void **state)
{
    (void)state;
    struct machine machine;
    float texels[WIDTH * HEIGHT][2];
    const struct vm_image image =
        image_make(VM_IMAGE_2D, SpvImageChannelOrderRG, SpvImageChannelDataTypeFloat);
    for (int i = 0; i < WIDTH * HEIGHT; i++) {
        texels[i][0] = (float)i;
        texels[i][1] = (float)-i;
    }
    machine_create(&machine, "image-O0", "both");
    set_image(&machine, 0, &image, texels);
    run(&machine, ITEMS);
    get_object(&machine, 0, texels, sizeof texels);
    for (int i = 0; i < WIDTH * HEIGHT; i++) {
        const int times = i % WIDTH < 4 ? 2 : 1;
        assert_true(texels[i][0] == (float)(times * i) && texels[i][1] == (float)(-times * i));
    }
    machine_destroy(&machine);
}

static void a_sampler_may_stand_in_the_kernel(void **state)
{
    (void)state;
    struct machine machine;
    float out[ITEMS][4];
    float texels[WIDTH * HEIGHT];
    const struct vm_image image =
        image_make(VM_IMAGE_2D, SpvImageChannelOrderLuminance, SpvImageChannelDataTypeFloat);
    for (int i = 0; i < WIDTH * HEIGHT; i++)
        texels[i] = (float)(i + 1);
    machine_create(&machine, "image-O0", "literal");
    set_image(&machine, 0, &image, texels);
    set_buffer(&machine, 1, NULL, sizeof out);
    run(&machine, ITEMS);
    get_object(&machine, 1, out, sizeof out);
    assert_true(out[0][0] == 0.0f && out[0][3] == 1.0f); /* the border of luminance */
    assert_true(out[1][0] == 6.0f && out[WIDTH][2] == 10.0f && out[WIDTH + 1][1] == 0.0f);
    assert_int_equal(machine.fault_count, 0);
    machine_destroy(&machine);
}

static void texels_that_nobody_wrote_are_undefined(void **state)
{
    (void)state;
    struct machine machine;
    const struct vm_image image =
        image_make(VM_IMAGE_2D, SpvImageChannelOrderLuminance, SpvImageChannelDataTypeFloat);
    machine_create(&machine, "image-O0", "literal");
    set_image(&machine, 0, &image, NULL);
    set_buffer(&machine, 1, NULL, ITEMS * 16);
    run(&machine, ITEMS);
    assert_true(machine.undefined_count > 0);
    machine_destroy(&machine);
}

/* One byte of each texel is missing, and its channel with it; then none is. */
static void channels_that_nobody_wrote_are_undefined(void **state)
{
    (void)state;
    const struct vm_image image =
        image_make(VM_IMAGE_2D, SpvImageChannelOrderRGBA, SpvImageChannelDataTypeUnormInt8);
    for (uint32_t written = 3; written <= 4; written++) {
        struct machine machine;
        machine_create(&machine, "image-O0", "literal");
        set_image(&machine, 0, &image, NULL);
        set_buffer(&machine, 1, NULL, ITEMS * 16);
        for (uint32_t i = 0; i < WIDTH * HEIGHT; i++)
            vm_memory_define(machine.memory, machine.arguments[0].object, 4 * i, written);
        run(&machine, ITEMS);
        assert_int_equal(machine.undefined_count > 0, written < 4);
        machine_destroy(&machine);
    }
}

static void kernels_know_the_size_and_format(void **state)
{
    (void)state;
    struct machine machine;
    int32_t out[10];
    const enum vm_image_type types[] = {VM_IMAGE_2D, VM_IMAGE_2D_ARRAY, VM_IMAGE_3D,
                                        VM_IMAGE_1D_BUFFER};
    machine_create(&machine, "image-O0", "query");
    for (uint32_t i = 0; i < 4; i++) {
        const struct vm_image image =
            image_make(types[i], SpvImageChannelOrderARGB, SpvImageChannelDataTypeUnsignedInt8);
        set_image(&machine, i, &image, NULL);
    }
    set_buffer(&machine, 4, NULL, sizeof out);
    run(&machine, ITEMS);
    get_object(&machine, 4, out, sizeof out);
    const int32_t expected[10] = {WIDTH, HEIGHT, HEIGHT, CL_UNSIGNED_INT8, CL_ARGB, DEPTH, HEIGHT,
                                  DEPTH, DEPTH,  WIDTH};
    assert_memory_equal(out, expected, sizeof expected);
    machine_destroy(&machine);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(samplers_give_what_the_formulas_say),
        cmocka_unit_test(reads_without_a_sampler_are_told_when_they_leave_the_image),
        cmocka_unit_test(writes_convert_and_stay_inside),
        cmocka_unit_test(other_channels_than_the_function_is_for_are_told),
        cmocka_unit_test(integer_coordinates_are_addressed_exactly),
        cmocka_unit_test(infinite_coordinates_are_told),
        cmocka_unit_test(an_image_may_be_read_and_written),
        cmocka_unit_test(a_sampler_may_stand_in_the_kernel),
        cmocka_unit_test(texels_that_nobody_wrote_are_undefined),
        cmocka_unit_test(channels_that_nobody_wrote_are_undefined),
        cmocka_unit_test(kernels_know_the_size_and_format),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
