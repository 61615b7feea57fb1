#!/usr/bin/env python3
"""An advice is a claim: whoever follows it by the letter has a right program.

    advice.py FOLDER

FOLDER is tests/kernels. In each transcript of FOLDER/advice, which other tests compare with what clerk prints, a kernel
NAME gets findings, and NAME_advised, in which their advice was followed, gets none and prints what it computed. And each
advice that any transcript of FOLDER has, of each rule, is followed in one of them, and has three lines at most.
"""
import glob
import os
import re
import sys

folder = sys.argv[1]
failed = False


def fail(words):
    global failed
    failed = True
    print(words, file=sys.stderr)


def runs(path):
    """(kernel, what was printed) of each command of a transcript."""
    with open(path, encoding="utf-8") as file:
        for run in re.split(r"(?m)^(?=\$ clerk )", file.read())[1:]:
            kernel = re.search(r" -k (\w+)", run.split("\n", 1)[0])
            yield (kernel.group(1) if kernel else "", run)


def advices(run):
    """`rule: advice` of each finding. Which line, memory, scope or kind of use it is does not matter."""
    pattern = r"(?ms)^(?:error|warning|note): \[([a-z-]+)\].*?^  fix:    (.*?)\n(?=  [a-z]+:)"
    for rule, advice in re.findall(pattern, run):
        advice = re.sub(r"\s+", " ", advice)
        advice = re.sub(r"\bat (line \d+|an unknown line)(: .*)?", "at LINE", advice).rstrip(".")
        advice = re.sub(r"CLK_[A-Z]+_MEM_FENCE( \| CLK_[A-Z]+_MEM_FENCE)*", "FLAGS", advice)
        advice = re.sub(r"\bmemory_scope_\w+", "SCOPE", advice)
        advice = re.sub(r"get_(local|global)_id\(0\) == 0( && get_\1_id\(\d\) == 0)*", "FIRST", advice)
        yield re.sub(r"^(race|uninitialised)-(?!atomic|child)\w+", r"\1", rule) + ": " + advice


def is_transcript(path):
    return not re.search(r"\.\d+\.txt$", path)


followed = set()
for path in sorted(filter(is_transcript, glob.glob(f"{folder}/advice/*.txt"))):
    printed = dict(runs(path))
    for kernel, run in printed.items():
        where = f"{os.path.basename(path)}, {kernel}"
        if kernel.endswith("_advised"):
            if next(advices(run), None) or not re.search(r"(?m)^(clerk: no findings|race: none)$", run) or \
               not re.search(r"(?m)^(argument|outcome:) ", run):
                fail(f"{where}: after its advice was followed it has findings, or prints nothing")
        elif f"{kernel}_advised" not in printed:
            fail(f"{where}: there is no {kernel}_advised")
        elif not list(advices(run)):
            fail(f"{where}: nothing is found")
        else:
            followed.update(advices(run))

seen = {}
for path in sorted(filter(is_transcript, glob.glob(f"{folder}/*/*.txt"))):
    for kernel, run in runs(path):
        if re.search(r"(?m)^  fix:    .*\n(?: {10}.*\n){3}", run):
            fail(f"{os.path.relpath(path, folder)}, {kernel}: an advice has more than three lines")
        for advice in advices(run):
            seen.setdefault(advice, f"{os.path.relpath(path, folder)}, {kernel}")

for advice in sorted(seen.keys() - followed):
    fail(f"{seen[advice]}: nothing in advice/ follows this: {advice}")
print(f"{len(followed)} of {len(seen)} advices of {len({a.split(':')[0] for a in seen})} rules are followed")
sys.exit(failed)
