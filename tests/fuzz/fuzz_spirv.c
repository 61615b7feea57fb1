/* Mutates real SPIR-V modules, reads them, lowers what is still a module and runs its kernels with
 * all checks, on small buffers and for a bounded number of operations. Nothing may crash or hang;
 * what is refused is refused with a sentence; and a kernel computes the same with and without
 * checks. Mutations are by instruction mostly, by word now and then; seeds are fixed.
 *
 *     fuzz_spirv FIRST ROUNDS SECONDS MODULE...
 *
 * FIRST is the first round, which is its seed; it stops after ROUNDS or SECONDS. With ROUNDS 1 and
 * FUZZ_SPIRV_OUTPUT set the mutated module is written to that file. */
#include "checkers/kernel/checker.h"
#include "reference/lower/lower.h"
#include "reference/sched/ndrange.h"
#include "reference/spirv/module.h"
#include "reference/vm/image.h"
#include "reference/vm/memory.h"
#include "reference/vm/pipe.h"
#include "tests/fuzz/mutate_spirv.h"
#include "trace/base/alloc.h"

#include <signal.h>
#include <spirv/unified1/spirv.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

enum {
    MODULE_MAX = 32,
    GLOBAL_SIZE = 80,
    LOCAL_SIZE = 40,
    BUFFER_SIZE = 512,
    OPERATIONS_MAX = 20000,
    PARAMETERS_MAX = 64,
    VARIABLES_MAX = 64,
    MEMORY_MAX = 1 << 16,
    ROUND_SECONDS_MAX = 60,
};

struct tally {
    uint64_t lowered, ran, exhausted, findings;
};

static void fail(const char *what, uint64_t seed)
{
    fprintf(stderr, "fuzz_spirv: %s, seed %llu\n", what, (unsigned long long)seed);
    exit(1);
}

static void read_module(const char *path, struct module_words *module)
{
    FILE *file = fopen(path, "rb");
    module->words = alloc(MODULE_WORDS_MAX * 4);
    if (file == NULL || module->words == NULL) {
        fprintf(stderr, "fuzz_spirv: cannot read %s\n", path);
        exit(2);
    }
    module->count = fread(module->words, 4, MODULE_WORDS_MAX, file);
    fclose(file);
}

static void write_module(const struct module_words *module)
{
    const char *path = getenv("FUZZ_SPIRV_OUTPUT");
    FILE *file = path != NULL ? fopen(path, "wb") : NULL;
    if (file == NULL)
        return;
    fwrite(module->words, 4, module->count, file);
    fclose(file);
}

/* ---- running ---- */

static void ignore_output(void *user, const char *bytes, size_t size)
{
    (void)user;
    (void)bytes;
    (void)size;
}

static void count_finding(void *user, const struct finding *finding)
{
    struct tally *tally = user;
    tally->findings += finding->rule < RULE_COUNT;
}

/* A buffer or an image of small numbers, so that some of them are indices. */
static uint32_t make_buffer(struct vm_memory *memory, uint64_t size, const void *bytes,
                            const struct vm_image *image)
{
    static uint8_t filled[BUFFER_SIZE];
    uint32_t object = 0;
    struct error error;
    const struct vm_buffer_info info = {
        .size = size, .name = "buffer", .defined = true, .image = image, .origin = "fuzz_spirv"};
    if (vm_memory_create_object(memory, &info, &object, &error) != STATUS_OK)
        return 0;
    for (size_t i = 0; i < sizeof filled; i++)
        filled[i] = i % 4 == 0 ? (uint8_t)(i * 7 % 64) : (uint8_t)(i % 64 == 3 ? 0x3F : 0);
    if (bytes != NULL)
        vm_memory_write(memory, object, 0, bytes, size);
    else if (size == BUFFER_SIZE)
        vm_memory_write(memory, object, 0, filled, size);
    return object;
}

/* Everything that a launch reaches. */
struct bed {
    struct vm_memory *memory;
    struct sched_argument arguments[PARAMETERS_MAX];
    uint32_t buffers[PARAMETERS_MAX + VARIABLES_MAX];
    uint64_t sizes[PARAMETERS_MAX + VARIABLES_MAX];
    uint32_t buffer_count;
    uint32_t globals[VARIABLES_MAX];
};

static uint32_t bed_buffer(struct bed *bed, uint64_t size, const void *bytes,
                           const struct vm_image *image)
{
    const uint32_t object = make_buffer(bed->memory, size, bytes, image);
    bed->sizes[bed->buffer_count] = size;
    bed->buffers[bed->buffer_count++] = object;
    return object;
}

