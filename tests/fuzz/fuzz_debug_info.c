/* Mutates modules with debug information and reads them. Nothing may crash, hang, or break what
 * debug_info.h promises to whoever goes through it. Mutated are operands of debugging instructions
 * mostly; seeds are fixed.
 *
 *     fuzz_debug_info FIRST ROUNDS SECONDS HEAD FILE...
 *
 * FIRST is the first round, which is its seed; it stops after ROUNDS or SECONDS. A FILE is OpenCL
 * C, with options in its first line, or assembly that comes after HEAD. */
#include "reference/compiler/compile.h"
#include "reference/compiler/validate.h"
#include "reference/spirv/debug_info.h"
#include "reference/spirv/walker.h"
#include "tests/fuzz/mutate_spirv.h"
#include "trace/base/alloc.h"
#include "trace/base/file.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { MODULE_MAX = 16, FILE_MAX = 1 << 20, ROUND_SECONDS_MAX = 20 };

static uint64_t current_round;

static void fail(const char *what)
{
    fprintf(stderr, "fuzz_debug_info: %s, round %llu\n", what, (unsigned long long)current_round);
    exit(1);
}

static void want(bool holds, const char *what)
{
    if (!holds)
        fail(what);
}

static void tell_hang(int signal)
{
    static const char text[] = "fuzz_debug_info: a round takes too long\n";
    (void)signal;
    _exit(write(STDERR_FILENO, text, sizeof text - 1) < 0 ? 2 : 1);
}

/* ---- what is promised ---- */

/* How deep types lie in types, which is counted once for each. */
struct depths {
    const struct debug_info *info;
    uint16_t *by_base, *by_part;
};

static uint16_t depth_by_base(const struct depths *depths, const struct debug_type *type)
{
    uint16_t *depth = &depths->by_base[type->index];
    if (*depth != 0 || type->kind == DEBUG_TYPE_UNKNOWN)
        return *depth;
    uint16_t deepest = depth_by_base(depths, type->base);
    for (uint32_t i = 0; i < type->parameter_count; i++) {
        const uint16_t under = depth_by_base(depths, type->parameters[i]);
        deepest = under > deepest ? under : deepest;
    }
    return *depth = (uint16_t)(deepest + 1);
}

static uint16_t depth_by_part(const struct depths *depths, const struct debug_type *type)
{
    uint16_t *depth = &depths->by_part[type->index];
    uint16_t deepest = 0;
    if (*depth != 0 || type->kind == DEBUG_TYPE_UNKNOWN)
        return *depth;
    if (type->kind != DEBUG_TYPE_POINTER && type->kind != DEBUG_TYPE_FUNCTION)
        deepest = depth_by_part(depths, type->base);
    for (uint32_t i = 0; i < type->member_count; i++) {
        const uint16_t under = depth_by_part(depths, type->members[i].type);
        deepest = under > deepest ? under : deepest;
    }
    return *depth = (uint16_t)(deepest + 1);
}

/* A value of a type is read from as many bytes as the type has. */
static void check_members(const struct debug_type *type)
{
    for (uint32_t i = 0; i < type->member_count; i++) {
        const struct debug_member *member = &type->members[i];
        want(member->bit_offset <= type->size * 8 &&
                 member->bit_size <= type->size * 8 - member->bit_offset,
             "a member lies beyond its struct");
        want(member->bit_field || (member->type->size * 8 == member->bit_size) ||
                 member->type->size == 0,
             "a member is larger than its struct says");
        want(!member->bit_field || member->bit_size <= member->type->size * 8,
             "a bit-field is wider than its type");
    }
}

static void check_types(const struct debug_info *info, uint64_t *length)
{
    const struct depths depths = {info, alloc_zero(info->type_count + 1, sizeof(uint16_t)),
                                  alloc_zero(info->type_count + 1, sizeof(uint16_t))};
    uint64_t offset;
    for (uint32_t i = 0; i < info->type_count; i++) {
        const struct debug_type *type = info->types[i];
        want(type->index == i && type->base->index < info->type_count, "a type is lost");
        want(depth_by_base(&depths, type) <= DEBUG_DEPTH_MAX, "bases are too deep");
        want(depth_by_part(&depths, type) <= DEBUG_DEPTH_MAX, "parts are too deep");
        check_members(type);
        *length += strlen(type->name) + (debug_type_find_member(type, "x", &offset) != NULL);
        debug_type_plain(type);
        for (uint32_t e = 0; e < type->enumerator_count; e++)
            *length += strlen(type->enumerators[e].name);
    }
    alloc_free(depths.by_base);
    alloc_free(depths.by_part);
}

