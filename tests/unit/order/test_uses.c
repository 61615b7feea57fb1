/* Uses: common bytes against plain arrays of bytes, and what is a race. */
#include "checkers/order/uses.h"
#include "trace/base/alloc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <pthread.h>

enum { SPACE = 256, BYTES_ROUNDS = 20000 };

static uint64_t state_of_random = 5;

static uint32_t draw(uint32_t below)
{
    state_of_random ^= state_of_random << 13;
    state_of_random ^= state_of_random >> 7;
    state_of_random ^= state_of_random << 17;
    return (uint32_t)((state_of_random >> 20) % below);
}

/* ---- bytes ---- */

static void random_bytes(struct use_bytes *bytes, uint64_t *bits, bool *plain)
{
    *bytes = (struct use_bytes){.first = draw(40), .size = 1 + draw(12)};
    const uint32_t shape = draw(3);
    memset(plain, 0, SPACE);
    if (shape == 1) {
        bytes->size = 1 + draw(100);
        bytes->bits = bits;
        for (uint64_t i = 0; i < bytes->size; i++) {
            bits[i / 64] = i % 64 == 0 ? 0 : bits[i / 64];
            plain[bytes->first + i] = draw(8) == 0;
            bits[i / 64] |= (uint64_t)plain[bytes->first + i] << (i % 64);
        }
        return;
    }
    if (shape == 2) {
        bytes->rows = 1 + draw(3);
        bytes->slices = 1 + draw(3);
        bytes->row_pitch = bytes->size + draw(6);
        bytes->slice_pitch = bytes->rows * bytes->row_pitch + draw(10);
    }
    for (uint64_t slice = 0; slice < (bytes->slices > 0 ? bytes->slices : 1); slice++)
        for (uint64_t row = 0; row < (bytes->rows > 0 ? bytes->rows : 1); row++)
            memset(&plain[bytes->first + slice * bytes->slice_pitch + row * bytes->row_pitch], 1,
                   bytes->size);
}

static void common_bytes_are_found(void **state)
{
    (void)state;
    for (int round = 0; round < BYTES_ROUNDS; round++) {
        struct use_bytes a, b;
        uint64_t a_bits[2], b_bits[2], first, size;
        bool a_plain[SPACE], b_plain[SPACE];
        random_bytes(&a, a_bits, a_plain);
        random_bytes(&b, b_bits, b_plain);
        uint64_t wanted = 0;
        while (wanted < SPACE && !(a_plain[wanted] && b_plain[wanted]))
            wanted++;
        assert_int_equal(use_bytes_meet(&a, &b, &first, &size), wanted < SPACE);
        if (wanted == SPACE)
            continue;
        assert_int_equal(first, wanted);
        assert_true(size > 0);
        for (uint64_t i = 0; i < size; i++)
            assert_true(a_plain[first + i] && b_plain[first + i]);
    }
}

/* ---- races ---- */

static struct commands *commands;
static struct uses *uses;
static struct commands_queue *queue; /* out of order */
static struct uses_conflict found;
static struct use_origin found_earlier;
static int found_count;

static void report(void *user, const struct uses_conflict *conflict)
{
    (void)user;
    found = *conflict;
    found_earlier = *conflict->earlier.origin;
    found_count++;
}

static int setup(void **state)
{
    (void)state;
    commands = commands_create();
    uses = uses_create(commands, report, NULL);
    queue = commands_queue_create(commands, false);
    found_count = 0;
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    uses_destroy(uses);
    commands_queue_destroy(commands, queue);
    commands_destroy(commands);
    return 0;
}

static struct ordered_command *command_after(struct ordered_command *event)
{
    return commands_enqueue(
        commands,
        &(struct commands_request){.queue = queue, .events = &event, .event_count = event != NULL});
}

static void use_by(struct ordered_command *command, uint64_t object, enum use_kind kind,
                   uint64_t first, uint64_t size)
{
    uses_add(uses, command, &(struct use_origin){.function = "clEnqueueTest"},
             &(struct use){.object = object, .kind = kind, .bytes = {.first = first, .size = size}},
             1, true);
}

