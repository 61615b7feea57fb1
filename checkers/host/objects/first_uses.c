/* What the program calls its memory objects: drivers give them numbers, but the kernels that they
 * are handed to have names for their arguments, if the driver, or the kernel's own text, tells
 * them. The first kernel that is launched with an object names it for good, since messages about it
 * may come when the kernel is gone. */
#include "checkers/host/checker.h"

#include <stdio.h>

static void print_first_use(struct host_checker *checker, uint64_t kernel, const char *argument,
                            char first_use[OBJECT_FIRST_USE_SIZE])
{
    struct object_facts facts;
    if (object_describe(checker->objects, kernel, &facts) && facts.detail[0])
        snprintf(first_use, OBJECT_FIRST_USE_SIZE, "'%s' of kernel %s", argument, facts.detail);
    else
        snprintf(first_use, OBJECT_FIRST_USE_SIZE, "'%s' of %s", argument,
                 object_name(checker->objects, kernel));
}

void learn_first_uses(struct host_checker *checker, uint64_t kernel)
{
    const struct kernel_traits *traits = object_usable_kernel(checker->objects, kernel);
    const uint32_t count = traits ? kernel_argument_count(traits) : 0;
    for (uint32_t i = 0; i < count; ++i) {
        const struct argument_traits *argument = &traits->arguments[i];
        char first_use[OBJECT_FIRST_USE_SIZE];
        if (!argument->set || !argument->name_known || argument->svm ||
            !argument_takes_object(argument_kind(argument)) ||
            !object_lacks_first_use(checker->objects, argument->value))
            continue;
        print_first_use(checker, kernel, argument->name, first_use);
        object_give_first_use(checker->objects, argument->value, first_use);
    }
}
