#include "tests/unit/probe/forms.h"

#include "reference/probe/answer.h"

#include <CL/cl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

bool forms_of_parts(const struct request_part *parts, size_t count, struct facts *facts)
{
    const struct request request = {.device = {.extensions = "cl_khr_fp64 cl_khr_fp16",
                                               .version = 300,
                                               .address_bits = 64,
                                               .has_images = true,
                                               .is_little_endian = true,
                                               .is_alone = true,
                                               .macros = ""},
                                    .is_linked = count > 1,
                                    .parts = (struct request_part *)(uintptr_t)parts,
                                    .part_count = count};
    struct error error;
    return answer_request(&request, facts, &error) == STATUS_OK;
}

void forms_of_source(const char *source, const char *options, struct facts *facts)
{
    const struct request_part part = {.bytes = source, .size = strlen(source), .options = options};
    if (!forms_of_parts(&part, 1, facts))
        fail_msg("it cannot be compiled:\n%s", source);
}

static void print_term(const struct apart_term *term, struct text *text)
{
    text_format(text, "%lld", (long long)term->scale);
    text_format(text, "*%c%u", "glwp"[term->id], term -> dimension);
    for (uint32_t f = 0; f < term->factor_count; f++)
        text_format(text, "*%c%u", term->factors[f].is_signed ? 's' : "aGLW"[term->factors[f].kind],
                    term -> factors[f].number);
}

static void print_form(const struct apart_form *form, struct text *text)
{
    for (size_t t = 0; t < form->term_count; t++) {
        text_append(text, t == 0 ? "" : " + ");
        print_term(&form->terms[t], text);
    }
    text_format(text, "%s%llu bytes, modulo 2^%u", form->term_count > 0 ? ", " : "0, ",
                (unsigned long long)form->span, form->bits);
    for (uint32_t d = 0; d < 3; d++) {
        if ((form->one_global >> d & 1) != 0)
            text_format(text, ", one g%u", d);
        if ((form->one_local >> d & 1) != 0)
            text_format(text, ", one l%u", d);
    }
}

static void print_apart(const char *name, const struct apart *apart, struct text *text)
{
    text_format(text, "%s: %s", name,
                !apart->is_known         ? "unknown"
                : apart->form_count == 0 ? "apart"
                                         : "");
    for (size_t f = 0; f < apart->form_count; f++) {
        text_append(text, f == 0 ? "" : "; ");
        print_form(&apart->forms[f], text);
    }
    text_append(text, "\n");
}

void forms_print(const struct fact_kernel *kernel, struct text *text)
{
    for (size_t i = 0; i < kernel->argument_count; i++) {
        const struct fact_argument *argument = &kernel->arguments[i];
        if (argument->address == CL_KERNEL_ARG_ADDRESS_GLOBAL ||
            argument->address == CL_KERNEL_ARG_ADDRESS_LOCAL)
            print_apart(argument->name, &argument->apart, text);
    }
    for (size_t i = 0; i < kernel->local_count; i++)
        print_apart(kernel->locals[i].name, &kernel->locals[i].apart, text);
}

bool forms_hold(const struct fact_kernel *kernel, const char *name,
                const struct apart_launch *launch)
{
    for (size_t i = 0; i < kernel->argument_count; i++) {
        const struct fact_argument *argument = &kernel->arguments[i];
        if (strcmp(argument->name, name) == 0)
            return apart_holds(&argument->apart, launch,
                               argument->address == CL_KERNEL_ARG_ADDRESS_LOCAL);
    }
    for (size_t i = 0; i < kernel->local_count; i++) {
        if (strcmp(kernel->locals[i].name, name) == 0)
            return apart_holds(&kernel->locals[i].apart, launch, true);
    }
    return false;
}

bool forms_fill(const struct fact_kernel *kernel, const char *name,
                const struct apart_launch *launch)
{
    for (size_t i = 0; i < kernel->local_count; i++) {
        if (strcmp(kernel->locals[i].name, name) == 0)
            return apart_fills(&kernel->locals[i].apart, launch, kernel->locals[i].size);
    }
    return false;
}