static void unordered_writes_race(void **state)
{
    (void)state;
    struct ordered_command *a = command_after(NULL);
    struct ordered_command *b = command_after(NULL);
    struct ordered_command *c = command_after(b);
    use_by(a, 1, USE_WRITE, 0, 8);
    use_by(b, 2, USE_WRITE, 0, 8);  /* another object */
    use_by(b, 1, USE_WRITE, 8, 8);  /* other bytes */
    use_by(c, 1, USE_READ, 8, 100); /* after b */
    assert_int_equal(found_count, 0);
    use_by(b, 1, USE_READ, 4, 8);
    assert_int_equal(found_count, 1);
    assert_int_equal(found.clash, USES_RACE);
    assert_int_equal(found.first, 4);
    assert_int_equal(found.size, 4);
    assert_int_equal(found.earlier.kind, USE_WRITE);
    assert_int_equal(found.later.kind, USE_READ);
    command_drop(a);
    command_drop(b);
    command_drop(c);
}

static void reads_and_atomics_do_not_race(void **state)
{
    (void)state;
    struct ordered_command *a = command_after(NULL);
    struct ordered_command *b = command_after(NULL);
    use_by(a, 1, USE_READ, 0, 8);
    use_by(b, 1, USE_READ, 0, 8);
    use_by(a, 1, USE_ATOMIC_WRITE, 32, 4);
    use_by(b, 1, USE_ATOMIC_READ, 64, 4); /* 3.3.6: shared or disjoint locations */
    assert_int_equal(found_count, 1);
    assert_int_equal(found.clash, USES_ATOMICS);
    use_by(b, 1, USE_READ, 32, 4);
    assert_int_equal(found_count, 2);
    assert_int_equal(found.clash, USES_RACE);
    command_drop(a);
    command_drop(b);
}

static void add_atomic(struct ordered_command *command, enum use_reach reach, uint64_t first)
{
    const struct use used = {.object = 1,
                             .kind = USE_ATOMIC_WRITE,
                             .reach = reach,
                             .guaranteed = true,
                             .bytes = {.first = first, .size = 4}};
    uses_add(uses, command, &(struct use_origin){.function = "clEnqueueTest"}, &used, 1, true);
}

static void atomics_that_do_not_reach_race(void **state)
{
    (void)state;
    struct ordered_command *a = command_after(NULL);
    struct ordered_command *b = command_after(NULL);
    struct ordered_command *c = command_after(b);
    add_atomic(a, USE_REACHES, 0);
    add_atomic(b, USE_REACHES, 0);
    add_atomic(b, USE_TOO_NARROW, 4);
    add_atomic(c, USE_TOO_NARROW, 4); /* after b */
    assert_int_equal(found_count, 0);
    add_atomic(c, USE_REACH_UNCLEAR, 0);
    assert_int_equal(found_count, 1);
    assert_int_equal(found.clash, USES_SCOPES);
    assert_int_equal(found.first, 0);
    assert_int_equal(found.size, 4);
    assert_int_equal(found.earlier.reach, USE_REACHES);
    assert_int_equal(found.later.reach, USE_REACH_UNCLEAR);
    use_by(c, 1, USE_READ, 0, 4); /* of another sort, so it is told, too */
    assert_int_equal(found_count, 2);
    assert_int_equal(found.clash, USES_RACE);
    add_atomic(c, USE_TOO_NARROW, 0); /* of the same two */
    assert_int_equal(found_count, 2);
    command_drop(a);
    command_drop(b);
    command_drop(c);
}

/* What reaches does not stand for what does not. */
static void a_narrow_use_is_not_superseded(void **state)
{
    (void)state;
    struct ordered_command *a = command_after(NULL);
    struct ordered_command *b = command_after(a);
    struct ordered_command *c = command_after(NULL);
    add_atomic(a, USE_TOO_NARROW, 0);
    add_atomic(b, USE_REACHES, 0);
    assert_int_equal(found_count, 0);
    add_atomic(c, USE_REACHES, 0);
    assert_int_equal(found_count, 1);
    assert_int_equal(found.earlier.reach, USE_TOO_NARROW);
    command_drop(a);
    command_drop(b);
    command_drop(c);
}

/* Of two devices both scopes must hold both; on one device they must be the same where the rule
 * says so. */
