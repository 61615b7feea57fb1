/* clerk diff: do two traces tell the same run, but for times and addresses? The calls of each
 * thread are compared with those of the thread of the other run that begins alike, in the order of
 * the first one. */
#include "viewer-cli/diff/cmd_diff.h"
#include "trace/base/alloc.h"
#include "trace/base/json.h"
#include "trace/base/visible.h"
#include "viewer-cli/reading.h"
#include "viewer-cli/shortfall.h"
#include "viewer-cli/verb.h"

#include <inttypes.h>
#include <string.h>

static const struct option_row diff_options[] = {
    {"limit", 'n', OPTION_NUMBER, false, "N",
     "show the first N differences only (10); 0 shows all"},
    {"json", 0, OPTION_FLAG, false, NULL, "print JSON lines: one object a line"},
};

/* A thread of the second run, with the call that is next. */
struct thread {
    uint32_t number;
    bool found, diverged; /* diverged: the threads went different ways, and are compared no more */
    struct trace_cursor *cursor;
    struct arena arena;
    struct api_call call;
};

struct diff {
    const char *paths[2];
    struct trace *traces[2];
    struct diff_pairs *pairs;
    struct thread **threads;
    size_t thread_count, thread_capacity;
    struct diff_bytes *bytes;
    struct diff_threads *partners;
    uint64_t compared, difference_count, limit;
    bool json;
    struct text out;
};

/* ---- telling ---- */

static void print_call(struct diff *diff, int side, const struct api_call *call, struct text *text)
{
    struct trace_names names = {.trace = diff->traces[side], .call_id = call->id};
    text_append(text, "  ");
    text_append_visible(text, diff->paths[side], VISIBLE_ONE_LINE);
    text_format(text, ", call %" PRIu64 ": ", call->id);
    api_call_print(call, trace_handle_name, &names, text);
    text_append_char(text, '\n');
}

static void print_call_json(struct diff *diff, int side, const struct api_call *call,
                            struct text *text)
{
    struct trace_names names = {.trace = diff->traces[side], .call_id = call->id};
    text_append(text, side ? ",\"second\":" : ",\"first\":");
    api_call_print_json(call, trace_handle_name, &names, text);
}

/* Either call may be NULL: the other run has none there. */
static void tell(struct diff *diff, uint32_t thread, const char *how, const char *what,
                 const struct api_call *a, const struct api_call *b)
{
    const struct api_call *calls[2] = {a, b};
    if (diff->difference_count++ >= diff->limit && diff->limit)
        return;
    if (diff->json) {
        text_format(&diff->out, "{\"kind\":\"difference\",\"thread\":%" PRIu32 ",\"how\":\"%s\"",
                    thread, how);
        if (what) {
            json_string(&diff->out, "what", what);
        }
    } else {
        text_format(&diff->out, "different: thread %" PRIu32 ", %s%s%s\n", thread, how,
                    what ? " " : "", what ? what : "");
    }
    for (int side = 0; side < 2; ++side) {
        if (!calls[side])
            continue;
        if (diff->json)
            print_call_json(diff, side, calls[side], &diff->out);
        else
            print_call(diff, side, calls[side], &diff->out);
    }
    text_append(&diff->out, diff->json ? "}\n" : "\n");
    verb_print(&diff->out);
    text_clear(&diff->out);
}

/* ---- threads of the second run ---- */

static enum status thread_advance(struct thread *thread, struct error *error)
{
    arena_release(&thread->arena);
    return trace_cursor_next(thread->cursor, &thread->arena, &thread->call, &thread->found, error);
}

static enum status thread_get(struct diff *diff, uint32_t number, struct thread **result,
                              struct error *error)
{
    for (size_t i = 0; i < diff->thread_count; ++i) {
        if (diff->threads[i]->number == number) {
            *result = diff->threads[i];
            return STATUS_OK;
        }
    }
    void *grown = alloc_grow(diff->threads, diff->thread_count, &diff->thread_capacity,
                             sizeof *diff->threads);
    if (grown)
        diff->threads = grown;
    struct thread *thread = grown ? alloc_zero(1, sizeof *thread) : NULL;
    if (!thread)
        return error_no_memory(error, sizeof *thread);
    diff->threads[diff->thread_count++] = *result = thread;
    thread->number = number;
    const struct trace_filter filter = {.thread = number};
    const enum status status = trace_calls(diff->traces[1], &filter, &thread->cursor, error);
    return status ? status : thread_advance(thread, error);
}

/* ---- the walk ---- */

/* Extension functions that clerk does not know have names of their own. */
static bool is_same_function(const struct api_call *a, const struct api_call *b)
{
    return a->entry == b->entry &&
           (a->name && b->name ? strcmp(a->name, b->name) == 0 : !a->name == !b->name);
}

static enum status compare_call(void *user, const struct api_call *call, struct error *error)
{
    struct diff *diff = user;
    struct thread *thread;
    const char *what;
    enum status status =
        thread_get(diff, diff_threads_find(diff->partners, call->thread), &thread, error);
    if (status || thread->diverged)
        return status;
    if (!thread->found || !is_same_function(call, &thread->call)) {
        tell(diff, call->thread,
             thread->found ? "goes on with another call, and is compared no further"
                           : "ends earlier in the second run",
             NULL, call, thread->found ? &thread->call : NULL);
        thread->diverged = true;
        return STATUS_OK;
    }
    ++diff->compared;
    if (!diff_calls_agree(diff->pairs, call, &thread->call, &what)) {
        tell(diff, call->thread, "in", what, call, &thread->call);
    } else {
        status = diff_bytes_compare(diff->bytes, call, &thread->call, &what, error);
        if (!status && what)
            tell(diff, call->thread, "in the bytes of", what, call, &thread->call);
    }
    return status ? status : thread_advance(thread, error);
}

