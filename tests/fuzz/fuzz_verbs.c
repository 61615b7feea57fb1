/* Every verb that opens a trace, on mutated traces: show of all kinds, check, diff, replay, export
 * in all forms, and view on a terminal; and those that read reports, on mutated ones.
 *
 *     fuzz_verbs FROM ROUNDS SECONDS [SEED-TRACE...]
 *
 * A round mutates one seed: bytes of the file, bytes of what a killed process left, or values of
 * single fields (strings that a terminal obeys, huge, negative and other numbers, records with a
 * few bits changed), which every query then meets. Each verb runs in a process of its own with
 * limits. It must end by itself, soon, with one of the statuses of verbs, and a sentence with
 * status 2; what it prints, writes or draws must be visible, JSON must be JSON, and it must leave
 * everything else as it was. */
#include "tests/directory.h"
#include "tests/fuzz/mutate_report.h"
#include "tests/fuzz/mutate_trace.h"
#include "tests/unit/trace/sample.h"
#include "trace/base/alloc.h"
#include "trace/base/clock.h"
#include "trace/base/file.h"
#include "trace/base/visible.h"
#include "viewer-cli/verb.h"

#include <cJSON.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ARGUMENTS_MAX = 12, NAME_SIZE = 16, OUTPUT_MAX = 1 << 26 };

#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
enum { SECONDS_MAX = 120, IS_SANITIZED = 1 };
#else
enum { SECONDS_MAX = 20, IS_SANITIZED = 0 };
#endif
enum { MEMORY_MAX_MIB = 3072 };

/* What a sanitizer finds is not a status of a verb: theirs is 1, which is that of findings. Sizes
 * that nobody has fail as they do without one. */
#define SANITIZER_OPTIONS "exitcode=86:allocator_may_return_null=1"
__attribute__((visibility("default"))) const char *__asan_default_options(void);
__attribute__((visibility("default"))) const char *__ubsan_default_options(void);

const char *__asan_default_options(void)
{
    return SANITIZER_OPTIONS;
}

const char *__ubsan_default_options(void)
{
    return SANITIZER_OPTIONS;
}

enum kind {
    PRINTS, /* text */
    PRINTS_JSON,
    WRITES,       /* a file or a directory "out", of bytes */
    WRITES_WORDS, /* a file of text */
    WRITES_JSON,
    ON_SCREEN /* of a terminal */
};

/* "T" stands for the mutated trace, "S" for a sound one, "R" for a mutated report, "O", "O.html"
 * for what is written. */
