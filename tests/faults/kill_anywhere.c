/* Kills victims with SIGKILL at random moments, or has them exit while their threads call, and
 * looks at what their traces have: every call that had returned, with its argument and bytes, and
 * at most one more of each thread.
 *
 *     kill_anywhere ROUNDS VICTIM
 *
 * The environment makes the victim record into t.db in this directory. The moment is a number of
 * calls made and some microseconds more; of sixteen victims one dies while it starts, and one while
 * the last calls are stored. */
#include "tests/faults/victim.h"
#include "trace/api/entry.h"
#include "trace/base/alloc.h"
#include "trace/base/file.h"
#include "trace/claim.h"
#include "trace/reader.h"
#include "trace/recover.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CALLS = 5000 };

static const char trace_path[] = "t.db";

static void require(bool condition, const char *what)
{
    if (condition)
        return;
    fprintf(stderr, "kill_anywhere: %s\n", what);
    exit(1);
}

static uint64_t random_next(void)
{
    static uint64_t state = UINT64_C(0x9e3779b97f4a7c15);
    state ^= state >> 12;
    state ^= state << 25;
    state ^= state >> 27;
    return state * UINT64_C(2685821657736338717);
}

static struct victim_counts *make_counts(void)
{
    const int file = open("counts", O_RDWR | O_CREAT | O_TRUNC, 0666);
    const size_t size = VICTIM_THREADS * sizeof(struct victim_counts);
    require(file >= 0 && ftruncate(file, (off_t)size) == 0, "cannot make 'counts'");
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    require(memory != MAP_FAILED, "cannot map 'counts'");
    close(file);
    return memory;
}

static uint64_t calls_returned(struct victim_counts *counts)
{
    uint64_t sum = 0;
    for (unsigned i = 0; i < VICTIM_THREADS; ++i)
        sum += atomic_load(&counts[i].returned);
    return sum;
}

/* Runs a victim until it has made that many calls; then it has `microseconds` more to live. True if
 * it was told to exit, and lived until then. */
static bool run_and_end(char *program, unsigned threads, struct victim_counts *counts,
                        uint64_t moment, useconds_t microseconds, int with_signal)
{
    char thread_text[16], calls_text[16];
    snprintf(thread_text, sizeof thread_text, "%u", threads);
    snprintf(calls_text, sizeof calls_text, "%d", CALLS);
    char counts_text[] = "counts";
    char *const arguments[] = {program, thread_text, calls_text, counts_text, NULL};
    fflush(NULL);
    const pid_t victim = fork();
    if (victim == 0) {
        const int nowhere = open("/dev/null", O_WRONLY);
        dup2(nowhere, STDOUT_FILENO);
        execv(program, arguments);
        _exit(127);
    }
    int status = 0;
    bool is_over = false;
    while (!is_over && calls_returned(counts) < moment) {
        usleep(20);
        is_over = waitpid(victim, &status, WNOHANG) == victim;
    }
    if (!is_over) {
        usleep(microseconds);
        kill(victim, with_signal);
        waitpid(victim, &status, 0);
    }
    require(WIFSIGNALED(status) || WEXITSTATUS(status) == 0, "a victim failed by itself");
    return !is_over && WIFEXITED(status);
}

/* ---- what the trace has ---- */

struct seen {
    uint64_t listed, returned; /* calls of clSetKernelArg */
};

static void see_argument(const struct api_call *call, struct seen seen[VICTIM_THREADS])
{
    const uint64_t thread = call->arguments[API_clSetKernelArg_arg_index].bits;
    const struct api_value *value = &call->arguments[API_clSetKernelArg_arg_value];
    uint64_t number;
    require(thread < VICTIM_THREADS && value->size == sizeof number, "an argument is none");
    memcpy(&number, value->data, sizeof number);
    require(number == seen[thread].listed++, "a thread's calls are not as they were made");
    if (call->flags & API_CALL_COMPLETED)
        require(++seen[thread].returned == seen[thread].listed, "a call between did not return");
}

