#include "trace/effect/effect.h"

#include "trace/base/size.h"

#include <string.h>

/* ---- the table ---- */

#define ROW(function, effect_form, effect_kind, a, b, c, d, e)                                     \
    {                                                                                              \
        .form = EFFECT_FORM_##effect_form, .kind = EFFECT_##effect_kind, .at = {                   \
            API_##function##_##a,                                                                  \
            API_##function##_##b,                                                                  \
            API_##function##_##c,                                                                  \
            API_##function##_##d,                                                                  \
            API_##function##_##e                                                                   \
        }                                                                                          \
    }
static const struct effect_row table[API_ENTRY_COUNT][EFFECTS_MAX] = {
#define EFFECTS(function, ...) [API_ENTRY_##function] = {API_EACH(ROW, function, __VA_ARGS__)},
#include "trace/effect/effects.def"
#undef EFFECTS
};

const struct effect_row *effects_rows(uint32_t entry)
{
    return table[entry < API_ENTRY_COUNT ? entry : API_ENTRY_UNKNOWN];
}

bool effects_know(uint32_t entry)
{
    return effects_rows(entry)->form != EFFECT_FORM_NONE;
}

unsigned effects_on_host(uint32_t entry)
{
    unsigned kinds = 0;
    for (uint32_t i = 0; effects_know(entry) && i < EFFECTS_MAX; i++)
        if (table[entry][i].form >= EFFECT_FORM_HOST)
            kinds |= 1U << table[entry][i].kind;
    return kinds;
}

/* ---- from a row to its effect ---- */

struct maker {
    const struct api_call *call;
    const struct effect_row *row;
    effect_image *image;
    void *user;
    struct effect *effect;
};

static const struct api_value *value_at(const struct maker *maker, unsigned place)
{
    return &maker->call->arguments[maker->row->at[place]];
}

static uint64_t number_at(const struct maker *maker, unsigned place)
{
    return value_at(maker, place)->bits;
}

static bool triple_at(const struct maker *maker, unsigned place, uint64_t triple[3])
{
    const struct api_value *value = value_at(maker, place);
    if (value->kind != API_VALUE_SIZES || value->count < 3 || !value->data)
        return false;
    memcpy(triple, value->data, 3 * sizeof *triple);
    return true;
}

/* What an OUT parameter came back with. */
static uint64_t answer_at(const struct maker *maker, unsigned place)
{
    const struct api_value *value = value_at(maker, place);
    uint64_t answer = 0;
    if (value->kind == API_VALUE_SIZES && value->count == 1 && value->data)
        memcpy(&answer, value->data, sizeof answer);
    return answer;
}

static bool make_linear(const struct maker *maker)
{
    maker->effect->bytes = rectangle_linear(number_at(maker, 1), number_at(maker, 2));
    return true;
}

static bool make_host(const struct maker *maker)
{
    maker->effect->bytes = rectangle_linear(0, number_at(maker, 1));
    return true;
}

static bool make_mapped(const struct maker *maker)
{
    maker->effect->bytes = rectangle_linear(0, number_at(maker, 0));
    return true;
}

static bool make_rectangle(const struct maker *maker)
{
    struct rectangle *bytes = &maker->effect->bytes;
    uint64_t origin[3], region[3];
    if (!triple_at(maker, 1, origin) || !triple_at(maker, 2, region))
        return false;
    *bytes = (struct rectangle){.row_size = region[0], .rows = region[1], .slices = region[2]};
    return rectangle_set_pitches(bytes, number_at(maker, 3), number_at(maker, 4)) &&
           rectangle_move(bytes, origin);
}

static bool make_texels(const struct maker *maker)
{
    const struct api_value *origin = value_at(maker, 1);
    uint64_t region[3];
    if (!triple_at(maker, 1, maker->effect->origin) || !triple_at(maker, 2, region))
        return false;
    maker->effect->origin[3] = 0;
    if (origin->count > 3)
        memcpy(&maker->effect->origin[3], (const uint64_t *)origin->data + 3, sizeof(uint64_t));
    maker->effect->bytes =
        (struct rectangle){.row_size = region[0], .rows = region[1], .slices = region[2]};
    return true;
}

static bool make_texel_bytes(const struct maker *maker)
{
    const struct image_shape image = maker->image(maker->user, number_at(maker, 2));
    uint64_t region[3], size;
    if (image.pixel_size == 0 || !triple_at(maker, 3, region) ||
        !size_mul(region[0], region[1], &size) || !size_mul(size, region[2], &size) ||
        !size_mul(size, image.pixel_size, &size))
        return false;
    maker->effect->bytes = rectangle_linear(number_at(maker, 1), size);
    return true;
}

