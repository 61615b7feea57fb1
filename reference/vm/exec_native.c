/* Native code (native.h), run in the place of blocks, and what it calls. */
#include "reference/vm/defined.h"
#include "reference/vm/native.h"
#include "reference/vm/trial.h"
#include "reference/vm/undefined_rows.h"

#include <string.h>

/* The instruction is the one that is executed: whoever is told of something may ask for it. */
static inline void stand(struct vm_vector *vector, const struct vm_instruction *in)
{
    struct vm_debugger *debugger = vector->run->debugger;
    if (__builtin_expect(debugger == NULL, 1))
        return;
    debugger->in = in;
    debugger->last = vector->run->code->instructions + vector->native_call.last;
    debugger->last_position = vector->native_call.operations - 1;
}

static void interpret(struct vm_vector *vector, uint32_t first, uint32_t count)
{
    const struct vm_instruction *in = vector->run->code->instructions + first;
    for (const struct vm_instruction *end = in + count; in < end; in++) {
        stand(vector, in);
        MACHINE(vm_op_functions)[in->op](vector, in);
    }
}

static void tell_branch(struct vm_vector *vector, uint32_t site)
{
    const struct vm_instruction *in = &vector->run->code->instructions[site];
    stand(vector, in);
    vm_tell_if_undefined(vector, in, OBSERVER_UNDEFINED_BRANCH, in->c, vector->active);
}

/* ---- memory ---- */

static const bool *is_watched(const struct vm_run *run, const struct vm_object *object,
                              enum observer_access_kind kind)
{
    static const bool always = true;
    static const bool never = false;
    const struct observer *observer = run->observer;
    const enum observer_region region = object->identity.region;
    if (!observer || !observer->access || (region != OBSERVER_GLOBAL && region != OBSERVER_LOCAL))
        return &never;
    return observer->wants ? observer->wants(observer->state, &object->root->identity, kind)
                           : &always;
}

/* What the gate would find of the object in each access (access.c). */
static bool find(struct vm_vector *vector, uint64_t pointer)
{
    const struct vm_run *run = vector->run;
    const uint64_t key = pointer >> VM_POINTER_OFFSET_BITS;
    struct vm_native_object *entry = &vector->native_objects[key % VM_NATIVE_OBJECTS];
    const struct vm_object *object =
        vm_pointer_is_owned(pointer) ? NULL : access_object(vector, pointer);
    if (!object)
        return false;
    const enum observer_region region = object->identity.region;
    const bool noted = run->part && region == OBSERVER_GLOBAL;
    *entry = (struct vm_native_object){
        .key = key,
        .bytes = object->bytes,
        .size = object->size,
        .root_offset = object->root_offset,
        .lane_stride = object->private_stride,
        .freed = &object->freed,
        .object = object,
        .readable = !object->write_only,
        .writable = !object->read_only && !object->sealed && run->constant_range_count == 0,
        .undefined = object->undefined,
        .born = vm_pointer_make(object->identity.id, 0) + object->root_offset,
        .stored = &object_births(vector, object)->words,
        .lasts = region == OBSERVER_GLOBAL && !object->is_pipe,
        .watched = *is_watched(run, object, OBSERVER_WRITE),
        .reads_watched = is_watched(run, object, OBSERVER_READ),
        .notes_loads = noted && trial_notes_reads(run->part, object),
        .notes_stores = noted};
    return true;
}

static inline void set_span(const struct vm_vector *vector, const struct vm_native_span *native,
                            struct access_span *span)
{
    span->object = native->in->object;
    span->mask = vector->active;
    span->first = native->first;
    span->last = native->last;
    span->strided = true;
    span->place = native->place;
    span->stride = native->stride;
    span->run_shift = native->run_shift;
    span->jump = native->jump;
}

/* As the gate does. */
static bool note(struct vm_vector *vector, uint32_t site, const struct vm_native_span *native)
{
    const struct vm_instruction *in = &vector->run->code->instructions[site];
    struct access_span span;
    stand(vector, in);
    set_span(vector, native, &span);
    return trial_note_plain(vector->run->part, in->op == VM_OP_store_a,
                            (uint32_t)in->width * in->count, &span);
}

