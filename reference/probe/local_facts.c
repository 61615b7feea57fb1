#include "reference/probe/local_facts.h"

#include <string.h>

bool copy_apart(const struct apart *from, struct arena *arena, struct apart *to)
{
    struct apart_form *forms = arena_alloc(arena, from->form_count + 1, sizeof *forms);
    for (size_t f = 0; forms && f < from->form_count; f++) {
        const struct apart_form *form = &from->forms[f];
        forms[f] = *form;
        forms[f].terms = arena_alloc(arena, form->term_count + 1, sizeof *form->terms);
        if (!forms[f].terms)
            return false;
        if (form->term_count > 0)
            memcpy(forms[f].terms, form->terms, form->term_count * sizeof *form->terms);
    }
    *to = *from;
    to->forms = forms;
    return forms != NULL;
}

/* A kernel that this one calls may have another one of the name. */
static bool is_alone(const struct vm_code *code, const char *name)
{
    uint32_t count = 0;
    for (uint32_t v = 0; v < code->variable_count; v++)
        count += code->variables[v].region == VM_VARIABLE_LOCAL &&
                 strcmp(code->variables[v].name, name) == 0;
    return count == 1;
}

bool facts_of_locals(const struct vm_code *code, struct arena *arena, struct fact_kernel *kernel)
{
    kernel->locals = arena_alloc(arena, (size_t)code->variable_count + 1, sizeof *kernel->locals);
    for (uint32_t v = 0; kernel->locals && v < code->variable_count; v++) {
        const struct vm_variable *variable = &code->variables[v];
        if (variable->region != VM_VARIABLE_LOCAL || !variable->apart.is_known ||
            !is_alone(code, variable->name))
            continue;
        struct fact_local *local = &kernel->locals[kernel->local_count++];
        local->size = variable->size;
        local->name = arena_string(arena, variable->name);
        if (!local->name || !copy_apart(&variable->apart, arena, &local->apart))
            return false;
    }
    return kernel->locals != NULL;
}
