/* The modules of one link, between link.c and link_share.c. Everything lies in the linker's arena;
 * one thread. */
#ifndef REFERENCE_COMPILER_LINK_PRIVATE_H
#define REFERENCE_COMPILER_LINK_PRIVATE_H

#include "trace/base/arena.h"
#include "trace/base/status.h"
#include "trace/base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum section {
    SECTION_CAPABILITY,
    SECTION_EXTENSION,
    SECTION_IMPORT,
    SECTION_MEMORY_MODEL,
    SECTION_ENTRY_POINT,
    SECTION_MODE,
    SECTION_SOURCE,
    SECTION_NAME,
    SECTION_PROCESSED,
    SECTION_ANNOTATION,
    SECTION_GLOBAL, /* types, constants, variables */
    SECTION_DECLARATION,
    SECTION_DEFINITION,
    SECTION_COUNT
};

struct instruction {
    uint32_t *words;
    const uint8_t *is_id; /* of each word */
    uint32_t word_count, opcode, result;
    uint32_t next_annotation; /* of the same id: index + 1 */
    enum section section;
    bool dropped;
};

/* Arrays without a count run over the ids. */
struct module {
    struct instruction *instructions;
    size_t count;
    uint32_t bound, version;
    uint32_t first_id;     /* what id 0 is in the result */
    uint32_t *ids;         /* what each id is in the result */
    uint32_t *definitions; /* index + 1 of the instruction whose result it is */
    uint32_t *annotations; /* index + 1 of the last OpDecorate or OpMemberDecorate of it */
    bool *grouped;         /* annotated in other ways */
    bool *gone;            /* its definition is dropped, and so is what annotates it */
    struct linker *linker;
};

struct key {
    const uint32_t *words;
    size_t count;
    uint32_t id;
};

struct symbol {
    const char *name;
    uint32_t linkage;
    struct module *module;
    uint32_t id; /* in its module */
};

/* An OpTypeForwardPointer, of a structure that leads to itself. */
struct forward {
    struct module *module;
    struct instruction *instruction;
    size_t tried;  /* forward pointers that it is not the same as */
    uint32_t same; /* id in the result of the one that it is taken for; 0 = of none */
};

struct linker {
    struct arena arena;
    struct text *log;
    struct module *modules;
    size_t module_count;
    uint32_t bound, version; /* of the result */
    struct key *keys;        /* room for one of every instruction */
    size_t key_count;
    struct symbol *symbols; /* room for one of every instruction */
    size_t symbol_count;
    struct forward *forwards; /* room for one of every instruction */
    size_t forward_count;
};

/* Writes the sentence into the log; `status`. */
enum status link_fail(struct linker *linker, enum status status, const char *sentence);
enum status link_no_memory(struct linker *linker);

/* The instruction has no place in the result, nor has what annotates its result. */
void link_drop(struct module *module, struct instruction *instruction);

/* Drops what an earlier module has, and lets ids lead there. A structure that leads to itself is
 * the same as another if it is so under the assumption that it is. */
enum status link_share(struct linker *linker);

/* Is the function that is imported declared with the type of the exported one but for what some
 * pointers lead to? Then its calls are made to fit. */
bool link_may_adapt(const struct symbol *import, const struct symbol *exported);
/* STATUS_UNSUPPORTED: there are too many ids. Writes no sentence. */
enum status link_adapt_calls(const struct symbol *import, const struct symbol *exported);

#endif