/* A call that the second run has more than the first. */
static enum status tell_rest(void *user, const struct api_call *call, struct error *error)
{
    struct diff *diff = user;
    struct thread *thread;
    const enum status status = thread_get(diff, call->thread, &thread, error);
    if (!status && thread->found && !thread->diverged && call->id == thread->call.id) {
        tell(diff, call->thread, "goes on in the second run", NULL, NULL, call);
        thread->diverged = true;
    }
    return status;
}

static enum status compare(struct diff *diff, struct error *error)
{
    const enum status status = trace_each_call(diff->traces[0], NULL, compare_call, diff, error);
    return status ? status : trace_each_call(diff->traces[1], NULL, tell_rest, diff, error);
}

struct side {
    const char *path;
    struct text *text;
};

static void print_shortfall(void *user, const char *sentence, enum severity severity)
{
    const struct side *side = user;
    (void)severity;
    text_append(side->text, "  ");
    text_append_visible(side->text, side->path, VISIBLE_ONE_LINE);
    text_format(side->text, ": %s\n", sentence);
}

/* What was not there to be compared. */
static void print_shortfalls(const struct diff *diff, struct text *text)
{
    for (int i = 0; i < 2; ++i)
        shortfall_tell(diff->traces[i], print_shortfall, &(struct side){diff->paths[i], text});
    if (!shortfall_has_contents(diff->traces[0]) && !shortfall_has_contents(diff->traces[1]))
        text_append(text, "  no bytes of memory were recorded, so none were compared\n");
}

static void print_summary(struct diff *diff)
{
    struct text *text = &diff->out;
    if (diff->json) {
        text_format(text,
                    "{\"kind\":\"summary\",\"has_contents\":[%s,%s],\"has_end\":[%s,%s],"
                    "\"compared\":%" PRIu64 ",\"differences\":%" PRIu64 "}\n",
                    shortfall_has_contents(diff->traces[0]) ? "true" : "false",
                    shortfall_has_contents(diff->traces[1]) ? "true" : "false",
                    shortfall_has_end(diff->traces[0]) ? "true" : "false",
                    shortfall_has_end(diff->traces[1]) ? "true" : "false", diff->compared,
                    diff->difference_count);
    } else {
        if (diff->limit && diff->difference_count > diff->limit) {
            text_append(text, "... and ");
            print_count(diff->difference_count - diff->limit, text);
            text_append(text, " more differences not shown\n\n");
        }
        text_append(text, "compared ");
        print_count(diff->compared, text);
        text_append(text, diff->compared == 1 ? " call: " : " calls: ");
        if (diff->difference_count)
            print_count(diff->difference_count, text);
        text_append(text, diff->difference_count > 1    ? " differences\n"
                          : diff->difference_count == 1 ? " difference\n"
                          : diff->compared              ? "equal except for times and addresses\n"
                                                        : "there was nothing to compare\n");
        print_shortfalls(diff, text);
    }
    verb_print(text);
}

static void diff_close(struct diff *diff)
{
    for (size_t i = 0; i < diff->thread_count; ++i) {
        trace_cursor_destroy(diff->threads[i]->cursor);
        arena_release(&diff->threads[i]->arena);
        alloc_free(diff->threads[i]);
    }
    alloc_free(diff->threads);
    diff_bytes_destroy(diff->bytes);
    diff_threads_destroy(diff->partners);
    diff_pairs_destroy(diff->pairs);
    trace_close(diff->traces[0]);
    trace_close(diff->traces[1]);
    text_release(&diff->out);
}

static int run_diff(const struct options *options)
{
    struct error error;
    if (options_operand_count(options) != 2)
        return verb_usage(&verb_diff, "which two traces?");
    struct diff diff = {.limit = options_number(options, "limit", 10),
                        .json = options_has(options, "json"),
                        .pairs = diff_pairs_create(),
                        .out = TEXT_INIT};
    enum status status = diff.pairs ? STATUS_OK : error_no_memory(&error, sizeof(void *));
    for (int side = 0; side < 2 && !status; ++side) {
        diff.paths[side] = options_operand(options, (size_t)side);
        status = reading_open(diff.paths[side], &diff.traces[side], &error);
    }
    if (!status)
        status = diff_bytes_create(diff.traces[0], diff.traces[1], diff.pairs, &diff.bytes, &error);
    if (!status)
        status = diff_threads_create(diff.traces[0], diff.traces[1], &diff.partners, &error);
    if (!status)
        status = compare(&diff, &error);
    if (!status)
        print_summary(&diff);
    const int result = status                  ? verb_fail(&verb_diff, &error)
                       : diff.difference_count ? VERB_FOUND
                                               : VERB_OK;
    diff_close(&diff);
    return verb_finish(&verb_diff, result);
}

const struct verb verb_diff = {
    .name = "diff",
    .synopsis = "TRACE TRACE [options]",
    .summary = "compare two recorded runs, except for times and addresses",
    .options = diff_options,
    .option_count = sizeof diff_options / sizeof *diff_options,
    .help =
        "Compares the calls of each thread, their arguments, results and bytes of memory. Handles\n"
        "count as equal when the same call created them. A thread that goes another way is told\n"
        "once, and compared no further.\n\n"
        "Exit status: 0 equal, 1 differences, 2 could not compare.\n",
    .examples = "  clerk run -o a.db -- ./app; clerk run -o b.db -- ./app; clerk diff a.db b.db\n",
    .run = run_diff,
};
