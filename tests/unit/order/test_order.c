/* The engine against its definition: random programs of accesses and barriers, judged by both. For
 * every byte the first access that races must be the same one, and the strand that the engine names
 * as the other side must race with it by the definition. */
#include "oracle.h"

#include "trace/base/alloc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum {
    GROUPS_MAX = 4,
    VECTORS_MAX = 3,
    OPERATIONS = 4, /* accesses of a vector between barriers, at most */
    SITES = 3,
    COPIES = 6, /* of a group, at most */
    ACCESS_SITES = OBSERVER_SCOPE_COUNT * SITES,
    ALL_SITES = ACCESS_SITES + COPIES, /* then those of copies */
    NEVER = 0,
};

/* Sanitizers make a step many times as expensive. */
#if defined(__SANITIZE_THREAD__)
enum { PROGRAMS = 2000, SMALL_PROGRAMS = 500 };
#elif defined(__SANITIZE_ADDRESS__)
enum { PROGRAMS = 8000, SMALL_PROGRAMS = 2000 };
#else
enum { PROGRAMS = 20000, SMALL_PROGRAMS = 5000 };
#endif

static const uint64_t object_sizes[ORACLE_OBJECTS] = {ORACLE_BYTES, 300, 5000};

/* ---- a program under way ---- */

struct copy {
    struct order_copy copy;
    uint32_t strand, number;
    bool to_local, waited, told[ORDER_FLOOR_COUNT];
    uint32_t behind[ORDER_FLOOR_COUNT]; /* copies of lower numbers that fences order before it */
    uint64_t offset[ORDER_FLOOR_COUNT];
    uint32_t count;
};

struct program {
    uint64_t random;
    struct order *order;
    struct oracle *oracle;
    enum order_region regions[ORACLE_OBJECTS];
    struct oracle_strand strands[ORACLE_STRANDS];
    uint32_t strand_count;
    uint32_t lanes[ORDER_LANES]; /* that run in each vector */
    uint32_t lane_count, vector_count, group_count, sub_group_size;
    uint64_t window; /* accesses start near here, so that they meet */
    bool fills_page; /* mostly all lanes, up to the end of a page */
    uint32_t step;   /* accesses of vectors so far, from 1 */
    /* The step of the first race on each byte; NEVER = none yet. */
    uint32_t expected[ORACLE_OBJECTS][ORACLE_BYTES];
    uint32_t found[ORACLE_OBJECTS][ORACLE_BYTES];
    uint32_t object; /* of the access under way */
    uint32_t race_count, incomplete_count, missed_count;
    bool acquires;    /* the engine is told that launches acquire, though they do not */
    bool turns_pages; /* so many others are opened that those of the objects are packed */
    uint32_t turned;  /* pages of this launch */
    struct copy copies[COPIES];
    uint32_t copy_count, fenced[ORDER_FLOOR_COUNT];
    bool may_miss; /* a group of the launch started copies */
};

static uint32_t draw(struct program *program, uint32_t below)
{
    program->random ^= program->random << 13;
    program->random ^= program->random >> 7;
    program->random ^= program->random << 17;
    return (uint32_t)((program->random >> 20) % below);
}

static uint32_t strand_index(const struct program *program, uint32_t group, uint32_t vector,
                             uint32_t lane)
{
    for (uint32_t i = 0; i < program->strand_count; i++) {
        const struct oracle_strand *strand = &program->strands[i];
        if (strand->group == group && strand->vector == vector && strand->lane == lane) {
            return i;
        }
    }
    fail_msg("no strand (%u,%u,%u)", group, vector, lane);
    return 0;
}

/* The one that a side of a race names: of a copy its slot does. */
static uint32_t side_strand(const struct program *program, const struct order_side *side)
{
    const bool is_copy = side->vector == ORDER_COPY_VECTOR;
    return strand_index(program, (uint32_t)side->group, side->vector,
                        is_copy ? order_slot_site(side->slot) - ACCESS_SITES : side->lane);
}

static void on_race(void *user, const struct lane_access *access, const struct order_race *race)
{
    struct program *program = user;
    if (race->sizes_differ) {
        return;
    }
    program->race_count++;
    assert_int_equal(race->later.slot, order_slot(access->site, access->kind));
    const uint32_t earlier = side_strand(program, &race->earlier);
    const uint32_t later = side_strand(program, &race->later);
    for (uint64_t byte = race->offset; byte < race->offset + race->size; byte++) {
        uint32_t *first = &program->found[program->object][byte];
        if (*first == NEVER) {
            *first = program->step;
            assert_true(oracle_races_with(program->oracle, earlier, later, program->object,
                                          program->regions[program->object], byte, access->kind,
                                          access->scope));
        }
    }
}