/* An image of the parameter's type, of a format that the seed chooses, in BUFFER_SIZE bytes. */
static uint32_t bed_image(struct bed *bed, enum vm_image_type type, uint64_t seed)
{
    static const struct {
        uint32_t order, channel;
    } formats[] = {
        {SpvImageChannelOrderRGBA, SpvImageChannelDataTypeFloat},
        {SpvImageChannelOrderRGBA, SpvImageChannelDataTypeUnormInt8},
        {SpvImageChannelOrderRG, SpvImageChannelDataTypeSnormInt16},
        {SpvImageChannelOrderR, SpvImageChannelDataTypeHalfFloat},
        {SpvImageChannelOrderRGBA, SpvImageChannelDataTypeSignedInt8},
        {SpvImageChannelOrderR, SpvImageChannelDataTypeUnsignedInt32},
        {SpvImageChannelOrderDepth, SpvImageChannelDataTypeFloat},
    };
    const uint64_t format = seed % (sizeof formats / sizeof formats[0]);
    const bool flat =
        type == VM_IMAGE_1D || type == VM_IMAGE_1D_ARRAY || type == VM_IMAGE_1D_BUFFER;
    const bool array = type == VM_IMAGE_1D_ARRAY || type == VM_IMAGE_2D_ARRAY;
    struct vm_image image = {
        .type = type,
        .order = formats[format].order,
        .channel = formats[format].channel,
        .texel_size = vm_image_texel_size(formats[format].order, formats[format].channel),
        .width = 4,
        .height = flat ? 1 : 3,
        .depth = type == VM_IMAGE_3D ? 2 : 1,
        .layers = array ? 2 : 1,
    };
    image.row_pitch = image.width * image.texel_size;
    image.slice_pitch = image.height * image.row_pitch;
    return bed_buffer(bed, BUFFER_SIZE, NULL, &image);
}

/* A pipe with so many packets in it. */
static uint32_t bed_pipe(struct bed *bed, uint64_t size, uint32_t packet_size, uint64_t packets)
{
    uint32_t object = 0;
    uint64_t packet;
    struct error error;
    const struct vm_buffer_info info = {.size = size,
                                        .packet_size = packet_size,
                                        .name = "pipe",
                                        .defined = true,
                                        .origin = "fuzz_spirv"};
    if (vm_memory_create_object(bed->memory, &info, &object, &error) != STATUS_OK)
        return 0;
    for (uint64_t i = 0; i < packets; i++)
        vm_pipe_pass(vm_memory_find(bed->memory, object)->pipe, VM_PIPE_WRITE, &packet);
    bed->sizes[bed->buffer_count] = info.size;
    bed->buffers[bed->buffer_count++] = object;
    return object;
}

static void bed_arguments(struct bed *bed, const struct vm_code *code, uint64_t seed)
{
    static const uint8_t bytes[1024] = {5, 0, 0, 0, 0, 0, 0x80, 0x3F, 17};
    for (uint32_t i = 0; i < code->parameter_count; i++) {
        switch (code->parameters[i].kind) {
        case VM_PARAMETER_VALUE:
        case VM_PARAMETER_STRUCT:
        case VM_PARAMETER_QUEUE:
            bed->arguments[i].bytes = bytes;
            break;
        case VM_PARAMETER_GLOBAL:
        case VM_PARAMETER_CONSTANT:
            bed->arguments[i].object = bed_buffer(bed, BUFFER_SIZE, NULL, NULL);
            break;
        case VM_PARAMETER_LOCAL:
            bed->arguments[i].local_size = 256;
            break;
        case VM_PARAMETER_IMAGE: /* now and then a null pointer */
            if (seed % 16 != 15)
                bed->arguments[i].object = bed_image(bed, code->parameters[i].image, seed);
            break;
        case VM_PARAMETER_PIPE: /* kernels mean packets of sizes of their own */
            if (seed % 16 != 15)
                bed->arguments[i].object = bed_pipe(bed, 64, seed % 3 == 0 ? 16 : 4, seed % 4);
            break;
        case VM_PARAMETER_SAMPLER:
            bed->arguments[i].sampler =
                vm_sampler_make(seed % 2, seed / 2 % 5, (uint32_t)(seed / 10 % 2));
            break;
        }
    }
}

