#include "trace/needed.h"

#include "trace/api/entry.h"
#include "trace/call_order.h"
#include "trace/effect/argument.h"
#include "trace/needed_objects.h"
#include "trace/store.h"

#include <sqlite3.h>
#include <string.h>

/* ---- what a call names ---- */

static void name_word(struct needing *needing, uint64_t word, const struct needed_object *of)
{
    static const enum api_object_kind kinds[] = {API_OBJECT_MEM, API_OBJECT_SAMPLER,
                                                 API_OBJECT_QUEUE};
    for (size_t i = 0; word && i < sizeof kinds / sizeof *kinds; ++i)
        needed_name(needing, needed_find(needing, kinds[i], word), of);
    needed_name(needing, needed_find_allocation(needing, word), of);
}

static uint64_t word_at(const struct api_value *list, size_t index)
{
    uint64_t word;
    memcpy(&word, (const unsigned char *)list->data + index * sizeof word, sizeof word);
    return word;
}

/* Values, descriptors and lists of addresses: words that look like a handle or an address. */
static void name_words(struct needing *needing, const struct api_value *value,
                       const struct needed_object *of)
{
    enum { WORD_LIMIT = 512 }; /* a kernel has no longer arguments */
    for (size_t i = 0; value->data && i < value->size / sizeof(uint64_t) && i < WORD_LIMIT; ++i)
        name_word(needing, word_at(value, i), of);
}

static void name_all(struct needing *needing, const struct api_call *call,
                     const struct needed_object *of)
{
    const struct api_entry_info *info = api_entry_get(call->entry);
    needing->names.count = 0;
    for (uint32_t i = 0; i < info->parameter_count && i < call->argument_count; ++i) {
        const struct api_parameter *parameter = &info->parameters[i];
        const struct api_value *value = &call->arguments[i];
        if (parameter->flags & API_PARAMETER_OUT || parameter->kind == API_OBJECT_EVENT)
            continue;
        if (value->kind == API_VALUE_HANDLE)
            needed_name(needing, needed_find(needing, parameter->kind, value->bits), of);
        else if (value->kind == API_VALUE_HANDLES)
            for (uint32_t k = 0; value->data && k < value->count; ++k)
                needed_name(needing, needed_find(needing, parameter->kind, word_at(value, k)), of);
        else if (value->kind == API_VALUE_POINTER)
            needed_name(needing, needed_find_allocation(needing, value->bits), of);
        else if (value->kind == API_VALUE_BYTES || value->kind == API_VALUE_SIZES)
            name_words(needing, value, of);
    }
}

static struct needed_object *first_object(const struct needing *needing,
                                          const struct api_call *call)
{
    const struct api_entry_info *info = api_entry_get(call->entry);
    if (!info->parameter_count || !call->argument_count ||
        call->arguments[0].kind != API_VALUE_HANDLE)
        return NULL;
    return needed_find(needing, info->parameters[0].kind, call->arguments[0].bits);
}

/* ---- what a call says ---- */

/* Slots: what is replaced is said by the same entry point about the same thing. */
static uint64_t mix(uint64_t slot, uint64_t word)
{
    return (slot ^ word) * UINT64_C(0x9e3779b97f4a7c15);
}

enum {
    SLOT_MADE = 1,
    SLOT_RETAINED,
    SLOT_RELEASED,
    SLOT_BUILT,
    SLOT_ARGUMENT, /* and the argument's index */
};

/* What the kernel's arguments are here, others may need longer than the kernel has them: its
 * clones, and command-buffers. */
static void keep_state(struct needing *needing, struct needed_object *object,
                       const struct needed_object *kernel)
{
    for (size_t i = 0; kernel && i < kernel->kept_count; ++i)
        if (kernel->kept[i].slot > SLOT_RELEASED)
            needed_keep(needing, object, &kernel->kept[i], kernel->kept[i].names,
                        kernel->kept[i].name_count);
}

static uint64_t slot_of(const struct api_call *call)
{
    struct argument_set set;
    if (argument_set_by(call, &set))
        return mix(SLOT_ARGUMENT, set.index + 1);
    if (call->entry == API_ENTRY_clBuildProgram || call->entry == API_ENTRY_clCompileProgram)
        return SLOT_BUILT;
    if (api_entry_get(call->entry)->flags & API_ENTRY_RECORDS ||
        call->entry == API_ENTRY_clUpdateMutableCommandsKHR)
        return mix(call->entry, call->id);
    uint64_t slot = call->entry;
    for (uint32_t i = 1; i < call->argument_count; ++i)
        if (call->arguments[i].kind == API_VALUE_SCALAR ||
            call->arguments[i].kind == API_VALUE_HANDLE)
            slot = mix(slot, call->arguments[i].bits + i);
    return slot;
}

