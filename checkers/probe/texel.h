/* What a record of REPORT_TEXEL (report.h) says: which texel of which image. */
#ifndef CHECKERS_PROBE_TEXEL_H
#define CHECKERS_PROBE_TEXEL_H

#include "checkers/image_words.h"
#include "checkers/probe/report.h"

#include <stdbool.h>
#include <stdint.h>

struct texel {
    const char *type; /* "2D image" */
    uint32_t coordinate_count;
    bool is_sampled;
    int64_t coordinates[IMAGE_COORDINATES_MAX];
    uint64_t size[IMAGE_COORDINATES_MAX];
};

/* False when the words are none. */
bool texel_read(const uint32_t words[REPORT_RECORD_WORDS], struct texel *texel);

#endif
