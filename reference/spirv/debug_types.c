/* Types. They are made first and filled then, since they name each other in any order; last come
 * the circles that no language has, and sizes. */
#include "reference/spirv/debug_reader.h"

#include "trace/base/size.h"

/* Of the two that every module has. */
enum { UNKNOWN_TYPE, VOID_TYPE };

/* Flags of both sets. */
enum {
    FLAG_DECLARATION = OpenCLDebugInfo100FlagFwdDecl,
    FLAG_STATIC = OpenCLDebugInfo100FlagStaticMember,
    FLAG_REFERENCE = OpenCLDebugInfo100FlagLValueReference | OpenCLDebugInfo100FlagRValueReference,
};

/* ---- making ---- */

static struct debug_made_type *make_type(struct debug_reader *reader, enum debug_type_kind kind)
{
    struct debug_made_type *made = debug_alloc(reader, 1, sizeof *made);
    const uint32_t index = reader->type_count;
    struct debug_made_type **slot =
        debug_append(reader, (void *)&reader->types, &reader->type_count, &reader->type_capacity,
                     sizeof(struct debug_made_type *));
    if (made == NULL || slot == NULL)
        return NULL;
    made->type = (struct debug_type){.kind = kind, .index = index, .name = ""};
    *slot = made;
    return made;
}

static const struct debug_type *unknown(const struct debug_reader *reader)
{
    return &reader->types[UNKNOWN_TYPE]->type;
}

static enum debug_type_kind kind_of_composite(uint32_t tag)
{
    switch (tag) {
    case OpenCLDebugInfo100Class:
        return DEBUG_TYPE_CLASS;
    case OpenCLDebugInfo100Structure:
        return DEBUG_TYPE_STRUCT;
    case OpenCLDebugInfo100Union:
        return DEBUG_TYPE_UNION;
    default:
        return DEBUG_TYPE_UNKNOWN;
    }
}

static enum debug_type_kind kind_of(const struct debug_reader *reader,
                                    const struct debug_entry *entry)
{
    switch (entry->number) {
    case OpenCLDebugInfo100DebugTypeBasic:
        return DEBUG_TYPE_BASIC;
    case OpenCLDebugInfo100DebugTypePointer:
        return DEBUG_TYPE_POINTER;
    case OpenCLDebugInfo100DebugTypeQualifier:
        return DEBUG_TYPE_QUALIFIER;
    case OpenCLDebugInfo100DebugTypeArray:
        return DEBUG_TYPE_ARRAY;
    case OpenCLDebugInfo100DebugTypeVector:
        return DEBUG_TYPE_VECTOR;
    case OpenCLDebugInfo100DebugTypedef:
        return DEBUG_TYPE_TYPEDEF;
    case OpenCLDebugInfo100DebugTypeFunction:
        return DEBUG_TYPE_FUNCTION;
    case OpenCLDebugInfo100DebugTypeEnum:
        return DEBUG_TYPE_ENUM;
    case OpenCLDebugInfo100DebugTypeComposite:
        return kind_of_composite(debug_number(reader, entry, 1));
    default:
        return DEBUG_TYPE_UNKNOWN;
    }
}

/* ---- what ids name ---- */

/* A template's instance is the type that it is of. */
static const struct debug_entry *without_templates(const struct debug_reader *reader, uint32_t id)
{
    const struct debug_entry *entry = debug_find(reader, id);
    for (int i = 0; i < 8 && entry != NULL; i++) {
        if (entry->number != OpenCLDebugInfo100DebugTypeTemplate)
            return entry;
        entry = debug_find(reader, debug_operand(reader, entry, 0));
    }
    return NULL;
}

const struct debug_type *debug_type_of(const struct debug_reader *reader, uint32_t id)
{
    const struct debug_entry *entry = without_templates(reader, id);
    const struct debug_made_type *made =
        entry != NULL && kind_of(reader, entry) != DEBUG_TYPE_UNKNOWN ? entry->made : NULL;
    return made != NULL ? &made->type : unknown(reader);
}

