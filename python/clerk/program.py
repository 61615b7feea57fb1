"""The program `clerk`, which does what the module itself does not: record, replay, recover, report."""

import json
import os
import pathlib
import shutil
import subprocess
import tempfile


class Error(Exception):
    """What could not be done, in one sentence."""


def find():
    """The path of the program: what CLERK in the environment names, else the one that was built or installed with
    this module, else the one in PATH."""
    named = os.environ.get("CLERK")
    if named:
        return named
    # bin/clerk beside lib/python3/dist-packages/clerk/program.py
    beside = pathlib.Path(__file__).resolve().parents[4] / "bin" / "clerk"
    found = str(beside) if beside.is_file() else shutil.which("clerk")
    if not found:
        raise Error("the program clerk is not there: install it, or name it by CLERK in the environment")
    return found


def option_words(options):
    """Options of a verb as words of its command line: `max_per_rule=0` is `--max-per-rule 0`, True a flag; None and
    False are left out, and lists repeat the option."""
    words = []
    for name, value in options.items():
        for one in value if isinstance(value, (list, tuple)) else [value]:
            if one is None or one is False:
                continue
            words.append("--" + name.replace("_", "-"))
            if one is not True:
                words.append(os.fspath(one) if isinstance(one, os.PathLike) else str(one))
    return words


def lines(words):
    """The JSON objects that a verb prints, one a line, as it prints them. Raises Error with its sentence where it could not
    do its work; status 1 says that something was found."""
    command = [find(), *words]
    with tempfile.TemporaryFile() as said:
        try:
            process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=said)
        except OSError as failure:
            raise Error(f"cannot run '{command[0]}': {failure.strerror}") from failure
        with process:
            try:
                yield from map(json.loads, process.stdout)
            except GeneratorExit:
                process.kill()
                raise
        if process.returncode not in (0, 1):
            said.seek(0)
            sentence = said.read().decode(errors="replace").strip()
            raise Error(sentence or f"clerk {words[0]} ended with status {process.returncode}")


def run(words):
    """Performs a verb and returns its exit status, 0 or 1 (something was found), and what it printed. Raises Error as
    `lines` does."""
    command = [find(), *words]
    try:
        ended = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace")
    except OSError as failure:
        raise Error(f"cannot run '{command[0]}': {failure.strerror}") from failure
    if ended.returncode not in (0, 1):
        raise Error(ended.stderr.strip() or f"clerk {words[0]} ended with status {ended.returncode}")
    return ended.returncode, ended.stdout
