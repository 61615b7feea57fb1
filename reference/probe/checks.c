#include "reference/probe/checks.h"

#include "checkers/probe/cells.h"
#include "checkers/probe/report.h"
#include "checkers/probe/shared_table.h"

#include <inttypes.h>
#include <string.h>

/* Which is an option of the copy's, and keeps its name. */
#define CLERK_ALL_CELLS "C" INSERT_MARK "LERK_ALL_CELLS"

static void define(struct text *text, const char *name, uint64_t value)
{
    text_format(text, "#define clerk_%s %" PRIu64 "%s\n", name, value,
                value > UINT32_MAX ? "UL" : "");
}

static void define_report(size_t site_count, struct text *text)
{
    const uint64_t sites_end = REPORT_SITES + (uint64_t)site_count;
    const uint64_t records =
        (sites_end + REPORT_RECORD_WORDS - 1) / REPORT_RECORD_WORDS * REPORT_RECORD_WORDS;
    define(text, "RECORDS", records);
#define DEFINE(name) define(text, #name, name)
    DEFINE(REPORT_COUNT);
    DEFINE(REPORT_SPARE);
    DEFINE(REPORT_SPARE_BYTES);
    DEFINE(REPORT_SITES);
    DEFINE(REPORT_SITE_MAX);
    DEFINE(REPORT_RECORD_MAX);
    DEFINE(REPORT_RECORD_WORDS);
    DEFINE(REPORT_BOUNDS);
    DEFINE(REPORT_NULL);
    DEFINE(REPORT_READ_ONLY);
    DEFINE(REPORT_NOWHERE);
    DEFINE(REPORT_RACE);
    DEFINE(REPORT_UNWRITTEN);
    DEFINE(REPORT_DIVERGENCE);
    DEFINE(REPORT_FREED);
    DEFINE(REPORT_TEXEL);
    DEFINE(SHARED_ALIVE);
    DEFINE(SHARED_FREED);
    DEFINE(SHARED_IS_CLOSED);
    DEFINE(SHARED_RANGES);
    DEFINE(REPORT_WORD_WHAT);
    DEFINE(REPORT_WORD_SITE);
    DEFINE(REPORT_WORD_LAUNCH);
    DEFINE(REPORT_WORD_BYTES);
    DEFINE(REPORT_WORD_OFFSET);
    DEFINE(REPORT_WORD_SIZE);
    DEFINE(REPORT_WORD_ID);
    DEFINE(REPORT_WORD_GROUP);
    DEFINE(REPORT_WORD_OTHER);
    DEFINE(REPORT_GLOBAL);
    DEFINE(REPORT_CONSTANT);
    DEFINE(REPORT_LOCAL);
#undef DEFINE
}

static unsigned at_least_one(unsigned count)
{
    return count > 0 ? count : 1;
}

void checks_append(const struct insertion_program *program, const char *standard, struct text *text)
{
    /* OpenCL C 1.1, 6.8: "The storage-class specifiers [...] static [...] are not supported." */
    const bool is_old = strcmp(standard, "CL1.0") == 0 || strcmp(standard, "CL1.1") == 0;
    text_format(text, "#define clerk_CHECK %s__attribute__((always_inline))\n",
                is_old ? "" : "static inline ");
    text_format(text, "#define clerk_SLOW %s__attribute__((noinline))\n", is_old ? "" : "static ");
    text_format(text, "#define clerk_STATIC %s\n", is_old ? "" : "static");
    text_append(text, "#ifdef " CLERK_ALL_CELLS "\n"
                      "#undef " CLERK_ALL_CELLS "\n" /* the program may have a name like that */
                      "#define clerk_HAS_ALL_CELLS 1\n"
                      "#define clerk_APART(CELLS) CELLS\n"
                      "#define clerk_APART_MARKS 0\n"
                      "#else\n"
                      "#define clerk_HAS_ALL_CELLS 0\n"
                      "#define clerk_APART(CELLS) 0\n"
                      "#define clerk_APART_MARKS clerk_MARKS\n"
                      "#endif\n");
    define_report(program->site_count, text);
    define(text, "SIZE_UNKNOWN", CHECKED_SIZE_UNKNOWN);
    define(text, "SIZE_READ_ONLY", CHECKED_SIZE_READ_ONLY);
    define(text, "SIZE_MIDDLE", CHECKED_SIZE_MIDDLE);
    define(text, "SAMPLER_NONE", CHECKED_SAMPLER_NONE);
    define(text, "SAMPLER_NORMALISED", CHECKED_SAMPLER_NORMALISED);
    define(text, "WINDOW_SHIFT", CHECKED_WINDOW_SHIFT);
    define(text, "LAUNCH_MAX", CELLS_LAUNCH_MAX);
    define(text, "VARIABLE", 0xfe);
    define(text, "SEARCH", 0xff);
    define(text, "GLOBALS", at_least_one(program->global_count));
    define(text, "CONSTANTS", at_least_one(program->constant_count));
    define(text, "LOCALS", at_least_one(program->local_count));
    define(text, "FOLLOWED_COUNT", program->follow_count);
    define(text, "LOCAL_SPARE_BYTES", CHECKED_LOCAL_SPARE);
    define(text, "USES_CONSTANT", program->uses_constant);
    define(text, "USES_LOCAL", program->uses_local);
    define(text, "USES_GENERIC", program->uses_generic);
    define(text, "HAS_SHARED", program->has_foreign_pointers);
    define(text, "MAKES_POINTERS", program->makes_pointers);
    define(text, "USES_IMAGES", program->uses_images);
    define(text, "HAS_CONSTANTS", program->has_constants);
    bool meets = false;
    for (const struct function *function = program->functions; function;
         function = function->hh.next) {
        meets |= function->meets;
        if (function->uses_local && insert_has_local_cells(function))
            text_format(text, "#define clerk_shift_%s %u\n#define clerk_takes_%s %s\n",
                        function->name, function->in_local.shift, function->name,
                        function->hides_writes ? "0" : "clerk_TAKES");
    }
    define(text, "MEETS", meets);
    text_append(text, checks_text);
}