/* ---- random programs ---- */

static void draw_shape(struct program *program)
{
    program->group_count = 1 + draw(program, GROUPS_MAX);
    program->vector_count = 1 + draw(program, VECTORS_MAX);
    program->sub_group_size = 1U << draw(program, 7);
    program->lane_count = draw(program, 16) == 0 ? ORDER_LANES : 1 + draw(program, 8);
    if (program->lane_count == ORDER_LANES) {
        program->group_count = 1 + draw(program, 2);
        program->vector_count = 1 + draw(program, 2);
    }
    /* Consecutive lanes, or lanes with gaps. */
    const uint32_t gap = program->lane_count == ORDER_LANES ? 1 : 1 + draw(program, 8);
    const uint32_t first = draw(program, ORDER_LANES - (program->lane_count - 1) * gap);
    for (uint32_t i = 0; i < program->lane_count; i++) {
        program->lanes[i] = first + i * gap;
    }
    program->strand_count = 0;
    for (uint32_t group = 0; group < program->group_count; group++) {
        for (uint32_t vector = 0; vector < program->vector_count; vector++) {
            for (uint32_t i = 0; i < program->lane_count; i++) {
                program->strands[program->strand_count++] =
                    (struct oracle_strand){group, vector, program->lanes[i]};
            }
        }
        for (uint32_t copy = 0; copy < COPIES; copy++) {
            program->strands[program->strand_count++] =
                (struct oracle_strand){group, ORDER_COPY_VECTOR, copy};
        }
    }
    program->window = draw(program, 3) == 0 ? 4096 - 64 : draw(program, 4) * 16;
    program->fills_page = program->lane_count >= 4 && draw(program, 4) == 0;
}

static uint64_t draw_mask(struct program *program)
{
    uint64_t mask = 0;
    for (uint32_t i = 0; i < program->lane_count; i++) {
        mask |= UINT64_C(1) << program->lanes[i];
    }
    if (draw(program, 2) == 0) {
        const uint64_t part =
            mask & ((uint64_t)draw(program, UINT32_MAX) << 32 | draw(program, UINT32_MAX));
        mask = part != 0 ? part : mask;
    }
    return mask;
}

static uint32_t draw_size(struct program *program)
{
    static const uint32_t sizes[] = {1, 2, 4, 4, 4, 4, 8, 8, 12, 16, 3, 32};
    return sizes[draw(program, sizeof sizes / sizeof *sizes)];
}

/* Where a lane goes by the access. */
static uint64_t pattern_offset(const struct lane_access *access, uint32_t lane)
{
    const uint32_t run = access->run != 0 ? access->run : ORDER_LANES;
    return access->offset + (uint64_t)((int64_t)(lane % run) * access->stride) +
           (uint64_t)((int64_t)(lane / run) * access->jump);
}

static int64_t draw_step(struct program *program, uint32_t size, uint32_t align)
{
    const uint32_t form = draw(program, 5);
    uint32_t vector = 1; /* of which the access is a part */
    while (vector < size) {
        vector *= 2;
    }
    return form == 0   ? 0
           : form == 1 ? (int64_t)size
           : form == 2 ? (int64_t)vector << draw(program, 3)
                       : (int64_t)draw(program, 5) * align - 2 * (int64_t)align;
}

/* Fills where the lanes go: all to one place, one after the other, with a stride, in runs, or
 * anywhere. */
static void draw_offsets(struct program *program, struct lane_access *access,
                         uint64_t offsets[ORDER_LANES])
{
    const uint64_t limit = object_sizes[program->object];
    const uint32_t align = draw(program, 4) == 0 ? 1 : access->size;
    const bool gather = draw(program, 4) == 0;
    const uint32_t lowest = (uint32_t)__builtin_ctzll(access->mask);
    access->stride = draw_step(program, access->size, align);
    if (draw(program, 3) == 0) {
        access->run = 1U << draw(program, 6);
        access->jump = draw(program, 4) == 0 ? (int64_t)access->run * access->stride
                                             : draw_step(program, access->size, align);
    }
    access->offset = program->window + draw(program, 8) * align - pattern_offset(access, lowest);
    for (uint32_t lane = 0; lane < ORDER_LANES; lane++) {
        offsets[lane] =
            gather ? program->window + draw(program, 12) * align : pattern_offset(access, lane);
    }
    bool in_bounds = true;
    for (uint32_t lane = 0; lane < ORDER_LANES; lane++) {
        const bool active = (access->mask >> lane & 1) != 0;
        in_bounds = in_bounds && (!active || offsets[lane] <= limit - access->size);
    }
    for (uint32_t lane = 0; !in_bounds && lane < ORDER_LANES; lane++) {
        offsets[lane] = draw(program, 8) * access->size;
    }
    if (gather || !in_bounds) {
        access->offsets = offsets;
        access->run = 0;
    }
}

