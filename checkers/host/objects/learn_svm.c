/* What is learned of shared virtual memory, unified too: where it is, and where it is mapped.
 *
 * An allocation ends for us when the call that ends it begins: before that call returns, another
 * thread may have been given the address again. Where a command ends it, a function of the
 * program's own may do so, which the driver may call before it returns from the enqueuing call:
 * then that function's own calls tell. */
#include "checkers/host/objects/teaching_call.h"

void learn_allocation(const struct lesson *lesson)
{
    const bool unified = lesson->call->entry != API_ENTRY_clSVMAlloc;
    const struct svm_range range = {.address = lesson->call->result.bits,
                                    .size = lesson_number(lesson, "size"),
                                    .flags = unified ? 0 : lesson_number(lesson, "flags"),
                                    .context = lesson_number(lesson, "context"),
                                    .unified = unified,
                                    .created = {.call_id = lesson->call->id,
                                                .entry = lesson->call->entry,
                                                .stack = checker_stack(lesson->checker)}};
    svm_add(lesson->checker->svm, &range);
}

void learn_svm_map(const struct lesson *lesson)
{
    svm_map(lesson->checker->svm, lesson->call->arguments[API_clEnqueueSVMMap_svm_ptr].bits);
}

void learn_svm_unmap(const struct lesson *lesson)
{
    svm_unmap(lesson->checker->svm, lesson->call->arguments[API_clEnqueueSVMUnmap_svm_ptr].bits);
}

/* ---- the end of allocations ---- */

_Static_assert((int)API_clSVMFree_svm_pointer == (int)API_clMemFreeINTEL_ptr &&
                   (int)API_clSVMFree_svm_pointer == (int)API_clMemBlockingFreeINTEL_ptr,
               "they have the pointer in the same place");

bool ends_svm(uint32_t entry)
{
    return entry == API_ENTRY_clSVMFree || entry == API_ENTRY_clEnqueueSVMFree ||
           entry == API_ENTRY_clMemFreeINTEL || entry == API_ENTRY_clMemBlockingFreeINTEL;
}

/* Does a function of the program's free what the call names, once a command runs? */
static bool is_handed(const struct api_call *call)
{
    return call->entry == API_ENTRY_clEnqueueSVMFree &&
           call->arguments[API_clEnqueueSVMFree_pfn_free_func].bits != 0;
}

bool freed_address(const struct api_call *call, uint32_t index, uint64_t *address)
{
    const struct api_value *list = &call->arguments[API_clEnqueueSVMFree_svm_pointers];
    if (call->entry != API_ENTRY_clEnqueueSVMFree) {
        *address = call->arguments[API_clSVMFree_svm_pointer].bits;
        return index == 0;
    }
    if (index >= list_count(list, API_VALUE_SIZES))
        return false;
    *address = list_word(list, index);
    return true;
}

void learn_svm_ending(struct host_checker *checker, const struct api_call *call)
{
    uint64_t address;
    for (uint32_t i = 0; freed_address(call, i, &address); ++i)
        if (is_handed(call))
            svm_hand(checker->svm, address);
        else
            svm_end(checker->svm, address, call->id);
}

void learn_svm_ended(struct host_checker *checker, const struct api_call *call, bool succeeded)
{
    uint64_t address;
    for (uint32_t i = 0; freed_address(call, i, &address); ++i)
        svm_settle(checker->svm, address, call->id,
                   !succeeded                                  ? SVM_STAYS
                   : call->entry == API_ENTRY_clEnqueueSVMFree ? SVM_ENDED_BY_COMMAND
                                                               : SVM_FREED);
}
