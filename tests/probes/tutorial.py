"""Runs the commands of a document whose blocks of kind text need a driver: tutorial.py DOCUMENT DIRECTORY (see
../cli/document.py), over the driver that the environment names."""
import os
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'cli'))
import document  # noqa: E402


def main():
    page, directory = map(os.path.abspath, sys.argv[1:])
    os.chdir(directory)
    with open(page, encoding='utf-8') as file, tempfile.NamedTemporaryFile('w', suffix='.md', encoding='utf-8') as copy:
        copy.write(file.read().replace('```text\n$ ', '```console\n$ '))
        copy.flush()
        count = document.run_all(list(document.commands(copy.name)), page)
    assert count >= 6, f'only {count} commands'
    print(f'{count} commands of {page}')


main()