/* A plain access of all lanes, the last one at the end of the first page. */
static void fill_page(const struct program *program, struct lane_access *access)
{
    const uint32_t last = program->lanes[program->lane_count - 1];
    access->mask = 0;
    for (uint32_t i = 0; i < program->lane_count; i++) {
        access->mask |= UINT64_C(1) << program->lanes[i];
    }
    access->size = 4;
    access->stride = 4;
    access->offset = 4096 - (last + UINT64_C(1)) * access->size;
}

/* Reads memory that nobody writes, of more pages than stay open. */
static void turn_pages(struct program *program)
{
    enum { PAGES = 300, TURNS = 12 };
    struct order_object *object =
        order_object(program->order, ORDER_GLOBAL, 100, PAGES * TURNS * UINT64_C(4096));
    struct lane_access access = {
        .kind = OBSERVER_READ,
        .size = 4,
        .mask = UINT64_C(1) << program->lanes[0],
    };
    for (uint32_t i = 0; program->turned < PAGES * TURNS && i < PAGES; i++) {
        access.offset = program->turned++ * UINT64_C(4096);
        order_access(program->order, object, &access);
    }
}

/* Rows that went the short way, over all programs. */
static uint64_t short_rows;

/* As the gate tells it: by the short way first, if it is a row. */
static void tell_access(struct program *program, struct order_object *object,
                        const struct lane_access *access)
{
    const uint32_t first = (uint32_t)__builtin_ctzll(access->mask);
    const uint32_t last = ORDER_LANES - 1 - (uint32_t)__builtin_clzll(access->mask);
    const uint64_t lanes = access->mask >> first;
    const bool uniform =
        access->offsets == NULL && access->stride == 0 && (access->run == 0 || access->jump == 0);
    const bool strided = access->offsets == NULL &&
                         (access->run == 0 ? (lanes & (lanes + 1)) == 0 : ~access->mask == 0);
    const struct lane_row row = {.site = access->site,
                                 .size = access->size,
                                 .offset = access->offset,
                                 .stride = access->stride,
                                 .jump = access->run == 0 ? 0 : access->jump,
                                 .run = uniform ? 0 : access->run,
                                 .first = (uint8_t)first,
                                 .last = (uint8_t)last,
                                 .writes = access->kind == OBSERVER_WRITE};
    if (!access_is_atomic(access->kind) && !access->is_texel && (uniform || strided) &&
        order_row(program->order, object, &row)) {
        short_rows++;
        return;
    }
    order_access(program->order, object, access);
}

static void run_access(struct program *program, uint32_t group, uint32_t vector)
{
    uint64_t offsets[ORDER_LANES];
    program->object = draw(program, ORACLE_OBJECTS);
    const enum order_region region = program->regions[program->object];
    const bool atomic = draw(program, 4) == 0;
    struct order_object *object =
        order_object(program->order, region == ORDER_TEXELS ? ORDER_GLOBAL : region,
                     program->object + 7, object_sizes[program->object]);
    struct lane_access access = {
        .kind = (atomic ? OBSERVER_ATOMIC_READ : OBSERVER_READ) +
                (enum observer_access_kind)draw(program, 2),
        .scope = atomic ? (enum observer_scope)draw(program, OBSERVER_SCOPE_ALL_DEVICES)
                        : OBSERVER_SCOPE_DEVICE,
        .size = draw_size(program),
        .mask = draw_mask(program),
        .is_texel = region == ORDER_TEXELS,
    };
    if (object == NULL) {
        return; /* memory is out: the engine says so */
    }
    access.site = access.scope * SITES + draw(program, SITES);
    if (program->fills_page && access.kind < OBSERVER_ATOMIC_READ && draw(program, 4) != 0) {
        fill_page(program, &access);
        for (uint32_t lane = 0; lane < ORDER_LANES; lane++) {
            offsets[lane] = pattern_offset(&access, lane);
        }
    } else {
        draw_offsets(program, &access, offsets);
    }
    if (program->turns_pages && draw(program, 2) == 0) {
        turn_pages(program);
    }
    program->step++;
    /* The engine asks the oracle about the other side, so the oracle must not know this access yet;
     * lanes of one access race with each other, so it must. Lane by lane: first the oracle. */
    for (uint64_t left = access.mask; left != 0; left &= left - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctzll(left);
        const uint32_t strand = strand_index(program, group, vector, lane);
        for (uint32_t i = 0; i < access.size; i++) {
            const uint64_t start = offsets[lane];
            uint32_t *first = &program->expected[program->object][start + i];
            const bool races = oracle_access(program->oracle, strand, program->object, region,
                                             start + i, access.kind, access.scope);
            if (races && *first == NEVER) {
                *first = program->step;
            }
        }
    }
    tell_access(program, object, &access);
}

