/* The -a arguments of `clerk kernel`: what they become, and what is refused with which words. */
#include "trace/base/alloc.h"
#include "trace/base/file.h"
#include "viewer-cli/kernel/kernel_argument.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static struct kernel_argument parse(const char *text)
{
    struct kernel_argument argument;
    struct error error;
    if (kernel_argument_parse(text, &argument, &error) != STATUS_OK) {
        fail_msg("%s", error.text);
    }
    return argument;
}

/* What the argument holds, as --print shows it (json: as an array). */
static void expect_values(const char *text, const char *values)
{
    struct kernel_argument argument = parse(text);
    struct text printed = TEXT_INIT;
    assert_non_null(argument.bytes);
    kernel_argument_print(&argument, argument.bytes, true, &printed);
    assert_string_equal(printed.bytes, values);
    text_release(&printed);
    kernel_argument_release(&argument);
}

static void expect_refusal(const char *text, enum status status, const char *sentence)
{
    struct kernel_argument argument;
    struct error error;
    assert_int_equal(kernel_argument_parse(text, &argument, &error), status);
    assert_string_equal(error.text, sentence);
}

static void scalars_and_vectors(void **state)
{
    (void)state;
    expect_values("int=-5", "[-5]");
    expect_values("uint=0xffffffff", "[4294967295]");
    expect_values("char=-128", "[-128]");
    expect_values("ulong=18446744073709551615", "[18446744073709551615]");
    expect_values("long=-9223372036854775808", "[-9223372036854775808]");
    expect_values("float=0.1", "[0.1]");
    expect_values("double=0.1", "[0.1]");
    expect_values("double=-inf", "[\"-inf\"]");
    expect_values("float4=1,2,3,4", "[[1,2,3,4]]");
    expect_values("short2=7", "[[7,7]]");
}

static void halves_are_rounded(void **state)
{
    (void)state;
    expect_values("half=0.1", "[0.1]");
    expect_values("half4=65504,65519.9,65520,-inf", "[[65504,65504,\"inf\",\"-inf\"]]");
    expect_values("half2=2049,-2051", "[[2048,-2052]]");
    expect_values("half2=6e-8,2e-8", "[[6e-08,0]]");
    expect_values("half2=nan,0.00006103515625", "[[\"nan\",6.104e-05]]");
    struct kernel_argument argument = parse("half4=1,-2,6.0975552e-5,3e-8");
    static const uint16_t bits[] = {0x3C00, 0xC000, 0x03FF, 0x0001};
    assert_memory_equal(argument.bytes, bits, sizeof bits);
    kernel_argument_release(&argument);
}

static void structures_lie_as_in_c(void **state)
{
    (void)state;
    const struct {
        char sign;
        short pair[2];
        float number;
        double parts[2];
        char last;
    } wanted = {-1, {2, 3}, 0.5F, {4, 5}, 6};
    char text[80];
    snprintf(text, sizeof text, "struct:%zu=char=-1  short[2]=2,3 float=0.5 double2=4,5 char=6 ",
             sizeof wanted + 8);
    struct kernel_argument argument = parse(text);
    /* double2 is aligned to 16 bytes, and double to 8: here they lie alike. */
    assert_int_equal(argument.size, sizeof wanted + 8);
    assert_int_equal((int8_t)argument.bytes[0], -1);
    assert_memory_equal(argument.bytes + 2, wanted.pair, sizeof wanted.pair);
    assert_memory_equal(argument.bytes + 8, &wanted.number, sizeof wanted.number);
    assert_memory_equal(argument.bytes + 16, wanted.parts, sizeof wanted.parts);
    assert_int_equal(argument.bytes[32], 6);
    assert_int_equal(argument.bytes[33], 0);
    kernel_argument_release(&argument);
    expect_values("struct:4=iota", "[0,1,2,3]");
    expect_values("struct:3=255", "[255,255,255]");
    expect_values("struct:4=short=258", "[2,1,0,0]");
}