static const struct command {
    enum kind kind;
    const char *words[ARGUMENTS_MAX];
} commands[] = {
    {PRINTS, {"show", "T"}},
    {PRINTS_JSON, {"show", "T", "summary", "--json"}},
    {PRINTS, {"show", "T", "calls", "--width", "60"}},
    {PRINTS_JSON, {"show", "T", "calls", "--json", "--all"}},
    {PRINTS, {"show", "T", "commands"}},
    {PRINTS_JSON, {"show", "T", "commands", "--json"}},
    {PRINTS, {"show", "T", "launches"}},
    {PRINTS_JSON, {"show", "T", "launches", "--json"}},
    {PRINTS, {"show", "T", "kernels"}},
    {PRINTS_JSON, {"show", "T", "kernels", "--json"}},
    {PRINTS, {"show", "T", "queues"}},
    {PRINTS_JSON, {"show", "T", "queues", "--json"}},
    {PRINTS, {"show", "T", "threads"}},
    {PRINTS_JSON, {"show", "T", "threads", "--json"}},
    {PRINTS, {"show", "T", "objects"}},
    {PRINTS_JSON, {"show", "T", "objects", "--json"}},
    {PRINTS, {"show", "T", "follow", "buffer#1"}},
    {PRINTS_JSON, {"show", "T", "follow", "kernel#1", "--json"}},
    {PRINTS, {"show", "T", "launches", "--object", "buffer#1", "--errors"}},
    {PRINTS, {"show", "T", "memory"}},
    {PRINTS, {"show", "T", "memory", "--type", "float4"}},
    {PRINTS, {"show", "T", "memory", "--full", "--type", "hex", "--from", "3"}},
    {PRINTS_JSON, {"show", "T", "memory", "--json", "--type", "uint"}},
    {WRITES, {"show", "T", "memory", "--picture", "O"}},
    {PRINTS, {"show", "T", "programs", "--full"}},
    {PRINTS_JSON, {"show", "T", "programs", "--json"}},
    {PRINTS, {"show", "T", "findings"}},
    {PRINTS_JSON, {"show", "T", "findings", "--json"}},
    {PRINTS, {"check", "T"}},
    {PRINTS_JSON, {"check", "T", "--json"}},
    {PRINTS, {"check", "T", "--format", "junit", "--max-per-rule", "0"}},
    {PRINTS, {"check", "T", "--format", "github"}},
    {PRINTS, {"check", "T", "--format", "gcc"}},
    {WRITES_JSON, {"check", "T", "--report", "O.sarif"}},
    {WRITES_WORDS, {"check", "T", "--report", "O.html"}},
    {WRITES_WORDS, {"check", "T", "--checks", "all", "--gen-suppressions", "O"}},
    {PRINTS, {"diff", "T", "S"}},
    {PRINTS, {"diff", "T", "T", "--limit", "0"}},
    {PRINTS_JSON, {"diff", "S", "T", "--json"}},
    {PRINTS, {"replay", "T"}},
    {PRINTS, {"replay", "T", "--threads", "free", "--format", "sarif"}},
    {PRINTS, {"replay", "T", "--kernel", "count"}},
    {PRINTS_JSON, {"replay", "T", "--json", "--shard", "1/2"}},
    {PRINTS, {"replay", "T", "--launch", "L", "--ulp", "4", "--format", "github"}},
    {PRINTS, {"replay", "T", "--personalities", "ftz"}},
    {WRITES, {"replay", "T", "--golden", "O", "--each-launch"}},
    {PRINTS, {"replay", "S", "--golden", "T"}},
    {WRITES_WORDS, {"export", "T", "--format", "html", "-o", "O"}},
    {WRITES, {"export", "T", "--format", "perfetto", "-o", "O"}},
    {WRITES_JSON, {"export", "T", "--format", "chrome", "-o", "O"}},
    {WRITES_WORDS, {"export", "T", "--format", "csv", "-o", "O"}},
    {WRITES_WORDS, {"export", "T", "--format", "html", "--from", "3", "--to", "9", "-o", "O"}},
    {WRITES, {"export", "T", "--launch", "L", "-o", "O"}},
    {WRITES, {"trim", "T", "--launches", "L", "-o", "O"}},
    {PRINTS, {"report", "R"}},
    {PRINTS, {"report", "R", "R", "--strict", "--max-per-rule", "0", "--stack", "all"}},
    {PRINTS_JSON, {"report", "R", "--json"}},
    {PRINTS, {"report", "R", "--format", "junit"}},
    {PRINTS, {"report", "R", "--format", "github"}},
    {PRINTS, {"report", "R", "--format", "gcc"}},
    {WRITES_JSON, {"report", "R", "--report", "O.sarif"}},
    {WRITES_WORDS, {"report", "R", "--report", "O.html", "--baseline", "R"}},
    {WRITES_WORDS, {"report", "R", "--gen-suppressions", "O"}},
    {PRINTS, {"check", "S", "--baseline", "R"}},
    {ON_SCREEN, {"view", "T"}},
};
#define REPORT "mutated.json"
enum { COMMAND_COUNT = sizeof commands / sizeof *commands };

static const struct verb *const verbs[] = {
#define VERB(symbol) &verb_##symbol,
#include "viewer-cli/verbs.def"
#undef VERB
};

static uint64_t round_number;
static uint64_t status_counts[VERB_FAILED + 1];
static size_t command_number;

static void require(bool condition, const char *what)
{
    if (condition)
        return;
    fprintf(stderr, "fuzz_verbs: round %llu, command %zu (", (unsigned long long)round_number,
            command_number);
    for (const char *const *word = commands[command_number].words; *word; ++word)
        fprintf(stderr, "%s%s", word == commands[command_number].words ? "" : " ", *word);
    fprintf(stderr, "): %s\n", what);
    exit(1);
}

/* ---- one verb ---- */

/* "" = a command that writes nothing. */
static void name_output(const struct command *command, char name[NAME_SIZE])
{
    name[0] = 0;
    for (const char *const *word = command->words + 1; *word; ++word)
        if (word[0][0] == 'O')
            snprintf(name, NAME_SIZE, "out%s", *word + 1);
}

