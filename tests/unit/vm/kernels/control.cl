/* Control flow of every shape, as OpenCL C and as C at once: test_lower.c includes it and runs each kernel for
 * one work-item after the other, which is what lanes must not differ from. Only defined integer arithmetic. */
#ifdef HOST
#define KERNEL static void
#define GLOBAL
#define ID host_global_id
#else
#define KERNEL kernel void
#define GLOBAL global
#define ID ((int)get_global_id(0))
#endif

int mix_in(int a, int b);
int early_return(int a, int b);
int nested(int a, int n);
void swap_if(int *a, int *b, int yes);

int mix_in(int a, int b)
{
    return (int)((unsigned int)a * 31u + (unsigned int)b);
}

int early_return(int a, int b)
{
    for (int i = 0; i < 9; i++) {
        if (i == (a & 7))
            return mix_in(i, b);
        if ((b & 3) == 3 && i > 4)
            return -i;
    }
    return a;
}

int nested(int a, int n)
{
    int total = 0;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < (a & 3) + i; j++) {
            if (((i ^ j) & 5) == 1)
                continue;
            if (j > 6)
                break;
            total = mix_in(total, i * 16 + j);
        }
        if (total < 0 && (a & 1))
            break;
    }
    return total;
}

void swap_if(int *a, int *b, int yes)
{
    if (yes) {
        int keep = *a;
        *a = *b;
        *b = keep;
    }
}

KERNEL loops(GLOBAL int *out, int n)
{
    int id = ID;
    out[id] = mix_in(nested(id, n), nested(n, id & 7));
}

KERNEL returns(GLOBAL int *out, int n)
{
    int id = ID;
    if ((id & 15) == 9)
        return;
    int value = early_return(id, n);
    while (value > 100) {
        value /= 3;
        if ((value & 7) == 7) {
            out[id] = value;
            return;
        }
    }
    out[id] = early_return(n, value);
}

KERNEL switches(GLOBAL int *out, int n)
{
    int id = ID;
    int value = n;
    for (int i = 0; i < 5; i++) {
        switch ((id + i) % 8) {
        case 0:
            value = mix_in(value, 1);
            break;
        case 1:
            value -= id;
        case 2:
            value ^= 0x55;
            if (value & 2)
                break;
        case 3:
            continue;
        case -1:
            value = 0;
            break;
        default:
            value = mix_in(id, value);
        }
        value += i;
    }
    out[id] = value;
}

/* Phis that feed each other: the values must move at once. */
KERNEL rotate_values(GLOBAL int *out, int n)
{
    int id = ID;
    int a = 1;
    int b = 2;
    int c = id;
    for (int i = 0; i < (id & 7) + n; i++) {
        int keep = a;
        a = b;
        b = c;
        c = keep;
        if (i & 1) {
            keep = a;
            a = b;
            b = keep;
        }
    }
    out[id] = a * 10000 + b * 100 + c;
}

/* A value of a uniform loop, used after it by lanes that left in different iterations. */
KERNEL last_iteration(GLOBAL int *out, int n)
{
    int id = ID;
    int seen = -1;
    int i;
    for (i = 0; i < n; i++) {
        seen = i * 3;
        if (i == (id & 15))
            break;
    }
    out[id] = seen * 100 + i;
}

/* Lanes that continue early must not run ahead of the others into the next iteration. */
KERNEL continues(GLOBAL int *out, int n)
{
    int id = ID;
    int total = 0;
    int shared = 0;
    for (int i = 0; i < n; i++) {
        shared = i * 7;
        if ((id + i) & 1)
            continue;
        if ((id + i) % 5 == 0)
            continue;
        total = mix_in(total, shared);
    }
    out[id] = total;
}

/* A uniform variable that only one side of a varying branch stores. */
KERNEL one_side(GLOBAL int *out, int n)
{
    int id = ID;
    int value = n;
    for (int i = 0; i < 6; i++) {
        if ((id >> (i & 3)) & 1) {
            int before = value;
            value = i * 11;
            out[id] = before;
        } else {
            out[id] += value;
        }
    }
    out[id] = mix_in(out[id], value);
}

/* Two ways into a cycle. */
KERNEL irreducible(GLOBAL int *out, int n)
{
    int id = ID;
    int a = 0;
    int b = n;
    if (id & 1)
        goto second;
first:
    a += 3;
    if (a > 40 + (id & 7))
        goto done;
second:
    b = mix_in(b, a);
    a++;
    if (a < 60)
        goto first;
done:
    out[id] = mix_in(a, b);
}

/* Addresses that pass through variables and calls. */
KERNEL pointers(GLOBAL int *out, int n)
{
    int id = ID;
    int a = id * 3;
    int b = n;
    int array[5];
    int *chosen = (id & 2) ? &a : &b;
    swap_if(&a, &b, id & 1);
    *chosen += 1000;
    for (int i = 0; i < 5; i++)
        array[i] = a + i;
    array[id % 5] = b;
    int total = 0;
    for (int i = 4; i >= 0; i--)
        total = mix_in(total, array[i]);
    out[id] = total;
}

/* Exits of an inner loop that leave the outer one as well. */
KERNEL two_levels(GLOBAL int *out, int n)
{
    int id = ID;
    int total = 0;
    int i;
    int j = 0;
    for (i = 0; i < n; i++) {
        for (j = 0; j < 6; j++) {
            if (i == 3 && j == 2)
                goto out_of_both;
            if (j == (id & 7))
                break;
            if (i * 6 + j == (id >> 3))
                goto out_of_both;
            total = mix_in(total, j);
        }
        total += i;
    }
out_of_both:
    out[id] = mix_in(total, i * 10 + j);
}