static void check_scopes(const struct debug_info *info, uint64_t *length)
{
    uint32_t variables = 0;
    for (uint32_t i = 0; i < info->scope_count; i++) {
        const struct debug_scope *scope = &info->scopes[i];
        int depth = 0;
        for (const struct debug_scope *at = scope; at != NULL; at = at->parent)
            want(++depth <= DEBUG_DEPTH_MAX, "scopes are too deep");
        for (uint32_t v = 0; v < scope->variable_count; v++)
            want(scope->variables[v].scope == scope, "a variable is in another scope");
        variables += scope->variable_count;
        *length += strlen(scope->name) + strlen(scope->linkage_name) +
                   (scope->source != NULL ? strlen(scope->source->file) : 0);
    }
    want(variables <= info->variable_count, "a variable is in two scopes");
}

static void check_variables(const struct debug_info *info, uint64_t *length)
{
    uint32_t locations = 0;
    for (uint32_t i = 0; i < info->variable_count; i++) {
        const struct debug_variable *variable = &info->variables[i];
        want(variable->index == i && variable->type->index < info->type_count,
             "a variable is lost");
        *length += strlen(variable->name) + strlen(variable->linkage_name);
        for (uint32_t l = 0; l < variable->location_count; l++) {
            const struct debug_location *location = &variable->locations[l];
            want(location->variable == i && location->id != 0, "a location is another variable's");
            for (uint32_t s = 0; s < location->step_count; s++)
                want(location->steps[s].kind <= DEBUG_STEP_DEREFERENCE, "a step is none");
            int depth = 0;
            for (const struct debug_inlining *at = location->inlining; at != NULL; at = at->outer)
                want(at->scope != NULL && ++depth <= DEBUG_DEPTH_MAX, "calls are too deep");
        }
        locations += variable->location_count;
    }
    want(locations == info->by_id_count, "a location is lost");
    for (uint32_t i = 1; i < info->by_id_count; i++)
        want(info->by_id[i - 1]->id <= info->by_id[i]->id, "locations are in disorder");
}

static void check_sites(const struct debug_info *info, uint32_t word_count)
{
    for (uint32_t i = 0; i < info->range_count; i++) {
        want(i == 0 || info->ranges[i - 1].word < info->ranges[i].word, "ranges are in disorder");
        want(info->ranges[i].word <= word_count && info->ranges[i].context < info->context_count,
             "a range is beyond all");
        want(debug_info_context(info, info->ranges[i].word) == info->ranges[i].context,
             "a context is not found");
    }
    for (uint32_t i = 0; i < info->context_count && i < 64; i++) {
        struct arena arena = {0};
        uint32_t count = 0;
        const struct debug_site site = {&info->contexts[i], "<source>", 20, 1};
        const struct debug_variable **visible = debug_site_variables(&site, &arena, &count);
        want(visible != NULL && (i > 0 || count == 0), "a site sees what is not there");
        for (uint32_t v = 0; v < count; v++)
            want(debug_site_find_variable(&site, visible[v]->name) == visible[v],
                 "a name means two variables");
        arena_release(&arena);
    }
}

/* ---- a round ---- */

/* The last bytes are those of a block, so that reading beyond them is noticed. */
static void read_module(const struct module_words *words)
{
    struct debug_info *info = NULL;
    struct error error;
    uint64_t length = 0;
    const size_t size = words->count * 4;
    uint8_t *bytes = alloc(size);
    memcpy(bytes, words->words, size);
    if (debug_info_read(bytes, size, &info, &error) != STATUS_OK)
        fail(error.text);
    const size_t stripped = debug_info_strip(bytes, size);
    want(stripped <= size && debug_info_strip(bytes, stripped) == stripped,
         "what is stripped is stripped again");
    check_types(info, &length);
    check_scopes(info, &length);
    check_variables(info, &length);
    check_sites(info, (uint32_t)(stripped / 4));
    for (uint32_t i = 0; i < info->source_count; i++)
        length += strlen(info->sources[i].file) +
                  (info->sources[i].text != NULL ? strlen(info->sources[i].text) : 0);
    want(length < UINT64_C(1) << 32, "strings have no end");
    debug_info_destroy(info);
    alloc_free(bytes);
}

/* Where the extended instructions start. */
struct extended {
    uint32_t starts[MODULE_WORDS_MAX / 5];
    uint32_t count;
};

static void find_extended(const struct module_words *words, struct extended *extended)
{
    struct spv_walker walker = spv_walker_begin(words->words, words->count * 4);
    extended->count = 0;
    while (spv_walker_next(&walker)) {
        if (walker.opcode == SpvOpExtInst && walker.length >= 5)
            extended->starts[extended->count++] = (uint32_t)walker.start;
    }
}

/* Changes one operand, the number, or the id of a debugging instruction: mostly to an id that is
 * one's of its like, so that circles come about. */
