/* The validator decides; where it refuses, the repairs are tried, and it is asked again. */
#include "reference/compiler/take.h"

#include "reference/compiler/repairs.h"
#include "reference/spirv/debug_info.h"
#include "trace/base/alloc.h"

#include <string.h>

static bool is_valid(const uint8_t *spirv, size_t size)
{
    struct text ignored = TEXT_INIT;
    const bool valid = validate_spirv(spirv, size, &ignored) == STATUS_OK;
    text_release(&ignored);
    return valid;
}

static bool put_right(uint8_t **spirv, size_t *size)
{
    return repair_private(spirv, size) == STATUS_OK && repair_il(spirv, size) == STATUS_OK;
}

/* Is it valid once it is repaired? Of debug information, which nothing here reads, it need not be.
 */
static bool repair(uint8_t **spirv, size_t *size)
{
    *size = debug_info_strip(*spirv, *size);
    if (is_valid(*spirv, *size))
        return true;
    return put_right(spirv, size) && is_valid(*spirv, *size);
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

/* ---- for debugging ---- */

/* Is this the module, but for debugging instructions? */
static bool is_same(const uint8_t *debug, size_t debug_size, const uint8_t *spirv, size_t size)
{
    uint8_t *copy = alloc(debug_size);
    if (!copy)
        return false;
    memcpy(copy, debug, debug_size);
    const bool same = debug_info_strip(copy, debug_size) == size && memcmp(copy, spirv, size) == 0;
    alloc_free(copy);
    return same;
}

uint8_t *take_debug_info(const struct take_request *request, uint8_t *spirv, size_t *size,
                         size_t *debug_size)
{
    uint8_t *debug = validate_specialise(request->bytes, request->size, request->constants,
                                         request->constant_count);
    if (!debug)
        return NULL;
    *debug_size = request->size;
    *size = debug_info_strip(spirv, *size);
    if (is_same(debug, *debug_size, spirv, *size) ||
        (put_right(&debug, debug_size) && is_same(debug, *debug_size, spirv, *size)))
        return debug;
    alloc_free(debug);
    return NULL;
}