static void expect_unresolved(const char *first, const char *second, const char *sentence)
{
    struct kernel_argument arguments[2] = {parse(first), parse(second)};
    struct error error;
    assert_int_equal(kernel_argument_resolve(arguments, 1, &error), STATUS_OK);
    assert_int_equal(kernel_argument_resolve(arguments, 2, &error), STATUS_INVALID);
    assert_string_equal(error.text, sentence);
    kernel_argument_release(&arguments[0]);
}

static void the_same_buffer_is_found(void **state)
{
    (void)state;
    struct kernel_argument arguments[3] = {parse("buf:int[4]=1"), parse("same:0"), parse("same:1")};
    struct error error;
    for (size_t i = 1; i <= 3; i++) {
        assert_int_equal(kernel_argument_resolve(arguments, i, &error), STATUS_OK);
    }
    assert_true(arguments[2].is_same && arguments[2].same == 0 && arguments[2].bytes == NULL);
    assert_int_equal(arguments[2].size, 16);
    kernel_argument_release(&arguments[0]);
    expect_unresolved("buf:int[4]", "same:1",
                      "-a same:1: this is argument 1, and the same can only be one before it");
    expect_unresolved("int=1", "same:0",
                      "-a same:0: argument 0 is -a int=1, which is no buffer, image or pipe");
    expect_unresolved("null", "same:0",
                      "-a same:0: argument 0 is -a null, which is no buffer, image or pipe");
}

static void vectors_of_three_have_a_gap(void **state)
{
    (void)state;
    struct kernel_argument argument = parse("buf:int3[2]=1,2,3,4,5,6");
    static const int expected[8] = {1, 2, 3, 0, 4, 5, 6, 0};
    assert_int_equal(argument.size, sizeof expected);
    assert_memory_equal(argument.bytes, expected, sizeof expected);
    kernel_argument_release(&argument);
}

static void buffers(void **state)
{
    (void)state;
    expect_values("buf:uchar[4]=iota", "[0,1,2,3]");
    expect_values("buf:float2[2]=iota", "[[0,1],[2,3]]");
    expect_values("buf:int[3]=1,-2,3", "[1,-2,3]");
    expect_values("buf:int[3]=7:ro", "[7,7,7]");
    struct kernel_argument argument = parse("buf:double[4]:wo");
    assert_int_equal(argument.kind, KERNEL_ARGUMENT_BUFFER);
    assert_int_equal(argument.size, 32);
    assert_true(argument.write_only);
    assert_null(argument.bytes);
    argument = parse("buf:double[4]=undef:ro");
    assert_true(argument.read_only);
    assert_null(argument.bytes);
    argument = parse("local:float4[16]");
    assert_int_equal(argument.kind, KERNEL_ARGUMENT_LOCAL);
    assert_int_equal(argument.size, 256);
}

/* The first outputs of SplitMix64 for seed 1 are published; these are their low halves. */
static void random_values_are_the_same_everywhere(void **state)
{
    (void)state;
    expect_values("buf:uint[3]=random:1", "[2298633409,1703865447,4214379870]");
    struct kernel_argument argument = parse("buf:float[1000]=random:9");
    for (size_t i = 0; i < 1000; i++) {
        float value;
        memcpy(&value, argument.bytes + i * sizeof value, sizeof value);
        assert_true(value >= 0 && value < 1);
    }
    kernel_argument_release(&argument);
}

static void files_are_raw_bytes(void **state)
{
    (void)state;
    char path[] = "/tmp/clerk-argument-XXXXXX";
    const int descriptor = mkstemp(path);
    assert_true(descriptor >= 0);
    assert_int_equal(write(descriptor, "\1\0\2\0", 4), 4);
    close(descriptor);
    char text[128];
    snprintf(text, sizeof text, "buf:ushort[2]=file:%s:ro", path);
    expect_values(text, "[1,2]");
    snprintf(text, sizeof text, "buf:ushort[3]=file:%s", path);
    struct kernel_argument argument;
    struct error error;
    assert_int_equal(kernel_argument_parse(text, &argument, &error), STATUS_INVALID);
    assert_non_null(strstr(error.text, "has 4 bytes, and the buffer needs exactly 6"));
    unlink(path);
    assert_int_equal(kernel_argument_parse(text, &argument, &error), STATUS_IO);
}

