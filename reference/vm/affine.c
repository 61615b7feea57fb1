/* The elements of affine rows. Compiled for each instruction set. */
#include "reference/vm/affine.h"

/* clang-format off */
/* PART elements at a time, which are a vector register or two: a part of a run, or several runs. */
enum { PART = 8 };
#define FILL(W)                                                                                             \
    static void fill_##W(const struct vm_vector *vector, const struct vm_affine *affine, row_u##W *dst)     \
    {                                                                                                       \
        const uint32_t shift = vector->run_shift;                                                           \
        const uint32_t run = 1U << shift;                                                                   \
        const u##W step = (u##W)affine->step;                                                               \
        const u##W jump = (u##W)affine->jump;                                                               \
        const u##W forth = (u##W)(run < PART ? (PART >> shift) * jump : PART * step);                       \
        const u##W next_run = (u##W)(run < PART ? 0 : jump - run * step);                                   \
        u##W base = (u##W)affine->base;                                                                     \
        u##W offsets[PART];                                                                                 \
        for (uint32_t k = 0; k < PART; k++)                                                                 \
            offsets[k] = (u##W)((k & (run - 1)) * step + (k >> shift) * jump);                              \
        for (uint32_t lane = 0; lane < VM_LANES; lane += PART) {                                            \
            for (uint32_t k = 0; k < PART; k++)                                                             \
                dst[lane + k] = (u##W)(base + offsets[k]);                                                  \
            base = (u##W)(base + forth + ((lane + PART) & (run - 1) ? 0 : next_run));                       \
        }                                                                                                   \
    }
FILL(8)
FILL(16)
FILL(32)
FILL(64)
#undef FILL
/* clang-format on */

void MACHINE(affine_fill)(struct vm_vector *vector, vm_row row, uint32_t width)
{
    struct vm_affine *affine = vm_affine(vector, row);
    if (affine->form != VM_AFFINE_TERMS)
        return;
    affine->form = VM_AFFINE_BOTH;
    switch (width) {
    case 1:
        fill_8(vector, affine, ROW(u8, row));
        break;
    case 2:
        fill_16(vector, affine, ROW(u16, row));
        break;
    case 4:
        fill_32(vector, affine, ROW(u32, row));
        break;
    default:
        fill_64(vector, affine, ROW(u64, row));
        break;
    }
}
