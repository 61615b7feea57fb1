/* Shared virtual memory. It may hold pointers to itself, which nobody can tell from other numbers,
 * so a recording replays only where allocations get the addresses that they had: the reference
 * device gives the same ones in every run. Addresses then stand for themselves. */
#include "replay/state.h"
#include "trace/base/alloc.h"

#include <inttypes.h>

enum status replay_shared_add(struct replay *replay, const struct replay_prepared *prepared,
                              uint64_t address, struct error *error)
{
    const struct api_call *call = prepared->call;
    if (address != call->result.bits) {
        if (address)
            CL(replay->target, clSVMFree)
        ((cl_context)(uintptr_t)prepared->words[0], (void *)(uintptr_t)address);
        return replay_fail(call, STATUS_UNSUPPORTED, error,
                           "shared virtual memory that lay at 0x%" PRIx64 " in the recording lies "
                           "at 0x%" PRIx64 " here, and pointers in it would lead nowhere",
                           call->result.bits, address);
    }
    void *grown = alloc_grow(replay->shared, replay->shared_count, &replay->shared_capacity,
                             sizeof *replay->shared);
    if (!grown)
        return error_no_memory(error, sizeof *replay->shared);
    replay->shared = grown;
    replay->shared[replay->shared_count++] = (struct replay_shared){
        .address = address, .size = call->arguments[API_clSVMAlloc_size].bits};
    return STATUS_OK;
}

const struct replay_shared *replay_shared_find(const struct replay *replay, uint64_t address)
{
    for (size_t i = replay->shared_count; i-- > 0;) {
        if (address - replay->shared[i].address < replay->shared[i].size)
            return &replay->shared[i];
    }
    return NULL;
}
