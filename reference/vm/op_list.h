/* Expands every row of ops.def to VM_OP(name): a lane op gives two, varying and uniform ("_u"), or
 * three, with that on affine rows ("_a"). Includable any number of times; the includer defines and
 * undefines VM_OP. */
#define OP1(name, ...)              VM_OP(name) VM_OP(name##_u)
#define OP2(name, ...)              VM_OP(name) VM_OP(name##_u)
#define OP3(name, ...)              VM_OP(name) VM_OP(name##_u)
#define AFFINE1(how, name, ...)     OP1(name) VM_OP(name##_a)
#define AFFINE2(how, name, ...)     OP1(name) VM_OP(name##_a)
#define AFFINE_CMP2(how, name, ...) OP1(name) VM_OP(name##_a)
#define SPECIAL(name, ...)          VM_OP(name)
#include "reference/vm/ops.def"
