#include "tests/unit/vm/bench.h"

#include "trace/base/assert.h"

#include <stdio.h>
#include <string.h>

void bench_create(struct bench *bench)
{
    struct error error;
    memset(bench, 0, sizeof *bench);
    assembler_init(&bench->as);
    bench->log = (struct text)TEXT_INIT;
    bench->observer = log_observer(&bench->log);
    ASSERT(vm_memory_create(&bench->memory, &error) == STATUS_OK);
    bench->launch = (struct sched_launch){.dimensions = 1,
                                          .global_size = {1, 1, 1},
                                          .local_size = {1, 1, 1},
                                          .memory = bench->memory,
                                          .arguments = bench->arguments,
                                          .observer = &bench->observer,
                                          .sub_group_size = 32};
}

void bench_destroy(struct bench *bench)
{
    vm_memory_destroy(bench->memory);
    text_release(&bench->log);
}

uint32_t bench_make(struct bench *bench, struct vm_buffer_info info)
{
    uint32_t object = 0;
    struct error error;
    if (vm_memory_create_object(bench->memory, &info, &object, &error) != STATUS_OK)
        fprintf(stderr, "%s\n", error.text);
    ASSERT(object != 0);
    return object;
}

uint32_t bench_buffer(struct bench *bench, const char *name, uint64_t size, bool defined)
{
    return bench_make(bench,
                      (struct vm_buffer_info){.size = size, .defined = defined, .name = name});
}

void bench_run(struct bench *bench, uint64_t global_size, uint64_t local_size)
{
    struct error error = {.text = ""};
    text_clear(&bench->log);
    bench->launch.code = assembler_finish(&bench->as);
    bench->launch.global_size[0] = global_size;
    bench->launch.local_size[0] = local_size;
    const enum status status = sched_run(&bench->launch, &bench->result, &error);
    if (status != STATUS_OK)
        fprintf(stderr, "%s\n", error.text);
    ASSERT(status == STATUS_OK && !bench->log.failed);
}

static bool begins_with_one(const char *line, const char *words)
{
    while (*words) {
        const size_t length = strcspn(words, "|");
        if (strncmp(line, words, length) == 0)
            return true;
        words += length + (words[length] == '|');
    }
    return false;
}

const char *bench_lines(struct bench *bench, const char *words)
{
    static char lines[16384];
    size_t size = 0;
    for (const char *line = bench->log.bytes; *line;) {
        const size_t length = strcspn(line, "\n") + 1;
        if (begins_with_one(line, words)) {
            ASSERT(size + length < sizeof lines);
            memcpy(lines + size, line, length);
            size += length;
        }
        line += length;
    }
    lines[size] = '\0';
    return lines;
}
