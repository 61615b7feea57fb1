#include "trace/base/visible.h"
#include "viewer-cli/kernel/cmd_kernel.h"

#include <stdio.h>
#include <string.h>

/* "image2d_t" to "image2d:rgba:float[64x64]=0"; depth images have their type's name alone. */
static void print_image_example(const char *type_name, struct text *text)
{
    const bool depth = strstr(type_name, "depth") != NULL;
    const bool array = strstr(type_name, "array") != NULL;
    const char dimensions = type_name[strlen("image")];
    const bool three = dimensions == '3' || (dimensions == '2' && array);
    text_format(text, " -a 'image%cd%s:%s:float[64%s%s]=0'", dimensions, array ? "_array" : "",
                depth ? "depth" : "rgba", dimensions != '1' || array ? "x64" : "",
                three ? "x8" : "");
}

/* An -a that would do for the parameter. */
static void print_example(const struct kernel_match *match,
                          const struct kernel_parameter *parameter, struct text *text)
{
    const size_t length = strcspn(parameter->type_name, "*");
    const struct kernel_type type = kernel_type_parse(parameter->type_name, length);
    const int known = type.scalar != NULL ? (int)length : 3;
    const char *const name = type.scalar != NULL ? parameter->type_name : "int";
    switch (parameter->kind) {
    case KERNEL_PARAMETER_LOCAL:
        text_format(text, " -a local:%.*s[%zu]", known, name,
                    match->range->has_local ? match->range->local[0] : 64);
        break;
    case KERNEL_PARAMETER_VALUE:
        text_format(text, " -a %.*s=1", known, name);
        break;
    case KERNEL_PARAMETER_IMAGE:
        print_image_example(parameter->type_name, text);
        break;
    case KERNEL_PARAMETER_SAMPLER:
        text_append(text, " -a sampler:clamp_to_edge,nearest");
        break;
    case KERNEL_PARAMETER_PIPE:
        text_format(text, " -a 'pipe:%.*s[%zu]=iota'", known, name,
                    match->global != NULL ? match->range->global[0] : 64);
        break;
    default:
        text_format(text, " -a 'buf:%.*s[%zu]=iota'", known, name,
                    match->global != NULL ? match->range->global[0] : 64);
        break;
    }
}

static const char *kind_name(enum kernel_parameter_kind kind)
{
    switch (kind) {
    case KERNEL_PARAMETER_BUFFER:
        return "a buffer (buf:TYPE[N]=INIT)";
    case KERNEL_PARAMETER_LOCAL:
        return "local memory (local:TYPE[N])";
    case KERNEL_PARAMETER_IMAGE:
        return "an image (image2d:ORDER:CHANNEL[WxH]=INIT)";
    case KERNEL_PARAMETER_SAMPLER:
        return "a sampler (sampler:WORD,...)";
    case KERNEL_PARAMETER_PIPE:
        return "a pipe (pipe:TYPE[N] or, full, pipe:TYPE[N]=INIT)";
    default:
        return "a value (TYPE=V)";
    }
}

void kernel_match_show(const struct kernel_match *match)
{
    struct text text = TEXT_INIT;
    const size_t count = kernel_host_parameter_count(match->host);
    text_format(&text, "kernel '%s' has %zu argument%s:\n", match->kernel, count,
                count == 1 ? "" : "s");
    for (size_t i = 0; i < count; i++) {
        const struct kernel_parameter *parameter = kernel_host_parameter(match->host, i);
        const bool named = *parameter->type_name != '\0';
        text_format(&text, "  %zu  ", i);
        if (named) {
            text_format(&text, "%s %s, ", parameter->type_name, parameter->name);
        }
        if (parameter->kind == KERNEL_PARAMETER_UNKNOWN) {
            text_append(&text, "of which the program does not tell more");
        } else {
            text_append(&text, kind_name(parameter->kind));
        }
        text_append_char(&text, '\n');
    }
    text_append(&text, "for example:\n  clerk kernel ");
    text_append_shell(&text, match->path);
    text_append(&text, " -k ");
    text_append_shell(&text, match->kernel);
    text_format(&text, " -g %s", match->global != NULL ? match->global : "64");
    if (match->range->has_local) {
        text_format(&text, " -l %s", match->local);
    }
    for (size_t i = 0; i < count; i++) {
        print_example(match, kernel_host_parameter(match->host, i), &text);
    }
    text_append_char(&text, '\n');
    visible_print(stderr, text.bytes, text.size);
    text_release(&text);
}

static bool kind_matches(enum kernel_parameter_kind wanted, enum kernel_argument_kind given)
{
    switch (wanted) {
    case KERNEL_PARAMETER_BUFFER:
        return given == KERNEL_ARGUMENT_BUFFER;
    case KERNEL_PARAMETER_LOCAL:
        return given == KERNEL_ARGUMENT_LOCAL;
    case KERNEL_PARAMETER_VALUE:
        return given == KERNEL_ARGUMENT_VALUE;
    case KERNEL_PARAMETER_IMAGE:
        return given == KERNEL_ARGUMENT_IMAGE;
    case KERNEL_PARAMETER_SAMPLER:
        return given == KERNEL_ARGUMENT_SAMPLER;
    case KERNEL_PARAMETER_PIPE:
        return given == KERNEL_ARGUMENT_PIPE;
    default:
        return true; /* clSetKernelArg will say */
    }
}

static enum status check_argument(const struct kernel_match *match, size_t index,
                                  struct error *error)
{
    const struct kernel_parameter *parameter = kernel_host_parameter(match->host, index);
    const struct kernel_argument *argument = &match->arguments[index];
    if (!kind_matches(parameter->kind, argument->kind)) {
        return error_set(error, STATUS_INVALID, "argument %zu ('%s', %s) is %s, and -a %s is not",
                         index, parameter->name, parameter->type_name, kind_name(parameter->kind),
                         argument->text);
    }
    if (parameter->kind != KERNEL_PARAMETER_VALUE) {
        return STATUS_OK;
    }
    const struct kernel_type type =
        kernel_type_parse(parameter->type_name, strlen(parameter->type_name));
    const bool same =
        type.scalar == argument->type.scalar && type.components == argument->type.components;
    if (type.scalar != NULL && !same) {
        return error_set(error, STATUS_INVALID,
                         "argument %zu ('%s') is of type %s, and -a %s is not", index,
                         parameter->name, parameter->type_name, argument->text);
    }
    return STATUS_OK;
}

enum status kernel_match_arguments(const struct kernel_match *match, struct error *error)
{
    const size_t wanted = kernel_host_parameter_count(match->host);
    if (match->argument_count != wanted) {
        kernel_match_show(match);
        return error_set(error, STATUS_INVALID, "%zu argument%s given where kernel '%s' has %zu",
                         match->argument_count, match->argument_count == 1 ? "" : "s",
                         match->kernel, wanted);
    }
    for (size_t i = 0; i < wanted; i++) {
        const enum status status = check_argument(match, i, error);
        if (status != STATUS_OK) {
            kernel_match_show(match);
            return status;
        }
    }
    return STATUS_OK;
}
