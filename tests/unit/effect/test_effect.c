#include "trace/effect/effect.h"

#include "trace/base/text.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static struct image_shape an_image(void *user, uint64_t image)
{
    (void)user;
    return (struct image_shape){.type = CL_MEM_OBJECT_IMAGE3D, .pixel_size = image ? 4 : 0};
}

/* Numbers by what the parameter is: offsets of 100 and more, 64 bytes, rows and slices of 50 and
 * 1000, origins of (1, 2, 3), regions of (4, 5, 6). */
static uint64_t number_of(const char *name, uint32_t index)
{
    return strstr(name, "row_pitch")     ? 50
           : strstr(name, "slice_pitch") ? 1000
           : strstr(name, "offset")      ? 100 + index
                                         : 64;
}

static void fill(struct api_call *call)
{
    static const uint64_t origin[3] = {1, 2, 3};
    static const uint64_t region[3] = {4, 5, 6};
    static const uint64_t pitches[2] = {50, 1000};
    const struct api_entry_info *info = api_entry_get(call->entry);
    call->argument_count = info->parameter_count;
    call->result = (struct api_value){.kind = API_VALUE_POINTER, .present = true, .bits = 0x9000};
    for (uint32_t i = 0; i < info->parameter_count; i++) {
        const char *name = info->parameters[i].name;
        struct api_value *value = &call->arguments[i];
        *value = (struct api_value){.present = true, .bits = number_of(name, i)};
        if (info->parameters[i].role == API_ROLE_SIZES) {
            value->kind = API_VALUE_SIZES;
            value->count = 3;
            value->data = strstr(name, "region") ? region : origin;
        } else if (info->parameters[i].role == API_ROLE_OUT_SCALAR && strstr(name, "pitch")) {
            value->kind = API_VALUE_SIZES;
            value->count = 1;
            value->data = strstr(name, "row") ? &pitches[0] : &pitches[1];
        }
    }
}

static void print(const struct api_call *call, const struct effect *effect, struct text *text)
{
    static const char *const kinds[] = {"reads", "writes", "maps"};
    static const char *const places[] = {"bytes of", "texels of", "host memory at", "shared at"};
    const struct rectangle *bytes = &effect->bytes;
    text_format(text, "%s %s %s %s: ", api_entry_get(call->entry)->name, kinds[effect->kind],
                places[effect->place],
                effect->argument == API_ARGUMENT_RESULT
                    ? "the result"
                    : api_entry_get(call->entry)->parameters[effect->argument].name);
    if (effect->place == EFFECT_IMAGE)
        text_format(text, "from (%" PRIu64 ", %" PRIu64 ", %" PRIu64 ") level %" PRIu64 ", ",
                    effect->origin[0], effect->origin[1], effect->origin[2], effect->origin[3]);
    else
        text_format(text, "from %" PRIu64 ", ", bytes->first);
    text_format(text, "%" PRIu64 " x %" PRIu64 " x %" PRIu64, bytes->row_size, bytes->rows,
                bytes->slices);
    if (bytes->rows > 1 && effect->place != EFFECT_IMAGE)
        text_format(text, ", pitches %" PRIu64 " and %" PRIu64, bytes->row_pitch,
                    bytes->slice_pitch);
    text_append(text, "\n");
}

/* CLERK_TEST_EFFECTS, the table of truth for readers: what each entry point does. */
static void every_entry_point_does_what_the_list_says(void **state)
{
    (void)state;
    static char expected[1 << 16];
    struct text text = TEXT_INIT;
    for (uint32_t entry = 1; entry < API_ENTRY_COUNT; entry++) {
        struct api_call call = {.entry = entry};
        struct effects effects;
        fill(&call);
        effects_of(&call, an_image, NULL, &effects);
        assert_int_equal(effects.count != 0, effects_know(entry));
        for (uint32_t i = 0; i < effects.count; i++)
            assert_true(effects.items[i].known);
        for (uint32_t i = 0; i < effects.count; i++)
            print(&call, &effects.items[i], &text);
    }
    FILE *file = fopen(CLERK_TEST_EFFECTS, "r");
    assert_non_null(file);
    expected[fread(expected, 1, sizeof expected - 1, file)] = '\0';
    fclose(file);
    if (strcmp(expected, text.bytes) != 0)
        fputs(text.bytes, stderr);
    assert_string_equal(expected, text.bytes);
    text_release(&text);
}

/* What is not there has no effect, and nothing wraps. */
static void what_is_missing_has_no_effect(void **state)
{
    (void)state;
    for (uint32_t entry = 1; entry < API_ENTRY_COUNT; entry++) {
        struct api_call call = {.entry = entry};
        struct effects effects;
        effects_of(&call, an_image, NULL, &effects);
        for (uint32_t i = 0; i < effects.count; i++)
            assert_int_equal(effects.items[i].bytes.row_size, 0);
        fill(&call);
        for (uint32_t i = 0; i < call.argument_count; i++)
            call.arguments[i].bits = UINT64_MAX;
        effects_of(&call, an_image, NULL, &effects);
    }
    struct effects effects;
    effects_of(&(const struct api_call){.entry = UINT32_MAX}, an_image, NULL, &effects);
    assert_int_equal(effects.count, 0);
}

/* OpenCL API 3.0, 5.3.3. */
static void layers_of_a_1d_array_are_a_slice_pitch_apart(void **state)
{
    (void)state;
    const struct image_shape image = {.type = CL_MEM_OBJECT_IMAGE1D_ARRAY, .pixel_size = 4};
    const uint64_t region[3] = {8, 3, 1};
    struct rectangle rectangle;
    uint64_t size;
    assert_true(image_region_in_host(&image, region, 0, 4096, &rectangle));
    assert_true(rectangle_span(&rectangle, &size));
    assert_int_equal(size, 2 * 4096 + 32);
    assert_true(image_region_in_host(&image, region, 64, 0, &rectangle));
    assert_true(rectangle_span(&rectangle, &size));
    assert_int_equal(size, 2 * 64 + 32);
}

static void pixels_have_the_sizes_of_their_formats(void **state)
{
    (void)state;
    static const struct {
        cl_image_format format;
        uint64_t size;
    } formats[] = {
        {{CL_RGBA, CL_UNORM_INT8}, 4},
        {{CL_R, CL_FLOAT}, 4},
        {{CL_RG, CL_HALF_FLOAT}, 4},
        {{CL_RGBA, CL_FLOAT}, 16},
        {{CL_RGB, CL_UNORM_SHORT_565}, 2},
        {{CL_RGB, CL_UNORM_INT_101010}, 4},
        {{CL_DEPTH, CL_FLOAT}, 4},
        {{CL_BGRA, 0xffff}, 0},
        {{0, CL_FLOAT}, 0},
    };
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++)
        assert_int_equal(image_pixel_size(&formats[i].format), formats[i].size);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_entry_point_does_what_the_list_says),
        cmocka_unit_test(what_is_missing_has_no_effect),
        cmocka_unit_test(layers_of_a_1d_array_are_a_slice_pitch_apart),
        cmocka_unit_test(pixels_have_the_sizes_of_their_formats),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
