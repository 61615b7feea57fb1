/* The validator decides; where it refuses, the repairs are tried, and it is asked again. */
#include "reference/compiler/take.h"

#include "reference/compiler/repairs.h"
#include "reference/spirv/debug_info.h"
#include "trace/base/alloc.h"

static bool is_valid(const uint8_t *spirv, size_t size)
{
    struct text ignored = TEXT_INIT;
    const bool valid = validate_spirv(spirv, size, &ignored) == STATUS_OK;
    text_release(&ignored);
    return valid;
}

/* Is it valid once it is repaired? Of debug information, which nothing here reads, it need not be.
 */
static bool repair(uint8_t **spirv, size_t *size)
{
    *size = debug_info_strip(*spirv, *size);
    if (is_valid(*spirv, *size))
        return true;
    return repair_private(spirv, size) == STATUS_OK && repair_il(spirv, size) == STATUS_OK &&
           is_valid(*spirv, *size);
}

static enum status check(uint8_t **spirv, size_t *size, struct text *log)
{
    struct text complaint = TEXT_INIT;
    enum status status = validate_spirv(*spirv, *size, &complaint);
    if (status == STATUS_MALFORMED && repair(spirv, size)) {
        text_append(log, "note: this is not valid SPIR-V, which other devices may refuse; "
                         "it is taken as llvm-spirv means it\n");
        text_format(log, "note: the validator's %s", complaint.bytes);
        status = STATUS_OK;
    } else {
        text_append_n(log, complaint.bytes, complaint.size);
    }
    text_release(&complaint);
    return status;
}

enum status take_spirv(const struct take_request *request, struct text *log, uint8_t **spirv,
                       size_t *size)
{
    size_t taken_size = request->size;
    uint8_t *taken = validate_specialise(request->bytes, request->size, request->constants,
                                         request->constant_count);
    if (!taken) {
        text_append(log, "error: out of memory\n");
        return STATUS_NO_MEMORY;
    }
    const enum status status = check(&taken, &taken_size, log);
    if (status == STATUS_OK) {
        *spirv = taken;
        *size = taken_size;
    } else {
        alloc_free(taken);
    }
    return status;
}