/* Answers that say what the recording was made on, and what its programs and kernels are. */
static bool is_asked_of(enum api_object_kind kind)
{
    return kind == API_OBJECT_PLATFORM || kind == API_OBJECT_DEVICE || kind == API_OBJECT_PROGRAM ||
           kind == API_OBJECT_KERNEL || kind == API_OBJECT_CONTEXT;
}

static bool registers_callback(const struct api_entry_info *info)
{
    const uint32_t callback = api_entry_find_role(info, API_ROLE_CALLBACK);
    return callback != API_PARAMETER_NONE &&
           (info->parameters[callback].flags & API_PARAMETER_REQUIRED);
}

/* Does a call do nothing but tell something about its first argument? */
static bool tells(uint32_t entry)
{
    const struct api_entry_info *info = api_entry_get(entry);
    if (!info->parameter_count || info->parameters[0].role != API_ROLE_HANDLE ||
        info->flags & API_ENTRY_ENQUEUES || registers_callback(info) ||
        entry == API_ENTRY_clFlush || entry == API_ENTRY_clFinish)
        return false;
    return !api_entry_asks(entry) || is_asked_of((enum api_object_kind)info->parameters[0].kind);
}

static bool allocates(uint32_t entry)
{
    return entry == API_ENTRY_clSVMAlloc || entry == API_ENTRY_clHostMemAllocINTEL ||
           entry == API_ENTRY_clDeviceMemAllocINTEL || entry == API_ENTRY_clSharedMemAllocINTEL;
}

static bool frees(uint32_t entry)
{
    return entry == API_ENTRY_clSVMFree || entry == API_ENTRY_clMemFreeINTEL ||
           entry == API_ENTRY_clMemBlockingFreeINTEL;
}

/* The address that the call maps, or ends the map of; 0 = neither. */
static uint64_t mapped_by(const struct api_call *call)
{
    if (call->entry == API_ENTRY_clEnqueueMapBuffer || call->entry == API_ENTRY_clEnqueueMapImage)
        return call->result.bits;
    return call->entry == API_ENTRY_clEnqueueSVMMap
               ? call->arguments[API_clEnqueueSVMMap_svm_ptr].bits
               : 0;
}

static uint64_t unmapped_by(const struct api_call *call)
{
    if (call->entry == API_ENTRY_clEnqueueUnmapMemObject)
        return call->arguments[API_clEnqueueUnmapMemObject_mapped_ptr].bits;
    return call->entry == API_ENTRY_clEnqueueSVMUnmap
               ? call->arguments[API_clEnqueueSVMUnmap_svm_ptr].bits
               : 0;
}

static void learn_made(struct needing *needing, const struct api_call *call, uint64_t kind,
                       uint64_t handle, const struct needed_kept *made)
{
    const bool is_found =
        kind < API_OBJECT_KIND_COUNT && api_entry_lists(call->entry, (enum api_object_kind)kind);
    struct needed_object *object = is_found ? needed_find(needing, kind, handle) : NULL;
    if (!handle)
        return;
    if (!object)
        object = needed_begin(needing, kind, handle);
    if (!object)
        return;
    object->is_found = is_found;
    name_all(needing, call, object);
    if (made->form == NEEDED_AS_MARKER) {
        needing->names.count = 0;
        needed_name(needing, needed_find(needing, API_OBJECT_QUEUE, needed_queue(call)), object);
    }
    if (call->entry == API_ENTRY_clCloneKernel)
        keep_state(needing, object, first_object(needing, call));
    needed_keep_last(needing, object, made);
}

static void learn_allocated(struct needing *needing, const struct api_call *call,
                            const struct needed_kept *made)
{
    learn_made(needing, call, OBJECT_ALLOCATION, call->result.bits, made);
    struct needed_object *object = needed_find(needing, OBJECT_ALLOCATION, call->result.bits);
    if (!object)
        return;
    object->size =
        call->arguments[api_entry_find_parameter(api_entry_get(call->entry), "size")].bits;
    ++needing->allocation_count;
}

/* Several maps may be at one address. */
static void learn_mapped(struct needing *needing, const struct api_call *call, uint64_t address)
{
    struct needed_object *map = needed_find(needing, OBJECT_MAP, address);
    struct needed_kept made = {
        .slot = mix(SLOT_MADE, call->id), .id = call->id, .form = NEEDED_WITHOUT_WAITS};
    if (map)
        ++map->references;
    else
        map = needed_begin(needing, OBJECT_MAP, address);
    if (!map)
        return;
    name_all(needing, call, map);
    needed_keep(needing, map, &made, needing->names.items, needing->names.count);
}