static void begin(struct vm_vector *vector, uint32_t site, const struct vm_native_span *native,
                  enum observer_access_kind kind, struct access *access, struct access_span *span)
{
    const struct vm_instruction *in = &vector->run->code->instructions[site];
    stand(vector, in);
    access_begin(access, vector, in, kind, (uint32_t)in->width * in->count);
    access->is_floating = (in->aux & VM_ACCESS_FLOATING) != 0;
    set_span(vector, native, span);
}

static void read(struct vm_vector *vector, uint32_t site, const struct vm_native_span *native)
{
    struct access access;
    struct access_span span;
    begin(vector, site, native, OBSERVER_READ, &access, &span);
    MACHINE(access_tell)(&access, &span);
}

static void write(struct vm_vector *vector, uint32_t site, const struct vm_native_span *native)
{
    const struct vm_instruction *in = &vector->run->code->instructions[site];
    struct access access;
    struct access_span span;
    begin(vector, site, native, OBSERVER_WRITE, &access, &span);
    access.value = MACHINE(store_values)(vector, in);
    access.value_stride = access.size;
    MACHINE(access_tell)(&access, &span);
    MACHINE(store_span)(vector, in, &access, &span);
}

static void load_undefined(struct vm_vector *vector, uint32_t site,
                           const struct vm_native_span *native)
{
    struct access_span span;
    set_span(vector, native, &span);
    MACHINE(load_undefined_span)(vector, &vector->run->code->instructions[site], &span);
}

static void gather_undefined(struct vm_vector *vector, uint32_t site,
                             const struct vm_native_object *object, const uint64_t *offsets)
{
    struct access_span span;
    span.object = object->object;
    span.mask = vector->active;
    span.first = (uint32_t)__builtin_ctzll(span.mask);
    span.last = 63 - (uint32_t)__builtin_clzll(span.mask);
    span.strided = false;
    memcpy(span.places, offsets, sizeof span.places);
    MACHINE(load_undefined_places)(vector, &vector->run->code->instructions[site], &span);
}

static void put_whole(struct vm_vector *vector, uint32_t row, uint32_t width,
                      const struct vm_origins *births)
{
    vm_undefined_put_alike(vector, row, 0, vector->active, bits_low(width ? width * 8 : 1), births);
    vector->undefined[row] = vector->active;
}

/* ---- running ---- */

/* What does not change while the launch runs. */
static void begin_call(struct vm_vector *vector)
{
    vector->native_call =
        (struct vm_native_call){.vector = vector,
                                .units = vector->units,
                                .undefined = vector->undefined,
                                .pending = vector->pending,
                                .active = &vector->active,
                                .objects = vector->native_objects,
                                .memos = vector->run->native_memos,
                                .undefined_stores = &vector->run->undefined_stores,
                                .ignores_undefined = &vector->run->ignores_undefined,
                                .undefined_loads = &vector->run->undefined_loads,
                                .interpret = interpret,
                                .tell_branch = tell_branch,
                                .find = find,
                                .note = note,
                                .read = read,
                                .load_undefined = load_undefined,
                                .gather_undefined = gather_undefined,
                                .follow = vm_undefined_follow,
                                .put_undefined = vm_undefined_put_steps,
                                .is_whole = vm_undefined_is_whole,
                                .put_whole = put_whole,
                                .write = write};
}

const struct vm_instruction *MACHINE(vm_native_run)(struct vm_vector *vector,
                                                    uint64_t *operation_count,
                                                    uint64_t operation_limit)
{
    const struct vm_code *code = vector->run->code;
    struct vm_native_call *call = &vector->native_call;
    if (!call->vector)
        begin_call(vector);
    call->operations = *operation_count;
    call->operation_limit = operation_limit;
    call->run_shift = vector->run_shift;
    const uint32_t site = vector->run->native(call);
    if (vector->run->debugger && site != VM_NATIVE_NO_SITE) {
        call->last = site;
        stand(vector, &code->instructions[site]);
    }
    for (uint32_t block = 0; block < code->block_count; block++)
        vm_vector_release(vector, vector->pending[block], block);
    *operation_count = call->operations;
    return site == VM_NATIVE_NO_SITE ? NULL : &code->instructions[site];
}
