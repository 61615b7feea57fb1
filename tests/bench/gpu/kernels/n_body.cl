/* What all bodies do to each: vectors, of which a work-group reads a tile together. */
#define GROUP 256

float3 pull(float4 body, float4 other)
{
    const float3 way = other.xyz - body.xyz;
    const float inverse = rsqrt(dot(way, way) + 0.01f);
    return way * (other.w * inverse * inverse * inverse);
}

__kernel void n_body(__global const float4 *bodies, __global float4 *accelerations, uint count)
{
    __local float4 tile[GROUP];
    const uint item = get_local_id(0);
    const float4 body = bodies[get_global_id(0)];
    float3 sum = 0;
    for (uint first = 0; first < count; first += GROUP) {
        tile[item] = bodies[first + item];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint k = 0; k < GROUP; ++k)
            sum += pull(body, tile[k]);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    accelerations[get_global_id(0)] = (float4)(sum, 0);
}
