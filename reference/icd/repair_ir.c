/* llvm-spirv 15 knows a parameter of type sampler_t only by the metadata that a kernel's arguments
 * have. It ends with an assertion at a function that passes a sampler on. Here each such function
 * gets that metadata:
 *
 *     define spir_func void @f(i32 %i, %opencl.sampler_t addrspace(2)* %s) !kernel_arg_base_type !N
 *     declare !kernel_arg_base_type !N spir_func void @g(%opencl.sampler_t addrspace(2)*)
 *     !N = !{!"", !"sampler_t"}
 *
 * It ends with another where it met a sampler that the program makes itself before the first kernel
 * with such a parameter: that kernel comes first here.
 *
 * The text is clang's own, a function's head on a line of its own. */
#include "reference/icd/repair_ir.h"

#include <string.h>

static const char sampler[] = "%opencl.sampler_t addrspace(2)*";

/* clang numbers a module's metadata from 0, without gaps. */
enum { FIRST_NODE = 100000000 };

struct line {
    const char *at;
    size_t size; /* without its newline */
};

static bool has(struct line line, const char *word)
{
    return memmem(line.at, line.size, word, strlen(word)) != NULL;
}

static bool starts(struct line line, const char *word)
{
    return line.size >= strlen(word) && memcmp(line.at, word, strlen(word)) == 0;
}

/* What stands between the parentheses behind a function's name. */
static struct line parameters(struct line head)
{
    const char *const end = head.at + head.size;
    const char *name = memchr(head.at, '@', head.size);
    const char *open = name ? memchr(name, '(', (size_t)(end - name)) : NULL;
    if (!open)
        return (struct line){.at = end};
    size_t depth = 0;
    for (const char *at = open; at < end; at++) {
        if (*at == '(')
            depth++;
        else if (*at == ')' && --depth == 0)
            return (struct line){.at = open + 1, .size = (size_t)(at - open - 1)};
    }
    return (struct line){.at = end};
}

static bool lacks(struct line line)
{
    const bool defined = starts(line, "define ");
    if (!defined && !starts(line, "declare "))
        return false;
    if (has(line, " spir_kernel ") || !has(parameters(line), sampler))
        return false;
    /* The built-in functions, which the translator knows by their mangled names. */
    return defined ? line.at[line.size - 1] == '{' : !has(line, "@_Z");
}

/* The names of the types, of which only one matters. */
static void append_node(struct text *nodes, size_t node, struct line list)
{
    size_t depth = 0, start = 0;
    text_format(nodes, "!%zu = !{", node);
    for (size_t i = 0; i <= list.size; i++) {
        const char c = i < list.size ? list.at[i] : ',';
        if (c == '(' || c == '<' || c == '{' || c == '[')
            depth++;
        else if (c == ')' || c == '>' || c == '}' || c == ']')
            depth--;
        if (c != ',' || (depth > 0 && i < list.size))
            continue;
        const struct line one = {.at = list.at + start, .size = i - start};
        text_format(nodes, "%s!\"%s\"", start > 0 ? ", " : "",
                    has(one, sampler) ? "sampler_t" : "");
        start = i + 1;
    }
    text_append(nodes, "}\n");
}

static void append_head(struct text *repaired, struct line line, size_t node)
{
    const size_t before = starts(line, "define ") ? line.size - strlen("{") : strlen("declare ");
    text_append_n(repaired, line.at, before);
    text_format(repaired, "!kernel_arg_base_type !%zu ", node);
    text_append_n(repaired, line.at + before, line.size - before);
}

static bool is_function(struct line line)
{
    return starts(line, "define ") || starts(line, "declare ");
}

static struct line line_at(const char *at)
{
    return (struct line){.at = at, .size = strcspn(at, "\n")};
}

static const char *next_line(struct line line)
{
    return line.at + line.size + (line.at[line.size] == '\n');
}

/* The text of the first kernel that takes a sampler, if a function stands before it; else of none.
 */
static struct line late_kernel(const char *ir)
{
    static const char end[] = "\n}\n";
    bool first = true;
    for (const char *at = ir; *at != '\0'; at = next_line(line_at(at))) {
        const struct line line = line_at(at);
        if (!is_function(line))
            continue;
        if (has(line, " spir_kernel ") && has(parameters(line), sampler)) {
            const char *last = first ? NULL : strstr(at, end);
            return (struct line){.at = at, .size = last ? (size_t)(last - at) + strlen(end) : 0};
        }
        first = false;
    }
    return (struct line){.at = ir};
}

bool repair_ir(const char *ir, struct text *repaired)
{
    const struct line late = late_kernel(ir);
    struct text nodes = TEXT_INIT;
    size_t node = FIRST_NODE;
    bool moved = late.size == 0;
    for (const char *at = ir; *at != '\0';) {
        const struct line line = line_at(at);
        if (!moved && is_function(line)) {
            text_append_n(repaired, late.at, late.size);
            moved = true;
        }
        if (late.size > 0 && at == late.at) {
            at += late.size;
            continue;
        }
        if (lacks(line)) {
            append_node(&nodes, node, parameters(line));
            append_head(repaired, line, node++);
        } else {
            text_append_n(repaired, line.at, line.size);
        }
        text_append_char(repaired, '\n');
        at = next_line(line);
    }
    text_append(repaired, nodes.bytes);
    const bool changed = (node > FIRST_NODE || late.size > 0) && !nodes.failed && !repaired->failed;
    text_release(&nodes);
    return changed;
}
