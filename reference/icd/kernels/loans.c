#include "reference/icd/kernels/loans.h"

#include "reference/vm/code.h"
#include "reference/vm/memory.h"
#include "trace/base/alloc.h"

#include <string.h>

struct loans {
    struct vm_memory *memory;
    struct sched_argument *arguments;
    uint32_t *numbers; /* of loans, by the first argument that each is for; 0 = none */
    uint32_t count;    /* of arguments */
};

static struct observer_keeper keeper_of(const struct vm_code *code,
                                        const struct vm_parameter *parameter, const char *launch)
{
    const struct vm_place *place = &code->places[parameter->stored_place];
    struct observer_keeper keeper = {.launch = launch, .at_others = parameter->is_stored_again};
    if (parameter->stored_place == 0)
        return keeper;
    keeper.at = (struct observer_frame){.function = place->function,
                                        .file = place->file,
                                        .line = place->line,
                                        .column = place->column};
    if (code->source_line && place->line)
        keeper.at.source = code->source_line(code->program, place->file, place->line);
    return keeper;
}

/* Shared virtual memory has addresses that last; what is gone is told where it is used. */
static bool can_be_lent(const struct sched_launch *launch, uint32_t index)
{
    const struct vm_object *object =
        vm_memory_find(launch->memory, launch->arguments[index].object);
    return launch->code->parameters[index].is_stored && object && !object->freed &&
           !object->root->freed && object->root->identity.svm == OBSERVER_SVM_NONE;
}

/* All arguments that lead to the object know it by one number, so that their pointers are equal. */
static void lend(struct loans *loans, const struct sched_launch *launch, uint32_t index,
                 const char *text)
{
    const uint32_t object = launch->arguments[index].object;
    const struct observer_keeper keeper =
        keeper_of(launch->code, &launch->code->parameters[index], text);
    if (vm_memory_lend_object(loans->memory, object, &keeper, &loans->numbers[index], NULL) !=
        STATUS_OK)
        return;
    for (uint32_t i = 0; i < loans->count; i++) {
        if (launch->arguments[i].object == object)
            loans->arguments[i].object = loans->numbers[index];
    }
}

static void lend_all(struct loans *loans, const struct sched_launch *launch)
{
    char *text = sched_describe(launch);
    for (uint32_t i = 0; i < loans->count && text; i++) {
        if (loans->arguments[i].object == launch->arguments[i].object && can_be_lent(launch, i))
            lend(loans, launch, i, text);
    }
    alloc_free(text);
}

struct loans *loans_begin(struct sched_launch *launch)
{
    const uint32_t count = launch->code->parameter_count;
    bool stores = false;
    for (uint32_t i = 0; i < count; i++)
        stores |= can_be_lent(launch, i);
    struct loans *loans = stores ? alloc_zero(1, sizeof(*loans)) : NULL;
    if (!loans)
        return NULL;
    loans->memory = launch->memory;
    loans->count = count;
    loans->arguments = alloc(count * sizeof(*loans->arguments));
    loans->numbers = alloc_zero(count, sizeof(*loans->numbers));
    if (!loans->arguments || !loans->numbers) {
        loans_end(loans);
        return NULL;
    }
    memcpy(loans->arguments, launch->arguments, count * sizeof(*loans->arguments));
    lend_all(loans, launch);
    launch->arguments = loans->arguments;
    return loans;
}

void loans_end(struct loans *loans)
{
    if (!loans)
        return;
    for (uint32_t i = 0; i < loans->count && loans->numbers; i++) {
        if (loans->numbers[i] != 0)
            vm_memory_free_object(loans->memory, loans->numbers[i]);
    }
    alloc_free(loans->arguments);
    alloc_free(loans->numbers);
    alloc_free(loans);
}
