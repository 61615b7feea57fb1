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
#include "reference/compiler/repairs.h"

#include "reference/compiler/ir_text.h"

static const char sampler[] = "%opencl.sampler_t addrspace(2)*";

/* clang numbers a module's metadata from 0, without gaps. */
enum { FIRST_NODE = 100000000 };

/* What stands between the parentheses after a function's name. */
static struct ir_piece parameters(struct ir_piece head)
{
    const char *const end = head.at + head.size;
    const char *name = memchr(head.at, '@', head.size);
    const char *open = name ? memchr(name, '(', (size_t)(end - name)) : NULL;
    return ir_parenthesised(ir_rest(head, open ? open : end));
}

static bool lacks(struct ir_piece line)
{
    const bool defined = ir_starts(line, "define ");
    if (!defined && !ir_starts(line, "declare "))
        return false;
    if (ir_find(line, " spir_kernel ") || !ir_find(parameters(line), sampler))
        return false;
    /* The built-in functions, which the translator knows by their mangled names. */
    return defined ? line.at[line.size - 1] == '{' : !ir_find(line, "@_Z");
}

/* The names of the types, of which only one matters. */
static void append_node(struct text *nodes, size_t node, struct ir_piece list)
{
    const char *separator = "";
    struct ir_piece one;
    text_format(nodes, "!%zu = !{", node);
    for (; ir_next_part(&list, &one); separator = ", ")
        text_format(nodes, "%s!\"%s\"", separator, ir_find(one, sampler) ? "sampler_t" : "");
    text_append(nodes, "}\n");
}

static void append_head(struct text *repaired, struct ir_piece line, size_t node)
{
    const size_t before = ir_starts(line, "define ") ? line.size - strlen("{") : strlen("declare ");
    text_append_n(repaired, line.at, before);
    text_format(repaired, "!kernel_arg_base_type !%zu ", node);
    text_append_n(repaired, line.at + before, line.size - before);
}

static bool is_function(struct ir_piece line)
{
    return ir_starts(line, "define ") || ir_starts(line, "declare ");
}

/* The text of the first kernel that takes a sampler, if a function stands before it; else of none.
 */
static struct ir_piece late_kernel(const char *ir)
{
    static const char end[] = "\n}\n";
    bool first = true;
    for (const char *at = ir; *at != '\0'; at = ir_next_line(ir_line(at))) {
        const struct ir_piece line = ir_line(at);
        if (!is_function(line))
            continue;
        if (ir_find(line, " spir_kernel ") && ir_find(parameters(line), sampler)) {
            const char *last = first ? NULL : strstr(at, end);
            return (struct ir_piece){.at = at,
                                     .size = last ? (size_t)(last - at) + strlen(end) : 0};
        }
        first = false;
    }
    return (struct ir_piece){.at = ir};
}

bool repair_ir(const char *ir, struct text *repaired)
{
    const struct ir_piece late = late_kernel(ir);
    struct text nodes = TEXT_INIT;
    size_t node = FIRST_NODE;
    bool moved = late.size == 0;
    for (const char *at = ir; *at != '\0';) {
        const struct ir_piece line = ir_line(at);
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
        at = ir_next_line(line);
    }
    text_append(repaired, nodes.bytes);
    const bool changed = (node > FIRST_NODE || late.size > 0) && !nodes.failed && !repaired->failed;
    text_release(&nodes);
    return changed;
}