static void run_sub_group_barrier(struct program *program, uint32_t group, uint32_t vector)
{
    bool in[ORACLE_STRANDS] = {false};
    const uint32_t lane = program->lanes[draw(program, program->lane_count)];
    const uint32_t regions = draw(program, 1 << ORDER_FLOOR_COUNT);
    for (uint32_t i = 0; i < program->strand_count; i++) {
        const struct oracle_strand *strand = &program->strands[i];
        in[i] = strand->group == group && strand->vector == vector &&
                strand->lane / program->sub_group_size == lane / program->sub_group_size;
    }
    oracle_barrier(program->oracle, in, regions);
    order_sub_group_barrier(program->order, vector, lane, regions, OBSERVER_SCOPE_WORK_GROUP);
}

/* ---- asynchronous copies ---- */

static void start_copy(struct program *program, uint32_t group, const bool in[ORACLE_STRANDS])
{
    if (program->copy_count == COPIES) {
        return;
    }
    struct copy *copy = &program->copies[program->copy_count];
    *copy = (struct copy){.number = program->copy_count++};
    copy->strand = strand_index(program, group, ORDER_COPY_VECTOR, copy->number);
    copy->to_local = draw(program, 2) == 0;
    copy->count = 1 + draw(program, 8);
    oracle_copy_start(program->oracle, copy->strand, in);
    for (int region = 0; region < ORDER_FLOOR_COUNT; region++) {
        copy->offset[region] = (program->window + 4 * draw(program, 8)) & ~UINT64_C(3);
        copy->behind[region] = program->fenced[region];
        for (uint32_t i = 0; i < program->fenced[region]; i++) {
            oracle_copy_behind(program->oracle, copy->strand, program->copies[i].strand,
                               1U << region);
        }
    }
    order_copy_start(program->order, &copy->copy);
}

static void fence_copies(struct program *program)
{
    const uint32_t regions = draw(program, 1 << ORDER_REGION_COUNT);
    for (int region = 0; region < ORDER_FLOOR_COUNT; region++) {
        if ((regions >> region & 1) != 0) {
            program->fenced[region] = program->copy_count;
        }
    }
    order_copy_fence(program->order, regions);
}

static void tell_copy(struct program *program, struct copy *copy, enum order_region region)
{
    if (copy->told[region]) {
        return;
    }
    copy->told[region] = true;
    program->object = region == ORDER_LOCAL ? 2 : 0;
    const bool writes = copy->to_local == (region == ORDER_LOCAL);
    struct order_object *object =
        order_object(program->order, region, program->object + 7, object_sizes[program->object]);
    const struct lane_access access = {
        .kind = writes ? OBSERVER_WRITE : OBSERVER_READ,
        .scope = OBSERVER_SCOPE_DEVICE,
        .size = 4,
        .stride = 4,
        .offset = copy->offset[region],
        .mask = (UINT64_C(1) << copy->count) - 1,
        .site = ACCESS_SITES + copy->number,
    };
    if (object == NULL) {
        return;
    }
    program->step++;
    for (uint64_t byte = access.offset; byte < access.offset + 4 * copy->count; byte++) {
        uint32_t *first = &program->expected[program->object][byte];
        const bool races = oracle_access(program->oracle, copy->strand, program->object, region,
                                         byte, access.kind, access.scope);
        if (races && *first == NEVER) {
            *first = program->step;
        }
    }
    order_copy_begin(program->order, &copy->copy);
    tell_access(program, object, &access);
    order_copy_end(program->order);
}

