#include "tests/fuzz/random_shape.h"

enum { NAME_SIZE = 24, LEAVES_MAX = 40, SIZE_MAX_OF_SHAPE = 320 };

static const uint8_t widths[] = {1, 1, 1, 2, 3, 4, 8};

static uint32_t add(struct shapes *shapes, struct shape shape)
{
    shapes->list[shapes->count] = shape;
    return shapes->count++;
}

uint32_t shape_of_value(struct shapes *shapes, struct type type)
{
    const uint32_t stored = type.width == 3 ? 4 : type.width;
    const uint32_t size = base_size(type.base) * stored;
    for (uint32_t i = 0; i < shapes->count; i++) {
        const struct shape *shape = &shapes->list[i];
        if (shape->form == VALUE && shape->value.base == type.base &&
            shape->value.width == type.width)
            return i;
    }
    return add(shapes, (struct shape){
                           .form = VALUE, .value = type, .size = size, .align = size, .leaves = 1});
}

static uint32_t any_value(struct shapes *shapes)
{
    return shape_of_value(shapes,
                          (struct type){(enum base)below(FLOAT), widths[below(sizeof widths)]});
}

/* Arrays are of values and aggregates; an array of arrays is one of a size of its own. */
static uint32_t make_array(struct shapes *shapes, uint32_t element, uint32_t count)
{
    const struct shape of = shapes->list[element];
    return add(shapes, (struct shape){.form = ARRAY,
                                      .count = count,
                                      .members = {element},
                                      .size = of.size * count,
                                      .align = of.align,
                                      .leaves = of.leaves * count});
}

uint32_t shape_aggregate(const struct shapes *shapes)
{
    for (;;) {
        const uint32_t i = below(shapes->count);
        if (shapes->list[i].form == STRUCT || shapes->list[i].form == UNION)
            return i;
    }
}

const char *shape_name(const struct shapes *shapes, uint32_t shape)
{
    static char names[8][NAME_SIZE];
    static uint32_t next;
    const struct shape *is = &shapes->list[shape];
    if (is->form == VALUE)
        return name_of(is->value);
    struct text text = TEXT_INIT;
    char *name = names[next++ % 8];
    text_format(&text,
                is->form == ARRAY   ? "a%u"
                : is->form == UNION ? "union t%u"
                                    : "struct t%u",
                shape);
    for (size_t i = 0; i <= text.size && i < NAME_SIZE; i++)
        name[i] = text.bytes[i];
    text_release(&text);
    return name;
}

/* ---- definitions ---- */

static void place(struct shape *shape, const struct shapes *shapes, uint32_t member)
{
    const struct shape *is = &shapes->list[member];
    const uint32_t at = (shape->size + is->align - 1) / is->align * is->align;
    shape->members[shape->count++] = member;
    shape->size = at + is->size;
    shape->leaves += is->leaves;
    if (is->align > shape->align)
        shape->align = is->align;
}

static uint32_t any_member(struct shapes *shapes, uint32_t aggregates, struct text *out)
{
    uint32_t member = any_value(shapes);
    if (aggregates > 0 && one_in(3))
        member = shape_aggregate(shapes);
    for (uint32_t dimensions = below(5) / 2; dimensions > 0; dimensions--) {
        const uint32_t count = 1 + below(4);
        if (shapes->list[member].leaves * count > LEAVES_MAX / 2 || shapes->count == SHAPES_MAX)
            break;
        const uint32_t element = member;
        member = make_array(shapes, element, count);
        text_format(out, "typedef %s a%u[%u];\n", shape_name(shapes, element), member, count);
    }
    return member;
}

static struct shape random_structure(struct shapes *shapes, uint32_t aggregates, struct text *out)
{
    struct shape shape = {.form = STRUCT, .align = 1};
    const uint32_t members = 1 + below(SHAPE_MEMBERS);
    while (shape.count < members) {
        const uint32_t member = any_member(shapes, aggregates, out);
        const struct shape *is = &shapes->list[member];
        if (shape.count > 0 &&
            (shape.leaves + is->leaves > LEAVES_MAX || shape.size + is->size > SIZE_MAX_OF_SHAPE))
            break;
        place(&shape, shapes, member);
    }
    shape.size = (shape.size + shape.align - 1) / shape.align * shape.align;
    return shape;
}

