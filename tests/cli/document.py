"""Runs the commands of documents as a reader would, each document's in a copy of a directory.

    document.py DIRECTORY DOCUMENT...

Each block of a document says of what kind it is.

    console   a session: after `$ ` stands a command (`> ` goes on with it), then what it prints, in this order,
              spaces apart; `...` stands for whatever it prints there. A command succeeds, unless `$ echo $?`
              after it says otherwise.
    sh        a list: each line is a command, which does what it is to, and may find something.
    yaml      a pipeline: what stands after `run:`, or as an item of `script:`, succeeds.

Blocks of the kinds in PASSIVE hold no commands, others are refused. Commands that begin as a line of NOT_RUN are not run here.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

# programs.sh asks the questions of kind sql, python/documents performs those of kind python
PASSIVE = {'text', 'diff', 'litmus', 'python', 'sql'}

NOT_RUN = {
    'apt': 'installs packages',
    './bootstrap demo': 'installs packages; cli/demo_ends_well has the rest',
    './bootstrap test': 'installs packages and runs this test; what calls it are the pipelines',
    './bootstrap build && cpack': 'installs packages; cli/package_installed makes the package',
    'cmake --install build/release': 'cli/installed_somewhere does it, elsewhere',
    'ln -s /usr/share/clerk/vendors/clerk.icd': 'changes the system; cli/package_installed does it in a root of its own',
    'parallel --joblog': 'cli/shards_parallel_jobs does it',
    'parallel --retry-failed': 'cli/shards_parallel_jobs does it',
    'clerk replay --merge [1-8].json': 'cli/shards_parallel_jobs does it',
    'pytest --clerk': 'python/plugin does it',
    'clerk run --probes -- pytest': 'python/plugin does it on the reference device',
    'clerk view': 'needs a terminal; cli/view_in_a_terminal has one',
    'clerk export app.db --launch 117': 'each run has numbers of its own; replay/export has others',
}

FOUND = {0, 1, 99}  # what clerk exits with where it could do what it was to


def blocks(path):
    """The kind, first line number and lines of each block."""
    kind, first, lines = None, 0, []
    with open(path, encoding='utf-8') as file:
        for number, line in enumerate(file, 1):
            line = line.rstrip('\n')
            if not line.startswith('```'):
                lines.append(line)
            elif kind is None:
                kind, first, lines = line[3:], number + 1, []
            else:
                yield kind, first, lines
                kind = None


def commands(path):
    """Of each command its place, its text, what it prints, and how it may end."""
    for kind, first, lines in blocks(path):
        if kind == 'console':
            last = None
            for number, line in enumerate(lines, first):
                if line.startswith('> ') and not last[2]:
                    last[1] += '\n' + line[2:]
                elif line.startswith('$ '):
                    last = [number, line[2:], [], {0}]
                    yield last
                else:
                    last[2].append(line)
        elif kind == 'sh':
            for number, line in enumerate(lines, first):
                yield [number, line, [], FOUND]
        elif kind == 'yaml':
            for number, line in enumerate(lines, first):
                match = re.match(r'\s*- (?:run: )?(?!\w+:)(.*)', line)
                if match:
                    yield [number, match.group(1), [], {0}]
        else:
            assert kind in PASSIVE, f'{path}:{first}: a block of no known kind: "{kind}"'


def plain(text):
    return re.sub(r'\s+', ' ', text).strip()


def run(place, command, wanted, statuses):
    result = subprocess.run(['bash', '-c', command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                            stdin=subprocess.DEVNULL, check=False, encoding='utf-8', errors='replace')
    where = f'{place}: {command}\n{result.stdout}'
    assert result.returncode in statuses, f'{where}status {result.returncode}, not of {statuses}'
    output, at = plain(result.stdout), 0
    for piece in plain('\n'.join(wanted)).split('...'):
        at = output.find(piece.strip(), at)
        assert at >= 0, f'{where}does not say, there: {piece}'
        at += len(piece.strip())


def exception(command):
    """The line of NOT_RUN that it begins with, or None."""
    return next((start for start in NOT_RUN if command.startswith(start)), None)


def run_all(found, document):
    """How many commands were run."""
    count = 0
    for index, (number, command, wanted, statuses) in enumerate(found):
        if command == 'echo $?' or exception(command):
            continue
        if index + 1 < len(found) and found[index + 1][1] == 'echo $?':
            statuses = {int(found[index + 1][2][0])}
        run(f'{document}:{number}', command, wanted, statuses)
        count += 1
    return count


def main():
    directory, *documents = map(os.path.abspath, sys.argv[1:])
    found = {document: list(commands(document)) for document in documents}
    excepted = {exception(command) for each in found.values() for _, command, _, _ in each}
    assert excepted >= set(NOT_RUN), f'nobody says {set(NOT_RUN) - excepted}'
    for document in documents:
        with tempfile.TemporaryDirectory() as copy:
            shutil.copytree(directory, copy, dirs_exist_ok=True)
            os.chdir(copy)
            print(f'{run_all(found[document], document)} commands of {document}')
            os.chdir(directory)


if __name__ == '__main__':
    main()