/* The same where nothing means void: `void *` leads to DebugInfoNone. */
static const struct debug_type *type_or_void(const struct debug_reader *reader, uint32_t id)
{
    const struct debug_entry *entry = debug_find(reader, id);
    const bool none = entry != NULL && entry->number == OpenCLDebugInfo100DebugInfoNone;
    const bool is_void = id < reader->bound && reader->entries[id].kind == DEBUG_ENTRY_VOID;
    return none || is_void ? &reader->types[VOID_TYPE]->type : debug_type_of(reader, id);
}

static bool is_none(const struct debug_reader *reader, uint32_t id)
{
    return debug_find_number(reader, id, OpenCLDebugInfo100DebugInfoNone) != NULL;
}

/* ---- filling ---- */

static void fill_basic(struct debug_reader *reader, struct debug_made_type *made,
                       const struct debug_entry *entry)
{
    struct debug_type *type = &made->type;
    uint64_t bits;
    const uint32_t encoding = debug_number(reader, entry, 2);
    type->name = debug_string(reader, entry, 0);
    if (!debug_constant(reader, debug_operand(reader, entry, 1), &bits) || bits > 1024 ||
        encoding > DEBUG_ENCODING_UNSIGNED_CHAR) {
        type->kind = DEBUG_TYPE_UNKNOWN;
        return;
    }
    type->bits = (uint32_t)bits;
    type->size = (bits + 7) / 8;
    type->encoding = (enum debug_encoding)encoding;
}

/* For images and the like clang writes a pointer, without a storage class, to a struct such as
 * "opencl_image2d_ro_t", which it does not define. */
static const char *opaque_name(struct debug_reader *reader, uint32_t storage, uint32_t base)
{
    static const char prefix[] = "opencl_";
    const struct debug_entry *entry =
        debug_find_number(reader, base, OpenCLDebugInfo100DebugTypeComposite);
    if (storage != DEBUG_STORAGE_NONE || entry == NULL)
        return NULL;
    const char *name = debug_string(reader, entry, 0);
    const bool declared = (debug_number(reader, entry, 8) & FLAG_DECLARATION) != 0;
    return declared && strncmp(name, prefix, sizeof prefix - 1) == 0 ? name + sizeof prefix - 1
                                                                     : NULL;
}

static void fill_pointer(struct debug_reader *reader, struct debug_made_type *made,
                         const struct debug_entry *entry)
{
    struct debug_type *type = &made->type;
    const uint32_t storage = debug_number(reader, entry, 1);
    const uint32_t base = debug_operand(reader, entry, 0);
    type->storage = storage < INT32_MAX ? storage : DEBUG_STORAGE_NONE;
    const char *opaque = opaque_name(reader, type->storage, base);
    if (opaque != NULL) {
        type->kind = DEBUG_TYPE_OPAQUE;
        type->name = opaque;
        return;
    }
    type->base = type_or_void(reader, base);
    type->reference = (debug_number(reader, entry, 2) & FLAG_REFERENCE) != 0;
    type->size = reader->narrow ? 4 : 8;
}

static void fill_qualifier(struct debug_reader *reader, struct debug_made_type *made,
                           const struct debug_entry *entry)
{
    struct debug_type *type = &made->type;
    const uint32_t qualifier = debug_number(reader, entry, 1);
    type->base = type_or_void(reader, debug_operand(reader, entry, 0));
    if (qualifier <= DEBUG_QUALIFIER_ATOMIC)
        type->qualifier = (enum debug_qualifier)qualifier;
    else
        type->kind = DEBUG_TYPE_UNKNOWN;
}