static void wait_for_copy(struct program *program, const bool in[ORACLE_STRANDS])
{
    static const enum order_region sides[] = {ORDER_LOCAL, ORDER_GLOBAL};
    if (program->copy_count == 0) {
        return;
    }
    struct copy *copy = &program->copies[draw(program, program->copy_count)];
    if (copy->waited) {
        return;
    }
    copy->waited = true;
    for (int side = 0; side < 2; side++) {
        for (uint32_t i = 0; i < copy->behind[sides[side]]; i++) {
            tell_copy(program, &program->copies[i], sides[side]);
        }
        tell_copy(program, copy, sides[side]);
    }
    oracle_copy_wait(program->oracle, copy->strand, in);
    order_copy_wait(program->order, &copy->copy);
}

static void run_group(struct program *program, uint32_t group)
{
    order_group_begin(program->order, group, program->vector_count * ORDER_LANES);
    oracle_group_begin(program->oracle, program->regions);
    bool in[ORACLE_STRANDS] = {false};
    for (uint32_t i = 0; i < program->strand_count; i++) {
        in[i] =
            program->strands[i].group == group && program->strands[i].vector != ORDER_COPY_VECTOR;
    }
    const bool copies = draw(program, 3) == 0;
    program->may_miss |= copies;
    program->copy_count = 0;
    memset(program->fenced, 0, sizeof program->fenced);
    const uint32_t phases = 1 + draw(program, copies ? 8 : 4);
    for (uint32_t phase = 0; phase < phases; phase++) {
        const bool backwards = draw(program, 2) == 0;
        for (uint32_t i = 0; i < program->vector_count; i++) {
            const uint32_t vector = backwards ? program->vector_count - 1 - i : i;
            /* A device need not tell a switch to the vector that runs already. */
            if (copies || program->vector_count > 1 || phase == 0 || draw(program, 2) == 0) {
                order_vector_run(program->order, vector);
            }
            for (uint32_t count = draw(program, OPERATIONS + 1); count > 0; count--) {
                run_access(program, group, vector);
                if (draw(program, 6) == 0) {
                    run_sub_group_barrier(program, group, vector);
                }
            }
        }
        const uint32_t regions = draw(program, 1 << ORDER_FLOOR_COUNT);
        for (uint32_t count = copies ? draw(program, 4) : 0; count > 0; count--) {
            switch (draw(program, 4)) {
            case 0:
                fence_copies(program);
                break;
            case 1:
                wait_for_copy(program, in);
                break;
            default:
                start_copy(program, group, in);
                break;
            }
        }
        oracle_barrier(program->oracle, in, regions);
        order_barrier(program->order, regions, OBSERVER_SCOPE_WORK_GROUP);
    }
}

/* Launches that do not acquire keep two readers of a byte, of which what orders both orders all
 * others: which copies need not. */
static void compare(struct program *program, uint64_t seed)
{
    const bool may_miss = program->may_miss && !program->acquires;
    for (uint32_t object = 0; object < ORACLE_OBJECTS; object++) {
        for (uint64_t byte = 0; byte < object_sizes[object]; byte++) {
            const uint32_t expected = program->expected[object][byte];
            const uint32_t found = program->found[object][byte];
            if (may_miss && expected != NEVER && (found == NEVER || found > expected)) {
                program->missed_count++;
            } else if (expected != found) {
                fail_msg("seed %llu, object %u, byte %llu: first race at step %u, engine says %u",
                         (unsigned long long)seed, object, (unsigned long long)byte, expected,
                         found);
            }
        }
    }
}

static void run_launch(struct program *program, uint64_t seed)
{
    program->random = seed * UINT64_C(0x9E3779B97F4A7C15) + 1;
    for (int i = 0; i < 4; i++) {
        draw(program, 2);
    }
    draw_shape(program);
    program->step = 0;
    program->turned = 0;
    program->may_miss = false;
    memset(program->expected, 0, sizeof program->expected);
    memset(program->found, 0, sizeof program->found);
    order_launch_begin(program->order,
                       &(struct order_launch){.site_count = ALL_SITES,
                                              .sub_group_size = program->sub_group_size,
                                              .acquires = program->acquires});
    oracle_launch_begin(program->oracle, program->strands, program->strand_count,
                        program->sub_group_size);
    for (uint32_t group = 0; group < program->group_count; group++) {
        run_group(program, group);
    }
    if (order_is_incomplete(program->order)) {
        program->incomplete_count++;
    } else {
        compare(program, seed);
    }
}

