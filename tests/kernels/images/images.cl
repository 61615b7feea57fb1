// Images: coordinates, channels and samplers that the specification leaves undefined, and the same kernels
// with what they need.

kernel void shifted(read_only image2d_t from, write_only image2d_t to)
{
    const int2 at = (int2)((int)get_global_id(0), (int)get_global_id(1));
    write_imagef(to, at, read_imagef(from, at + (int2)(1, 0)));
}
// $ clerk kernel images.cl -k shifted -g 4,2 -l 4,2 -a 'image2d:rgba:float[4x2]=1' -a 'image2d:rgba:float[4x2]'
// $ clerk kernel images.cl -k shifted -g 4,2 -l 4,2 -a 'image2d:r:float[5x2]=iota' -a 'image2d:r:float[4x2]' --print 1

kernel void outside(write_only image1d_array_t to, int layer)
{
    write_imageui(to, (int2)((int)get_global_id(0), layer), (uint4)(7));
}
// $ clerk kernel images.cl -k outside -g 4 -l 4 -a 'image1d_array:r:unsigned_int8[4x2]=0' -a int=2
// $ clerk kernel images.cl -k outside -g 4 -l 4 -a 'image1d_array:r:unsigned_int8[4x2]=0' -a int=1 --print 0

kernel void sampled(read_only image2d_t from, sampler_t sampler, global float *to)
{
    to[get_global_id(0)] = read_imagef(from, sampler, (float2)(get_global_id(0) + 0.5f, 0.5f)).x;
}
// $ clerk kernel images.cl -k sampled -g 4 -l 4 -a 'image2d:r:float[3x1]=iota' -a sampler:none -a 'buf:float[4]'
// $ clerk kernel images.cl -k sampled -g 4 -l 4 -a 'image2d:r:float[3x1]=iota' -a sampler:repeat -a 'buf:float[4]'
// $ clerk kernel images.cl -k sampled -g 4 -l 4 -a 'image2d:r:float[3x1]=iota' -a sampler:clamp -a 'buf:float[4]' --print 2
// $ clerk kernel images.cl -k sampled -g 4 -l 4 -a 'image2d:r:signed_int32[4x1]=iota' -a sampler:none -a 'buf:float[4]'

kernel void integers(read_only image2d_t from, global int *to)
{
    to[get_global_id(0)] = read_imagei(from, (int2)((int)get_global_id(0), 0)).x;
}
// $ clerk kernel images.cl -k integers -g 4 -l 4 -a 'image2d:r:signed_int32[4x1]=iota' -a 'buf:int[4]'
