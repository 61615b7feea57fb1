#include "layer/driver/spec_constants.h"

#include "trace/api/entry.h"
#include "trace/base/alloc.h"

#include <pthread.h>
#include <string.h>

struct row {
    uint64_t program;
    struct request_constant value;
};

/* In the order in which they were first set. */
struct spec_constants {
    pthread_mutex_t mutex;
    struct row *rows;
    size_t count, room;
    bool has_lost; /* memory was out for one */
};

struct spec_constants *spec_constants_create(void)
{
    struct spec_constants *constants = alloc_zero(1, sizeof *constants);
    if (constants)
        pthread_mutex_init(&constants->mutex, NULL);
    return constants;
}

void spec_constants_destroy(struct spec_constants *constants)
{
    if (!constants)
        return;
    pthread_mutex_destroy(&constants->mutex);
    alloc_free(constants->rows);
    alloc_free(constants);
}

/* Locked. NULL when memory is out. */
static struct row *find_or_add(struct spec_constants *constants, uint64_t program, uint32_t id)
{
    for (size_t i = 0; i < constants->count; i++)
        if (constants->rows[i].program == program && constants->rows[i].value.id == id)
            return &constants->rows[i];
    struct row *grown =
        alloc_grow(constants->rows, constants->count, &constants->room, sizeof *grown);
    if (!grown)
        return NULL;
    constants->rows = grown;
    struct row *row = &grown[constants->count++];
    *row = (struct row){.program = program, .value = {.id = id}};
    return row;
}

void spec_constants_set(struct spec_constants *constants, const struct api_call *call)
{
    const uint64_t program = call->arguments[API_clSetProgramSpecializationConstant_program].bits;
    const uint64_t id = call->arguments[API_clSetProgramSpecializationConstant_spec_id].bits;
    const struct api_value *value =
        &call->arguments[API_clSetProgramSpecializationConstant_spec_value];
    pthread_mutex_lock(&constants->mutex);
    const bool is_whole = value->data && value->size > 0 &&
                          value->size <= sizeof((struct request_constant *)0)->bytes;
    struct row *row = is_whole ? find_or_add(constants, program, (uint32_t)id) : NULL;
    if (row) {
        row->value = (struct request_constant){.id = (uint32_t)id, .size = (uint32_t)value->size};
        memcpy(row->value.bytes, value->data, value->size);
    }
    constants->has_lost |= !row;
    pthread_mutex_unlock(&constants->mutex);
}

void spec_constants_forget(struct spec_constants *constants, uint64_t program)
{
    size_t kept = 0;
    pthread_mutex_lock(&constants->mutex);
    for (size_t i = 0; i < constants->count; i++)
        if (constants->rows[i].program != program)
            constants->rows[kept++] = constants->rows[i];
    constants->count = kept;
    pthread_mutex_unlock(&constants->mutex);
}

bool spec_constants_describe(struct spec_constants *constants, uint64_t program,
                             struct arena *arena, struct request_part *part)
{
    pthread_mutex_lock(&constants->mutex);
    part->constants = arena_alloc(arena, constants->count + 1, sizeof *part->constants);
    const bool done = part->constants && !constants->has_lost;
    part->constant_count = 0;
    for (size_t i = 0; part->constants && i < constants->count; i++)
        if (constants->rows[i].program == program)
            part->constants[part->constant_count++] = constants->rows[i].value;
    pthread_mutex_unlock(&constants->mutex);
    return done;
}