static void bed_globals(struct bed *bed, const struct spv_module *module,
                        const struct vm_code *code)
{
    uint32_t objects[VARIABLES_MAX];
    const size_t count = spv_module_variable_count(module);
    for (size_t i = 0; i < count; i++) {
        const struct spv_variable *v = spv_module_variable(module, i);
        objects[i] = v->packet_size != 0 ? bed_pipe(bed, v->size, v->packet_size, 0)
                                         : bed_buffer(bed, v->size, v->initialiser, NULL);
    }
    for (size_t i = 0; i < count; i++) {
        const struct spv_variable *v = spv_module_variable(module, i);
        for (size_t r = 0; r < v->relocation_count; r++) {
            const uint64_t pointer =
                vm_pointer_make(objects[v->relocations[r].variable], v->relocations[r].addend);
            vm_memory_write(bed->memory, objects[i], v->relocations[r].offset, &pointer, 8);
        }
    }
    for (uint32_t i = 0; i < code->global_count; i++)
        bed->globals[i] = objects[code->globals[i].index];
}

/* What would take long or much is left out, which is not a fault. */
static bool is_small(const struct spv_module *module, const struct vm_code *code)
{
    if (code->parameter_count > PARAMETERS_MAX || code->global_count > VARIABLES_MAX ||
        spv_module_variable_count(module) > VARIABLES_MAX || code->private_size > MEMORY_MAX ||
        code->local_size > MEMORY_MAX)
        return false;
    for (uint32_t i = 0; i < code->parameter_count; i++) {
        if (code->parameters[i].size > 1024)
            return false;
    }
    for (uint32_t i = 0; i < code->instruction_count; i++) {
        const struct vm_instruction *in = &code->instructions[i];
        if (in->op == VM_OP_copy_memory && in->c > BUFFER_SIZE)
            return false;
    }
    for (size_t i = 0; i < spv_module_variable_count(module); i++) {
        const uint64_t size = spv_module_variable(module, i)->size;
        if (size == 0 || size > MEMORY_MAX)
            return false;
    }
    return true;
}

static uint64_t digest(uint64_t hash, const uint8_t *bytes, uint64_t size)
{
    for (uint64_t i = 0; i < size; i++)
        hash = (hash ^ bytes[i]) * UINT64_C(1099511628211);
    return hash;
}

/* Returns a digest of what the kernel left in memory. */
static uint64_t run_kernel(const struct spv_module *module, const struct vm_code *code,
                           const struct observer *observer, struct tally *tally, uint64_t seed)
{
    static uint8_t bytes[MEMORY_MAX];
    struct bed bed = {0};
    struct error error = {0};
    struct sched_result result = {0};
    uint64_t hash = 0;
    if (vm_memory_create(&bed.memory, &error) != STATUS_OK)
        fail(error.text, seed);
    bed_arguments(&bed, code, seed);
    bed_globals(&bed, module, code);
    const struct sched_launch launch = {
        .code = code,
        .memory = bed.memory,
        .dimensions = 2,
        .global_size = {GLOBAL_SIZE, 2, 1},
        .local_size = {LOCAL_SIZE, 2, 1},
        .global_offset = {0, 0, 0},
        .arguments = bed.arguments,
        .globals = bed.globals,
        .observer = observer,
        .order = (enum sched_order)(seed % 3),
        .seed = seed,
        .sub_group_size = 32,
        .operation_limit = OPERATIONS_MAX,
        .print = ignore_output,
    };
    if (sched_run(&launch, &result, &error) == STATUS_OK) {
        tally->ran++;
        tally->exhausted += result.exhausted;
    } else if (error.text[0] == '\0') {
        fail("a launch fails without a sentence", seed);
    }
    for (uint32_t i = 0; i < bed.buffer_count; i++) {
        vm_memory_read(bed.memory, bed.buffers[i], 0, bytes, bed.sizes[i]);
        hash = digest(hash, bytes, bed.sizes[i]);
    }
    vm_memory_destroy(bed.memory);
    return digest(hash, (const uint8_t *)&result.operation_count, sizeof result.operation_count);
}

static void run_checked(const struct spv_module *module, const struct vm_code *code,
                        struct tally *tally, uint64_t seed)
{
    struct kernel_checker *checker = NULL;
    struct checks checks;
    struct error error;
    checks_set_all(&checks);
    if (kernel_checker_create(&checks, count_finding, tally, &checker, &error) != STATUS_OK)
        fail(error.text, seed);
    const uint64_t with = run_kernel(module, code, kernel_checker_observer(checker), tally, seed);
    kernel_checker_destroy(checker);
    if (run_kernel(module, code, NULL, tally, seed) != with)
        fail("checks change what a kernel computes", seed);
}