/* After the counts llvm-spirv writes a lower bound for each, which says nothing. */
static uint32_t count_dimensions(const struct debug_reader *reader, const struct debug_entry *entry)
{
    const uint32_t count = entry->count > 0 ? entry->count - 1u : 0;
    if (count % 2 != 0)
        return count;
    for (uint32_t i = count / 2; i < count; i++) {
        if (!is_none(reader, debug_operand(reader, entry, 1 + i)))
            return count;
    }
    return count / 2;
}

/* int[2][4]: the type itself has 2 elements, one more that is made has 4. */
static void fill_array(struct debug_reader *reader, struct debug_made_type *made,
                       const struct debug_entry *entry)
{
    struct debug_type *type = &made->type;
    const uint32_t dimensions = count_dimensions(reader, entry);
    for (uint32_t i = 0; i < dimensions; i++) {
        uint64_t count;
        if (debug_constant(reader, debug_operand(reader, entry, 1 + i), &count))
            type->count = count;
        struct debug_made_type *inner =
            i + 1 < dimensions ? make_type(reader, DEBUG_TYPE_ARRAY) : NULL;
        if (inner == NULL)
            break;
        type->base = &inner->type;
        type = &inner->type;
    }
    type->base = debug_type_of(reader, debug_operand(reader, entry, 0));
}

static void fill_vector(struct debug_reader *reader, struct debug_made_type *made,
                        const struct debug_entry *entry)
{
    struct debug_type *type = &made->type;
    type->base = debug_type_of(reader, debug_operand(reader, entry, 0));
    type->count = debug_number(reader, entry, 1);
}

static void fill_typedef(struct debug_reader *reader, struct debug_made_type *made,
                         const struct debug_entry *entry)
{
    struct debug_type *type = &made->type;
    type->name = debug_string(reader, entry, 0);
    type->base = type_or_void(reader, debug_operand(reader, entry, 1));
}

static void fill_function(struct debug_reader *reader, struct debug_made_type *made,
                          const struct debug_entry *entry)
{
    struct debug_type *type = &made->type;
    const uint32_t count = entry->count > 2 ? entry->count - 2u : 0;
    const struct debug_type **parameters =
        debug_alloc(reader, count, sizeof(const struct debug_type *));
    type->base = type_or_void(reader, debug_operand(reader, entry, 1));
    if (parameters == NULL)
        return;
    for (uint32_t i = 0; i < count; i++)
        parameters[i] = debug_type_of(reader, debug_operand(reader, entry, 2 + i));
    type->parameters = made->parameters = parameters;
    type->parameter_count = count;
}

/* Bytes that an operand gives as a constant of bits; 0 where it does not, or they are no bytes. */
static uint64_t size_of_operand(const struct debug_reader *reader, const struct debug_entry *entry,
                                uint32_t index)
{
    uint64_t bits;
    return debug_constant(reader, debug_operand(reader, entry, index), &bits) && bits % 8 == 0
               ? bits / 8
               : 0;
}

static void fill_enum(struct debug_reader *reader, struct debug_made_type *made,
                      const struct debug_entry *entry)
{
    struct debug_type *type = &made->type;
    enum { FIRST = 8 };
    const uint32_t count = entry->count > FIRST ? (entry->count - FIRST) / 2u : 0;
    struct debug_enumerator *enumerators = debug_alloc(reader, count, sizeof *enumerators);
    type->name = debug_string(reader, entry, 0);
    type->base = debug_type_of(reader, debug_operand(reader, entry, 1));
    type->size = size_of_operand(reader, entry, 6);
    if (enumerators == NULL)
        return;
    for (uint32_t i = 0; i < count; i++) {
        struct debug_enumerator *next = &enumerators[type->enumerator_count];
        next->name = debug_string(reader, entry, FIRST + 1 + 2 * i);
        if (debug_constant(reader, debug_operand(reader, entry, FIRST + 2 * i), &next->value))
            type->enumerator_count++;
    }
    type->enumerators = made->enumerators = enumerators;
}

/* ---- members ---- */

