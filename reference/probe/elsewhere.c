#include "reference/probe/elsewhere.h"

#include "checkers/probe/macros.h"

bool elsewhere_may_be(const struct request_part *part)
{
    struct request_part own = *part;
    const struct request request = {.parts = &own, .part_count = 1};
    return macros_may_be_elsewhere(&request);
}

enum status elsewhere_check(const struct request_device *device, const struct request_part *part,
                            const struct text *all, struct arena *arena, struct error *error)
{
    struct macro_use *uses;
    size_t count;
    struct request_part whole = *part;
    whole.bytes = all->bytes;
    whole.size = all->size;
    const struct request request = {.device = *device, .parts = &whole, .part_count = 1};
    if (!macros_of(&request, arena, &uses, &count))
        return error_no_memory(error, all->size);
    const char *name = macros_unsettled(&request, uses, count);
    if (name)
        return error_set(error, STATUS_UNSUPPORTED,
                         "the program asks for the macro %s, which may be the compiler's", name);
    return STATUS_OK;
}
