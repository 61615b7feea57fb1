/* Lists of findings as JSON lines: what the processes of a run leave in a file, and reports. */
#ifndef VIEWER_CLI_FINDING_LINES_H
#define VIEWER_CLI_FINDING_LINES_H

#include "checkers/finding.h"
#include "viewer-cli/shard.h"

enum finding_line_kind {
    FINDING_LINE_BROKEN, /* none of these: half a line of a killed process, or of another clerk */
    FINDING_LINE_FINDING,
    FINDING_LINE_UNCHECKED,
    FINDING_LINE_NOT_SHOWN,
    FINDING_LINE_SHARD,
};
struct finding_line {
    enum finding_line_kind kind;
    size_t number;   /* in the file, from 1 */
    const char *why; /* it is broken */
    struct finding finding;
    struct finding_unchecked unchecked;
    enum rule_index rule; /* that findings are not shown of, */
    uint64_t not_shown;   /* so many */
    struct shard shard;
};

/* What is in `line` is valid during the call; the arena is for what is made of it meanwhile. */
typedef void finding_line_visit(void *user, struct finding_line *line, struct arena *arena);

struct finding_lines {
    char *bytes; /* the file's */
    size_t size;
};
/* Reads a file, for finding_lines_each, which may be called more than once. */
enum status finding_lines_read(const char *path, struct finding_lines *lines, struct error *error);
void finding_lines_each(const struct finding_lines *lines, finding_line_visit *visit, void *user);
void finding_lines_release(struct finding_lines *lines);

#endif