static void scopes_are_of_devices(void **state)
{
    (void)state;
    const struct use one = {.reach = USE_REACHES, .device = 1};
    const struct use all = {.reach = USE_REACHES_ALL, .device = 1};
    const struct use equal = {.reach = USE_REACHES_ALL, .device = 1, .equal_scopes = true};
    const struct use there = {.reach = USE_REACHES, .device = 2};
    const struct use all_there = {.reach = USE_REACHES_ALL, .device = 2};
    const struct use anywhere = {.reach = USE_REACHES};
    assert_true(use_scopes_meet(&one, &one));
    assert_true(use_scopes_meet(&one, &all));
    assert_false(use_scopes_meet(&one, &equal));
    assert_true(use_scopes_meet(&equal, &equal));
    assert_false(use_scopes_meet(&one, &there));
    assert_false(use_scopes_meet(&all, &there));
    assert_true(use_scopes_meet(&all, &all_there));
    assert_true(use_scopes_meet(&one, &anywhere));
}

/* What a kernel may do to 64 bytes, and what of it is certain. */
static struct use may_write(uint64_t object, enum use_kind kind, uint64_t first, uint64_t size)
{
    return (struct use){.object = object,
                        .kind = USE_WRITE,
                        .bytes = {.size = 64},
                        .possible = true,
                        .certain = {[1] = {kind, first, size}}};
}

static void use_so(struct ordered_command *command, const struct use *used, size_t count)
{
    uses_add(uses, command, &(struct use_origin){.function = "clEnqueueTest"}, used, count, true);
}

static void expect_certain(bool certain, uint64_t first, uint64_t size)
{
    assert_int_equal(found.clash, USES_RACE);
    assert_int_equal(found.earlier.possible || found.later.possible, !certain);
    assert_int_equal(found.first, first);
    assert_int_equal(found.size, size);
}

static void what_is_certain_of_a_possible_use_races(void **state)
{
    (void)state;
    struct ordered_command *all[] = {command_after(NULL), command_after(NULL), command_after(NULL),
                                     command_after(NULL)};
    const struct use halves[] = {may_write(1, USE_WRITE, 0, 32), may_write(1, USE_READ, 32, 32)};
    const struct use middle = may_write(1, USE_WRITE, 24, 16);
    use_so(all[0], &halves[0], 1);
    use_so(all[1], &halves[1], 1);
    assert_int_equal(found_count, 1);
    expect_certain(false, 0, 64);
    use_so(all[2], &middle, 1);
    assert_int_equal(found_count, 2);
    expect_certain(true, 24, 8);
    assert_int_equal(found.later.kind, USE_WRITE);
    /* One that is certain as a whole. */
    use_by(all[3], 1, USE_READ, 40, 8);
    expect_certain(false, 40, 8);
    use_by(all[3], 1, USE_WRITE, 60, 4);
    expect_certain(true, 60, 4);
    assert_int_equal(found.earlier.kind, USE_READ);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        command_drop(all[i]);
}

static void of_two_commands_the_certain_clash_is_told(void **state)
{
    (void)state;
    struct ordered_command *a = command_after(NULL);
    struct ordered_command *b = command_after(NULL);
    const struct use first[] = {may_write(1, USE_WRITE, 0, 8), may_write(2, USE_WRITE, 0, 8)};
    const struct use second[] = {may_write(1, USE_WRITE, 8, 8), may_write(2, USE_WRITE, 4, 8)};
    use_so(a, first, 2);
    use_so(b, second, 2);
    assert_int_equal(found_count, 1);
    assert_int_equal(found.object, 2);
    expect_certain(true, 4, 4);
    command_drop(a);
    command_drop(b);
}

static void what_is_certain_and_atomic_races_with_what_is_not(void **state)
{
    (void)state;
    struct ordered_command *a = command_after(NULL);
    struct ordered_command *b = command_after(NULL);
    struct ordered_command *c = command_after(NULL);
    const struct use atomic = may_write(1, USE_ATOMIC_WRITE, 0, 8);
    const struct use read = may_write(1, USE_READ, 0, 8);
    use_so(a, &atomic, 1);
    use_so(b, &atomic, 1);
    assert_int_equal(found_count, 1);
    expect_certain(false, 0, 64);
    use_so(c, &read, 1);
    assert_int_equal(found_count, 2);
    expect_certain(true, 0, 8);
    assert_int_equal(found.earlier.kind, USE_ATOMIC_WRITE);
    command_drop(a);
    command_drop(b);
    command_drop(c);
}

