// Races are a matter of bytes: neighbours do not touch, accesses of different sizes may.
//
// $ clerk kernel sizes.cl -k bytes -g 16 -l 8 -a 'buf:char[16]'
// $ clerk kernel sizes.cl -k vector_and_byte -g 16 -l 8 -a 'buf:uchar[68]'
// $ clerk kernel sizes.cl -k vector_and_byte_apart -g 16 -l 8 -a 'buf:uchar[80]'
// $ clerk kernel sizes.cl -k short_and_char -g 16 -l 8 -a 'buf:char[36]'
// $ clerk kernel sizes.cl -k short_and_char_apart -g 16 -l 8 -a 'buf:char[48]'
// $ clerk kernel sizes.cl -k long_vectors -g 2 -l 1 -a 'buf:int[32]'
// $ clerk kernel sizes.cl -k long_vectors_apart -g 2 -l 1 -a 'buf:int[32]'
// $ clerk kernel sizes.cl -k structures -g 2 -l 2 -a 'buf:int[9]=iota' -a 'buf:int[9]'
// $ clerk kernel sizes.cl -k structures_apart -g 2 -l 2 -a 'buf:int[16]=iota' -a 'buf:int[16]' --print 1

kernel void bytes(global char *a)
{
    a[get_global_id(0)] = 1;
}

kernel void vector_and_byte(global uchar *a)
{
    size_t i = get_global_id(0);
    vstore4((uchar4)(1), i, a);
    a[4 * i + 4] = 2; /* the first byte of the next vector */
}

kernel void vector_and_byte_apart(global uchar *a)
{
    size_t i = get_global_id(0);
    *(global uchar4 *)(a + 4 * i) = (uchar4)(1);
    a[64 + i] = 2;
}

kernel void short_and_char(global char *a)
{
    size_t i = get_global_id(0);
    *(global short *)(a + 2 * i) = 1;
    a[2 * i + 3] = 2;
}

kernel void short_and_char_apart(global char *a)
{
    size_t i = get_global_id(0);
    *(global short *)(a + 2 * i) = 1;
    a[32 + i] = 2;
}

kernel void long_vectors(global int *a)
{
    vstore16((int16)(1), 0, a + 15 * get_global_id(0));
}

kernel void long_vectors_apart(global int *a)
{
    vstore16((int16)(1), 0, a + 16 * get_global_id(0));
}

struct eight {
    int part[8];
};

kernel void structures(global const int *in, global int *out)
{
    size_t i = get_global_id(0);
    *(global struct eight *)(out + i) = *(global const struct eight *)(in + i);
}

kernel void structures_apart(global const int *in, global int *out)
{
    size_t i = 8 * get_global_id(0);
    *(global struct eight *)(out + i) = *(global const struct eight *)(in + i);
}

// covers: D2
