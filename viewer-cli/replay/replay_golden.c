#include "viewer-cli/replay/cmd_replay.h"

#include "trace/base/file.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The same program makes the same calls, recorded again or not: their number tells runs apart. */
static const char call_count_fact[] = "golden_of_calls";

static enum status check(const struct replay_golden *golden, uint64_t call_count,
                         struct error *error)
{
    const char *fact = trace_fact(golden->trace, call_count_fact);
    if (!fact)
        return error_set(error, STATUS_INVALID, "'%s' is a trace, and has no reference outputs",
                         golden->path);
    if (strtoull(fact, NULL, 10) == call_count)
        return STATUS_OK;
    return error_set(error, STATUS_INVALID,
                     "'%s' has the outputs of another run: of %s calls, and this one has %" PRIu64,
                     golden->path, fact, call_count);
}

static enum status create(struct replay_golden *golden, uint64_t call_count, struct error *error)
{
    char number[24];
    const int file = open(golden->path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (file < 0)
        return error_set_errno(error, "cannot write '%s'", golden->path);
    close(file);
    enum status status = store_create(golden->path, &golden->store, error);
    snprintf(number, sizeof number, "%" PRIu64, call_count);
    if (status == STATUS_OK)
        status = store_begin(golden->store, error);
    if (status == STATUS_OK)
        status = store_meta(golden->store, call_count_fact, number, error);
    if (status != STATUS_OK && !golden->store)
        unlink(golden->path);
    return status;
}

enum status replay_golden_open(const char *path, struct trace *trace, struct replay_golden *golden,
                               struct error *error)
{
    uint64_t call_count = 0;
    *golden = (struct replay_golden){.path = path};
    if (!path)
        return STATUS_OK;
    enum status status = trace_count_calls(trace, NULL, &call_count, error);
    if (status != STATUS_OK)
        return status;
    if (!file_exists(path))
        return create(golden, call_count, error);
    status = trace_open(path, &golden->trace, error);
    return status == STATUS_OK ? check(golden, call_count, error) : status;
}

enum status replay_golden_finish(struct replay_golden *golden, struct error *error)
{
    if (!golden->store)
        return STATUS_OK;
    enum status status = store_meta(golden->store, "state", "complete", error);
    if (status == STATUS_OK)
        status = store_commit(golden->store, error);
    if (status == STATUS_OK)
        status = store_execute(golden->store, "PRAGMA journal_mode = DELETE", error);
    if (status != STATUS_OK)
        return status;
    store_close(golden->store);
    golden->store = NULL;
    return STATUS_OK;
}

void replay_golden_close(struct replay_golden *golden)
{
    static const char *const suffixes[] = {"", "-wal", "-shm"};
    trace_close(golden->trace);
    if (!golden->store)
        return;
    store_close(golden->store);
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; ++i) {
        char path[4096];
        if ((size_t)snprintf(path, sizeof path, "%s%s", golden->path, suffixes[i]) < sizeof path)
            unlink(path);
    }
}
