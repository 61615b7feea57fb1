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

static const char *const kinds[] = {
    [KERNEL_ARGUMENT_BUFFER] = "a buffer (buf:TYPE[N]=INIT)",
    [KERNEL_ARGUMENT_LOCAL] = "local memory (local:TYPE[N])",
    [KERNEL_ARGUMENT_VALUE] = "a value (TYPE=V)",
    [KERNEL_ARGUMENT_IMAGE] = "an image (image2d:ORDER:CHANNEL[WxH]=INIT)",
    [KERNEL_ARGUMENT_SAMPLER] = "a sampler (sampler:WORD,...)",
    [KERNEL_ARGUMENT_PIPE] = "a pipe (pipe:TYPE[N] or, full, pipe:TYPE[N]=INIT)",
    [KERNEL_ARGUMENT_UNKNOWN] = "of which the program does not tell more",
};

/* Of a value whose type is no scalar or vector, or not known: its bytes. Else 0. */
static size_t value_size(const struct kernel_command *command, size_t index)
{
    const struct kernel_parameter *parameter = kernel_host_parameter(command->host, index);
    const char *const name = parameter->type_name;
    return parameter->kind == KERNEL_ARGUMENT_VALUE &&
                   kernel_type_parse(name, strlen(name)).scalar == NULL
               ? kernel_host_value_size(command->host, index)
               : 0;
}

static bool is_struct(const struct kernel_parameter *parameter)
{
    return strncmp(parameter->type_name, "struct ", strlen("struct ")) == 0;
}

/* A value of so many bytes: a scalar, where the type may be one by another name. */
static void print_value_example(const struct kernel_parameter *parameter, size_t size,
                                struct text *text)
{
    static const char *const names[] = {[1] = "char", [2] = "short", [4] = "int", [8] = "long"};
    const bool may_be = !is_struct(parameter) && size < sizeof names / sizeof *names;
    if (may_be && names[size] != NULL) {
        text_format(text, " -a %s=1", names[size]);
    } else {
        text_format(text, " -a struct:%zu=0", size);
    }
}

/* What it is, and how it is given. */
static void print_kind(const struct kernel_parameter *parameter, size_t size, struct text *text)
{
    if (size == 0) {
        text_append(text, kinds[parameter->kind]);
    } else if (!is_struct(parameter)) {
        text_format(text, "a value of %zu bytes (TYPE=V or struct:%zu=INIT)", size, size);
    } else {
        text_format(text, "a structure of %zu bytes (struct:%zu=INIT)", size, size);
    }
    text_append_char(text, '\n');
}

/* An -a that would do for the parameter. */
static void print_example(const struct kernel_command *command,
                          const struct kernel_parameter *parameter, size_t bytes, struct text *text)
{
    const size_t length = strcspn(parameter->type_name, "*");
    const struct kernel_type type = kernel_type_parse(parameter->type_name, length);
    const int known = type.scalar != NULL ? (int)length : 3;
    const char *const name = type.scalar != NULL ? parameter->type_name : "int";
    const size_t size = options_has(command->options, "global") ? command->range.global[0] : 64;
    switch (parameter->kind) {
    case KERNEL_ARGUMENT_LOCAL:
        text_format(text, " -a local:%.*s[%zu]", known, name,
                    command->range.has_local ? command->range.local[0] : 64);
        break;
    case KERNEL_ARGUMENT_VALUE:
        if (bytes > 0) {
            print_value_example(parameter, bytes, text);
        } else {
            text_format(text, " -a %.*s=1", known, name);
        }
        break;
    case KERNEL_ARGUMENT_IMAGE:
        print_image_example(parameter->type_name, text);
        break;
    case KERNEL_ARGUMENT_SAMPLER:
        text_append(text, " -a sampler:clamp_to_edge,nearest");
        break;
    case KERNEL_ARGUMENT_PIPE:
        text_format(text, " -a 'pipe:%.*s[%zu]=iota'", known, name, size);
        break;
    default:
        text_format(text, " -a 'buf:%.*s[%zu]=iota'", known, name, size);
        break;
    }
}

void kernel_match_show(const struct kernel_command *command, const char *kernel)
{
    struct text text = TEXT_INIT;
    const char *const global = options_text(command->options, "global");
    const size_t count = kernel_host_parameter_count(command->host);
    text_format(&text, "kernel '%s' has %zu argument%s:\n", kernel, count, count == 1 ? "" : "s");
    for (size_t i = 0; i < count; i++) {
        const struct kernel_parameter *parameter = kernel_host_parameter(command->host, i);
        const bool named = *parameter->type_name != '\0';
        text_format(&text, "  %zu  ", i);
        if (named) {
            text_format(&text, "%s %s, ", parameter->type_name, parameter->name);
        }
        print_kind(parameter, value_size(command, i), &text);
    }
    text_append(&text, "for example:\n  clerk kernel ");
    text_append_shell(&text, command->path);
    text_append(&text, " -k ");
    text_append_shell(&text, kernel);
    text_format(&text, " -g %s", global != NULL ? global : "64");
    if (command->range.has_local) {
        text_format(&text, " -l %s", options_text(command->options, "local"));
    }
    for (size_t i = 0; i < count; i++) {
        print_example(command, kernel_host_parameter(command->host, i), value_size(command, i),
                      &text);
    }
    text_append_char(&text, '\n');
    visible_print(stderr, text.bytes, text.size);
    text_release(&text);
}

static enum status check_argument(const struct kernel_command *command, size_t index,
                                  struct error *error)
{
    const struct kernel_parameter *parameter = kernel_host_parameter(command->host, index);
    const struct kernel_argument *argument = &command->arguments[index];
    if (parameter->kind != KERNEL_ARGUMENT_UNKNOWN && /* clSetKernelArg will say */
        parameter->kind != argument->kind) {
        return error_set(error, STATUS_INVALID, "argument %zu ('%s', %s) is %s, and -a %s is not",
                         index, parameter->name, parameter->type_name, kinds[parameter->kind],
                         argument->text);
    }
    if (parameter->kind != KERNEL_ARGUMENT_VALUE) {
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

enum status kernel_match_arguments(struct kernel_command *command, struct error *error)
{
    const size_t wanted = kernel_host_parameter_count(command->host);
    if (command->argument_count != wanted) {
        kernel_match_show(command, command->kernel);
        return error_set(error, STATUS_INVALID, "%zu argument%s given where kernel '%s' has %zu",
                         command->argument_count, command->argument_count == 1 ? "" : "s",
                         command->kernel, wanted);
    }
    for (size_t i = 0; i < wanted; i++) {
        const enum status status = check_argument(command, i, error);
        if (status != STATUS_OK) {
            kernel_match_show(command, command->kernel);
            return status;
        }
    }
    return STATUS_OK;
}
