// Samplers that functions hand on: from a kernel's argument, from the program, past an image and without.

float4 sample(read_only image2d_t from, sampler_t sampler, float x)
{
    return read_imagef(from, sampler, (float2)(x, 0.5f));
}

static float weigh(sampler_t first, global const float weights[2], read_only image2d_t from, sampler_t second, int i)
{
    const float x = (float)i;
    return weights[0] * sample(from, first, x + 0.5f).x + weights[1] * sample(from, second, x).x;
}

constant sampler_t linear = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_LINEAR;

kernel void blend(read_only image2d_t from, sampler_t sampler, global const float *weights, global float *to)
{
    const int i = (int)get_global_id(0);
    to[i] = weigh(sampler, weights, from, linear, i);
}
// $ clerk kernel samplers.cl -k blend -g 4 -l 4 -a 'image2d:r:float[4x1]=iota' -a sampler:clamp -a 'buf:float[2]=1,10' -a 'buf:float[4]' --print 3
// $ clerk kernel samplers.cl -k blend -g 4 -l 4 -a 'image2d:r:float[4x1]=iota' -a sampler:clamp -a 'buf:float[2]=1,10' -a 'buf:float[4]' --print 3 --build -cl-std=CLC++
// $ clerk kernel samplers.cl -k blend -g 4 -l 4 -a 'image2d:r:float[3x1]=iota' -a sampler:none -a 'buf:float[2]=1,10' -a 'buf:float[4]'

int width_of(sampler_t unused, read_only image1d_t image)
{
    return get_image_width(image);
}

kernel void width(read_only image1d_t image, sampler_t sampler, global int *to)
{
    *to = width_of(sampler, image);
}
// $ clerk kernel samplers.cl -k width -g 1 -l 1 -a 'image1d:r:float[7]=0' -a sampler:none -a 'buf:int[1]' --print 2