static int run_words(const struct command *command, uint64_t launch)
{
    char number[32];
    char output[NAME_SIZE];
    char *words[ARGUMENTS_MAX];
    int count = 0;
    struct options *options = NULL;
    struct error error;
    const struct verb *verb = verbs[0];
    snprintf(number, sizeof number, "%llu", (unsigned long long)launch);
    name_output(command, output);
    for (const char *const *word = command->words + 1; *word; ++word) {
        const char *meant = strcmp(*word, "T") == 0   ? "a.db"
                            : strcmp(*word, "S") == 0 ? "sound.db"
                            : strcmp(*word, "R") == 0 ? REPORT
                            : word[0][0] == 'O'       ? output
                            : strcmp(*word, "L") == 0 ? number
                                                      : *word;
        words[count++] = strdup(meant);
    }
    for (size_t i = 0; i < sizeof verbs / sizeof *verbs; ++i)
        if (strcmp(verbs[i]->name, command->words[0]) == 0)
            verb = verbs[i];
    if (options_parse(verb->options, verb->option_count, verb->option_flags, count, words, &options,
                      &error)) {
        fprintf(stderr, "%s\n", error.text);
        return 99;
    }
    const int status = verb->run(options);
    options_destroy(options);
    for (int i = 0; i < count; ++i)
        free(words[i]);
    return status;
}

static void limit(int resource, rlim_t most)
{
    const struct rlimit value = {.rlim_cur = most, .rlim_max = most};
    setrlimit(resource, &value);
}

/* In the child. */
_Noreturn static void perform(const struct command *command, uint64_t launch)
{
    limit(RLIMIT_CPU, SECONDS_MAX);
    limit(RLIMIT_FSIZE, (rlim_t)1 << 30);
    limit(RLIMIT_CORE, 0);
    exit(run_words(command, launch));
}

static void redirect(const char *path, int descriptor)
{
    const int file =
        open(path, O_CLOEXEC | (descriptor ? O_WRONLY | O_CREAT | O_TRUNC : O_RDONLY), 0600);
    dup2(file, descriptor);
    close(file);
}

