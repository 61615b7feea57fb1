/* How a thread begins is the text of its first calls without numbers of handles and addresses. */
#include "viewer-cli/diff/cmd_diff.h"

#include "trace/api/entry.h"
#include "trace/base/alloc.h"
#include "trace/base/text.h"
#include "viewer-cli/rows.h"

#include <string.h>
#include <xxhash.h>

enum { CALLS_LOOKED_AT = 256 };

struct beginning {
    uint32_t thread;
    XXH64_hash_t digest;
    uint32_t partner; /* of the other run; 0 = none yet */
};

struct side {
    struct beginning *threads;
    size_t count, capacity;
};

struct diff_threads {
    struct side sides[2];
};

void diff_threads_destroy(struct diff_threads *threads)
{
    if (!threads)
        return;
    alloc_free(threads->sides[0].threads);
    alloc_free(threads->sides[1].threads);
    alloc_free(threads);
}

uint32_t diff_threads_find(const struct diff_threads *threads, uint32_t thread)
{
    const struct side *side = &threads->sides[0];
    for (size_t i = 0; i < side->count; ++i)
        if (side->threads[i].thread == thread && side->threads[i].partner)
            return side->threads[i].partner;
    return UINT32_MAX;
}

/* Leaves out "0x55f3a0", and "<60 9a 3f 55>", which may be a handle. */
static void add_without_addresses(const struct text *text, struct text *all)
{
    for (size_t i = 0; i < text->size; ++i) {
        const char *at = text->bytes + i;
        if (strncmp(at, "0x", 2) == 0)
            i += 2 + strspn(at + 2, "0123456789abcdef") - 1;
        else if (*at == '<')
            i += strcspn(at, ">");
        else
            text_append_char(all, *at);
    }
}

/* Questions are left out: some answers are times. */
static enum status hash_beginning(struct trace *trace, struct beginning *beginning,
                                  struct error *error)
{
    const struct trace_filter filter = {.thread = beginning->thread};
    struct trace_cursor *cursor = NULL;
    struct arena arena = {0};
    struct text text = TEXT_INIT;
    struct text all = TEXT_INIT;
    enum status status = trace_calls(trace, &filter, &cursor, error);
    bool found = true;
    for (int i = 0; i < CALLS_LOOKED_AT && !status && found; ++i) {
        struct api_call call;
        arena_reset(&arena);
        text_clear(&text);
        status = trace_cursor_next(cursor, &arena, &call, &found, error);
        if (!status && found && strncmp(api_entry_get(call.entry)->name, "clGet", 5) != 0)
            api_call_print(&call, NULL, NULL, &text);
        add_without_addresses(&text, &all);
    }
    beginning->digest = XXH3_64bits(all.bytes, all.size);
    trace_cursor_destroy(cursor);
    text_release(&all);
    text_release(&text);
    arena_release(&arena);
    return status;
}

static enum status add_thread(struct side *side, uint32_t thread, struct error *error)
{
    void *grown = alloc_grow(side->threads, side->count, &side->capacity, sizeof *side->threads);
    if (!grown)
        return error_no_memory(error, sizeof *side->threads);
    side->threads = grown;
    side->threads[side->count++] = (struct beginning){.thread = thread};
    return STATUS_OK;
}

static enum status load(struct trace *trace, struct side *side, struct error *error)
{
    /* A step from one thread to the next by the index of threads, not through all calls. */
    static const char sql[] =
        "WITH RECURSIVE next(number) AS (SELECT min(thread) FROM call_row UNION ALL SELECT"
        " (SELECT min(thread) FROM call_row WHERE thread > number) FROM next"
        " WHERE number IS NOT NULL) SELECT number FROM next WHERE number IS NOT NULL";
    struct rows *rows = NULL;
    enum status status = rows_open(trace, sql, &rows, error);
    while (rows_next(rows, &status, error))
        status = add_thread(side, (uint32_t)rows_number(rows, 0), error);
    rows_close(rows);
    /* One thread is the same one whatever it calls. */
    for (size_t i = 0; !status && side->count > 1 && i < side->count; ++i)
        status = hash_beginning(trace, &side->threads[i], error);
    return status;
}

/* Pairs what has no partner yet, in the order of the numbers. */
static void pair_up(struct diff_threads *threads, bool need_likeness)
{
    const struct side *a = &threads->sides[0];
    const struct side *b = &threads->sides[1];
    for (size_t i = 0; i < a->count; ++i)
        for (size_t j = 0; j < b->count && !a->threads[i].partner; ++j) {
            if (b->threads[j].partner ||
                (need_likeness && a->threads[i].digest != b->threads[j].digest))
                continue;
            a->threads[i].partner = b->threads[j].thread;
            b->threads[j].partner = a->threads[i].thread;
        }
}

enum status diff_threads_create(struct trace *a, struct trace *b, struct diff_threads **threads,
                                struct error *error)
{
    struct diff_threads *made = alloc_zero(1, sizeof *made);
    if (!made)
        return error_no_memory(error, sizeof *made);
    enum status status = load(a, &made->sides[0], error);
    if (!status)
        status = load(b, &made->sides[1], error);
    if (status) {
        diff_threads_destroy(made);
        return status;
    }
    pair_up(made, true);
    pair_up(made, false);
    *threads = made;
    return STATUS_OK;
}