static bool make_host_texels(const struct maker *maker)
{
    const struct image_shape image = maker->image(maker->user, number_at(maker, 1));
    uint64_t region[3];
    return triple_at(maker, 2, region) &&
           image_region_in_host(&image, region, number_at(maker, 3), number_at(maker, 4),
                                &maker->effect->bytes);
}

static bool make_mapped_texels(const struct maker *maker)
{
    const struct image_shape image = maker->image(maker->user, number_at(maker, 0));
    uint64_t region[3];
    return triple_at(maker, 1, region) &&
           image_region_in_host(&image, region, answer_at(maker, 2), answer_at(maker, 3),
                                &maker->effect->bytes);
}

/* Of each form: where its memory is, and how its bytes are made; false: they are not known. */
static const struct form {
    enum effect_place place;
    bool (*make_bytes)(const struct maker *maker);
} forms[] = {
    [EFFECT_FORM_BYTES] = {EFFECT_BUFFER, make_linear},
    [EFFECT_FORM_RECTANGLE] = {EFFECT_BUFFER, make_rectangle},
    [EFFECT_FORM_TEXELS] = {EFFECT_IMAGE, make_texels},
    [EFFECT_FORM_TEXEL_BYTES] = {EFFECT_BUFFER, make_texel_bytes},
    [EFFECT_FORM_HOST] = {EFFECT_HOST, make_host},
    [EFFECT_FORM_HOST_RECTANGLE] = {EFFECT_HOST, make_rectangle},
    [EFFECT_FORM_HOST_TEXELS] = {EFFECT_HOST, make_host_texels},
    [EFFECT_FORM_SHARED] = {EFFECT_SHARED, make_host},
    [EFFECT_FORM_MAPPED] = {EFFECT_HOST, make_mapped},
    [EFFECT_FORM_MAPPED_TEXELS] = {EFFECT_HOST, make_mapped_texels},
};

/* What the row's memory is; false: a pointer to it is NULL. */
static bool set_memory(const struct maker *maker)
{
    struct effect *effect = maker->effect;
    const bool is_result =
        maker->row->form == EFFECT_FORM_MAPPED || maker->row->form == EFFECT_FORM_MAPPED_TEXELS;
    effect->place = forms[maker->row->form].place;
    effect->argument = is_result ? API_ARGUMENT_RESULT : maker->row->at[0];
    effect->memory = is_result ? maker->call->result.bits : number_at(maker, 0);
    return is_result || effect->place == EFFECT_BUFFER || effect->place == EFFECT_IMAGE ||
           value_at(maker, 0)->present;
}

void effects_of(const struct api_call *call, effect_image *image, void *user,
                struct effects *effects)
{
    const struct effect_row *row = effects_rows(call->entry);
    effects->count = 0;
    for (const struct effect_row *end = row + EFFECTS_MAX;
         row != end && row->form != EFFECT_FORM_NONE; row++) {
        struct effect *effect = &effects->items[effects->count];
        const struct maker maker = {
            .call = call, .row = row, .image = image, .user = user, .effect = effect};
        effect->kind = row->kind;
        if (!set_memory(&maker))
            continue;
        effect->known = forms[row->form].make_bytes(&maker);
        if (!effect->known)
            effect->bytes = (struct rectangle){0};
        effects->count++;
    }
}

const struct effect *effects_find(const struct effects *effects, enum effect_place place)
{
    for (uint32_t i = 0; i < effects->count; i++)
        if (effects->items[i].place == place)
            return &effects->items[i];
    return NULL;
}

/* ---- host_ptr ---- */

bool effect_of_create(const struct api_call *call, struct effect *effect)
{
    const struct api_entry_info *info = api_entry_get(call->entry);
    const uint32_t pointer = api_entry_find_role(info, API_ROLE_HOST_MEMORY);
    const uint32_t size = api_entry_find_parameter(info, "size");
    struct image_create create;
    if (pointer == API_PARAMETER_NONE || !call->arguments[pointer].present)
        return false;
    *effect = (struct effect){.kind = EFFECT_READS,
                              .place = EFFECT_HOST,
                              .known = true,
                              .argument = pointer,
                              .memory = call->arguments[pointer].bits};
    if (size != API_PARAMETER_NONE) {
        effect->bytes = rectangle_linear(0, call->arguments[size].bits);
        return true;
    }
    if (!image_create_parse(call, &create))
        return false;
    const struct image_shape image = image_shape_of(create.format, &create.desc);
    return image_in_host(&image, &effect->bytes);
}
