#include "viewer-cli/confirm/performed.h"

#include "checkers/probe/captured.h"
#include "trace/api/settings.h"
#include "trace/base/alloc.h"
#include "trace/base/clock.h"
#include "trace/base/file.h"
#include "viewer-cli/confirm/reference_launch.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

#define NS_PER_MS UINT64_C(1000000)
#define LAUNCH_NS (60000 * NS_PER_MS)

/* Instructions, each for up to 64 work-items, where the user sets no limit: about as many as there
 * is time for. */
static const char operation_limit[] = "5000000000";

enum { ANSWER_MAX = 64 << 20 };

/* ---- the child: a line for each finding, and a last one ---- */

static const char ended[] = "ended", refused[] = "refused ";

static void write_line(const struct text *line)
{
    if (!line->failed)
        descriptor_write(STDOUT_FILENO, line->bytes, line->size, "the answer", NULL);
}

static void tell(void *user, const struct finding *finding)
{
    struct text line = TEXT_INIT;
    (void)user;
    finding_print_json(finding, &line);
    text_append_char(&line, '\n');
    write_line(&line);
    text_release(&line);
}

/* What a terminal sends ends the child as it would end any program; clerk itself goes on. */
static void be_ordinary(void)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2};
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        signal(signals[i], SIG_DFL);
}

static void set_environment(char **environment)
{
    static const enum setting unset[] = {SETTING_TRACE,     SETTING_FINDINGS, SETTING_PROBES,
                                         SETTING_KERNELS,   SETTING_LAUNCHES, SETTING_SAMPLE,
                                         SETTING_TIME_LIMIT};
    environ = environment;
    for (size_t i = 0; i < sizeof unset / sizeof *unset; i++)
        unsetenv(setting_get(unset[i])->variable);
    unsetenv("LD_PRELOAD");
    setenv(setting_get(SETTING_OPERATION_LIMIT)->variable, operation_limit, 0);
}

static void perform(const struct captured *captured, char **environment, int answer)
{
    struct text line = TEXT_INIT;
    struct error error;
    const int nowhere = open("/dev/null", O_RDWR);
    dup2(nowhere, STDIN_FILENO);
    dup2(nowhere, STDERR_FILENO);
    dup2(answer, STDOUT_FILENO);
    be_ordinary();
    set_environment(environment);
    if (reference_launch_run(captured, tell, NULL, &error))
        text_format(&line, "%s%s\n", refused, error.text);
    else
        text_format(&line, "%s\n", ended);
    write_line(&line);
    _exit(0);
}

/* ---- the parent ---- */

static const char no_answer[] = "it ended without an answer";

static void add_finding(struct performed *performed, const struct finding *finding,
                        struct arena *arena)
{
    struct finding *copy = finding_copy(arena, finding);
    struct finding **grown = alloc_grow(performed->findings, performed->finding_count,
                                        &performed->finding_capacity, sizeof *grown);
    if (grown)
        performed->findings = grown;
    if (grown && copy)
        grown[performed->finding_count++] = copy;
}

static void take_finding(struct performed *performed, const char *line, struct arena *arena)
{
    struct finding finding;
    struct arena own = {0};
    if (finding_parse_json(line, &own, &finding, NULL) == STATUS_OK) {
        if (finding.rule == RULE_LAUNCH_UNFINISHED)
            performed->reason = "it has more operations than the limit of the reference device";
        else
            add_finding(performed, &finding, arena);
    }
    arena_release(&own);
}

/* A launch that was ended for its operations is also refused: the first reason is the better one.
 */
static void take_line(struct performed *performed, const char *line, struct arena *arena)
{
    const bool is_refused = strncmp(line, refused, sizeof refused - 1) == 0;
    if (strcmp(line, ended) == 0)
        performed->reason = performed->reason == no_answer ? "" : performed->reason;
    else if (is_refused && performed->reason == no_answer)
        performed->reason = arena_string(arena, line + sizeof refused - 1);
    else if (!is_refused)
        take_finding(performed, line, arena);
}

/* What the child writes until it ends. False: there was no more time. */
static bool read_answer(int from, uint64_t until_ns, struct text *answer)
{
    char room[1 << 16];
    for (;;) {
        const uint64_t now = clock_monotonic_ns();
        struct pollfd ready = {.fd = from, .events = POLLIN};
        const uint64_t left_ms = now < until_ns ? (until_ns - now) / NS_PER_MS + 1 : 0;
        const int polled = left_ms ? poll(&ready, 1, (int)left_ms) : 0;
        if (polled < 0 && errno == EINTR)
            continue;
        if (polled <= 0)
            return false;
        const ssize_t got = read(from, room, sizeof room);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0 || answer->size > ANSWER_MAX)
            return true;
        text_append_n(answer, room, (size_t)got);
    }
}

/* Ends the child, and says how it ended. */
static int wait_for(pid_t child)
{
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        continue;
    return status;
}

static void take_answer(struct performed *performed, struct text *answer, struct arena *arena)
{
    char *line = answer->bytes;
    for (char *end; line && (end = strchr(line, '\n')); line = end + 1) {
        *end = '\0';
        take_line(performed, line, arena);
    }
}

static void perform_in_child(const struct captured *captured, char **environment, uint64_t until_ns,
                             struct arena *arena, struct performed *performed)
{
    const uint64_t now = clock_monotonic_ns();
    struct text answer = TEXT_INIT;
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) {
        performed->reason = "no process could be started for it";
        return;
    }
    const pid_t child = fork();
    if (child == 0)
        perform(captured, environment, ends[1]);
    close(ends[1]);
    performed->was_run = child > 0;
    performed->reason = "no process could be started for it";
    if (child > 0) {
        const uint64_t limit = now + LAUNCH_NS < until_ns ? now + LAUNCH_NS : until_ns;
        const bool has_ended = read_answer(ends[0], limit, &answer);
        if (!has_ended)
            kill(child, SIGKILL);
        const int status = wait_for(child);
        performed->reason = !has_ended            ? "it took longer than clerk waits for it"
                            : WIFSIGNALED(status) ? "it was ended by a signal"
                                                  : no_answer;
        take_answer(performed, &answer, arena);
    }
    close(ends[0]);
    text_release(&answer);
}

static bool take_names(const struct captured *captured, struct arena *arena,
                       struct performed *performed)
{
    performed->kernel = arena_string(arena, captured->kernel);
    performed->function = arena_string(arena, captured->function);
    performed->reason = arena_string(arena, captured->reason);
    performed->call_id = captured->call_id;
    performed->is_after = captured->is_after;
    performed->is_running = captured->is_running;
    return performed->kernel && performed->function && performed->reason;
}

bool performed_read(const char *path, char **environment, uint64_t until_ns, struct arena *arena,
                    struct performed *performed)
{
    struct captured captured;
    void *bytes = NULL;
    size_t size;
    *performed = (struct performed){0};
    if (file_read_private(path, CAPTURED_FILE_MAX, &bytes, &size, NULL))
        return false;
    const bool is_sound =
        captured_unpack(bytes, size, &captured) && take_names(&captured, arena, performed);
    if (is_sound && captured.reason[0] == '\0')
        perform_in_child(&captured, environment, until_ns, arena, performed);
    captured_release(&captured);
    alloc_free(bytes);
    return is_sound;
}
