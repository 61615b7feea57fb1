/* What the layer finds, call by call: a program that runs under it reads the file of findings as it
 * grows. */
#ifndef TESTS_RULES_WATCH_H
#define TESTS_RULES_WATCH_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WATCH_MAX = 8 };

struct watch {
    FILE *file;
    FILE *rows;   /* what wrong calls showed, for tests/rules/coverage.cmake */
    FILE *advice; /* what they were told to do, for tests/rules/advice.cmake */
    size_t count; /* of the findings since watch_read before */
    struct watched {
        char rule[48];
        char error[64]; /* "CL_INVALID_VALUE", "NULL"; "" = none is named */
        char advice[512];
        char line[1024];
    } findings[WATCH_MAX];
};

/* Before the first call of OpenCL. `layer` is libclerk_layer.so; `path` and `rows` are files, begun
 * anew. */
static inline void watch_begin(struct watch *watch, const char *layer, const char *path,
                               const char *rows)
{
    char advice[4096];
    snprintf(advice, sizeof advice, "%s.advice", path);
    *watch = (struct watch){
        .file = fopen(path, "w+"), .rows = fopen(rows, "w"), .advice = fopen(advice, "w")};
    if (!watch->file || !watch->rows || !watch->advice)
        abort();
    setenv("OPENCL_LAYERS", layer, 1);
    setenv("CLERK_FINDINGS", path, 1);
    setenv("CLERK_CHECKS", "host,-deprecated", 1);
    unsetenv("CLERK_TRACE");
    unsetenv("CLERK_FAIL_CALLS");
}

/* The word after the first of these in the line, up to a character that no name has. */
static inline void watch_word(const char *line, const char *before, char *word, size_t size)
{
    const char *at = strstr(line, before);
    size_t length = 0;
    word[0] = '\0';
    if (!at)
        return;
    at += strlen(before);
    while (strchr("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-", at[length]) &&
           at[length] != '\0' && length + 1 < size)
        ++length;
    memcpy(word, at, length);
    word[length] = '\0';
}

/* The advice of the finding, as far as it has room. */
static inline void watch_advice(const char *line, char *advice, size_t size)
{
    const char *at = strstr(line, "\"advice\":\"");
    const char *text = at ? at + strlen("\"advice\":\"") : "";
    const size_t length = strcspn(text, "\"");
    snprintf(advice, size, "%.*s", (int)length, text);
}

/* A wrong call of that entry point had this finding. */
static inline void watch_shown(struct watch *watch, const char *function,
                               const struct watched *finding)
{
    fprintf(watch->rows, "%s\t%s\t%s\n", function, finding->error, finding->rule);
    fflush(watch->rows);
}

/* Reads the findings that came since the last time. */
static inline void watch_read(struct watch *watch)
{
    static char line[1 << 16];
    watch->count = 0;
    clearerr(watch->file);
    while (fgets(line, sizeof line, watch->file)) {
        struct watched *finding = &watch->findings[watch->count];
        if (watch->count == WATCH_MAX || strncmp(line, "{\"finding\":", 11) != 0)
            continue; /* what was not checked is not a finding */
        ++watch->count;
        watch_word(line, "\"rule\":\"", finding->rule, sizeof finding->rule);
        watch_word(line, "should return ", finding->error, sizeof finding->error);
        if (!finding->error[0])
            watch_word(line, "driver and returns ", finding->error, sizeof finding->error);
        if (!finding->error[0])
            watch_word(line, "driver returned ", finding->error, sizeof finding->error);
        if (!finding->error[0])
            watch_word(line, ": returns ", finding->error, sizeof finding->error);
        watch_advice(line, finding->advice, sizeof finding->advice);
        line[sizeof finding->line - 1] = '\0';
        strcpy(finding->line, line);
    }
}

#endif
