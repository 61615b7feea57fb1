/* Shared virtual memory. An allocation of the recording stands for one of the target's, which lies
 * elsewhere, so that addresses within it are translated: those that calls are given, and those in
 * the bytes that the program hands to devices. Nobody can tell a pointer in memory from another
 * number. What counts as one is a word of eight bytes, aligned in the program's memory, whose value
 * lies within an allocation that was alive at the call: numbers of other meanings do not lie there
 * by chance, since the upper half of such an address is in use by nothing else. On the way back,
 * in bytes that are compared, the target's addresses become those of the recording. */
#include "replay/state.h"
#include "trace/base/alloc.h"
#include "trace/base/assert.h"

#include <inttypes.h>
#include <string.h>

static void free_here(const struct replay *replay, const struct replay_shared *shared)
{
    const uint32_t entry =
        shared->allocator == API_ENTRY_clSVMAlloc ? API_ENTRY_clSVMFree : API_ENTRY_clMemFreeINTEL;
    const uint64_t words[API_ARGUMENT_MAX] = {[API_clSVMFree_context] = shared->context,
                                              [API_clSVMFree_svm_pointer] =
                                                  (uintptr_t)shared->pointer};
    if (replay->target->functions[entry])
        api_perform(entry, replay->target->functions[entry], words);
}
_Static_assert((int)API_clSVMFree_context == (int)API_clMemFreeINTEL_context &&
                   (int)API_clSVMFree_svm_pointer == (int)API_clMemFreeINTEL_ptr,
               "frees are alike");

bool replay_allocates(uint32_t entry)
{
    return entry == API_ENTRY_clSVMAlloc || entry == API_ENTRY_clHostMemAllocINTEL ||
           entry == API_ENTRY_clDeviceMemAllocINTEL || entry == API_ENTRY_clSharedMemAllocINTEL;
}

static bool is_of_host(const struct api_call *call)
{
    return call->entry == API_ENTRY_clSVMAlloc
               ? call->arguments[API_clSVMAlloc_flags].bits & CL_MEM_SVM_FINE_GRAIN_BUFFER
               : call->entry != API_ENTRY_clDeviceMemAllocINTEL;
}

enum status replay_shared_add(struct replay *replay, const struct replay_prepared *prepared,
                              uint64_t result, struct error *error)
{
    const struct api_call *call = prepared->call;
    const uint32_t size = api_entry_find_parameter(prepared->info, "size");
    const struct replay_shared shared = {.address = call->result.bits,
                                         .size = call->arguments[size].bits,
                                         .context = prepared->words[API_clSVMAlloc_context],
                                         .allocator = call->entry,
                                         .is_of_host = is_of_host(call),
                                         .pointer = (unsigned char *)(uintptr_t)result};
    if (!shared.address || !result) {
        if (result)
            free_here(replay, &shared);
        return shared.address ? replay_fail(call, STATUS_UNSUPPORTED, error,
                                            "the target gives no shared virtual memory of %" PRIu64
                                            " bytes with these flags",
                                            shared.size)
                              : STATUS_OK;
    }
    void *grown = alloc_grow(replay->shared, replay->shared_count, &replay->shared_capacity,
                             sizeof *replay->shared);
    if (!grown)
        return error_no_memory(error, sizeof *replay->shared);
    replay->shared = grown;
    replay->shared[replay->shared_count++] = shared;
    replay->shared_moved |= shared.address != result;
    replay->shared_is_of_host |= shared.is_of_host;
    return STATUS_OK;
}

struct replay_shared *replay_shared_find(const struct replay *replay, uint64_t address)
{
    for (size_t i = replay->shared_count; i-- > 0;)
        if (!replay->shared[i].is_freed &&
            address - replay->shared[i].address < replay->shared[i].size)
            return &replay->shared[i];
    return NULL;
}

void *replay_shared_here(const struct replay_shared *shared, uint64_t address)
{
    ASSERT(address - shared->address < shared->size);
    return shared->pointer + (address - shared->address);
}

void replay_shared_freed(const struct replay *replay, uint64_t address)
{
    struct replay_shared *shared = replay_shared_find(replay, address);
    if (shared)
        shared->is_freed = true;
}

void replay_shared_release(struct replay *replay)
{
    for (size_t i = 0; i < replay->shared_count; ++i) {
        if (!replay->shared[i].is_freed)
            free_here(replay, &replay->shared[i]);
        alloc_free(replay->shared[i].before);
    }
    alloc_free(replay->shared);
}

/* ---- pointers in memory ---- */

static bool point_here(const struct replay *replay, uint64_t *word)
{
    const struct replay_shared *shared = replay_shared_find(replay, *word);
    if (shared)
        *word = (uintptr_t)replay_shared_here(shared, *word);
    return shared != NULL;
}

static bool point_back(const struct replay *replay, uint64_t *word)
{
    for (size_t i = replay->shared_count; i-- > 0;) {
        const struct replay_shared *shared = &replay->shared[i];
        const uint64_t offset = *word - (uintptr_t)shared->pointer;
        if (offset < shared->size) {
            *word = shared->address + offset;
            return true;
        }
    }
    return false;
}

static void translate(const struct replay *replay, unsigned char *bytes, uint64_t size,
                      uint64_t address, bool (*point)(const struct replay *, uint64_t *))
{
    uint64_t word;
    if (!replay->shared_moved)
        return;
    for (uint64_t at = -address % sizeof word; at < size && size - at >= sizeof word;
         at += sizeof word) {
        memcpy(&word, bytes + at, sizeof word);
        if (point(replay, &word))
            memcpy(bytes + at, &word, sizeof word);
    }
}

void replay_shared_point_here(const struct replay *replay, void *bytes, uint64_t size,
                              uint64_t address)
{
    translate(replay, bytes, size, address, point_here);
}

void replay_shared_point_back(const struct replay *replay, void *bytes, uint64_t size,
                              uint64_t address)
{
    translate(replay, bytes, size, address, point_back);
}
