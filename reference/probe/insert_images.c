/* Checks of the coordinates that images are read and written at (OpenCL C 3.0, 6.15.15), where
 * nothing says what happens outside: in writes, in reads without a sampler, and in reads with one
 * that has CLK_ADDRESS_NONE. A function of checks stands in for the call. An image lies in no
 * variable, so what it is called is the parameter that it is. */
#include "checkers/probe/report.h"
#include "reference/probe/calls.h"

#include <string.h>

enum { COORDINATES_MAX = 3 };

/* `sizes` are what get_image_... gives, by coordinate. Not image1d_buffer_t, whose width PoCL
 * cannot tell. */
static const struct image_type {
    const char *name; /* as in the spelling of its type, from its last blank on */
    const char *sizes[COORDINATES_MAX];
    unsigned count;
    unsigned layer; /* the coordinate that chooses one of an array; 0 = none */
    unsigned told;  /* enum report_image */
} image_types[] = {
    {"image1d_t", {"width"}, 1, 0, REPORT_IMAGE_1D},
    {"image1d_array_t", {"width", "array_size"}, 2, 1, REPORT_IMAGE_1D_ARRAY},
    {"image2d_t", {"width", "height"}, 2, 0, REPORT_IMAGE_2D},
    {"image2d_depth_t", {"width", "height"}, 2, 0, REPORT_IMAGE_2D},
    {"image2d_array_t", {"width", "height", "array_size"}, 3, 2, REPORT_IMAGE_2D_ARRAY},
    {"image2d_array_depth_t", {"width", "height", "array_size"}, 3, 2, REPORT_IMAGE_2D_ARRAY},
    {"image3d_t", {"width", "height", "depth"}, 3, 0, REPORT_IMAGE_3D},
};

struct image_access {
    const struct image_type *type;
    bool is_write, is_sampled, is_float;
    unsigned coordinate;      /* which argument has them */
    unsigned component_count; /* there may be one that is ignored */
};

static const struct image_type *find_type(const char *spelled)
{
    const char *blank = strrchr(spelled, ' ');
    for (size_t i = 0; blank && i < sizeof image_types / sizeof image_types[0]; i++) {
        if (strcmp(blank + 1, image_types[i].name) == 0)
            return &image_types[i];
    }
    return NULL;
}

/* False for multi-sampled images, and for levels of mipmapped ones. */
static bool parse(const struct call *call, struct image_access *access)
{
    const struct ast *ast = &call->place->part->ast;
    struct type_shape shape;
    *access = (struct image_access){.is_write = call->name[0] == 'w'};
    access->is_sampled = !access->is_write && call->count == 3;
    access->coordinate = access->is_sampled ? 2 : 1;
    if (call->count != (access->is_write ? 3 : access->coordinate + 1) || !call->types[0])
        return false;
    access->type = find_type(call->types[0]);
    if (!access->type || (access->is_sampled && strcmp(call->types[1], "sampler_t") != 0))
        return false;
    const uint32_t at = ast_child(ast, call->node, access->coordinate + 1);
    if (!type_shape(ast, &ast->nodes[at], false, &shape) || shape.count < access->type->count ||
        shape.element_size != 4)
        return false;
    access->is_float = strcmp(shape.element, "float") == 0;
    access->component_count = shape.count;
    return true;
}

/* ---- samplers ---- */

bool insert_is_sampler(const struct ast_node *parameter)
{
    return strcmp(parameter->plain_type, "sampler_t") == 0 ||
           strcmp(parameter->type, "sampler_t") == 0;
}

/* An argument without what clang puts around it. */
static uint32_t inside(const struct ast *ast, uint32_t node)
{
    while (ast_child(ast, node, 0) != 0 &&
           (ast->nodes[node].kind == AST_IMPLICIT_CAST || ast->nodes[node].kind == AST_PAREN))
        node = ast_child(ast, node, 0);
    return node;
}

/* The declaration of the variable or parameter that an argument is; 0 = it is something else. */
static uint32_t declaration_of(const struct ast *ast, uint32_t argument)
{
    const struct ast_node *node = &ast->nodes[inside(ast, argument)];
    return node->kind == AST_REFERENCE ? ast_declaration(ast, node->referred) : 0;
}

/* What a sampler of the program's is made of, from the text of that, as the bits of
 * CHECKED_SAMPLER_...; 0 where that is not by the names alone. */
static unsigned flags_of_text(const struct part *part, uint32_t offset)
{
    static const char modes[] = "CLK_ADDRESS_", none[] = "CLK_ADDRESS_NONE";
    if (offset >= part->source.text.size)
        return 0;
    const char *begin = part->source.text.bytes + offset;
    const size_t length = strcspn(begin, ";,");
    const char *mode = memmem(begin, length, modes, strlen(modes));
    const char *end = begin + length;
    if (!mode || strncmp(mode, none, strlen(none)) != 0)
        return 0;
    if (memmem(mode + 1, (size_t)(end - mode) - 1, modes, strlen(modes)))
        return 0;
    const bool is_normalised = memmem(begin, length, "CLK_NORMALIZED_COORDS_TRUE", 26) != NULL;
    const bool is_not = memmem(begin, length, "CLK_NORMALIZED_COORDS_FALSE", 27) != NULL;
    return is_normalised == is_not ? 0
           : is_normalised         ? CHECKED_SAMPLER_NONE | CHECKED_SAMPLER_NORMALISED
                                   : CHECKED_SAMPLER_NONE;
}