static void see_buffer(struct trace *trace, const struct api_call *call, struct arena *arena)
{
    struct api_content *contents = NULL;
    size_t count = 0;
    require(trace_contents(trace, call->id, arena, &contents, &count, NULL) == STATUS_OK,
            "contents cannot be read");
    if (!(call->flags & API_CALL_COMPLETED) && !count)
        return;
    require(count == 1 && contents[0].size == VICTIM_BUFFER_SIZE, "a buffer's bytes are missing");
    const unsigned char *bytes = contents[0].bytes;
    require(bytes[0] < 5 && memcmp(bytes, bytes + 1, VICTIM_BUFFER_SIZE - 1) == 0,
            "a buffer has other bytes");
}

static void see_calls(struct trace *trace, struct seen seen[VICTIM_THREADS])
{
    struct trace_cursor *cursor = NULL;
    struct arena arena = {0};
    require(trace_calls(trace, NULL, &cursor, NULL) == STATUS_OK, "the calls cannot be read");
    for (bool found = true; found;) {
        struct api_call call;
        arena_reset(&arena);
        require(trace_cursor_next(cursor, &arena, &call, &found, NULL) == STATUS_OK,
                "a call cannot be read");
        if (found && call.entry == API_ENTRY_clSetKernelArg)
            see_argument(&call, seen);
        if (found && call.entry == API_ENTRY_clCreateBuffer)
            see_buffer(trace, &call, &arena);
    }
    trace_cursor_destroy(cursor);
    arena_release(&arena);
}

/* Gives the number of calls that the trace has. */
static uint64_t judge(struct victim_counts *counts, bool has_exited)
{
    struct seen seen[VICTIM_THREADS] = {0};
    struct trace *trace = NULL;
    struct error error = {0};
    uint64_t sum = 0;
    if (trace_open(trace_path, &trace, &error) == STATUS_OK) {
        see_calls(trace, seen);
        const char *state = trace_fact(trace, "state");
        require(state && (!has_exited || strcmp(state, "complete") == 0), "the state is not true");
        require(!trace_fact(trace, "damaged_records"), "a whole trace is called damaged");
        trace_close(trace);
        require(recover_look(trace_path) == RECOVER_NONE, "a spool stayed");
    } else {
        require(error.text[0] != 0, "a trace was refused without a sentence");
    }
    for (unsigned i = 0; i < VICTIM_THREADS; ++i) {
        require(seen[i].returned >= atomic_load(&counts[i].returned), "calls are lost");
        require(seen[i].listed <= atomic_load(&counts[i].begun) &&
                    seen[i].listed <= seen[i].returned + 1,
                "there are calls that were not made");
        sum += seen[i].listed;
    }
    return sum;
}

int main(int argc, char **argv)
{
    if (argc < 3)
        return 2;
    const uint64_t rounds = strtoull(argv[1], NULL, 10);
    uint64_t calls = 0, amid = 0, exits = 0;
    for (uint64_t round = 0; round < rounds; ++round) {
        const unsigned threads = 1 + (unsigned)(random_next() % 3);
        const uint64_t total = (uint64_t)threads * CALLS;
        const uint64_t moment = round % 8 ? random_next() % total : round % 16 ? total : 0;
        const uint64_t more = random_next() % (moment % total ? 100 : 20000);
        require(claim_remove(trace_path, NULL) == STATUS_OK, "a trace cannot be removed");
        struct victim_counts *counts = make_counts();
        const bool has_exited = run_and_end(argv[2], threads, counts, moment, (useconds_t)more,
                                            round % 4 == 2 ? SIGUSR1 : SIGKILL);
        exits += has_exited;
        const uint64_t listed = judge(counts, has_exited);
        calls += listed;
        amid += listed > 0 && listed < total;
        munmap(counts, VICTIM_THREADS * sizeof *counts);
    }
    printf("%llu ends, %llu of them amid the calls, %llu by an exit; none of %llu calls is lost\n",
           (unsigned long long)rounds, (unsigned long long)amid, (unsigned long long)exits,
           (unsigned long long)calls);
    return amid < rounds / 4 || exits < rounds / 8; /* a test of something else then */
}
