/* Stands for clerk_probe: whatever it is asked, its answer is a checked copy of the kernels of
 * suspected.c, written by hand. That of 'right' reports an access that the kernel does not make. */
#include "checkers/probe/reply.h"
#include "checkers/probe/report.h"
#include "trace/base/file.h"

#include <CL/cl.h>
#include <unistd.h>

enum { KERNELS = 5, RECORDS = (REPORT_SITES + KERNELS + 15) / 16 * 16 };

/* Where the access of each kernel goes, and what follows it. */
static const struct {
    const char *name;
    uint32_t line;
    const char *index, *is_wrong, *rest;
} copies[KERNELS] = {
    {"shift", 3, "index[get_global_id(0)]", "at >= size", "index[get_global_id(0)] = 0;"},
    {"sum", 8, "index[get_global_id(0)]", "at >= size", "index[0] = (int)get_global_id(0);"},
    {"right", 13, "get_global_id(0)", "get_global_id(0) == 5", ""},
    {"wrong", 17, "get_global_size(0) + get_global_id(0)",
     "get_global_id(0) == 0 || get_global_id(0) == 9", ""},
    {"later", 21, "get_global_size(0) + get_global_id(0)", "get_global_id(0) == 9", ""},
};

static void append_report(struct text *text)
{
    text_format(text,
                "void report(global uint *r, uint site, uint launch, ulong at, ulong size)\n"
                "{\n"
                "    uint i = atomic_inc(&r[0]);\n"
                "    if (i >= %d)\n"
                "        return;\n"
                "    global uint *w = r + %d + i * %d;\n"
                "    w[%d] = site;\n    w[%d] = launch;\n    w[%d] = 4;\n    w[%d] = at * 4;\n"
                "    w[%d] = size * 4;\n    w[%d] = get_global_id(0);\n"
                "    w[%d] = get_group_id(0);\n    w[0] = %d;\n"
                "}\n",
                REPORT_RECORD_MAX, RECORDS, REPORT_RECORD_WORDS, REPORT_WORD_SITE,
                REPORT_WORD_LAUNCH, REPORT_WORD_BYTES, REPORT_WORD_OFFSET, REPORT_WORD_SIZE,
                REPORT_WORD_ID, REPORT_WORD_GROUP, REPORT_BOUNDS);
}

static void append_kernel(struct text *text, size_t i)
{
    text_format(text,
                "kernel void %s(global int *a, global int *index, ulong bytes, global uint *r, "
                "uint launch)\n"
                "{\n"
                "    ulong at = %s, size = bytes / 4;\n"
                "    if (%s)\n"
                "        report(r, %zu, launch, at, size);\n"
                "    if (at < size)\n"
                "        a[at] = 1;\n"
                "    %s\n"
                "}\n",
                copies[i].name, copies[i].index, copies[i].is_wrong, i, copies[i].rest);
}

static void answer(struct text *bytes)
{
    static struct fact_argument arguments[2];
    static struct fact_kernel kernels[KERNELS];
    static struct checked_site sites[KERNELS];
    static struct checked_kernel checked_kernels[KERNELS];
    static struct checked_parameter parameters[] = {{.hidden = CHECKED_HIDDEN_SIZE},
                                                    {.hidden = CHECKED_HIDDEN_REPORT},
                                                    {.hidden = CHECKED_HIDDEN_LAUNCH}};
    struct text text = TEXT_INIT;
    for (size_t i = 0; i < 2; i++)
        arguments[i] = (struct fact_argument){.name = i == 0 ? "a" : "index",
                                              .type_name = "int*",
                                              .plain_type_name = "int*",
                                              .address = CL_KERNEL_ARG_ADDRESS_GLOBAL,
                                              .access = CL_KERNEL_ARG_ACCESS_NONE,
                                              .size = 8,
                                              .accesses = 3};
    append_report(&text);
    for (size_t i = 0; i < KERNELS; i++) {
        append_kernel(&text, i);
        kernels[i] = (struct fact_kernel){
            .name = copies[i].name, .arguments = arguments, .argument_count = 2};
        sites[i] =
            (struct checked_site){"<source>", copies[i].line, CHECKED_WRITE, "a[...]", "", ""};
        checked_kernels[i] = (struct checked_kernel){.name = copies[i].name,
                                                     .reason = "",
                                                     .argument_count = 2,
                                                     .parameters = parameters,
                                                     .parameter_count = 3};
    }
    struct checked_part texts = {.text = text.bytes, .size = text.size, .options = ""};
    const struct facts facts = {.kernels = kernels, .kernel_count = KERNELS};
    const struct checked checked = {.reason = "",
                                    .parts = &texts,
                                    .part_count = 1,
                                    .kernels = checked_kernels,
                                    .kernel_count = KERNELS,
                                    .sites = sites,
                                    .site_count = KERNELS};
    reply_pack(&facts, &checked, bytes);
    text_release(&text);
}

int main(void)
{
    char room[4096];
    struct text bytes = TEXT_INIT;
    while (read(STDIN_FILENO, room, sizeof room) > 0)
        continue;
    answer(&bytes);
    const enum status status =
        descriptor_write(STDOUT_FILENO, bytes.bytes, bytes.size, "standard output", NULL);
    text_release(&bytes);
    return status;
}