static void learn_outputs(struct needing *needing, const struct api_call *call)
{
    const struct api_entry_info *info = api_entry_get(call->entry);
    struct needed_kept made = {.slot = SLOT_MADE, .id = call->id, .form = NEEDED_AS_IS};
    if (info->return_role == API_ROLE_HANDLE && call->result.kind == API_VALUE_HANDLE)
        learn_made(needing, call, info->return_kind, call->result.bits, &made);
    if (allocates(call->entry))
        learn_allocated(needing, call, &made);
    if (mapped_by(call))
        learn_mapped(needing, call, mapped_by(call));
    for (uint32_t i = 0; i < info->parameter_count && i < call->argument_count; ++i) {
        const struct api_parameter *parameter = &info->parameters[i];
        const struct api_value *list = &call->arguments[i];
        if (parameter->role != API_ROLE_OUT_EVENT && parameter->role != API_ROLE_OUT_HANDLES)
            continue;
        made.form = info->flags & API_ENTRY_ENQUEUES ? NEEDED_AS_MARKER : NEEDED_AS_IS;
        for (uint32_t k = 0; list->kind == API_VALUE_HANDLES && list->data && k < list->count; ++k)
            learn_made(needing, call, parameter->kind, word_at(list, k), &made);
    }
}

/* The last of what is retained is what a release takes back. */
static void take_back(struct needing *needing, struct needed_object *object)
{
    for (size_t i = object->kept_count; i-- > 0;) {
        if (object->kept[i].slot != SLOT_RETAINED)
            continue;
        needed_forget(needing, object, i);
        return;
    }
}

/* What names it still needs to know that it was released. */
static void learn_released(struct needing *needing, struct needed_object *object,
                           const struct api_call *call)
{
    const struct needed_kept released = {
        .slot = SLOT_RELEASED, .id = call->id, .form = NEEDED_AS_IS};
    if (!object || object->is_found)
        return;
    if (--object->references) {
        take_back(needing, object);
        return;
    }
    needed_keep(needing, object, &released, NULL, 0);
    needed_end(needing, object);
}

static void learn_retained(struct needing *needing, struct needed_object *object,
                           const struct api_call *call)
{
    const struct needed_kept retained = {
        .slot = SLOT_RETAINED, .id = call->id, .form = NEEDED_AS_IS};
    if (!object || object->is_found)
        return;
    ++object->references;
    needed_keep(needing, object, &retained, NULL, 0);
}

static void learn_counts(struct needing *needing, const struct api_call *call)
{
    const struct api_parameter *first = api_entry_get(call->entry)->parameters;
    if (first->flags & API_PARAMETER_RETAINED)
        learn_retained(needing, first_object(needing, call), call);
    else if (first->flags & API_PARAMETER_RELEASED)
        learn_released(needing, first_object(needing, call), call);
}

/* Memory that a callback of the program's frees is alive until that callback's call. */
static void learn_freed(struct needing *needing, const struct api_call *call)
{
    const struct api_value *list = &call->arguments[API_clEnqueueSVMFree_svm_pointers];
    if (frees(call->entry))
        learn_released(needing,
                       needed_find(needing, OBJECT_ALLOCATION,
                                   call->arguments[API_clSVMFree_svm_pointer].bits),
                       call);
    if (call->entry != API_ENTRY_clEnqueueSVMFree || list->kind != API_VALUE_SIZES ||
        call->arguments[API_clEnqueueSVMFree_pfn_free_func].present)
        return;
    for (uint32_t i = 0; list->data && i < list->count; ++i)
        learn_released(needing, needed_find(needing, OBJECT_ALLOCATION, word_at(list, i)), call);
}

static void learn_unmapped(struct needing *needing, uint64_t address)
{
    struct needed_object *map = address ? needed_find(needing, OBJECT_MAP, address) : NULL;
    if (!map)
        return;
    if (--map->references == 0)
        needed_end(needing, map);
    else
        needed_forget(needing, map, 0);
}

static void learn_told(struct needing *needing, const struct api_call *call)
{
    struct needed_object *object = first_object(needing, call);
    if (!object)
        return;
    const struct needed_kept told = {.slot = slot_of(call), .id = call->id, .form = NEEDED_AS_IS};
    name_all(needing, call, object);
    if (api_entry_get(call->entry)->flags & API_ENTRY_RECORDS)
        for (size_t i = 0; i < needing->names.count; ++i)
            if (needing->names.items[i]->key.kind == API_OBJECT_KERNEL)
                keep_state(needing, object, needing->names.items[i]);
    needed_keep_last(needing, object, &told);
}

