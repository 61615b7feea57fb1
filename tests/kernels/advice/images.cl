// Images: functions, samplers and fences that do not go with them: as races.cl.
//
// $ clerk kernel images.cl -k of_integers -g 4 -a 'image2d:r:signed_int32[4x1]=iota' -a 'buf:int[4]'
// $ clerk kernel images.cl -k of_integers_advised -g 4 -a 'image2d:r:signed_int32[4x1]=iota' -a 'buf:int[4]' --print 1
// $ clerk kernel images.cl -k of_floats -g 4 -a 'image2d:r:float[4x1]=0'
// $ clerk kernel images.cl -k of_floats_advised -g 4 -a 'image2d:r:float[4x1]=0' --print 0
// $ clerk kernel images.cl -k of_shades -g 4 -a 'image2d:r:signed_int8[4x1]=iota' -a 'buf:int[4]'
// $ clerk kernel images.cl -k of_shades_advised -g 4 -a 'image2d:r:snorm_int8[4x1]=iota' -a 'buf:int[4]' --print 1
// $ clerk kernel images.cl -k normalised -g 4 -a 'image2d:r:float[4x1]=iota' -a 'buf:float[4]'
// $ clerk kernel images.cl -k normalised_advised -g 4 -a 'image2d:r:float[4x1]=iota' -a 'buf:float[4]' --print 1
// $ clerk kernel images.cl -k fractions -g 4 -a 'image2d:r:float[4x1]=iota' -a 'buf:float[4]'
// $ clerk kernel images.cl -k fractions_advised -g 4 -a 'image2d:r:float[4x1]=iota' -a 'buf:float[4]' --print 1
// $ clerk kernel images.cl -k repeats -g 6 -a 'image2d:r:float[4x1]=iota' -a 'buf:float[6]'
// $ clerk kernel images.cl -k repeats_advised -g 6 -a 'image2d:r:float[4x1]=iota' -a 'buf:float[6]' --print 1
// $ clerk kernel images.cl -k repeats_not -g 6 -a 'image2d:r:float[4x1]=iota' -a 'buf:float[6]'
// $ clerk kernel images.cl -k repeats_not_advised -g 6 -a 'image2d:r:float[4x1]=iota' -a 'buf:float[6]' --print 1
// $ clerk kernel images.cl -k between_texels -g 3 -a 'image2d:r:float[4x1]=iota' -a 'buf:float[3]'
// $ clerk kernel images.cl -k between_texels_advised -g 3 -a 'image2d:r:float[4x1]=iota' -a 'buf:float[3]' --print 1
// $ clerk kernel images.cl -k nearest -g 4 -a 'image2d:r:float[4x1]=iota' -a 'buf:float[4]'
// $ clerk kernel images.cl -k nearest_advised -g 4 -a 'image2d:r:float[4x1]=iota' -a 'buf:float[4]' --print 1
// $ clerk kernel images.cl -k numbers -g 3 -a 'image2d:r:unsigned_int8[4x1]=iota' -a 'buf:uint[3]'
// $ clerk kernel images.cl -k numbers_advised -g 3 -a 'image2d:r:unsigned_int8[4x1]=iota' -a 'buf:uint[3]' --print 1
// $ clerk kernel images.cl -k shades -g 3 -a 'image2d:r:unsigned_int8[4x1]=iota' -a 'buf:float[3]'
// $ clerk kernel images.cl -k shades_advised -g 3 -a 'image2d:r:unorm_int8[4x1]=iota' -a 'buf:float[3]' --print 1
// $ clerk kernel images.cl -k levels --build -cl-std=CL3.0 -g 2 -a 'image2d:r:float[4x4/3]=iota' -a 'buf:float[2]'
// $ clerk kernel images.cl -k levels_advised --build -cl-std=CL3.0 -g 2 -a 'image2d:r:float[4x4/3]=iota' -a 'buf:float[2]' --print 1
// $ clerk kernel images.cl -k again --build -cl-std=CL3.0 -g 4 -l 4 -a 'image2d:r:unsigned_int8[4x1]=0'
// $ clerk kernel images.cl -k again_advised --build -cl-std=CL3.0 -g 4 -l 4 -a 'image2d:r:unsigned_int8[4x1]=0' --print 0
// $ clerk kernel images.cl -k kept --build -cl-std=CL3.0 -g 4 -l 4 -a 'image2d:r:unsigned_int8[4x1]=0'
// $ clerk kernel images.cl -k kept_advised --build -cl-std=CL3.0 -g 4 -l 4 -a 'image2d:r:unsigned_int8[4x1]=0' --print 0
// $ clerk kernel images.cl -k one_texel -g 4 -l 4 -a 'image2d:r:float[4x1]=0'
// $ clerk kernel images.cl -k one_texel_advised -g 4 -l 4 -a 'image2d:r:float[4x1]=0' --print 0