static void images_are_texels_in_memory(void **state)
{
    (void)state;
    struct kernel_argument argument;
    struct error error;
    assert_int_equal(kernel_argument_parse("image2d:rg:unorm_int8[2x3]=iota:ro", &argument, &error),
                     STATUS_OK);
    assert_int_equal(argument.kind, KERNEL_ARGUMENT_IMAGE);
    assert_int_equal(argument.image.type, CL_MEM_OBJECT_IMAGE2D);
    assert_int_equal(argument.image.format.image_channel_order, CL_RG);
    assert_int_equal(argument.image.format.image_channel_data_type, CL_UNORM_INT8);
    assert_true(argument.image.size[0] == 2 && argument.image.size[1] == 3 &&
                argument.image.size[2] == 1);
    assert_true(argument.size == 12 && argument.bytes[11] == 11 && argument.read_only);
    kernel_argument_release(&argument);
    assert_int_equal(kernel_argument_parse("sampler:repeat,normalized,linear", &argument, &error),
                     STATUS_OK);
    assert_int_equal(argument.kind, KERNEL_ARGUMENT_SAMPLER);
    assert_true(argument.sampler.normalised && argument.sampler.filter == CL_FILTER_LINEAR &&
                argument.sampler.addressing == CL_ADDRESS_REPEAT &&
                argument.sampler.level_filter == CL_FILTER_NEAREST);
    kernel_argument_release(&argument);
    assert_int_equal(
        kernel_argument_parse("image2d_array:r:float[4x5x3/3]=iota", &argument, &error), STATUS_OK);
    assert_int_equal(argument.image.levels, 3);
    assert_int_equal(argument.count, (20 + 4 + 1) * 3);
    kernel_argument_release(&argument);
    assert_int_equal(kernel_argument_parse("sampler:linear_levels", &argument, &error), STATUS_OK);
    assert_true(argument.sampler.level_filter == CL_FILTER_LINEAR);
    kernel_argument_release(&argument);
}

