/* "clerk/image": an image as a PNG, small enough for a panel. */
#include "viewer-cli/debug/dap.h"

#include "trace/base/json.h"
#include "viewer-cli/debug/memory.h"

/* Texels on the longer side, where a client does not say how many. */
enum { SIDE_MAX = 512 };

struct asked {
    struct dap *dap;
    const struct cJSON *request;
};

static struct cJSON *ask(void *user, struct text *request)
{
    const struct asked *asked = user;
    return dap_ask(asked->dap, asked->request, request);
}

static void refuse(void *user, const char *sentence)
{
    const struct asked *asked = user;
    dap_refuse(asked->dap, asked->request, "%s", sentence);
}

static uint64_t read_number(const struct cJSON *arguments, const char *key, uint64_t otherwise)
{
    json_object_number(arguments, key, &otherwise);
    return otherwise;
}

static void put_range(const struct picture *picture, struct text *text)
{
    if (!picture->has_range || picture->least > picture->greatest)
        return;
    json_key(text, "black");
    text_format(text, "%.17g", picture->least);
    json_key(text, "white");
    text_format(text, "%.17g", picture->greatest);
}

static void put_png(const struct picture *picture, struct text *text)
{
    struct text png = TEXT_INIT;
    picture_print_png(picture, &png);
    json_key(text, "png");
    text_append_char(text, '"');
    dap_append_base64(text, png.bytes, png.size);
    text_append_char(text, '"');
    text->failed = text->failed || png.failed;
    text_release(&png);
}

/* Arguments: expression, frameId, slice, level, max (texels on the longer side of the picture). */
void dap_image(struct dap *dap, const struct cJSON *request, const struct cJSON *arguments)
{
    struct asked asked = {dap, request};
    const struct debug_asker asker = {ask, refuse, &asked};
    const char *const expression = json_object_text(arguments, "expression");
    const uint64_t slice = read_number(arguments, "slice", 0);
    const uint64_t level = read_number(arguments, "level", 0);
    const uint64_t most = read_number(arguments, "max", SIDE_MAX);
    struct debug_image image = {0};
    struct picture picture = {0};
    if (!dap_focus_on_frame(dap, request, arguments))
        return;
    if (debug_image_find(&asker, expression ? expression : "", level, &image)) {
        const uint64_t step = debug_image_step(&image, most);
        if (debug_image_picture(&asker, &image, slice, step, &picture)) {
            dap_respond(dap, request);
            json_string(&dap->out, "text", image.text);
            json_number(&dap->out, "width", image.width);
            json_number(&dap->out, "height", image.height);
            json_number(&dap->out, "slice", slice);
            json_number(&dap->out, "slices", image.slices);
            json_number(&dap->out, "level", level);
            json_number(&dap->out, "levels", image.levels);
            json_number(&dap->out, "step", step);
            dap_put_flag(&dap->out, "undefined", picture.has_undefined);
            put_range(&picture, &dap->out);
            put_png(&picture, &dap->out);
            dap_end(dap);
        }
    }
    picture_release(&picture);
    debug_image_release(&image);
}
