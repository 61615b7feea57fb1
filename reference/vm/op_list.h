/* Expands every row of ops.def to VM_OP(name): a lane op gives two, varying and uniform ("_u").
 * Includable any number of times; the includer defines and undefines VM_OP. */
#define OP1(name, dst, a, expression)                         VM_OP(name) VM_OP(name##_u)
#define OP2(name, dst, a, b, expression)                      VM_OP(name) VM_OP(name##_u)
#define OP3(name, dst, a, b, c, expression)                   VM_OP(name) VM_OP(name##_u)
#define OPEN1(name, dst, a, cause, defined, expression)       VM_OP(name) VM_OP(name##_u)
#define OPEN2(name, dst, a, b, cause, defined, expression)    VM_OP(name) VM_OP(name##_u)
#define OPEN3(name, dst, a, b, c, cause, defined, expression) VM_OP(name) VM_OP(name##_u)
#define CALL1(name, dst, a, expression)                       VM_OP(name) VM_OP(name##_u)
#define CALL2(name, dst, a, b, expression)                    VM_OP(name) VM_OP(name##_u)
#define CALL3(name, dst, a, b, c, expression)                 VM_OP(name) VM_OP(name##_u)
#define NEAR1(name, dst, a, near, expression)                 VM_OP(name) VM_OP(name##_u)
#define NEAR2(name, dst, a, b, near, expression)              VM_OP(name) VM_OP(name##_u)
#define CMP1(name, a, expression)                             VM_OP(name) VM_OP(name##_u)
#define CMP2(name, a, b, expression)                          VM_OP(name) VM_OP(name##_u)
#define SPECIAL(name, dst, a, b, c, traits, text)             VM_OP(name)
#include "reference/vm/ops.def"
