/* The syntax tree of a program, as clang writes it (-ast-dump=json), of which only what the program
 * itself has is kept: not what clang's header declares. Places are offsets in the program's text.
 */
#ifndef REFERENCE_PROBE_AST_H
#define REFERENCE_PROBE_AST_H

#include "trace/base/arena.h"
#include "trace/base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Our name, clang's name. */
#define AST_KINDS                                                                                  \
    AST_KIND(PROGRAM, TranslationUnitDecl)                                                         \
    AST_KIND(FUNCTION, FunctionDecl)                                                               \
    AST_KIND(PARAMETER, ParmVarDecl)                                                               \
    AST_KIND(VARIABLE, VarDecl)                                                                    \
    AST_KIND(RECORD, RecordDecl)                                                                   \
    AST_KIND(TYPEDEF, TypedefDecl)                                                                 \
    AST_KIND(FIELD, FieldDecl)                                                                     \
    AST_KIND(PACKED, PackedAttr)                                                                   \
    AST_KIND(KERNEL, OpenCLKernelAttr)                                                             \
    AST_KIND(DEVICE_KERNEL, DeviceKernelAttr) /* the same, of clang 21 */                          \
    AST_KIND(COMPOUND, CompoundStmt)                                                               \
    AST_KIND(DECLARATIONS, DeclStmt)                                                               \
    AST_KIND(CALL, CallExpr)                                                                       \
    AST_KIND(REFERENCE, DeclRefExpr)                                                               \
    AST_KIND(SUBSCRIPT, ArraySubscriptExpr)                                                        \
    AST_KIND(MEMBER, MemberExpr)                                                                   \
    AST_KIND(COMPONENT, ExtVectorElementExpr)                                                      \
    AST_KIND(PAREN, ParenExpr)                                                                     \
    AST_KIND(IMPLICIT_CAST, ImplicitCastExpr)                                                      \
    AST_KIND(CAST, CStyleCastExpr)                                                                 \
    AST_KIND(ASTYPE, AsTypeExpr)                                                                   \
    AST_KIND(UNARY, UnaryOperator)                                                                 \
    AST_KIND(BINARY, BinaryOperator)                                                               \
    AST_KIND(COMPOUND_ASSIGNMENT, CompoundAssignOperator)                                          \
    AST_KIND(SIZEOF, UnaryExprOrTypeTraitExpr)                                                     \
    AST_KIND(OFFSETOF, OffsetOfExpr)                                                               \
    AST_KIND(CONSTANT, ConstantExpr)                                                               \
    AST_KIND(STRING, StringLiteral)                                                                \
    AST_KIND(BLOCK, BlockExpr)                                                                     \
    AST_KIND(IF, IfStmt)                                                                           \
    AST_KIND(FOR, ForStmt)                                                                         \
    AST_KIND(WHILE, WhileStmt)                                                                     \
    AST_KIND(DO, DoStmt)                                                                           \
    AST_KIND(SWITCH, SwitchStmt)                                                                   \
    AST_KIND(CASE, CaseStmt)                                                                       \
    AST_KIND(DEFAULT, DefaultStmt)                                                                 \
    AST_KIND(CONDITIONAL, ConditionalOperator)                                                     \
    AST_KIND(RETURN, ReturnStmt)                                                                   \
    AST_KIND(BREAK, BreakStmt)                                                                     \
    AST_KIND(CONTINUE, ContinueStmt)                                                               \
    AST_KIND(GOTO, GotoStmt)

enum ast_kind {
    AST_OTHER,
#define AST_KIND(ours, clangs) AST_##ours,
    AST_KINDS
#undef AST_KIND
};

#define AST_CASTS                                                                                  \
    AST_CAST(LVALUE_TO_RVALUE, LValueToRValue)                                                     \
    AST_CAST(ARRAY_TO_POINTER, ArrayToPointerDecay)                                                \
    AST_CAST(INTEGRAL_TO_POINTER, IntegralToPointer)                                               \
    AST_CAST(NO_OP, NoOp)                                                                          \
    AST_CAST(BITS, BitCast)                                                                        \
    AST_CAST(ADDRESS_SPACE, AddressSpaceConversion)

enum ast_cast {
    AST_CAST_OTHER,
#define AST_CAST(ours, clangs) AST_CAST_##ours,
    AST_CASTS
#undef AST_CAST
};

/* Where in the text a node begins or ends. What clang's header makes of one of its macros has the
 * place of that macro, and is not `exact`. */
struct ast_place {
    uint32_t offset; /* AST_NOWHERE: not in the program's text */
    bool exact;
};
enum { AST_NOWHERE = UINT32_MAX };

/* Nodes stand in the order of the text that clang gives, each before those inside it. */
struct ast_node {
    enum ast_kind kind;
    enum ast_cast cast;
    uint32_t parent;               /* its number; of the first, 0, its own */
    uint32_t next;                 /* the first node that is not inside this one */
    struct ast_place begin, end;   /* `end` is after the last character */
    struct ast_place name_place;   /* of a declaration */
    uint64_t id;                   /* of a declaration, for what refers to it */
    uint64_t referred;             /* the id of the declaration that a reference or member is of */
    const char *name;              /* of a declaration, member or component; of what is referred to;
                                      "" = none */
    const char *type, *plain_type; /* as it is spelled; without names of types. "" = none */
    char operator[4];
    bool is_lvalue, is_arrow;
};

struct ast {
    struct arena arena; /* of all strings */
    struct ast_node *nodes;
    size_t count;
    uint32_t *declarations; /* numbers of nodes by id, for ast_declaration */
    size_t declaration_count;
};

struct ast_reader;

/* NULL when memory is out. The program begins `skipped` bytes behind the start of the text that
 * clang was given on its standard input. */
struct ast_reader *ast_reader_create(size_t skipped);
/* The next bytes of what clang writes; fits process_request.take. False when nothing more is
 * wanted: they are no syntax tree, or memory is out. */
bool ast_reader_take(void *reader, const void *bytes, size_t size);
/* Gives the tree, for ast_release, and ends the reader, also on failure. */
enum status ast_reader_finish(struct ast_reader *reader, struct ast *ast, struct error *error);
/* Ends it without a tree; NULL is fine. */
void ast_reader_destroy(struct ast_reader *reader);
void ast_release(struct ast *ast);

/* The node of the declaration that the program has with this id; 0 = it has none. */
uint32_t ast_declaration(const struct ast *ast, uint64_t id);
/* The nth node inside, from 0; 0 = there are not so many. */
uint32_t ast_child(const struct ast *ast, uint32_t node, unsigned n);
unsigned ast_child_count(const struct ast *ast, uint32_t node);
/* The first node of the kind that is directly inside; 0 = none. */
uint32_t ast_child_of_kind(const struct ast *ast, uint32_t node, enum ast_kind kind);

#endif
