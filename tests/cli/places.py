"""Are the places of a report those of the program's own file?

    places.py REPORT.json PROGRAM [-RULE...]   of all rules but these, whose findings may be missing

A line of the program that ends in a comment, a rule, is to be the first place of a finding of that rule, or where the
kernel was enqueued that has it. Places in a kernel may have no file, as those of text that a library generates have
none.
"""
import json
import re
import sys


def findings(path):
    with open(path, encoding='utf-8') as file:
        for line in file:
            record = json.loads(line)
            if 'places' in record:
                yield record


def marks(path):
    with open(path, encoding='utf-8') as file:
        for number, line in enumerate(file, 1):
            mark = re.search(r'(?:/\* ([a-z-]+) \*/|  # ([a-z-]+))$', line)
            if mark:
                yield mark.group(1) or mark.group(2), number


def strange(finding, program):
    for place in finding['places']:
        if place['kind'] == 'kernel' and place.get('file') == '<source>' and program.endswith('.py'):
            continue
        if place.get('file') != program or not place.get('line'):
            yield f'{finding["rule"]}: {place}'


def main():
    report, program, *left_out = sys.argv[1:]
    found = set()
    complaints = []
    for finding in findings(report):
        complaints += strange(finding, program)
        for index, place in enumerate(finding['places']):
            if index == 0 or place.get('label', '').startswith('enqueued by'):
                found.add((finding['rule'], place.get('line')))
    complaints += [f'line {line} has no {rule}' for rule, line in marks(program)
                   if (rule, line) not in found and f'-{rule}' not in left_out]
    if complaints or not found:
        sys.exit('\n'.join(complaints or ['there are no findings']))


main()