static void change_extended(struct module_words *words, const struct extended *extended)
{
    uint32_t *at = words->words + extended->starts[random_below(extended->count)];
    uint32_t *other = words->words + extended->starts[random_below(extended->count)];
    const uint32_t length = at[0] >> 16, other_length = other[0] >> 16;
    const uint32_t operand = 5 + (uint32_t)random_below(length > 5 ? length - 5 : 1);
    if (random_below(16) == 0) {
        at[4] = (uint32_t)random_below(40);
    } else if (random_below(16) == 0) {
        const uint32_t id = at[2];
        at[2] = other[2];
        other[2] = id;
    } else if (operand < length) {
        switch (random_below(4)) {
        case 0:
            at[operand] = (uint32_t)random_below((uint64_t)words->words[3] + 2);
            break;
        case 1:
            at[operand] = other_length > 5 ? other[5 + random_below(other_length - 5)] : 0;
            break;
        default:
            at[operand] = other[2];
            break;
        }
    }
}

static void mutate(const struct module_words *modules, int module_count, uint64_t round,
                   struct module_words *words)
{
    static struct extended extended;
    const struct module_words *from = &modules[round % (uint64_t)module_count];
    const uint64_t kind = random_below(16);
    if (kind == 0) {
        mutate_words(from, words);
    } else if (kind == 1) {
        mutate_instructions(from, &modules[random_below((uint64_t)module_count)], words);
    } else {
        memcpy(words->words, from->words, from->count * 4);
        words->count = from->count;
        find_extended(words, &extended);
        for (uint64_t n = 1 + random_below(24); n > 0; n--)
            change_extended(words, &extended);
    }
}

/* ---- modules ---- */

static char *read_text(const char *path)
{
    void *bytes = NULL;
    size_t size = 0;
    struct error error;
    if (file_read(path, FILE_MAX, &bytes, &size, &error) != STATUS_OK)
        fail(error.text);
    char *text = alloc_format("%.*s", (int)size, (const char *)bytes);
    alloc_free(bytes);
    return text;
}

/* SPIR-V with debugging instructions, freed with alloc_free. */
static uint8_t *compile(const char *source, size_t *size)
{
    struct arena arena = {0};
    struct build_options options;
    struct text log = TEXT_INIT;
    struct compile_result made;
    const char *line = arena_string_n(&arena, source, strcspn(source, "\n"));
    want(strncmp(line, "// ", 3) == 0 && build_options_parse(line + 3, &arena, &options),
         "a source has no options");
    const struct compile_request request = {
        .source = source, .source_size = strlen(source), .options = &options, .debugging = true};
    if (compile_source(&request, &log, &made) != STATUS_OK)
        fail(log.bytes);
    alloc_free(made.spirv);
    sources_drop(made.sources);
    text_release(&log);
    arena_release(&arena);
    *size = made.debug_size;
    return made.debug;
}

static struct module_words make_module(const char *head, const char *path)
{
    struct module_words module = {.words = alloc(MODULE_WORDS_MAX * 4)};
    size_t size = 0;
    char *text = read_text(path);
    char *assembly = alloc_format("%s%s", head, text);
    uint8_t *bytes =
        strstr(path, ".spvasm") != NULL ? validate_assemble(assembly, &size) : compile(text, &size);
    want(bytes != NULL && size <= MODULE_WORDS_MAX * 4, "a module cannot be made");
    memcpy(module.words, bytes, size);
    module.count = size / 4;
    alloc_free(bytes);
    alloc_free(assembly);
    alloc_free(text);
    return module;
}

int main(int argc, char **argv)
{
    struct module_words modules[MODULE_MAX];
    if (argc < 6 || argc - 5 > MODULE_MAX) {
        fprintf(stderr, "usage: fuzz_debug_info FIRST ROUNDS SECONDS HEAD FILE...\n");
        return 2;
    }
    const uint64_t first = strtoull(argv[1], NULL, 10);
    const uint64_t rounds = strtoull(argv[2], NULL, 10);
    const time_t end = time(NULL) + atoi(argv[3]);
    const int module_count = argc - 5;
    char *head = read_text(argv[4]);
    for (int i = 0; i < module_count; i++) {
        modules[i] = make_module(head, argv[5 + i]);
        read_module(&modules[i]);
    }
    alloc_free(head);
    signal(SIGALRM, tell_hang);
    struct module_words words = {.words = alloc(MODULE_WORDS_MAX * 4)};
    uint64_t round = first;
    for (; round - first < rounds && time(NULL) < end; round++) {
        current_round = round;
        alarm(ROUND_SECONDS_MAX);
        random_seed(round);
        mutate(modules, module_count, round, &words);
        read_module(&words);
    }
    printf("%llu rounds\n", (unsigned long long)(round - first));
    for (int i = 0; i < module_count; i++)
        alloc_free(modules[i].words);
    alloc_free(words.words);
    return alloc_live_count() != 0;
}
