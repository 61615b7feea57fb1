/* What the files of clerk trim share. */
#ifndef VIEWER_CLI_TRIM_TRIM_H
#define VIEWER_CLI_TRIM_TRIM_H

#include "trace/base/options.h"
#include "trace/needed.h"
#include "trace/reader.h"

/* A part of a trace. */
struct trim_part {
    struct trace *trace;
    uint64_t begins_after; /* 0 = it has the start */
    bool has_end;
    struct needed_call *calls; /* in ascending order */
    size_t call_count;
    /* The memory objects of which `trace` has what they hold where it begins. */
    uint64_t *objects;
    size_t object_count;
};

/* All of a trace. Lists live in the arena. */
enum status trim_part_of(struct trace *trace, struct arena *arena, struct trim_part *part,
                         struct error *error);
enum status trim_part_write(const struct trim_part *part, const char *path, struct error *error);

/* ---- trim_range.c ---- */

/* Writes the launches of calls `first` to `last`, with all calls from the first on and up to the
 * launch that follows the last. What memory holds there is found out by performing what is before
 * on the device that the options choose. Once in a process: it opens that device. */
enum status trim_range(struct trace *trace, const struct options *options, uint64_t first,
                       uint64_t last, const char *path, struct error *error);

/* ---- trim_finding.c ---- */

/* Writes the smallest part that still shows the finding with this number, on the reference device
 * or to the rules about calls. *tries: how many parts were looked at. */
enum status trim_finding(struct trace *trace, const char *trace_path, int64_t number,
                         const char *path, uint64_t *tries, struct error *error);

#endif
