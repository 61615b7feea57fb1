// A kernel with a sampler of its own before kernels that are given one.

kernel void own(read_only image1d_t from, global int4 *to)
{
    const sampler_t sampler = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
    to[0] = read_imagei(from, sampler, 2);
    to[1] = read_imagei(from, sampler, 100);
}
// $ clerk kernel own_sampler.cl -k own -g 1 -l 1 -a 'image1d:r:signed_int32[4]=iota' -a 'buf:int4[2]' --print 1

int4 fetch(read_only image1d_t from, sampler_t sampler, int x)
{
    return read_imagei(from, sampler, x);
}

kernel void given(read_only image1d_t from, sampler_t sampler, global int4 *to)
{
    to[get_global_id(0)] = fetch(from, sampler, (int)get_global_id(0) * 4);
}
// $ clerk kernel own_sampler.cl -k given -g 2 -l 2 -a 'image1d:r:signed_int32[4]=iota' -a sampler:clamp -a 'buf:int4[2]' --print 2

kernel void given_too(read_only image1d_t from, sampler_t sampler, global int4 *to)
{
    const sampler_t own = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_NONE | CLK_FILTER_NEAREST;
    *to = read_imagei(from, sampler, 1) + read_imagei(from, own, 2);
}
// $ clerk kernel own_sampler.cl -k given_too -g 1 -l 1 -a 'image1d:r:signed_int32[4]=iota' -a sampler:clamp -a 'buf:int4[1]' --print 2