/* Its keys, then until it ends. */
static void use_screen(int terminal)
{
    static const char keys[] = "\t\033[B\033[B\n+++\033[D-0tee/cl\nnn\033[6~\033[5~\t\033[6~q";
    char drawn[4096];
    size_t at = 0;
    const int screen = open("screen", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    require(screen >= 0, "no place for what is drawn");
    for (;;) {
        struct pollfd ready = {.fd = terminal, .events = POLLIN};
        const int got = poll(&ready, 1, at < sizeof keys - 1 ? 5 : 2000);
        const ssize_t size = got > 0 ? read(terminal, drawn, sizeof drawn) : 0;
        if (got > 0 && size <= 0)
            break;
        require(write(screen, drawn, (size_t)size) == size, "what is drawn cannot be kept");
        if (got == 0 && at == sizeof keys - 1)
            break;
        if (got == 0 && write(terminal, keys + at, 1) == 1)
            ++at;
    }
    close(screen);
}

static pid_t start(const struct command *command, uint64_t launch, int *terminal)
{
    static const struct winsize size = {.ws_row = 24, .ws_col = 80};
    fflush(NULL);
    *terminal = -1;
    const pid_t child = command->kind == ON_SCREEN ? forkpty(terminal, NULL, NULL, &size) : fork();
    if (child == 0) {
        if (command->kind != ON_SCREEN) {
            redirect("/dev/null", STDIN_FILENO);
            redirect("stdout", STDOUT_FILENO);
        }
        redirect("stderr", STDERR_FILENO);
        perform(command, launch);
    }
    require(child > 0, "cannot fork");
    return child;
}

/* The status of its end; ends it when it takes too long. */
static int wait_for(pid_t child, struct rusage *used)
{
    const uint64_t begin = clock_monotonic_ns();
    int status = 0;
    while (wait4(child, &status, WNOHANG, used) == 0) {
        if (clock_monotonic_ns() - begin > (uint64_t)SECONDS_MAX * 5 * 1000000000) {
            kill(child, SIGKILL);
            wait4(child, &status, 0, used);
            require(false, "it does not end");
        }
        usleep(500);
    }
    return status;
}

/* ---- what it said ---- */

static char *read_output(const char *path, size_t *size)
{
    void *bytes = NULL;
    require(!file_read(path, OUTPUT_MAX, &bytes, size, NULL), "its output is endless");
    return bytes;
}

/* "::" may begin a line that is clerk's own, for GitHub Actions, and one that a kernel prints. */
static unsigned kept_by(const struct command *command)
{
    bool is_kept = strcmp(command->words[0], "replay") == 0;
    for (const char *const *word = command->words; *word; ++word)
        is_kept |= strcmp(*word, "github") == 0;
    return is_kept ? VISIBLE_LINES | VISIBLE_STYLES : VISIBLE_LINES;
}

static void check_visible(const char *path, unsigned keep)
{
    size_t size = 0;
    char *bytes = read_output(path, &size);
    struct text shown = TEXT_INIT;
    text_append_visible_n(&shown, bytes, size, keep);
    require(shown.size == size && memcmp(shown.bytes, bytes, size) == 0,
            "it prints what a terminal obeys");
    text_release(&shown);
    alloc_free(bytes);
}

/* Curses draws with escape sequences of its own; none of them is of the words of mutations. */
static void check_screen(void)
{
    static const char *const obeyed[] = {"\a", "\033]", "\302\233", "\342\200\256", "\377"};
    size_t size = 0;
    char *drawn = read_output("screen", &size);
    for (size_t i = 0; i < sizeof obeyed / sizeof *obeyed; ++i)
        require(!memmem(drawn, size, obeyed[i], strlen(obeyed[i])),
                "it draws what a terminal obeys");
    alloc_free(drawn);
}

static void check_document(const char *path)
{
    size_t size = 0;
    char *bytes = read_output(path, &size);
    cJSON *json = cJSON_ParseWithLengthOpts(bytes, size + 1, NULL, true);
    require(json != NULL, "what it writes is not JSON");
    cJSON_Delete(json);
    alloc_free(bytes);
}

static void check_lines(const char *path)
{
    size_t size = 0;
    char *bytes = read_output(path, &size);
    for (char *line = bytes; line && *line;) {
        char *end = strchr(line, '\n');
        if (end)
            *end = 0;
        cJSON *json = cJSON_ParseWithOpts(line, NULL, true);
        require(json != NULL || !*line, "a line of JSON is none");
        cJSON_Delete(json);
        line = end ? end + 1 : NULL;
    }
    alloc_free(bytes);
}

static void print_file(const char *path)
{
    void *bytes = NULL;
    size_t size = 0;
    if (!file_read(path, OUTPUT_MAX, &bytes, &size, NULL))
        fwrite(bytes, 1, size < 8000 ? size : 8000, stderr);
    alloc_free(bytes);
}

/* Why a verb failed. Of a report that is read in part, the report says so. */
static bool says_why(const struct command *command)
{
    const bool is_in_report = strcmp(command->words[0], "report") == 0;
    size_t said = 0, printed = 0;
    alloc_free(read_output("stderr", &said));
    alloc_free(read_output("stdout", &printed));
    return said > 0 || (is_in_report && printed > 0);
}

static void run_command(const struct command *command, uint64_t launch)
{
    int terminal;
    struct rusage used = {0};
    const pid_t child = start(command, launch, &terminal);
    if (terminal >= 0) {
        use_screen(terminal);
        close(terminal);
    }
    const int status = wait_for(child, &used);
    if (WIFSIGNALED(status) || WEXITSTATUS(status) > VERB_FAILED)
        print_file("stderr");
    if (WIFSIGNALED(status))
        fprintf(stderr, "ended by signal %d\n", WTERMSIG(status));
    require(WIFEXITED(status) && WEXITSTATUS(status) <= VERB_FAILED, "it crashed");
    ++status_counts[WEXITSTATUS(status)];
    require(IS_SANITIZED || used.ru_maxrss < (long)MEMORY_MAX_MIB << 10, "it takes gigabytes");
    check_visible("stderr", kept_by(command));
    if (command->kind == ON_SCREEN)
        check_screen();
    else
        check_visible("stdout", kept_by(command));
    if (command->kind == PRINTS_JSON)
        check_lines("stdout");
    char output[NAME_SIZE];
    name_output(command, output);
    if (command->kind == WRITES_WORDS && access(output, F_OK) == 0)
        check_visible(output, kept_by(command));
    if (command->kind == WRITES_JSON && access(output, F_OK) == 0)
        check_document(output);
    require(WEXITSTATUS(status) != VERB_FAILED || says_why(command), "it fails without a sentence");
}

/* ---- whether crashes are seen ---- */

static void read_beyond(void)
{
    volatile size_t size = 4;
    volatile char *bytes = malloc(size);
    exit(bytes && bytes[size] == 0 ? VERB_FOUND : VERB_OK);
}

static void overflow(void)
{
    volatile int number = INT_MAX;
    ++number;
    exit(VERB_FOUND);
}

static void leak(void)
{
    void *volatile bytes = malloc(4);
    bytes = NULL;
    exit(bytes ? VERB_OK : VERB_FOUND);
}

/* Sanitizers find these, and their ends are not taken for those of a verb. */
static void check_crashes_are_seen(void)
{
#ifdef __SANITIZE_ADDRESS__
    const bool is_checked = true;
#else
    const bool is_checked = false;
#endif
    static void (*const crashes[])(void) = {read_beyond, overflow, leak};
    for (size_t i = 0; is_checked && i < sizeof crashes / sizeof *crashes; ++i) {
        int status = 0;
        const pid_t child = fork();
        if (child == 0) {
            redirect("/dev/null", STDERR_FILENO);
            crashes[i]();
        }
        waitpid(child, &status, 0);
        require(!WIFEXITED(status) || WEXITSTATUS(status) > VERB_FAILED, "no sanitizer is seen");
    }
}

/* ---- rounds ---- */

static char home[2048];

/* A file beside, which nothing of this may touch. */
static void check_canary(void)
{
    void *bytes = NULL;
    size_t size = 0;
    require(!file_read("../canary", 16, &bytes, &size, NULL) && size == 4 &&
                memcmp(bytes, "sing", 4) == 0,
            "another file was changed");
    alloc_free(bytes);
}

static void remove_output(const struct command *command)
{
    char output[NAME_SIZE];
    name_output(command, output);
    if (output[0] && access(output, F_OK) == 0 && unlink(output) != 0)
        directory_remove(output);
}

/* All that the rounds made; after a failure it stays, to be looked at. */
static void clean_up(void)
{
    for (size_t i = 0; i < COMMAND_COUNT; ++i)
        remove_output(&commands[i]);
    directory_remove("a.db.spool");
    require(chdir("/") == 0, "no way out");
    sample_clean();
    require(access(home, F_OK) != 0, "something is left in the temporary directory");
}

static void run_round(const struct mutation_seed *seeds, size_t seed_count)
{
    const struct mutation_seed *seed = &seeds[round_number % seed_count];
    require(!mutate_trace(seed, round_number, ".") && !mutate_report(round_number, REPORT),
            "cannot write the trace");
    for (command_number = 0; command_number < COMMAND_COUNT; ++command_number) {
        const struct command *command = &commands[command_number];
        /* Kernels are compiled anew: not in each round. */
        const bool is_slow = strcmp(command->words[0], "replay") == 0 || command->kind == ON_SCREEN;
        if (is_slow && (round_number / seed_count + command_number) % 4)
            continue;
        remove_output(command);
        run_command(command, seed->launch);
        check_canary();
    }
    command_number = 0;
}

int main(int argc, char **argv)
{
    if (argc < 4) {
        fprintf(stderr, "fuzz_verbs FROM ROUNDS SECONDS [SEED-TRACE...]\n");
        return 2;
    }
    const uint64_t from = strtoull(argv[1], NULL, 10);
    const uint64_t rounds = strtoull(argv[2], NULL, 10);
    const uint64_t seconds = strtoull(argv[3], NULL, 10);
    struct mutation_seed seeds[MUTATION_SEEDS_MAX];
    size_t seed_count = 0;
    setenv("CLERK_OPERATION_LIMIT", "100000", 1);
    setenv("CLERK_READ_SECONDS", "1", 1);
    setenv("CLERK_TRACE_STEPS", "50", 1);
    setenv("PAGER", "cat", 1);
    setenv("TERM", "linux", 1);
    setenv("LC_ALL", "C.UTF-8", 1);
    const char *directory = mutation_begin(argv + 4, (size_t)argc - 4, seeds, &seed_count);
    if (!directory || chdir(directory) != 0) {
        fprintf(stderr, "fuzz_verbs: the seeds cannot be recorded\n");
        return 1;
    }
    char cache[4096];
    snprintf(home, sizeof home, "%s", directory);
    snprintf(cache, sizeof cache, "%s/cache", home);
    setenv("CLERK_CACHE", cache, 1);
    mkdir("work", 0700);
    require(!file_write("canary", "sing", 4, NULL) && chdir("work") == 0, "no place to work");
    check_crashes_are_seen();
    const uint64_t begin = clock_monotonic_ns();
    for (round_number = from; round_number < from + rounds; ++round_number) {
        if (seconds && clock_monotonic_ns() - begin > seconds * 1000000000)
            break;
        run_round(seeds, seed_count);
    }
    printf("%llu rounds of %zu commands: %llu performed, %llu found something, %llu refused\n",
           (unsigned long long)(round_number - from), (size_t)COMMAND_COUNT,
           (unsigned long long)status_counts[VERB_OK],
           (unsigned long long)status_counts[VERB_FOUND],
           (unsigned long long)status_counts[VERB_FAILED]);
    mutation_end(seeds, seed_count);
    clean_up();
    return 0;
}
