/* Brings every four numbers to a mean of 0 and a deviation of 1. */
float deviation_of(float4 numbers)
{
    return sqrt(dot(numbers, numbers) / 4);
}

__kernel void normalise(__global const float *input, __global float *output)
{
    const uint row = get_global_id(0);
    float4 numbers = vload4(row, input);

    numbers -= dot(numbers, (float4)(1)) / 4;
    const float deviation = deviation_of(numbers);
    vstore4(numbers / deviation, row, output);
}