/* Where the operands of a member and of a base class stand, which have one less in one set. */
struct member_layout {
    uint32_t type, offset, size, flags;
};

static struct member_layout layout_of(const struct debug_entry *entry)
{
    const uint32_t less = entry->set == DEBUG_SET_SHADER;
    if (entry->number == OpenCLDebugInfo100DebugTypeInheritance)
        return (struct member_layout){1 - less, 2 - less, 3 - less, 4 - less};
    return (struct member_layout){1, 6 - less, 7 - less, 8 - less};
}

/* False where it is no part of an object. */
static bool fill_member(struct debug_reader *reader, const struct debug_entry *entry,
                        struct debug_member *member)
{
    const struct member_layout layout = layout_of(entry);
    const bool base = entry->number == OpenCLDebugInfo100DebugTypeInheritance;
    if (!base && entry->number != OpenCLDebugInfo100DebugTypeMember)
        return false;
    if ((debug_number(reader, entry, layout.flags) & FLAG_STATIC) == FLAG_STATIC)
        return false;
    *member = (struct debug_member){
        .name = base ? "" : debug_string(reader, entry, 0),
        .type = debug_type_of(reader, debug_operand(reader, entry, layout.type)),
        .base = base};
    return debug_constant(reader, debug_operand(reader, entry, layout.offset),
                          &member->bit_offset) &&
           debug_constant(reader, debug_operand(reader, entry, layout.size), &member->bit_size);
}

static void fill_composite(struct debug_reader *reader, struct debug_made_type *made,
                           const struct debug_entry *entry)
{
    struct debug_type *type = &made->type;
    enum { FIRST = 9 };
    const uint32_t count = entry->count > FIRST ? entry->count - (uint32_t)FIRST : 0;
    struct debug_member *members = debug_alloc(reader, count, sizeof *members);
    type->name = debug_string(reader, entry, 0);
    type->size = size_of_operand(reader, entry, 7);
    type->declaration = (debug_number(reader, entry, 8) & FLAG_DECLARATION) != 0;
    if (members == NULL)
        return;
    for (uint32_t i = 0; i < count; i++) {
        const struct debug_entry *member =
            debug_find(reader, debug_operand(reader, entry, FIRST + i));
        if (member != NULL && fill_member(reader, member, &members[type->member_count]))
            type->member_count++;
    }
    type->members = made->members = members;
}

static void fill_type(struct debug_reader *reader, struct debug_made_type *made,
                      const struct debug_entry *entry)
{
    static void (*const fill[])(struct debug_reader *, struct debug_made_type *,
                                const struct debug_entry *) = {
        [DEBUG_TYPE_BASIC] = fill_basic,       [DEBUG_TYPE_POINTER] = fill_pointer,
        [DEBUG_TYPE_VECTOR] = fill_vector,     [DEBUG_TYPE_ARRAY] = fill_array,
        [DEBUG_TYPE_TYPEDEF] = fill_typedef,   [DEBUG_TYPE_QUALIFIER] = fill_qualifier,
        [DEBUG_TYPE_STRUCT] = fill_composite,  [DEBUG_TYPE_UNION] = fill_composite,
        [DEBUG_TYPE_CLASS] = fill_composite,   [DEBUG_TYPE_ENUM] = fill_enum,
        [DEBUG_TYPE_FUNCTION] = fill_function,
    };
    fill[made->type.kind](reader, made, entry);
}

/* ---- circles and sizes ---- */

/* What a pass over the types goes along. */
enum passing {
    ALONG_BASES, /* everything but members: what is written without a name in between */
    ALONG_PARTS, /* what an object of the type has in its bytes */
};

static bool has_parts_of_base(const struct debug_type *type)
{
    return type->kind != DEBUG_TYPE_POINTER && type->kind != DEBUG_TYPE_FUNCTION;
}

