/* Lines of a module in LLVM's text, as clang writes it: a function's head, and each instruction, on
 * a line of its own. */
#ifndef REFERENCE_COMPILER_IR_TEXT_H
#define REFERENCE_COMPILER_IR_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* A part of the text, which it points into. */
struct ir_piece {
    const char *at;
    size_t size;
};

/* The line that starts at `at`, without its newline. */
static inline struct ir_piece ir_line(const char *at)
{
    return (struct ir_piece){.at = at, .size = strcspn(at, "\n")};
}

/* Where the next line starts. */
static inline const char *ir_next_line(struct ir_piece line)
{
    return line.at + line.size + (line.at[line.size] == '\n');
}

/* NULL where the piece does not have the word. */
static inline const char *ir_find(struct ir_piece piece, const char *word)
{
    return memmem(piece.at, piece.size, word, strlen(word));
}

static inline bool ir_starts(struct ir_piece piece, const char *word)
{
    return piece.size >= strlen(word) && memcmp(piece.at, word, strlen(word)) == 0;
}

/* The piece from there on. */
static inline struct ir_piece ir_rest(struct ir_piece piece, const char *at)
{
    return (struct ir_piece){.at = at, .size = (size_t)(piece.at + piece.size - at)};
}

/* Does the line start a function's body? */
static inline bool ir_defines(struct ir_piece line)
{
    return ir_starts(line, "define ") && line.at[line.size - 1] == '{';
}

/* What is between a parenthesis, where the piece starts, and the one that closes it; empty where
 * none does. */
static inline struct ir_piece ir_parenthesised(struct ir_piece piece)
{
    size_t depth = 0;
    for (size_t i = 0; i < piece.size; i++) {
        if (piece.at[i] == '(')
            depth++;
        else if (piece.at[i] == ')' && --depth == 0)
            return (struct ir_piece){.at = piece.at + 1, .size = i - 1};
    }
    return (struct ir_piece){.at = piece.at + piece.size};
}

/* The parts of a list between the commas that stand in no brackets, without the blanks before them:
 * *rest is the list, and then what is left of it. False where nothing is. */
static inline bool ir_next_part(struct ir_piece *rest, struct ir_piece *part)
{
    size_t depth = 0, size = 0;
    if (!rest->at)
        return false;
    while (rest->size > 0 && rest->at[0] == ' ')
        *rest = ir_rest(*rest, rest->at + 1);
    for (; size < rest->size && (depth > 0 || rest->at[size] != ','); size++) {
        depth += strchr("([{<", rest->at[size]) != NULL;
        depth -= strchr(")]}>", rest->at[size]) != NULL;
    }
    *part = (struct ir_piece){.at = rest->at, .size = size};
    *rest = size < rest->size ? ir_rest(*rest, rest->at + size + 1) : (struct ir_piece){0};
    return true;
}

/* What follows the last blank: an argument without its type. */
static inline struct ir_piece ir_value(struct ir_piece argument)
{
    const char *blank = memrchr(argument.at, ' ', argument.size);
    return blank ? ir_rest(argument, blank + 1) : argument;
}

#endif