static struct program *program_create(uint32_t record_limit)
{
    struct program *program = alloc_zero(1, sizeof *program);
    assert_non_null(program);
    program->regions[0] = ORDER_GLOBAL;
    program->regions[1] = ORDER_TEXELS;
    program->regions[2] = ORDER_LOCAL;
    program->oracle = oracle_create();
    assert_int_equal(order_create(record_limit, on_race, program, &program->order, NULL),
                     STATUS_OK);
    return program;
}

static void program_destroy(struct program *program)
{
    order_destroy(program->order);
    oracle_destroy(program->oracle);
    alloc_free(program);
}

/* ---- tests ---- */

static void agrees_with_the_definition(void **state)
{
    (void)state;
    struct program *program = program_create(0);
    for (uint64_t seed = 1; seed <= PROGRAMS; seed++) {
        run_launch(program, seed);
    }
    assert_int_equal(program->incomplete_count, 0);
    assert_true(program->race_count > 5 * PROGRAMS);
    assert_true(program->missed_count < program->race_count / 10000);
    program_destroy(program);
    assert_true(short_rows > 100);
}

/* The histories of launches that acquire say the same as the pairs of those that do not. */
static void agrees_where_it_must_follow_more(void **state)
{
    (void)state;
    struct program *program = program_create(0);
    program->acquires = true;
    for (uint64_t seed = 200001; seed <= 205000; seed++) {
        run_launch(program, seed);
    }
    assert_int_equal(program->incomplete_count, 0);
    assert_true(program->race_count > 10000);
    program_destroy(program);
}

static void agrees_while_pages_are_packed(void **state)
{
    (void)state;
    struct program *program = program_create(0);
    program->turns_pages = true;
    for (uint64_t seed = 300001; seed <= 300000 + PROGRAMS / 20; seed++) {
        program->acquires = seed % 4 == 0;
        run_launch(program, seed);
    }
    assert_int_equal(program->incomplete_count, 0);
    assert_true(program->race_count > PROGRAMS / 10);
    program_destroy(program);
    program = program_create(48);
    program->turns_pages = true;
    for (uint64_t seed = 302001; seed <= 302000 + SMALL_PROGRAMS / 10; seed++) {
        run_launch(program, seed);
    }
    assert_in_range(program->incomplete_count, 0, SMALL_PROGRAMS / 20);
    program_destroy(program);
}

static void agrees_while_records_are_renumbered(void **state)
{
    (void)state;
    struct program *program = program_create(48);
    for (uint64_t seed = 100001; seed <= 100000 + SMALL_PROGRAMS; seed++) {
        run_launch(program, seed);
    }
    /* A few programs need more than 48 live records; then nothing is claimed. */
    assert_in_range(program->incomplete_count, 1, SMALL_PROGRAMS / 2);
    assert_true(program->race_count > SMALL_PROGRAMS / 5);
    program_destroy(program);
}

static void every_failed_allocation_is_admitted(void **state)
{
    (void)state;
    for (uint64_t n = 1; n < 200; n++) {
        struct program *program = program_create(48);
        /* The oracle allocates, too, and asserts that it can: the same program has warmed it up. */
        run_launch(program, 7);
        order_destroy(program->order);
        program->order = NULL;
        alloc_fail_at(n);
        const enum status status = order_create(48, on_race, program, &program->order, NULL);
        if (status != STATUS_OK) {
            assert_int_equal(status, STATUS_NO_MEMORY);
            assert_null(program->order);
        } else {
            run_launch(program, 7);
        }
        alloc_fail_at(0);
        program_destroy(program);
    }
}

static void a_shadow_unused_for_a_launch_is_freed(void **state)
{
    (void)state;
    const struct order_launch launch = {.site_count = ACCESS_SITES, .sub_group_size = 32};
    struct program *program = program_create(0);
    order_launch_begin(program->order, &launch);
    const uint64_t before = alloc_live_count();
    assert_non_null(order_object(program->order, ORDER_GLOBAL, 1, 1 << 20));
    order_launch_begin(program->order, &launch);
    assert_true(alloc_live_count() > before);
    order_launch_begin(program->order, &launch);
    /* uthash keeps no table for an empty hash. */
    assert_int_equal(alloc_live_count(), before);
    program_destroy(program);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agrees_with_the_definition),
        cmocka_unit_test(agrees_where_it_must_follow_more),
        cmocka_unit_test(agrees_while_pages_are_packed),
        cmocka_unit_test(agrees_while_records_are_renumbered),
        cmocka_unit_test(every_failed_allocation_is_admitted),
        cmocka_unit_test(a_shadow_unused_for_a_launch_is_freed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