/* As an argument of the function that stands in; NULL = it is not known. Of a sampler in constant
 * memory the tree has what it is made of. */
static const char *sampler_flags(const struct call *call)
{
    const struct place *place = call->place;
    const struct ast *ast = &place->part->ast;
    const uint32_t argument = inside(ast, call->arguments[1]);
    const uint32_t declaration = declaration_of(ast, argument);
    const struct ast_node *node = &ast->nodes[declaration];
    if (declaration != 0 && node->kind == AST_PARAMETER) {
        const int number = insert_parameter_number(place, declaration);
        return place->function->is_kernel && !place->function->is_called && number >= 0
                   ? insert_format(place->program, "clerk_sampler_%d", number)
                   : NULL;
    }
    const unsigned flags =
        flags_of_text(place->part, declaration != 0 ? node->name_place.offset
                                                    : ast->nodes[argument].begin.offset);
    return flags != 0 ? insert_format(place->program, "%u", flags) : NULL;
}

/* ---- functions that stand in ---- */

/* The nth coordinate as a whole number, which of one in the image is in the image. */
static const char *coordinate(struct insertion_program *program, const struct image_access *access,
                              unsigned n)
{
    const char *at =
        access->component_count == 1 ? "clerk_at" : insert_format(program, "clerk_at.%c", "xyz"[n]);
    const char *size = insert_format(program, "get_image_%s(clerk_image)", access->type->sizes[n]);
    if (access->is_sampled && access->type->layer == n && n != 0)
        return insert_format(program, "clerk_layer(convert_int_sat_rte(%s), (int)%s)", at, size);
    return access->is_float
               ? insert_format(program, "clerk_texel(%s, (int)%s, clerk_flags)", at, size)
               : at;
}

static const char *list(struct insertion_program *program, const struct image_access *access,
                        bool are_sizes)
{
    const char *text = "";
    for (unsigned n = 0; n < COORDINATES_MAX && text; n++) {
        const char *one = n >= access->type->count ? are_sizes ? "1" : "0"
                          : are_sizes ? insert_format(program, "get_image_%s(clerk_image)",
                                                      access->type->sizes[n])
                                      : coordinate(program, access, n);
        text = insert_format(program, "%s, (uint)%s", text, one);
    }
    return text;
}

/* Outside a write is not performed, and a read is one of the first texel. */
static const char *write_access(const struct call *call, unsigned number)
{
    struct insertion_program *program = call->place->program;
    const struct ast *ast = &call->place->part->ast;
    struct image_access access;
    parse(call, &access);
    const char *result = access.is_write ? "void" : call_type(call, &ast->nodes[call->node]);
    const char *within = insert_format(
        program, "%sclerk_in_image(clerk_k, %u, clerk_argument, clerk_site, %u%s%s)",
        access.is_sampled ? "(clerk_flags & clerk_SAMPLER_NONE) == 0 || " : "", access.type->told,
        access.type->count | (access.is_sampled ? REPORT_IMAGE_SAMPLED : 0),
        list(program, &access, false), list(program, &access, true));
    const char *at = call->types[access.coordinate];
    const char *body =
        access.is_write
            ? insert_format(program, "if (%s) %s(clerk_image, clerk_at, clerk_v);", within,
                            call->name)
            : insert_format(program, "return %s(clerk_image, %s%s ? clerk_at : (%s)0);", call->name,
                            access.is_sampled ? "clerk_s, " : "", within, at);
    return insert_format(
        program,
        "clerk_CHECK %s clerk_%u_%s(__private struct clerk_k *clerk_k, uint clerk_site, "
        "uint clerk_argument, %s%s clerk_image, %s%s clerk_at%s%s) { %s } ",
        result, number, call->name, access.is_sampled ? "uint clerk_flags, " : "", call->types[0],
        access.is_sampled ? "sampler_t clerk_s, " : "", at, access.is_write ? ", " : "",
        access.is_write ? insert_format(program, "%s clerk_v", call->types[2]) : "", body);
}

void insert_image_access(const struct call *call)
{
    const struct place *place = call->place;
    struct image_access access;
    if (!call_can_stand_in(call) || !parse(call, &access))
        return;
    const char *flags = access.is_sampled ? sampler_flags(call) : "";
    const uint32_t image = declaration_of(&place->part->ast, call->arguments[0]);
    const int argument = place->function->is_kernel ? insert_parameter_number(place, image) : -1;
    if (!flags || !call_type(call, &place->part->ast.nodes[call->node]))
        return;
    const size_t site = call_site(call, access.is_write ? CHECKED_WRITE : CHECKED_READ);
    place->program->uses_images = true;
    call_use_space(place, TYPE_PRIVATE);
    call_replace(call, call_stand_in(call, write_access),
                 insert_format(place->program, "clerk_k, %zu, %d, %s%s", site,
                               argument >= 0 ? argument : 0xff, flags,
                               access.is_sampled ? ", " : ""));
}