/* A later use takes the place of an earlier one only if as much of it is certain. */
static void what_is_certain_is_kept(void **state)
{
    (void)state;
    struct commands_queue *in_order = commands_queue_create(commands, true);
    struct ordered_command *first =
        commands_enqueue(commands, &(struct commands_request){.queue = in_order});
    struct ordered_command *second =
        commands_enqueue(commands, &(struct commands_request){.queue = in_order});
    struct ordered_command *other = command_after(NULL);
    const struct use some = may_write(1, USE_WRITE, 0, 8);
    const struct use none = may_write(1, USE_WRITE, 0, 0);
    use_so(first, &some, 1);
    use_so(second, &none, 1);
    use_by(other, 1, USE_READ, 4, 8);
    assert_int_equal(found_count, 1);
    expect_certain(true, 4, 4);
    command_drop(first);
    command_drop(second);
    command_drop(other);
    commands_queue_destroy(commands, in_order);
}

static void what_is_certain_uses_a_mapped_object(void **state)
{
    (void)state;
    const struct use_bytes whole = {.size = 64};
    const struct use_origin origin = {.function = "clEnqueueMapBuffer"};
    const struct use use = {.object = 1, .kind = USE_READ, .bytes = {.size = 8}};
    const struct use reads = may_write(1, USE_READ, 0, 8);
    const struct use writes = may_write(1, USE_WRITE, 56, 8);
    struct ordered_command *map = command_after(NULL);
    struct ordered_command *a = command_after(map);
    struct ordered_command *b = command_after(map);
    uses_map(uses, map, &origin, &use, &whole, 77);
    use_so(a, &reads, 1);
    assert_int_equal(found_count, 1);
    assert_int_equal(found.clash, USES_MAPPED);
    assert_true(found.later.possible);
    uses_forget(uses, 1);
    uses_map(uses, map, &origin, &use, &whole, 77);
    use_so(b, &writes, 1);
    assert_int_equal(found_count, 2);
    assert_int_equal(found.clash, USES_MAPPED);
    assert_false(found.later.possible);
    assert_int_equal(found.first, 56);
    command_drop(map);
    command_drop(a);
    command_drop(b);
}

static void what_the_host_knows_is_forgotten(void **state)
{
    (void)state;
    struct ordered_command *a = command_after(NULL);
    use_by(a, 1, USE_WRITE, 0, 8);
    commands_host_waited(commands, a);
    struct ordered_command *b = command_after(NULL);
    use_by(b, 1, USE_WRITE, 0, 8);
    assert_int_equal(found_count, 0);
    /* b alone is left, and it is told of when a command comes that does not follow it. */
    struct ordered_command *c = command_after(NULL);
    use_by(c, 1, USE_WRITE, 0, 8);
    assert_int_equal(found_count, 1);
    command_drop(a);
    command_drop(b);
    command_drop(c);
}

static void a_mapped_object_is_not_used(void **state)
{
    (void)state;
    const struct use_bytes whole = {.size = 64};
    const struct use_origin origin = {.function = "clEnqueueMapBuffer"};
    struct ordered_command *map = command_after(NULL);
    const struct use use = {.object = 1, .kind = USE_READ, .bytes = {.size = 8}};
    uses_map(uses, map, &origin, &use, &whole, 77);
    assert_true(uses_is_mapped(uses, 1, map));
    struct ordered_command *reads = command_after(map);
    struct ordered_command *writes = command_after(map);
    use_by(reads, 1, USE_READ, 0, 8);
    assert_int_equal(found_count, 0);
    use_by(writes, 1, USE_WRITE, 32, 4); /* beside the mapped region, but of the object */
    assert_int_equal(found_count, 1);
    assert_int_equal(found.clash, USES_MAPPED);
    struct ordered_command *unmap = command_after(map);
    uses_unmap(uses, 1, 77, unmap);
    struct ordered_command *early = command_after(map);
    struct ordered_command *late = command_after(unmap);
    use_by(late, 1, USE_WRITE, 40, 4);
    assert_int_equal(found_count, 1);
    use_by(early, 1, USE_WRITE, 48, 4);
    assert_int_equal(found_count, 2);
    commands_host_waited(commands, unmap);
    struct ordered_command *last = command_after(NULL);
    use_by(last, 1, USE_READ, 0, 1);
    assert_false(uses_is_mapped(uses, 1, last));
    struct ordered_command *all[] = {map, reads, writes, unmap, early, late, last};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        command_drop(all[i]);
}

/* A history in order stays short; without order it is cut. */
static void histories_stay_short(void **state)
{
    (void)state;
    struct ordered_command *last = NULL;
    for (int i = 0; i < 3 * USES_MAX; i++) {
        struct ordered_command *command = command_after(last);
        use_by(command, 1, USE_WRITE, (uint64_t)i, 1);
        command_drop(last);
        last = command;
    }
    assert_int_equal(found_count, 0);
    uses_forget(uses, 1);
    command_drop(last);
}