#define ID ((int)get_global_id(0))
#define CLAMPED(coordinates, filter) \
    CLK_NORMALIZED_COORDS_##coordinates | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_##filter

constant sampler_t normalised_nearest = CLAMPED(TRUE, NEAREST);
constant sampler_t texels_nearest = CLAMPED(FALSE, NEAREST);
constant sampler_t texels_linear = CLAMPED(FALSE, LINEAR);
constant sampler_t texels_repeat = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_REPEAT | CLK_FILTER_NEAREST;
constant sampler_t normalised_repeat = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_REPEAT | CLK_FILTER_NEAREST;

/* ---- channels ---- */

kernel void of_integers(read_only image2d_t image, global int *out)
{
    out[ID] = (int)read_imagef(image, texels_nearest, (int2)(ID, 0)).x;
}

kernel void of_integers_advised(read_only image2d_t image, global int *out)
{
    out[ID] = (int)read_imagei(image, texels_nearest, (int2)(ID, 0)).x;
}

kernel void of_floats(write_only image2d_t image)
{
    write_imagei(image, (int2)(ID, 0), (int4)(ID));
}

kernel void of_floats_advised(write_only image2d_t image)
{
    write_imagef(image, (int2)(ID, 0), (float4)(ID));
}

kernel void of_shades(read_only image2d_t image, global int *out)
{
    out[ID] = (int)(127 * read_imagef(image, texels_nearest, (int2)(ID, 0)).x);
}

/* Of an image with other channels. */
kernel void of_shades_advised(read_only image2d_t image, global int *out)
{
    out[ID] = (int)(127 * read_imagef(image, texels_nearest, (int2)(ID, 0)).x);
}

/* ---- samplers ---- */

kernel void normalised(read_only image2d_t image, global float *out)
{
    out[ID] = read_imagef(image, normalised_nearest, (int2)(ID, 0)).x;
}

kernel void normalised_advised(read_only image2d_t image, global float *out)
{
    out[ID] = read_imagef(image, texels_nearest, (int2)(ID, 0)).x;
}

kernel void fractions(read_only image2d_t image, global float *out)
{
    out[ID] = read_imagef(image, normalised_nearest, (int2)(ID, 0)).x;
}

kernel void fractions_advised(read_only image2d_t image, global float *out)
{
    const float2 size = (float2)(get_image_width(image), get_image_height(image));
    out[ID] = read_imagef(image, normalised_nearest, ((float2)(ID, 0) + 0.5f) / size).x;
}

kernel void repeats(read_only image2d_t image, global float *out)
{
    out[ID] = read_imagef(image, texels_repeat, (float2)(ID, 0) + 0.5f).x;
}

kernel void repeats_advised(read_only image2d_t image, global float *out)
{
    const float2 size = (float2)(get_image_width(image), get_image_height(image));
    out[ID] = read_imagef(image, normalised_repeat, ((float2)(ID, 0) + 0.5f) / size).x;
}

