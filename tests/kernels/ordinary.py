#!/usr/bin/env python3
"""What an ordinary run says of races is so: each race, and each acquire that is unused, is in some execution.

    ordinary.py CLERK COUNT SEED

Makes COUNT small kernels at random, whose work-items store, read and update two flags and leave data behind, in one
work-group with a barrier or in one each. Where `clerk kernel` finds a race, or predicts one, `--explore` must find one, too.
A third of them at least must race, and a third not.
"""
import os
import random
import re
import subprocess
import sys
import tempfile

clerk, count, chance = os.path.abspath(sys.argv[1]), int(sys.argv[2]), random.Random(int(sys.argv[3]))
LOADS = ["relaxed", "acquire", "acquire", "seq_cst"]
STORES = ["relaxed", "release", "release", "seq_cst"]
UPDATES = ["relaxed", "acquire", "release", "acq_rel", "seq_cst"]
FENCES = ["acquire", "release", "acq_rel", "seq_cst"]
BUFFERS = ["-a", "buf:int[2]=0", "-a", "buf:int[1]=0", "-a", "buf:int[1]=0", "-a", "buf:int[12]=0"]


def atomic(name, flag, value, orders):
    return f"atomic_{name}_explicit({flag}, {value}memory_order_{chance.choice(orders)}, memory_scope_device)"


def statement(place):
    """One statement; it may open a block."""
    kind, flag = chance.random(), chance.choice(["f0", "f1"])
    if kind < 0.25:
        return f"d[{chance.randrange(2)}] = {chance.randint(1, 3)};"
    if kind < 0.45:
        return f"out[{place}] = d[{chance.randrange(2)}];"
    if kind < 0.6:
        return atomic("store", flag, f"{chance.randint(1, 2)}, ", STORES) + ";"
    if kind < 0.8:
        load = atomic("load", flag, "", LOADS)
        return chance.choice([f"if ({load} == 1) {{", f"out[{place}] = {load};", f"{load};"])
    if kind < 0.94:
        update = atomic(chance.choice(["fetch_add", "exchange"]), flag, "1, ", UPDATES)
        return chance.choice([f"if ({update} == 0) {{", f"{update};", f"{update};"])
    return f"atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_{chance.choice(FENCES)}, memory_scope_device);"


def phase(items):
    text = ""
    for item in range(items):
        lines = [statement(4 * item + n) for n in range(chance.randint(2, 4))]
        blocks = sum(line.endswith("{") for line in lines)
        text += f"    if (id == {item}) {{\n        " + "\n        ".join(lines) + " }" * blocks + "\n    }\n"
    return text


def kernel(number, items, together):
    ids = chance.choice(["get_global_id(0)", atomic("fetch_add", "f1", "1, ", ["relaxed"])])
    body = phase(items) + ("    barrier(CLK_GLOBAL_MEM_FENCE);\n" + phase(items) if together else "")
    return (f"kernel void k{number}(global int *d, global atomic_int *f0, global atomic_int *f1, global int *out)\n"
            f"{{\n    const int id = {ids};\n{body}}}\n")


def run(path, number, items, together, *more):
    command = [clerk, "kernel", path, "--build", "-cl-std=CL3.0", "-k", f"k{number}", "-g", str(items), "-l",
               str(items if together else 1), *BUFFERS, *more]
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout


shapes = [(chance.choice([2, 2, 3]), number % 3 == 0) for number in range(count)]
failed, racy = False, 0
with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "ordinary.cl")
    with open(path, "w", encoding="ascii") as file:
        file.write("\n".join(kernel(number, *shape) for number, shape in enumerate(shapes)))
    for number, shape in enumerate(shapes):
        told = run(path, number, *shape, "--checks", "race")
        explored = run(path, number, *shape, "--explore")
        if "error: [race-" not in told and "[acquire-unused]" not in told:
            continue
        racy += 1
        if not re.search(r"(?m)^race: (?!none)", explored):
            print(f"of kernel k{number} an ordinary run says\n{told}and --explore\n{explored}")
            print(open(path, encoding="ascii").read())
            failed = True
print(f"{racy} of {count} kernels race")
sys.exit(failed or not count <= 3 * racy <= 2 * count)