/* Members of 4, 8 or 16 bytes: a value, or an array of values. */
static struct shape random_union(struct shapes *shapes, struct text *out)
{
    const uint32_t size = 4u << below(3);
    struct shape shape = {.form = UNION, .size = size, .align = 1};
    while (shape.count < 2 + size / 8) {
        const uint32_t member = any_value(shapes);
        const struct shape is = shapes->list[member];
        if (is.value.width == 3 || is.size > size)
            continue;
        const uint32_t count = size / is.size;
        uint32_t whole = member;
        if (count > 1) {
            whole = make_array(shapes, member, count);
            text_format(out, "typedef %s a%u[%u];\n", shape_name(shapes, member), whole, count);
        }
        shape.members[shape.count++] = whole;
        shape.leaves =
            shapes->list[whole].leaves > shape.leaves ? shapes->list[whole].leaves : shape.leaves;
        if (is.align > shape.align)
            shape.align = is.align;
    }
    return shape;
}

/* ---- all of a shape ---- */

static void lead(uint32_t depth, struct text *out)
{
    for (uint32_t i = 0; i <= depth; i++)
        text_append(out, "    ");
}

typedef void leaf_writer(struct type type, const char *place, uint32_t depth, struct text *out);

static void walk(const struct shapes *shapes, uint32_t shape, const char *place, uint32_t depth,
                 leaf_writer *leaf, struct text *out)
{
    const struct shape *is = &shapes->list[shape];
    if (is->form == VALUE) {
        leaf(is->value, place, depth, out);
        return;
    }
    struct text inner = TEXT_INIT;
    if (is->form == ARRAY) {
        lead(depth, out);
        text_format(out, "for (uint i%u = 0; i%u < %u; i%u++) {\n", depth, depth, is->count, depth);
        text_format(&inner, "%s[i%u]", place, depth);
        walk(shapes, is->members[0], inner.bytes, depth + 1, leaf, out);
        lead(depth, out);
        text_append(out, "}\n");
    } else {
        /* of a union, the first is all */
        for (uint32_t m = 0; m < (is->form == UNION ? 1 : is->count); m++) {
            text_clear(&inner);
            text_format(&inner, "%s.m%u", place, m);
            walk(shapes, is->members[m], inner.bytes, depth, leaf, out);
        }
    }
    text_release(&inner);
}

static void hash_leaf(struct type type, const char *place, uint32_t depth, struct text *out)
{
    for (uint32_t i = 0; i < type.width; i++) {
        lead(depth, out);
        text_format(out, type.width > 1 ? "hash = MIX(hash, %s.s%x);\n" : "hash = MIX(hash, %s);\n",
                    place, i);
    }
}

static void fill_leaf(struct type type, const char *place, uint32_t depth, struct text *out)
{
    const char *name = name_of((struct type){type.base, 1});
    lead(depth, out);
    if (type.width == 1) {
        text_format(out, "%s = (%s)(x = NEXT(x));\n", place, name);
        return;
    }
    text_format(out, "for (uint i%u = 0; i%u < %u; i%u++)\n", depth, depth, type.width, depth);
    lead(depth + 1, out);
    text_format(out, "%s[i%u] = (%s)(x = NEXT(x));\n", place, depth, name);
}

void shape_hash(const struct shapes *shapes, uint32_t shape, const char *place, uint32_t depth,
                struct text *out)
{
    walk(shapes, shape, place, depth, hash_leaf, out);
}

void shape_fill(const struct shapes *shapes, uint32_t shape, const char *place, uint32_t depth,
                struct text *out)
{
    walk(shapes, shape, place, depth, fill_leaf, out);
}

static void define(const struct shapes *shapes, uint32_t shape, struct text *out)
{
    const struct shape *is = &shapes->list[shape];
    text_format(out, "%s {\n", shape_name(shapes, shape));
    for (uint32_t m = 0; m < is->count; m++)
        text_format(out, "    %s m%u;\n", shape_name(shapes, is->members[m]), m);
    text_format(out, "};\nulong hash_t%u(const private %s *p)\n{\n    ulong hash = %u;\n", shape,
                shape_name(shapes, shape), shape);
    shape_hash(shapes, shape, "(*p)", 0, out);
    text_format(out, "    return hash;\n}\nvoid fill_t%u(private %s *p, uint x)\n{\n", shape,
                shape_name(shapes, shape));
    shape_fill(shapes, shape, "(*p)", 0, out);
    text_append(out, "}\n");
}

void shapes_make(struct shapes *shapes, uint32_t structures, struct text *out)
{
    shapes->count = 0;
    for (uint32_t i = 0; i < structures && shapes->count + 3 * SHAPE_MEMBERS < SHAPES_MAX; i++) {
        const struct shape shape =
            one_in(4) ? random_union(shapes, out) : random_structure(shapes, i, out);
        define(shapes, add(shapes, shape), out);
    }
}
