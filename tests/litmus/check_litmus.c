/* Every litmus test of a directory says in its last comments what is to come out:
 *
 *     // verdict: RACE CONDITION PAIR...        or, where the scope rules differ,
 *     // verdict 3.0: ...  and  // verdict 3.1: ...
 *
 * RACE is clean, racy, racy-weak (in weak executions only), stuck (at
 * a barrier), hangs or hangs-weak, or undecided;
 * CONDITION is never, reachable or weak, of forall: always, broken or weak-broken, or undecided;
 * PAIR is two
 * lines that race, "10-15", with a w after it where only weak executions race. None of them may
 * take long.
 *
 *     check_litmus DIRECTORY LEAST SECONDS: at least so many tests, none longer than so many
 * seconds */
#include "checkers/litmus/search.h"
#include "trace/base/alloc.h"
#include "trace/base/file.h"
#include "trace/base/text.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { FILE_SIZE_MAX = 1 << 20 };

static const char *race_word(const struct litmus_result *result,
                             const struct litmus_verdicts *verdicts)
{
    bool only_weak = true;
    for (size_t i = 0; i < result->race_count; i++) {
        only_weak = only_weak && result->races[i].weak;
    }
    if (result->stuck > 0) {
        return "stuck";
    }
    if (result->hangs) {
        return result->hangs_weakly ? "hangs-weak" : "hangs";
    }
    if (result->race_count > 0) {
        return only_weak ? "racy-weak" : "racy";
    }
    return verdicts->race == LITMUS_NONE && verdicts->hang == LITMUS_NONE &&
                   verdicts->barrier == LITMUS_NONE
               ? "clean"
               : "undecided";
}

static const char *condition_word(const struct litmus_test *test,
                                  const struct litmus_result *result,
                                  const struct litmus_verdicts *verdicts)
{
    bool only_weak;
    const bool reaches = litmus_reaches(test, result, &only_weak);
    if (verdicts->condition == LITMUS_NOT_DECIDED) {
        return "undecided";
    }
    if (test->quantifier == LITMUS_FORALL) {
        return !reaches ? "always" : only_weak ? "weak-broken" : "broken";
    }
    return !reaches ? "never" : only_weak ? "weak" : "reachable";
}

static void print_verdict(const struct litmus_test *test, const struct litmus_result *result,
                          struct text *text)
{
    struct litmus_verdicts verdicts;
    litmus_judge(test, result, &verdicts);
    text_format(text, "%s %s", race_word(result, &verdicts),
                condition_word(test, result, &verdicts));
    for (size_t i = 0; i < result->race_count; i++) {
        const struct litmus_race *race = &result->races[i];
        text_format(text, " %u-%u%s", race->first->line, race->second->line, race->weak ? "w" : "");
    }
}

/* The rest of the line that begins so; false if there is none. */
static bool find_line(const char *source, const char *start, struct text *text)
{
    const char *const found = strstr(source, start);
    if (found != NULL) {
        const char *const rest = found + strlen(start);
        text_append_n(text, rest, strcspn(rest, "\n"));
    }
    return found != NULL;
}

/* False, and a line that says why, when the verdict is another one. */
static bool check_rule(const char *name, const char *source, const struct litmus_test *test,
                       enum oracle_scope_rule rule, double seconds_max)
{
    const struct litmus_options options = {
        .scope_rule = rule, .weak = true, .rounds = LITMUS_ROUNDS};
    const char *const own = rule == ORACLE_SCOPES_EQUAL ? "// verdict 3.0: " : "// verdict 3.1: ";
    struct litmus_result *result = NULL;
    struct error error;
    struct text wanted = TEXT_INIT;
    struct text found = TEXT_INIT;
    const clock_t start = clock();
    bool good = litmus_search(test, &options, &result, &error) == STATUS_OK;
    const double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    if (!good) {
        printf("%s: %s\n", name, error.text);
    } else if ((result->left_out & ~(uint32_t)LITMUS_LEFT_BUFFERING) != 0) {
        printf("%s: not all was looked at\n", name);
        good = false;
    } else if (!find_line(source, own, &wanted) && !find_line(source, "// verdict: ", &wanted)) {
        printf("%s: there is no line '%s' nor '// verdict: '\n", name, own);
        good = false;
    } else {
        print_verdict(test, result, &found);
        good = strcmp(wanted.bytes, found.bytes) == 0 && seconds <= seconds_max;
        if (!good) {
            printf("%s:%s\n  wanted %s\n  found  %s\n  in %.3f s\n", name, own + 2, wanted.bytes,
                   found.bytes, seconds);
        }
    }
    text_release(&wanted);
    text_release(&found);
    litmus_result_destroy(result);
    return good;
}

static bool check_file(const char *directory, const char *name, double seconds_max)
{
    struct error error;
    void *bytes = NULL;
    size_t size = 0;
    struct litmus_test *test = NULL;
    char *path = path_join(directory, name);
    bool good = file_read(path, FILE_SIZE_MAX, &bytes, &size, &error) == STATUS_OK &&
                litmus_parse(bytes, size, &test, &error) == STATUS_OK;
    if (!good) {
        printf("%s: %s\n", name, error.text);
    }
    for (int rule = 0; good && rule <= ORACLE_SCOPES_WIDE_ENOUGH; rule++) {
        good = check_rule(name, bytes, test, (enum oracle_scope_rule)rule, seconds_max);
    }
    litmus_destroy(test);
    alloc_free(bytes);
    alloc_free(path);
    return good;
}

static int is_litmus(const struct dirent *entry)
{
    const size_t length = strlen(entry->d_name);
    return length > 7 && strcmp(entry->d_name + length - 7, ".litmus") == 0;
}

int main(int argc, char **argv)
{
    struct dirent **entries = NULL;
    if (argc != 4) {
        fprintf(stderr, "usage: check_litmus DIRECTORY LEAST SECONDS\n");
        return 2;
    }
    const int count = scandir(argv[1], &entries, is_litmus, alphasort);
    int bad = 0;
    for (int i = 0; i < count; i++) {
        bad += !check_file(argv[1], entries[i]->d_name, strtod(argv[3], NULL));
        free(entries[i]);
    }
    free(entries);
    printf("%d litmus tests, %d not as expected\n", count, bad);
    return bad > 0 || count < atoi(argv[2]);
}
