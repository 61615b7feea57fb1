/* Inside the generator of programs: what is in reach, as a list of objects, and places in them. An
 * object is a name and a shape; a place is an object and a way down to one of its parts. */
#ifndef TESTS_FUZZ_RANDOM_PLACE_H
#define TESTS_FUZZ_RANDOM_PLACE_H

#include "tests/fuzz/random_shape.h"

enum space { PRIVATE, LOCAL, GLOBAL, CONSTANT };
enum { OBJECTS_MAX = 128, OBJECT_NAME = 32 };

/* What a name stands for: an object, or, of a pointer, the elements from `low` to `high` around the
 * one that it leads to. */
struct object {
    char name[OBJECT_NAME];
    uint32_t shape;
    enum space space;
    bool writable, pointer;
    const char *qualifier; /* of a pointer: what stands for the space; "" is generic */
    int32_t low, high;
};

/* A part of an object, as text, which the caller releases. */
struct place {
    struct text name;
    uint32_t shape;
    const struct object *root;
    bool in_union;
};

/* The program in the making; `scope` is what expressions are made in. */
extern struct shapes shapes;
extern struct scope scope;
extern struct object objects[OBJECTS_MAX];
extern uint32_t object_count;
/* May pointers be generic? */
extern bool generic;

extern const struct type uint_type;

#define OUT(...) text_format(scope.out, __VA_ARGS__)

/* One like `like`, but for its name. */
struct object *add_like(const struct object *like, const char *format, uint32_t number);
struct object *add_object(const char *format, uint32_t number, uint32_t shape, enum space space);
const struct shape *shape_at(uint32_t shape);
bool is_aggregate(uint32_t shape);
/* A pointer that leads into a space which its type does not tell: what it leads to has no other
 * address. */
bool is_generic(const struct object *object);
/* What a type of a pointer has for the space: it may be generic. */
const char *pointer_space(enum space space);

/* The text of an index of `count`, the first of which is `first`. */
void put_index(uint32_t count, int32_t first, struct text *out);
void start_place(struct place *place, const struct object *object);
/* One step down; of a value there is none. */
void step_down(struct place *place);
const struct object *any_object(bool writable);
/* Down to a value. */
bool value_place(struct place *place, bool writable);
/* A part of an object below number `limit`, of the shape, not in a union, by a name or a pointer
 * that tells its space: pointers to it are fine. */
bool place_of_shape(struct place *place, uint32_t shape, enum space space, bool writable,
                    uint32_t limit);

/* Some components of a vector, by name; distinct ones may be assigned to. */
void put_components(struct type from, uint32_t width, bool distinct);
/* One component: by name, or by number. */
void put_component(struct type from);
/* For struct scope. */
bool leaf_from_objects(struct scope *of, struct type type);

#endif
