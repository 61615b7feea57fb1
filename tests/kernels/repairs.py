#!/usr/bin/env python3
"""A repair is a claim: whoever applies it by the letter has a kernel in which nothing is wrong any more.

    repairs.py CLERK LEAST FILE...

Of each command line in the comments of the files (a litmus test without one is explored) that prints "repair, verified:",
the changes of lines are made to a copy of the file, "line 11: A -> B" being the first A of line 11, and "line 11: F before
it" a call of F before the atomic function that the line calls. The command is run on that. It must find no race, nothing
that only weak ordering has, and nothing to repair. LEAST repairs at least must there be, and a quarter of them with fences;
those that name an operation beside the line are left out if that does not call one function, as they take a reader.

So it is with "repair, under asc and desc:" of a run that is no exploration, after which it must find no error.

And where an ordinary run advises another memory order for a line, "Store with memory_order_release at line 11", or a scope,
the same kernel explored has just that among its repair, verified.
"""
import os
import re
import shlex
import subprocess
import sys
import tempfile

clerk, least, files = os.path.abspath(sys.argv[1]), int(sys.argv[2]), sys.argv[3:]
failed = False


def run(command, folder):
    done = subprocess.run([clerk] + command, cwd=folder, capture_output=True, text=True, check=False)
    return done.stdout + done.stderr, done.returncode


def commands(path, text):
    found = re.findall(r"(?m)^// \$ clerk (kernel .*)$", text)
    found = [c for c in found if "--explore" in c or "/races/" in path]
    litmus = ["kernel " + os.path.basename(path) + " --explore"] if path.endswith(".litmus") and not found else []
    return [c for c in found + litmus if "--json" not in c and "--format" not in c]


def with_fence(line, fence, side, is_litmus):
    """The line with the fence before or behind the one atomic function that it calls; None: it does not call one."""
    calls = list(re.finditer(r"\batomic_(?!work_item_fence)\w+\(", line))
    if len(calls) != 1:
        return None
    start, end, depth = calls[0].start(), calls[0].end(), 1
    while depth > 0:
        if end == len(line):
            return None
        depth += {"(": 1, ")": -1}.get(line[end], 0)
        end += 1
    call = line[start:end]
    if is_litmus:
        return f"{fence}; {line}" if side == "before" else f"{line} {fence};"
    void = call.startswith("atomic_store")
    both = f"({fence}, {call})" if side == "before" else f"({call}, {fence})" if void else (
        f"({{ __auto_type value_ = {call}; {fence}; value_; }})")
    return line[:start] + both + line[end:]


def apply(text, changes, is_litmus):
    """The text with the changes, or None where one is not of the form that needs no reader."""
    lines = text.split("\n")
    for change in changes:
        fence = re.fullmatch(r"line (\d+)(?:, .*?)?: (\w+fence\(.*?\)) (before|behind) it", change)
        if fence:
            line = int(fence[1]) - 1
            lines[line] = with_fence(lines[line], fence[2], fence[3], is_litmus)
            if lines[line] is None:
                return None
            continue
        match = re.fullmatch(r"line (\d+): (\S.*?) -> (\S.*)", change)
        if not match:
            return None
        line = int(match[1]) - 1
        if lines[line].count(match[2]) != 1:
            raise SystemExit(f"line {match[1]} does not have '{match[2]}' once")
        lines[line] = lines[line].replace(match[2], match[3])
    return "\n".join(lines)


def without(words, options):
    """The command without these options and their values."""
    return [word for i, word in enumerate(words) if word not in options and words[i - 1] not in options]


def advised(path, text):
    """How many advices of orders exploring agrees with."""
    global failed
    agreed = 0
    for line in re.findall(r"(?m)^// \$ clerk (kernel .*)$", text):
        words = shlex.split(line)
        if "--explore" in words:
            continue
        printed, _ = run(words, os.path.dirname(path))
        fixes = re.findall(r"(?m)^  fix:    (?:Store|Read|Update) with (\w+) at (line \d+)", printed)
        fixes += [(scope, r"line \d+") for scope in re.findall(r"(?m)^  fix:    Give both the scope (\w+)", printed)]
        if not fixes:
            continue
        printed, _ = run(without(words, ("--print", "--schedule")) + ["--explore"], os.path.dirname(path))
        repair = re.search(r"(?m)^repair, verified: (.*)$", printed)
        for order, place in fixes:
            if repair and re.search(rf"(?:^|; ){place}: \w+ -> {order}(?:;|$)", repair[1]):
                agreed += 1
            else:
                failed = True
                print(f"{line}\nadvises {order} at {place}, and explored:\n{printed}", file=sys.stderr)
    return agreed


applied = agreed = fenced = 0
for path in files:
    with open(path, encoding="utf-8") as file:
        source = file.read()
    if "/advice/" in path:
        agreed += advised(path, source)
    for line in commands(path, source):
        printed, _ = run(shlex.split(line), os.path.dirname(path))
        repair = re.search(r"(?m)^repair, (?:verified|under [^:]*(?::\d+)*): (line .*)$", printed)
        mended = apply(source, repair[1].split("; "), path.endswith(".litmus")) if repair else None
        if mended is None:
            continue
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, os.path.basename(path)), "w", encoding="utf-8") as file:
                file.write(mended)
            printed, status = run(shlex.split(line), folder)
        applied += 1
        fenced += "fence(" in repair[1]
        explored = "--explore" in line
        wrong = explored and not re.search(r"(?m)^race: none$", printed)
        wrong = wrong or re.search(r"(?m)^(repair|assert:.*violated|hang|barrier)", printed)
        weak = not path.endswith(".litmus") and (status != 0 or "only under weak ordering" in printed)
        if wrong or weak:
            failed = True
            print(f"{line}\nwith {repair[1]}:\n{printed}", file=sys.stderr)
print(f"{applied} repairs were applied, {fenced} of them with fences, {agreed} advices are repairs")
sys.exit(failed or applied < least or fenced < least // 4 or agreed == 0)