/* ---- modules ---- */

static void run_module(const struct module_words *words, struct tally *tally, uint64_t seed)
{
    struct spv_module *module = NULL;
    struct error error = {0};
    if (spv_module_parse(words->words, words->count * 4, &module, &error) != STATUS_OK) {
        if (error.text[0] == '\0')
            fail("refused without a sentence", seed);
        return;
    }
    for (size_t i = 0; i < spv_module_kernel_count(module); i++) {
        struct vm_code *code = NULL;
        error.text[0] = '\0';
        if (vm_lower_kernel(module, spv_module_kernel_name(module, i), NULL, &code, &error) ==
            STATUS_OK) {
            tally->lowered++;
            if (is_small(module, code))
                run_checked(module, code, tally, seed);
            vm_code_destroy(code);
        } else if (error.text[0] == '\0') {
            fail("a kernel is refused without a sentence", seed);
        }
    }
    spv_module_destroy(module);
}

/* ---- rounds ---- */

static volatile uint64_t current_round;

/* An assertion, a sanitizer (with abort_on_error=1), or a round that takes too long. */
static void tell_round(int signal)
{
    char text[64] = "fuzz_spirv: aborted in round 00000000000000000000\n";
    const size_t size = strlen(text);
    uint64_t round = current_round;
    for (size_t i = size - 2; round > 0; i--, round /= 10)
        text[i] = (char)('0' + round % 10);
    if (write(STDERR_FILENO, text, size) < 0 || signal == SIGPROF)
        _exit(1);
}

/* In CPU time, so that a busy machine does not matter; 0 = no limit. */
static void limit_round(int seconds)
{
    const struct itimerval timer = {.it_value = {.tv_sec = seconds}};
    setitimer(ITIMER_PROF, &timer, NULL);
}

static void run_round(const struct module_words *modules, int module_count, uint64_t round,
                      struct module_words *words, struct tally *tally)
{
    current_round = round;
    limit_round(ROUND_SECONDS_MAX);
    random_seed(round);
    const struct module_words *from = &modules[round % (uint64_t)module_count];
    if (random_below(8) == 0)
        mutate_words(from, words);
    else
        mutate_instructions(from, &modules[random_below((uint64_t)module_count)], words);
    run_module(words, tally, round);
    limit_round(0);
}

int main(int argc, char **argv)
{
    static struct module_words modules[MODULE_MAX];
    if (argc < 5 || argc - 4 > MODULE_MAX) {
        fprintf(stderr, "usage: fuzz_spirv FIRST ROUNDS SECONDS MODULE...\n");
        return 2;
    }
    const uint64_t first = strtoull(argv[1], NULL, 10);
    const uint64_t rounds = strtoull(argv[2], NULL, 10);
    const time_t end = time(NULL) + atoi(argv[3]);
    const int module_count = argc - 4;
    char **const paths = argv + 4;
    struct module_words words = {.words = alloc(MODULE_WORDS_MAX * 4)};
    struct tally tally = {0};
    uint64_t round = first;
    for (int i = 0; i < module_count; i++) {
        struct tally whole = {0};
        read_module(paths[i], &modules[i]);
        run_module(&modules[i], &whole, 0);
        /* Those of refused.cl are there to be refused. */
        if (whole.lowered == 0 && !strstr(paths[i], "refused-"))
            fail("a module is refused as it is", (uint64_t)i);
    }
    signal(SIGABRT, tell_round);
    signal(SIGPROF, tell_round);
    for (; round - first < rounds && time(NULL) < end; round++)
        run_round(modules, module_count, round, &words, &tally);
    if (rounds == 1)
        write_module(&words);
    printf("%llu rounds, %llu kernels lowered, %llu runs, %llu without end, %llu findings\n",
           (unsigned long long)(round - first), (unsigned long long)tally.lowered,
           (unsigned long long)tally.ran, (unsigned long long)tally.exhausted,
           (unsigned long long)tally.findings);
    for (int i = 0; i < module_count; i++)
        alloc_free(modules[i].words);
    alloc_free(words.words);
    if (alloc_live_count() != 0)
        fail("leaks", alloc_live_count());
    return rounds > 100 && tally.ran == 0;
}