/* Where the type names another one, by a number; NULL after the last. */
static const struct debug_type **edge(struct debug_made_type *made, enum passing passing,
                                      uint32_t index)
{
    if (index == 0)
        return &made->type.base;
    index--;
    if (passing == ALONG_BASES && index < made->type.parameter_count)
        return &made->parameters[index];
    if (passing == ALONG_PARTS && index < made->type.member_count)
        return &made->members[index].type;
    return NULL;
}

/* Is an edge to be gone along? */
static bool is_passed(const struct debug_type *type, enum passing passing, uint32_t index)
{
    return index > 0 || passing == ALONG_BASES || has_parts_of_base(type);
}

/* A number of which a member may be some bits. */
static bool is_number(const struct debug_type *type)
{
    const enum debug_type_kind kind = debug_type_plain(type)->kind;
    return kind == DEBUG_TYPE_BASIC || kind == DEBUG_TYPE_ENUM;
}

/* Nobody shall read beyond a struct because of its members: what does not lie in it has no type. */
static void check_member(struct debug_reader *reader, const struct debug_type *type,
                         struct debug_member *member)
{
    const uint64_t type_bits = member->type->size * 8;
    if (member->base)
        member->bit_size = type_bits;
    if (!range_within(member->bit_offset, member->bit_size, type->size * 8)) {
        *member = (struct debug_member){.name = member->name, .type = unknown(reader)};
        return;
    }
    if (type_bits == 0 || (member->bit_offset % 8 == 0 && member->bit_size == type_bits))
        return;
    member->bit_field = is_number(member->type) && member->bit_size <= type_bits;
    if (!member->bit_field)
        member->type = unknown(reader);
}

/* All that the type is made of has its size. */
static void finish_type(struct debug_reader *reader, struct debug_made_type *made)
{
    struct debug_type *type = &made->type;
    const struct debug_type *base = type->base;
    uint64_t count = type->count;
    switch (type->kind) {
    case DEBUG_TYPE_VECTOR:
        count = count == 3 ? 4 : count;
        /* fall through */
    case DEBUG_TYPE_ARRAY:
        if (base->size == 0 || !size_mul(base->size, count, &type->size) ||
            type->size > UINT64_MAX / 8)
            type->size = 0;
        break;
    case DEBUG_TYPE_TYPEDEF:
    case DEBUG_TYPE_QUALIFIER:
        type->size = base->size;
        break;
    case DEBUG_TYPE_STRUCT:
    case DEBUG_TYPE_UNION:
    case DEBUG_TYPE_CLASS:
        for (uint32_t i = 0; i < type->member_count; i++)
            check_member(reader, type, &made->members[i]);
        break;
    default:
        break;
    }
}

struct frame {
    struct debug_made_type *made;
    uint32_t next; /* edge */
};

struct pass {
    struct debug_reader *reader;
    enum passing passing;
    uint16_t *depths; /* by type: 0 = not seen, else of what is under it, and itself */
    struct frame *frames;
    uint32_t frame_count;
};

enum { UNDER_WAY = UINT16_MAX };

static void enter(struct pass *pass, struct debug_made_type *made)
{
    pass->depths[made->type.index] = UNDER_WAY;
    pass->frames[pass->frame_count++] = (struct frame){.made = made};
}

static void leave(struct pass *pass)
{
    struct debug_made_type *made = pass->frames[--pass->frame_count].made;
    uint16_t depth = 0;
    const struct debug_type **slot;
    for (uint32_t i = 0; (slot = edge(made, pass->passing, i)) != NULL; i++) {
        if (!is_passed(&made->type, pass->passing, i))
            continue;
        uint16_t under = pass->depths[(*slot)->index];
        /* A circle, or too deep. */
        if (under >= DEBUG_DEPTH_MAX) {
            *slot = unknown(pass->reader);
            under = 1;
        }
        depth = under > depth ? under : depth;
    }
    pass->depths[made->type.index] = (uint16_t)(depth + 1);
    if (pass->passing == ALONG_PARTS)
        finish_type(pass->reader, made);
}

