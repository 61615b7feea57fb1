/* Images as kernels use them: test_exec_image.c. */
kernel void sample_1d(read_only image1d_t image, sampler_t sampler, global const float4 *at,
                      global float4 *out)
{
    const size_t i = get_global_id(0);
    out[i] = read_imagef(image, sampler, at[i].x);
}

kernel void sample_1d_array(read_only image1d_array_t image, sampler_t sampler,
                            global const float4 *at, global float4 *out)
{
    const size_t i = get_global_id(0);
    out[i] = read_imagef(image, sampler, at[i].xy);
}

kernel void sample_2d(read_only image2d_t image, sampler_t sampler, global const float4 *at,
                      global float4 *out)
{
    const size_t i = get_global_id(0);
    out[i] = read_imagef(image, sampler, at[i].xy);
}

kernel void sample_2d_array(read_only image2d_array_t image, sampler_t sampler,
                            global const float4 *at, global float4 *out)
{
    const size_t i = get_global_id(0);
    out[i] = read_imagef(image, sampler, at[i]);
}

kernel void sample_3d(read_only image3d_t image, sampler_t sampler, global const float4 *at,
                      global float4 *out)
{
    const size_t i = get_global_id(0);
    out[i] = read_imagef(image, sampler, at[i]);
}

kernel void sample_integers(read_only image2d_t image, sampler_t sampler, global const int2 *at,
                            global float4 *out)
{
    const size_t i = get_global_id(0);
    out[i] = read_imagef(image, sampler, at[i]);
}

kernel void read(read_only image2d_t image, global const int2 *at, global uint4 *out)
{
    const size_t i = get_global_id(0);
    out[i] = read_imageui(image, at[i]);
}

kernel void write(write_only image2d_t image, global const int2 *at, global const int4 *colors)
{
    const size_t i = get_global_id(0);
    write_imagei(image, at[i], colors[i]);
}

static float4 twice(read_write image2d_t image, int2 at)
{
    return 2.0f * read_imagef(image, at);
}

kernel void both(read_write image2d_t image)
{
    const int2 at = (int2)((int)get_global_id(0) & 3, (int)get_global_id(0) >> 2);
    if (at.y < 3)
        write_imagef(image, at, twice(image, at));
}

kernel void literal(read_only image2d_t image, global float4 *out)
{
    const sampler_t sampler = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;
    out[get_global_id(0)] = read_imagef(image, sampler, (int2)((int)get_global_id(0) - 1, 1));
}

kernel void query(read_only image2d_t flat, read_only image2d_array_t layers,
                  read_only image3d_t deep, read_only image1d_buffer_t buffer, global int *out)
{
    if (get_global_id(0) > 0)
        return;
    out[0] = get_image_width(flat);
    out[1] = get_image_height(flat);
    out[2] = get_image_dim(flat).y;
    out[3] = get_image_channel_data_type(flat);
    out[4] = get_image_channel_order(flat);
    out[5] = (int)get_image_array_size(layers);
    out[6] = get_image_height(layers);
    out[7] = get_image_depth(deep);
    out[8] = get_image_dim(deep).z;
    out[9] = get_image_width(buffer);
}