static struct ordered_command *command_in(struct commands_queue *where)
{
    return commands_enqueue(commands, &(struct commands_request){.queue = where});
}

static void the_next_use_takes_the_place_of_the_last(void **state)
{
    (void)state;
    struct commands_queue *in_order = commands_queue_create(commands, true);
    const struct use all = {.object = 1, .kind = USE_WRITE, .bytes = {.size = 16}};
    struct ordered_command *first = command_in(in_order);
    struct ordered_command *second = command_in(in_order);
    struct ordered_command *other = command_in(queue);
    uses_add(uses, first, &(struct use_origin){.function = "clFirst"}, &all, 1, true);
    uses_add(uses, second, &(struct use_origin){.function = "clSecond"}, &all, 1, true);
    command_drop(first);
    assert_int_equal(found_count, 0);
    use_by(other, 1, USE_READ, 12, 1);
    assert_int_equal(found_count, 1);
    assert_string_equal(found_earlier.function, "clSecond");
    command_drop(second);
    command_drop(other);
    commands_queue_destroy(commands, in_order);
}

/* What follows all that is kept is compared with none of it, and yet kept for others. */
static void a_long_history_in_order_is_compared(void **state)
{
    (void)state;
    enum { LONG = 200 };
    struct commands_queue *in_order = commands_queue_create(commands, true);
    for (uint64_t i = 0; i < LONG; i++) {
        struct ordered_command *command = command_in(in_order);
        use_by(command, 1, USE_WRITE, i * 8, 64);
        command_drop(command);
    }
    assert_int_equal(found_count, 0);
    struct ordered_command *other = command_in(queue);
    use_by(other, 1, USE_READ, LONG * 4, 8);
    assert_int_equal(found_count, 1);
    assert_int_equal(found.first, LONG * 4);
    commands_host_finished(commands, in_order);
    commands_host_waited(commands, other);
    struct ordered_command *last = command_in(in_order);
    use_by(last, 1, USE_WRITE, 0, 1);
    assert_int_equal(found_count, 1);
    command_drop(other);
    command_drop(last);
    commands_queue_destroy(commands, in_order);
}

static void expect_parts(uint64_t count)
{
    for (uint64_t i = 0; i < count; i++) {
        const struct use read = {
            .object = 1, .kind = USE_READ, .bytes = {.first = 8 * i, .size = 8}};
        struct ordered_command *other = command_in(queue);
        const int before = found_count;
        uses_add(uses, other, &(struct use_origin){.function = "clOther"}, &read, 1, false);
        assert_int_equal(found_count, before + 1);
        command_drop(other);
    }
}

/* Parts of an object that take turns, as the commands of a command-buffer do that is enqueued again
 * and again: the latest use of each is kept, whenever one looks. */
static void parts_in_turn_are_kept(void **state)
{
    (void)state;
    enum { PARTS = USES_MAX - USES_MAX / 4, TURNS = 4, STEP = 101 };
    struct commands_queue *in_order = commands_queue_create(commands, true);
    for (uint64_t i = 0; i < (uint64_t)PARTS * TURNS; i++) {
        struct ordered_command *command = command_in(in_order);
        use_by(command, 1, USE_WRITE, i % PARTS * 8, 8);
        command_drop(command);
        if (i >= PARTS && i % STEP == 0)
            expect_parts(PARTS);
    }
    commands_queue_destroy(commands, in_order);
}

/* A queue in the storage of one that is gone goes on with its numbers, and yet does not follow. */
static void a_queue_does_not_follow_the_one_before_it(void **state)
{
    (void)state;
    struct commands_queue *old = commands_queue_create(commands, true);
    struct ordered_command *first = command_in(old);
    use_by(first, 1, USE_WRITE, 0, 8);
    commands_queue_destroy(commands, old);
    struct commands_queue *new = commands_queue_create(commands, true);
    struct ordered_command *second = command_in(new);
    use_by(second, 1, USE_WRITE, 4, 8);
    assert_int_equal(found_count, 1);
    command_drop(first);
    command_drop(second);
    commands_queue_destroy(commands, new);
}

