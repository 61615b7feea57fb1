// The attribute endian: numbers behind a pointer have the values that the host gave them, whether it is named "host" or
// "device", since this device turns the bytes of its arguments itself (docs/PERSONALITIES.md).
//
// $ clerk kernel endian.cl -k sums -g 2 -a buf:int[2]=1,0x01020304 -a buf:int[2]=3,4 -a buf:int[2] --print 2
// $ clerk kernel endian.cl -k sums -g 2 -a buf:int[2]=1,0x01020304 -a buf:int[2]=3,4 -a buf:int[2] --print 2 --personality big-endian

kernel void sums(global int *a __attribute__((endian(host))), global int *b __attribute__((endian(device))),
                 global int *out)
{
    const size_t i = get_global_id(0);
    out[i] = a[i] + b[i];
}