static void what_is_wrong_is_named(void **state)
{
    (void)state;
    expect_refusal("int", STATUS_INVALID, "-a int: the value is missing, as in int=1");
    expect_refusal("int=", STATUS_INVALID, "-a int=: '' is not a value of type int");
    expect_refusal("int=x", STATUS_INVALID, "-a int=x: 'x' is not a value of type int");
    expect_refusal("int=1.5", STATUS_INVALID, "-a int=1.5: '1.5' is not a value of type int");
    expect_refusal("uchar=256", STATUS_INVALID, "-a uchar=256: 256 does not fit type uchar");
    expect_refusal("char=-129", STATUS_INVALID, "-a char=-129: -129 does not fit type char");
    expect_refusal("uint=-1", STATUS_INVALID, "-a uint=-1: -1 does not fit type uint");
    expect_refusal("int2=1,2,3", STATUS_INVALID,
                   "-a int2=1,2,3: 3 values given where there are 2; give one for all, or each");
    expect_refusal("buf:int", STATUS_INVALID,
                   "-a buf:int: a number of elements is wanted, as in int[64]");
    expect_refusal("buf:int[0]=1", STATUS_INVALID,
                   "-a buf:int[0]=1: there are no elements, so '=1' has no meaning");
    expect_refusal("pipe:int[0]", STATUS_INVALID,
                   "-a pipe:int[0]: a number of elements is wanted, as in int[64]");
    expect_refusal("null=0", STATUS_INVALID, "-a null=0: 'null' stands alone");
    expect_refusal("same:", STATUS_INVALID,
                   "-a same:: the number of an argument is wanted, as in same:0");
    expect_refusal("same:x", STATUS_INVALID,
                   "-a same:x: the number of an argument is wanted, as in same:0");
    expect_refusal("struct:8", STATUS_INVALID,
                   "-a struct:8: a number of bytes, up to 65536, and what they hold are wanted, as "
                   "in 'struct:24=0' or 'struct:32=int=1 float4=1,2,3,4'");
    expect_refusal("struct:65537=0", STATUS_INVALID,
                   "-a struct:65537=0: a number of bytes, up to 65536, and what they hold are "
                   "wanted, as in 'struct:24=0' or 'struct:32=int=1 float4=1,2,3,4'");
    expect_refusal("struct:8=undef", STATUS_INVALID,
                   "-a struct:8=undef: a structure always has a value");
    expect_refusal("struct:8=int[2]=undef", STATUS_INVALID,
                   "-a struct:8=int[2]=undef: member 'int[2]=undef' needs a value, as in "
                   "int[2]=1");
    expect_refusal("struct:8=int=1 float", STATUS_INVALID,
                   "-a struct:8=int=1 float: member 'float' needs a value, as in float=1");
    expect_refusal("struct:8=char=1 double=2", STATUS_INVALID,
                   "-a struct:8=char=1 double=2: member 'double=2' would lie at bytes 8 to 15, and "
                   "the structure has 8");
    expect_refusal("struct:4=1,2", STATUS_INVALID,
                   "-a struct:4=1,2: 2 values given where there are 4; give one for all, or each");
    expect_refusal("buf:int[99999999999]", STATUS_INVALID,
                   "-a buf:int[99999999999]: that is more than 1 GiB");
    expect_refusal("buf:int[4]7", STATUS_INVALID,
                   "-a buf:int[4]7: '7' is not understood; =INIT, :ro or :wo");
    expect_refusal("buf:int[4]=random:x", STATUS_INVALID,
                   "-a buf:int[4]=random:x: the seed 'x' is not a number");
    expect_refusal("local:int[4]=1", STATUS_INVALID,
                   "-a local:int[4]=1: local memory cannot be initialised, so '=1' has no meaning");
    expect_refusal("int[4]=1", STATUS_INVALID,
                   "-a int[4]=1: an array is either a buffer or local memory: buf:int[4]=1 or "
                   "local:int[4]=1");
    expect_refusal("image4d:r:float[4]", STATUS_INVALID,
                   "-a image4d:r:float[4]: 'image4d' is not an image; it may be image1d, "
                   "image1d_array, image2d, image2d_array or image3d");
    expect_refusal("image2d:rgba:float[4]", STATUS_INVALID,
                   "-a image2d:rgba:float[4]: the size is wanted as [WxH]");
    expect_refusal("image2d:rgba:float[4x4/0]", STATUS_INVALID,
                   "-a image2d:rgba:float[4x4/0]: the size is wanted as [WxH]");
    expect_refusal(
        "image2d:rgba:int[4x4]", STATUS_INVALID,
        "-a image2d:rgba:int[4x4]: 'rgba:int' is not a format; wanted is a channel order "
        "and type, as in rgba:unorm_int8 or r:float");
    expect_refusal("sampler:near", STATUS_INVALID,
                   "-a sampler:near: 'near' says nothing of a sampler; the words are normalized, "
                   "none, clamp_to_edge, clamp, repeat, mirrored_repeat, nearest, linear and "
                   "linear_levels");
}

static void fail_allocations(const char *text)
{
    enum status status = STATUS_NO_MEMORY;
    for (uint64_t n = 1; status != STATUS_OK; n++) {
        struct kernel_argument argument;
        const uint64_t before = alloc_live_count();
        alloc_fail_at(n);
        status = kernel_argument_parse(text, &argument, NULL);
        alloc_fail_at(0);
        if (status == STATUS_OK) {
            kernel_argument_release(&argument);
            assert_in_range(n, 2, 10);
        } else {
            assert_int_equal(status, STATUS_NO_MEMORY);
        }
        assert_int_equal(alloc_live_count(), before);
    }
}

static void every_failed_allocation_is_told(void **state)
{
    (void)state;
    fail_allocations("buf:int[4]=iota");
    fail_allocations("struct:8=int=1 float[1]=2");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scalars_and_vectors),
        cmocka_unit_test(halves_are_rounded),
        cmocka_unit_test(vectors_of_three_have_a_gap),
        cmocka_unit_test(buffers),
        cmocka_unit_test(random_values_are_the_same_everywhere),
        cmocka_unit_test(files_are_raw_bytes),
        cmocka_unit_test(images_are_texels_in_memory),
        cmocka_unit_test(structures_lie_as_in_c),
        cmocka_unit_test(the_same_buffer_is_found),
        cmocka_unit_test(what_is_wrong_is_named),
        cmocka_unit_test(every_failed_allocation_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