/* Goes on with the innermost type: into one that it names, or out of it. */
static void step(struct pass *pass)
{
    struct frame *frame = &pass->frames[pass->frame_count - 1];
    const uint32_t index = frame->next++;
    const struct debug_type **slot = edge(frame->made, pass->passing, index);
    if (slot == NULL)
        leave(pass);
    else if (is_passed(&frame->made->type, pass->passing, index) &&
             pass->depths[(*slot)->index] == 0)
        enter(pass, pass->reader->types[(*slot)->index]);
}

static void pass_types(struct debug_reader *reader, enum passing passing)
{
    const uint32_t count = reader->type_count;
    struct pass pass = {.reader = reader,
                        .passing = passing,
                        .depths = debug_scratch(reader, count, sizeof *pass.depths),
                        .frames = debug_scratch(reader, count, sizeof *pass.frames)};
    if (reader->failed)
        return;
    for (uint32_t i = UNKNOWN_TYPE; i < count; i++) {
        if (pass.depths[i] == 0)
            enter(&pass, reader->types[i]);
        while (pass.frame_count > 0)
            step(&pass);
    }
}

/* Enumerators come in numbers of any width, with or without a sign. */
static void extend_enumerators(struct debug_made_type *made)
{
    const struct debug_type *type = &made->type;
    const struct debug_type *numbers = debug_type_plain(type->base);
    const bool is_signed = numbers->kind != DEBUG_TYPE_BASIC ||
                           numbers->encoding == DEBUG_ENCODING_SIGNED ||
                           numbers->encoding == DEBUG_ENCODING_SIGNED_CHAR;
    if (type->size == 0 || type->size >= 8)
        return;
    const unsigned bits = (unsigned)type->size * 8;
    for (uint32_t i = 0; i < type->enumerator_count; i++) {
        uint64_t value = made->enumerators[i].value & ((UINT64_C(1) << bits) - 1);
        if (is_signed && (value >> (bits - 1)) != 0)
            value |= ~UINT64_C(0) << bits;
        made->enumerators[i].value = value;
    }
}

/* ---- all ---- */

void debug_read_types(struct debug_reader *reader)
{
    make_type(reader, DEBUG_TYPE_UNKNOWN);
    make_type(reader, DEBUG_TYPE_VOID);
    for (uint32_t i = 0; i < reader->instruction_count && !reader->failed; i++) {
        const enum debug_type_kind kind = kind_of(reader, reader->instructions[i]);
        if (kind != DEBUG_TYPE_UNKNOWN)
            reader->instructions[i]->made = make_type(reader, kind);
    }
    for (uint32_t i = 0; i < reader->instruction_count && !reader->failed; i++) {
        struct debug_entry *entry = reader->instructions[i];
        if (kind_of(reader, entry) != DEBUG_TYPE_UNKNOWN)
            fill_type(reader, entry->made, entry);
    }
    if (reader->failed)
        return;
    for (uint32_t i = 0; i < reader->type_count; i++) {
        if (reader->types[i]->type.base == NULL)
            reader->types[i]->type.base = unknown(reader);
    }
    pass_types(reader, ALONG_BASES);
    pass_types(reader, ALONG_PARTS);
    for (uint32_t i = 0; i < reader->type_count && !reader->failed; i++) {
        if (reader->types[i]->type.kind == DEBUG_TYPE_ENUM)
            extend_enumerators(reader->types[i]);
    }
    const struct debug_type **types =
        debug_alloc(reader, reader->type_count, sizeof(const struct debug_type *));
    if (types == NULL)
        return;
    for (uint32_t i = 0; i < reader->type_count; i++)
        types[i] = &reader->types[i]->type;
    reader->info->types = types;
    reader->info->type_count = reader->type_count;
}