kernel void repeats_not(read_only image2d_t image, global float *out)
{
    out[ID] = read_imagef(image, texels_repeat, (float2)(ID, 0) + 0.5f).x;
}

kernel void repeats_not_advised(read_only image2d_t image, global float *out)
{
    out[ID] = read_imagef(image, texels_nearest, (float2)(ID, 0) + 0.5f).x;
}

/* The mean of each texel and the next. */
kernel void between_texels(read_only image2d_t image, global float *out)
{
    out[ID] = read_imagef(image, texels_linear, (int2)(ID, 0)).x;
}

kernel void between_texels_advised(read_only image2d_t image, global float *out)
{
    out[ID] = read_imagef(image, texels_linear, (float2)(ID + 1, 0.5f)).x;
}

kernel void nearest(read_only image2d_t image, global float *out)
{
    out[ID] = read_imagef(image, texels_linear, (int2)(ID, 0)).x;
}

kernel void nearest_advised(read_only image2d_t image, global float *out)
{
    out[ID] = read_imagef(image, texels_nearest, (int2)(ID, 0)).x;
}

kernel void numbers(read_only image2d_t image, global uint *out)
{
    out[ID] = read_imageui(image, texels_linear, (float2)(ID + 0.5f, 0.5f)).x;
}

kernel void numbers_advised(read_only image2d_t image, global uint *out)
{
    out[ID] = read_imageui(image, texels_nearest, (float2)(ID + 0.5f, 0.5f)).x;
}

kernel void shades(read_only image2d_t image, global float *out)
{
    out[ID] = read_imageui(image, texels_linear, (float2)(ID + 1, 0.5f)).x / 255.0f;
}

kernel void shades_advised(read_only image2d_t image, global float *out)
{
    out[ID] = read_imagef(image, texels_linear, (float2)(ID + 1, 0.5f)).x;
}

/* ---- races ---- */

kernel void one_texel(write_only image2d_t image)
{
    write_imagef(image, (int2)(0, 0), (float4)(ID));
}

kernel void one_texel_advised(write_only image2d_t image)
{
    write_imagef(image, (int2)(ID, 0), (float4)(ID));
}

#if __OPENCL_C_VERSION__ >= 200
kernel void levels(read_only image2d_t image, global float *out)
{
    out[ID] = read_imagef(image, texels_nearest, (float2)(3 * ID, 0), 1.0f).x;
}

kernel void levels_advised(read_only image2d_t image, global float *out)
{
    const float2 size = (float2)(get_image_width(image), get_image_height(image));
    out[ID] = read_imagef(image, normalised_nearest, (float2)(3 * ID, 0) / size, 1.0f).x;
}

/* ---- fences ---- */

kernel void again(read_write image2d_t image)
{
    write_imageui(image, (int2)(ID, 0), (uint4)(ID));
    write_imageui(image, (int2)(ID, 0), read_imageui(image, (int2)(ID, 0)) + (uint4)(1));
}

kernel void again_advised(read_write image2d_t image)
{
    write_imageui(image, (int2)(ID, 0), (uint4)(ID));
    atomic_work_item_fence(CLK_IMAGE_MEM_FENCE, memory_order_acq_rel, memory_scope_work_item);
    write_imageui(image, (int2)(ID, 0), read_imageui(image, (int2)(ID, 0)) + (uint4)(1));
}

kernel void kept(read_write image2d_t image)
{
    write_imageui(image, (int2)(ID, 0), (uint4)(ID));
    write_imageui(image, (int2)(ID, 0), read_imageui(image, (int2)(ID, 0)) + (uint4)(1));
}

kernel void kept_advised(read_write image2d_t image)
{
    const uint4 written = (uint4)(ID);
    write_imageui(image, (int2)(ID, 0), written);
    write_imageui(image, (int2)(ID, 0), written + (uint4)(1));
}
#endif
