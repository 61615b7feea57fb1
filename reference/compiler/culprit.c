/* A function's body is lines of these kinds:
 *
 *     entry:                                     a label
 *       switch i32 %x, label %other [            an instruction
 *         i32 0, label %zero                     which goes on
 *       ]
 *     }
 */
#include "reference/compiler/translate.h"

#include "reference/compiler/ir_text.h"

#include <stdio.h>
#include <stdlib.h>

/* Goes through the lines of the module's functions. */
struct walk {
    const char *at;
    struct ir_piece line, head; /* head: of the function; empty outside of any */
    size_t instructions;        /* so far, this line with it */
};

static bool next(struct walk *walk)
{
    if (*walk->at == '\0')
        return false;
    if (walk->line.at && ir_starts(walk->line, "}"))
        walk->head = (struct ir_piece){0};
    walk->line = ir_line(walk->at);
    walk->at = ir_next_line(walk->line);
    if (ir_defines(walk->line))
        walk->head = walk->line;
    return true;
}

static bool is_instruction(const struct walk *walk)
{
    const struct ir_piece line = walk->line;
    return walk->head.at && line.at != walk->head.at && line.size > 2 &&
           memcmp(line.at, "  ", 2) == 0 && line.at[2] != ' ' && line.at[2] != ']';
}

static bool is_label(const struct walk *walk)
{
    const struct ir_piece line = walk->line;
    return walk->head.at && line.at != walk->head.at && line.size > 0 && line.at[0] != ' ' &&
           line.at[0] != '}' && line.at[0] != ';';
}

static bool ends_block(struct ir_piece line)
{
    static const char *const words[] = {"  br ", "  ret ", "  switch ", "  unreachable",
                                        "  indirectbr "};
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        if (ir_starts(line, words[i]))
            return true;
    }
    return false;
}

size_t culprit_count(const char *ir)
{
    struct walk walk = {.at = ir};
    size_t count = 0;
    while (next(&walk))
        count += is_instruction(&walk);
    return count;
}

void culprit_cut(const char *ir, size_t count, struct text *cut)
{
    struct walk walk = {.at = ir};
    size_t seen = 0;
    bool ended = true;     /* the block under way has its end */
    bool left_out = false; /* the instruction under way is left out */
    while (next(&walk)) {
        const bool instruction = is_instruction(&walk);
        const bool body = walk.head.at && walk.line.at != walk.head.at;
        if (instruction)
            left_out = seen++ >= count;
        if (body && !ended && (left_out || is_label(&walk) || ir_starts(walk.line, "}"))) {
            text_append(cut, "  unreachable\n");
            ended = true;
        }
        if (!body || is_label(&walk) || ir_starts(walk.line, "}"))
            left_out = false;
        if (is_label(&walk))
            ended = false;
        if (instruction && !left_out && ends_block(walk.line))
            ended = true;
        if (left_out)
            continue;
        text_append_n(cut, walk.line.at, walk.line.size);
        text_append_char(cut, '\n');
    }
}

/* ---- places ---- */

/* The line "!NUMBER = ..." of the module. */
static struct ir_piece find_node(const char *ir, unsigned long number)
{
    char start[40];
    snprintf(start, sizeof(start), "\n!%lu = ", number);
    const char *found = strstr(ir, start);
    return found ? ir_line(found + 1) : (struct ir_piece){.at = ""};
}

/* The number after `word` in the line. */
static bool find_number(struct ir_piece line, const char *word, unsigned long *number)
{
    const char *found = ir_find(line, word);
    if (found)
        *number = strtoul(found + strlen(word), NULL, 10);
    return found != NULL;
}

/* Appends the file that the node, a function or a block in one, lies in. */
static bool append_file(const char *ir, struct ir_piece node, struct text *place)
{
    static const char word[] = "filename: \"";
    unsigned long file;
    if (!find_number(node, "file: !", &file))
        return false;
    const struct ir_piece line = find_node(ir, file);
    const char *name = ir_find(line, word);
    const char *end = name ? strchr(name + strlen(word), '"') : NULL;
    if (end)
        text_append_n(place, name + strlen(word), (size_t)(end - name) - strlen(word));
    return end != NULL;
}

bool culprit_place(const char *ir, size_t index, struct text *place)
{
    struct walk walk = {.at = ir};
    size_t seen = 0;
    unsigned long node, scope, line, column;
    while (next(&walk)) {
        if (is_instruction(&walk) && seen++ == index)
            break;
    }
    if (find_number(walk.line, "!dbg !", &node)) {
        const struct ir_piece location = find_node(ir, node);
        if (find_number(location, "scope: !", &scope) && find_number(location, "line: ", &line) &&
            line > 0 && append_file(ir, find_node(ir, scope), place)) {
            text_format(place, ":%lu", line);
            if (find_number(location, "column: ", &column))
                text_format(place, ":%lu", column);
            return true;
        }
    }
    if (!walk.head.at || !find_number(walk.head, "!dbg !", &node))
        return false;
    const struct ir_piece function = find_node(ir, node);
    if (!find_number(function, " line: ", &line) || !append_file(ir, function, place))
        return false;
    text_format(place, ":%lu", line);
    return true;
}
