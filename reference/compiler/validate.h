/* What the library SPIRV-Tools does, and specialisation constants of SPIR-V from outside. */
#ifndef REFERENCE_COMPILER_VALIDATE_H
#define REFERENCE_COMPILER_VALIDATE_H

#include "trace/base/status.h"
#include "trace/base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* SPIRV-Tools' validator for OpenCL. What it says goes after `log`. */
enum status validate_spirv(const void *bytes, size_t size, struct text *log);

/* SPIR-V from its assembly, freed with alloc_free; NULL when it is wrong or memory is out. */
uint8_t *validate_assemble(const char *assembly, size_t *size);

/* An instruction as it is read; `is_id` says of each word whether it is an id. */
struct validate_instruction {
    const uint32_t *words;
    const uint8_t *is_id;
    uint32_t word_count, opcode, result; /* result: 0 = none */
};
/* What a reader of a module gets; either gives false when memory is out. Every id is below `bound`.
 */
struct validate_reader {
    bool (*header)(void *user, uint32_t version, uint32_t bound);
    bool (*instruction)(void *user, const struct validate_instruction *instruction);
    void *user;
};
/* Reads the module, whose bytes are aligned as words are. What is wrong with it goes after `log`.
 */
enum status validate_read(const void *bytes, size_t size, const struct validate_reader *reader,
                          struct text *log);

/* Is it SPIR-V of a version that the device takes, cut into instructions without a rest? */
bool validate_is_well_formed(const void *bytes, size_t size);

struct spec_constant {
    uint32_t id;
    size_t size;
    uint8_t bytes[8];
};

/* The size in bytes of a specialisation constant's value (1 for a boolean), 0 when the module has
 * none of that id, or is malformed. */
size_t validate_spec_constant_size(const void *bytes, size_t size, uint32_t spec_id);

/* Has it any with an id? */
bool validate_has_spec_constants(const void *bytes, size_t size);

/* A copy of the module, freed with alloc_free, whose specialisation constants have the given values
 * as defaults. NULL when memory is out. */
uint8_t *validate_specialise(const void *bytes, size_t size, const struct spec_constant *constants,
                             size_t count);

#endif
