"""Runs the commands of a document as a reader would, in a directory of its own.

    document.py DOCUMENT EXAMPLES

A block of kind `console` is a session: behind `$ ` stands a command (`> ` goes on with it), then what it prints, in this
order, spaces apart; `...` stands for whatever it prints there. A command succeeds, unless `$ echo $?` behind it says
otherwise. Of blocks of kind `yaml` the commands that begin with `clerk` are run, where they
stand behind `run:` or as items of `script:`; they succeed. The examples lie in the directory `examples`.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile


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
    """Of each command its place, its text, and what it prints."""
    for kind, first, lines in blocks(path):
        for number, line in enumerate(lines, first):
            if kind == 'console' and line.startswith('$ '):
                last = [number, line[2:], []]
                yield last
            elif kind == 'console' and line.startswith('> ') and not last[2]:
                last[1] += '\n' + line[2:]
            elif kind == 'console':
                last[2].append(line)
            elif kind == 'yaml':
                match = re.match(r'\s*(?:- )?(?:run: |- )(clerk .*)', line)
                if match:
                    yield [number, match.group(1), []]


def plain(text):
    return re.sub(r'\s+', ' ', text).strip()


def main():
    document, examples = map(os.path.abspath, sys.argv[1:])
    with tempfile.TemporaryDirectory() as directory:
        shutil.copytree(examples, directory + '/examples')
        os.chdir(directory)
        session = list(commands(document))
        assert session, 'the document has no commands'
        for index, (number, command, wanted) in enumerate(session):
            if command == 'echo $?':
                continue
            status = 0
            if index + 1 < len(session) and session[index + 1][1] == 'echo $?':
                status = int(session[index + 1][2][0])
            result = subprocess.run(['bash', '-c', command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                    stdin=subprocess.DEVNULL, check=False, encoding='utf-8', errors='replace')
            where = f'{document}:{number}: {command}\n{result.stdout}'
            assert result.returncode == status, f'{where}status {result.returncode} instead of {status}'
            output, at = plain(result.stdout), 0
            for piece in plain('\n'.join(wanted)).split('...'):
                at = output.find(piece.strip(), at)
                assert at >= 0, f'{where}does not say, there: {piece}'
                at += len(piece.strip())
        print(f'{len(session)} commands')


main()