static bool makes(const struct api_entry_info *info, uint32_t entry)
{
    bool result = info->return_role == API_ROLE_HANDLE || allocates(entry) ||
                  entry == API_ENTRY_clEnqueueMapBuffer || entry == API_ENTRY_clEnqueueMapImage;
    for (uint32_t i = 0; i < info->parameter_count; ++i)
        result |= info->parameters[i].role == API_ROLE_OUT_EVENT ||
                  info->parameters[i].role == API_ROLE_OUT_HANDLES;
    return result;
}

static bool counts(const struct api_entry_info *info)
{
    return info->parameter_count &&
           info->parameters[0].flags & (API_PARAMETER_RETAINED | API_PARAMETER_RELEASED);
}

static bool can_be_needed(uint32_t entry)
{
    const struct api_entry_info *info = api_entry_get(entry);
    return makes(info, entry) || counts(info) || frees(entry) || tells(entry) ||
           entry == API_ENTRY_clEnqueueSVMFree;
}

/* Of most commands nothing but an event is. */
bool needed_perhaps(const struct api_call *call)
{
    const struct api_entry_info *info = api_entry_get(call->entry);
    const struct api_value *event = api_call_argument(call, API_ROLE_OUT_EVENT);
    const bool is_more = info->return_role != API_ROLE_STATUS ||
                         call->entry == API_ENTRY_clEnqueueSVMMap ||
                         call->entry == API_ENTRY_clEnqueueSVMUnmap ||
                         call->entry == API_ENTRY_clEnqueueUnmapMemObject ||
                         call->entry == API_ENTRY_clEnqueueSVMFree;
    return can_be_needed(call->entry) &&
           (is_more || !(info->flags & API_ENTRY_ENQUEUES) || (event && event->present));
}

static void learn(struct needing *needing, const struct api_call *call)
{
    const struct api_entry_info *info = api_entry_get(call->entry);
    if (!(call->flags & API_CALL_COMPLETED) || store_call_failed(call))
        return;
    if (counts(info)) {
        learn_counts(needing, call);
        return;
    }
    learn_freed(needing, call);
    learn_unmapped(needing, unmapped_by(call));
    learn_outputs(needing, call);
    if (tells(call->entry) && info->return_role != API_ROLE_HANDLE)
        learn_told(needing, call);
}

/* ---- all calls ---- */

static enum status prepare(sqlite3 *database, const char *path, uint64_t last,
                           sqlite3_stmt **statement, struct error *error)
{
    struct text query = TEXT_INIT;
    bool any = false;
    text_append(&query, "SELECT id, thread, begin_ns, end_ns, flags, entry, record FROM call"
                        " WHERE id <= ?1 AND entry IN (");
    for (uint32_t entry = 1; entry < API_ENTRY_COUNT; ++entry) {
        if (!can_be_needed(entry))
            continue;
        text_format(&query, "%s%u", any ? "," : "", entry);
        any = true;
    }
    text_format(&query, ") AND NOT flags & %d ORDER BY ", API_CALL_BLOCKED);
    call_order_print(&query);
    const enum status status = query.failed
                                   ? error_no_memory(error, query.size)
                                   : store_prepare(database, path, query.bytes, statement, error);
    text_release(&query);
    if (!status)
        sqlite3_bind_int64(*statement, 1, (sqlite3_int64)last);
    return status;
}

static enum status walk(struct needing *needing, sqlite3 *database, const char *path,
                        sqlite3_stmt *statement, struct error *error)
{
    struct arena arena = {0};
    enum status status = STATUS_OK;
    int code = SQLITE_ROW;
    while (!status && (code = sqlite3_step(statement)) == SQLITE_ROW) {
        struct api_call call;
        arena_reset(&arena);
        status = store_decode_call(statement, &arena, &call, error);
        if (status)
            error_prefix(error, "call %lld", (long long)sqlite3_column_int64(statement, 0));
        else
            learn(needing, &call);
        if (!status && needing->failed)
            status = error_no_memory(error, sizeof(struct needed_object));
    }
    if (!status && code != SQLITE_DONE)
        status = store_failure(database, path, error);
    arena_release(&arena);
    return status;
}

enum status needed_calls(sqlite3 *database, const char *path, uint64_t last, struct arena *arena,
                         struct needed_call **calls, size_t *count, struct error *error)
{
    struct needing needing = {0};
    sqlite3_stmt *statement = NULL;
    enum status status = prepare(database, path, last, &statement, error);
    if (!status)
        status = walk(&needing, database, path, statement, error);
    if (!status && !(*calls = needed_collect(&needing, arena, count)))
        status = error_no_memory(error, sizeof **calls);
    sqlite3_finalize(statement);
    needed_release(&needing);
    return status;
}