/* What is kept is known without a lock, and until it is over. */
static void writes_are_there_until_the_host_knows(void **state)
{
    (void)state;
    const struct use_bytes within = {.first = 4, .size = 1};
    const struct use_bytes beside = {.first = 8, .size = 1};
    struct ordered_command *a = command_after(NULL);
    assert_false(uses_has_any(uses));
    use_by(a, 1, USE_READ, 0, 8);
    assert_true(uses_has_any(uses));
    assert_false(uses_has_write(uses, 1, &within));
    use_by(a, 1, USE_WRITE, 0, 8);
    assert_true(uses_has_write(uses, 1, &within));
    assert_false(uses_has_write(uses, 1, &beside));
    assert_false(uses_has_write(uses, 2, &within));
    commands_host_waited(commands, a);
    assert_false(uses_has_write(uses, 1, &within));
    uses_forget(uses, 1);
    assert_false(uses_has_any(uses));
    command_drop(a);
}

/* Threads with queues and objects of their own, and one object that all read. */
enum { THREADS = 4, TURNS = 2000 };

static void *use_much(void *user)
{
    struct commands_queue *own = user;
    for (uint64_t i = 0; i < TURNS; i++) {
        commands_queue_lock(own);
        struct ordered_command *command = command_in(own);
        use_by(command, (uint64_t)(uintptr_t)own, USE_WRITE, i % 16, 8);
        use_by(command, 1, USE_READ, i % 16, 8);
        if (i % 100 == 0)
            commands_host_finished(commands, own);
        command_drop(command);
        commands_queue_unlock(own);
    }
    return NULL;
}

static void threads_do_not_disturb_each_other(void **state)
{
    (void)state;
    pthread_t threads[THREADS];
    struct commands_queue *own[THREADS];
    for (int i = 0; i < THREADS; i++)
        own[i] = commands_queue_create(commands, true);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, use_much, own[i]), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(found_count, 0);
    struct ordered_command *other = command_in(queue);
    use_by(other, 1, USE_WRITE, 0, 64);
    assert_int_equal(found_count, 1);
    command_drop(other);
    for (int i = 0; i < THREADS; i++)
        commands_queue_destroy(commands, own[i]);
}

/* The object 0 is kept by queue, and compared across them; some of so many queues have one place.
 */
enum { QUEUES = 20 };

static void what_queues_have_in_common_is_compared(void **state)
{
    const struct use_bytes last_read = {.first = 8 * (QUEUES - 1), .size = 8};
    struct commands_queue *own[QUEUES];
    struct ordered_command *reads[QUEUES];
    (void)state;
    for (uint64_t i = 0; i < QUEUES; i++) {
        own[i] = commands_queue_create(commands, true);
        reads[i] = command_in(own[i]);
        use_by(reads[i], 0, USE_READ, 8 * i, 8);
    }
    assert_int_equal(found_count, 0);
    assert_true(uses_may_have(uses, 0));
    struct ordered_command *writes = command_after(reads[0]);
    use_by(writes, 0, USE_WRITE, 0, 8);
    assert_int_equal(found_count, 0);
    for (uint64_t i = 1; i < QUEUES; i++) {
        use_by(writes, 0, USE_WRITE, 8 * i, 8);
        assert_int_equal(found_count, i);
        assert_int_equal(found.first, 8 * i);
    }
    for (uint64_t i = 0; i < QUEUES; i++) {
        struct ordered_command *command = command_in(own[i]);
        use_by(command, 0, USE_READ, 8 * i, 8);
        assert_int_equal(found_count, QUEUES + i);
        commands_host_finished(commands, own[i]);
        command_drop(command);
        command_drop(reads[i]);
    }
    assert_true(uses_has_write(uses, 0, &last_read));
    commands_host_waited(commands, writes);
    assert_false(uses_has_write(uses, 0, &last_read));
    struct ordered_command *next = command_after(NULL);
    use_by(next, 0, USE_WRITE, 0, 8 * QUEUES);
    assert_int_equal(found_count, 2 * QUEUES - 1);
    uses_forget(uses, 0);
    assert_false(uses_has_any(uses));
    command_drop(writes);
    command_drop(next);
    for (uint64_t i = 0; i < QUEUES; i++)
        commands_queue_destroy(commands, own[i]);
}

/* Of two uses that are told at once one at least is compared with the other. */
enum { ROUNDS = 500 };

struct rounds {
    struct commands_queue *queue;
    pthread_barrier_t *both;
    struct uses *uses;
};

static void count(void *user, const struct uses_conflict *conflict)
{
    (void)conflict;
    atomic_fetch_add((atomic_int *)user, 1);
}

static void *write_in_rounds(void *user)
{
    const struct rounds *rounds = user;
    for (uint64_t i = 0; i < ROUNDS; i++) {
        const struct use use = {
            .object = 0, .kind = USE_WRITE, .bytes = {.first = 8 * i, .size = 8}};
        commands_queue_lock(rounds->queue);
        struct ordered_command *command = command_in(rounds->queue);
        pthread_barrier_wait(rounds->both);
        uses_add(rounds->uses, command, &(struct use_origin){.function = "x"}, &use, 1, true);
        command_drop(command);
        commands_queue_unlock(rounds->queue);
    }
    return NULL;
}

static void uses_at_once_are_compared(void **state)
{
    atomic_int told = 0;
    pthread_barrier_t both;
    pthread_t threads[2];
    struct uses *counted = uses_create(commands, count, &told);
    struct rounds rounds[2];
    (void)state;
    pthread_barrier_init(&both, NULL, 2);
    for (int i = 0; i < 2; i++) {
        rounds[i] = (struct rounds){commands_queue_create(commands, true), &both, counted};
        assert_int_equal(pthread_create(&threads[i], NULL, write_in_rounds, &rounds[i]), 0);
    }
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    assert_in_range(told, ROUNDS, 2 * ROUNDS);
    uses_destroy(counted);
    for (int i = 0; i < 2; i++)
        commands_queue_destroy(commands, rounds[i].queue);
    pthread_barrier_destroy(&both);
}

static void failures_are_silent(void **state)
{
    (void)state;
    const uint64_t bits[1] = {5};
    const struct use use = {.object = 3, .kind = USE_WRITE, .bytes = {.size = 3, .bits = bits}};
    for (uint64_t n = 1; n < 30; n++) {
        struct ordered_command *command = command_after(NULL);
        alloc_fail_at(n);
        uses_add(uses, command, &(struct use_origin){.function = "x"}, &use, 1, true);
        alloc_fail_at(0);
        uses_forget(uses, 3);
        command_drop(command);
    }
    assert_int_equal(found_count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(common_bytes_are_found),
        cmocka_unit_test_setup_teardown(unordered_writes_race, setup, teardown),
        cmocka_unit_test_setup_teardown(reads_and_atomics_do_not_race, setup, teardown),
        cmocka_unit_test_setup_teardown(atomics_that_do_not_reach_race, setup, teardown),
        cmocka_unit_test_setup_teardown(a_narrow_use_is_not_superseded, setup, teardown),
        cmocka_unit_test_setup_teardown(scopes_are_of_devices, setup, teardown),
        cmocka_unit_test_setup_teardown(what_is_certain_of_a_possible_use_races, setup, teardown),
        cmocka_unit_test_setup_teardown(of_two_commands_the_certain_clash_is_told, setup, teardown),
        cmocka_unit_test_setup_teardown(what_is_certain_and_atomic_races_with_what_is_not, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(what_is_certain_is_kept, setup, teardown),
        cmocka_unit_test_setup_teardown(what_is_certain_uses_a_mapped_object, setup, teardown),
        cmocka_unit_test_setup_teardown(what_the_host_knows_is_forgotten, setup, teardown),
        cmocka_unit_test_setup_teardown(a_mapped_object_is_not_used, setup, teardown),
        cmocka_unit_test_setup_teardown(histories_stay_short, setup, teardown),
        cmocka_unit_test_setup_teardown(the_next_use_takes_the_place_of_the_last, setup, teardown),
        cmocka_unit_test_setup_teardown(a_long_history_in_order_is_compared, setup, teardown),
        cmocka_unit_test_setup_teardown(parts_in_turn_are_kept, setup, teardown),
        cmocka_unit_test_setup_teardown(a_queue_does_not_follow_the_one_before_it, setup, teardown),
        cmocka_unit_test_setup_teardown(writes_are_there_until_the_host_knows, setup, teardown),
        cmocka_unit_test_setup_teardown(threads_do_not_disturb_each_other, setup, teardown),
        cmocka_unit_test_setup_teardown(what_queues_have_in_common_is_compared, setup, teardown),
        cmocka_unit_test_setup_teardown(uses_at_once_are_compared, setup, teardown),
        cmocka_unit_test_setup_teardown(failures_are_silent, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
