"""Types keys into a program on a terminal of its own, and waits for what they bring.

    edit.py COMMAND-LINE... < STEPS

A step is a line `KEYS => WORDS`: the keys and what is then shown, both with Python's escapes, control sequences left out,
before the next prompt; `KEYS -> WORDS` waits for no prompt; `size COLUMNS` in place of the keys makes the terminal as
wide. Exits as the program does; 1 where words do not come.
"""
import codecs
import fcntl
import os
import pty
import re
import select
import struct
import sys
import termios
import time

CONTROL = re.compile(rb'\x1b\[[0-9;?]*[A-Za-z]|\x1b[()=>][0-9A-Za-z]?|[\r\x07]')
PROMPT = b'(clerk) '
PATIENCE = 20  # seconds


def set_size(terminal, columns):
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack('HHHH', 24, columns, 0, 0))


def read(terminal, seconds):
    """What the program prints in this time; nothing at its end."""
    if not select.select([terminal], [], [], seconds)[0]:
        return b''
    try:
        return os.read(terminal, 1 << 16)
    except OSError:
        return b''


def wait(terminal, words, prompts):
    shown = b''
    end = time.monotonic() + PATIENCE
    while True:
        plain = CONTROL.sub(b'', shown)
        if words in plain and (not prompts or PROMPT in plain[plain.index(words):]):
            return
        if time.monotonic() > end:
            sys.exit(f'{words} did not come: {shown}')
        shown += read(terminal, 0.2)


def unescape(text):
    return codecs.decode(text, 'unicode_escape').encode()


def main():
    steps = [re.fullmatch('(.*) ([-=])> ?(.*)', line.rstrip('\n')).groups() for line in sys.stdin]
    child, terminal = pty.fork()
    if child == 0:
        os.environ.update(TERM='xterm', LC_ALL='C.UTF-8')
        os.execvp(sys.argv[1], sys.argv[1:])
    set_size(terminal, 80)
    for keys, arrow, words in steps:
        if keys.startswith('size '):
            set_size(terminal, int(keys[5:]))
        else:
            os.write(terminal, unescape(keys))
        wait(terminal, unescape(words), arrow == '=')
    while read(terminal, PATIENCE):
        pass
    sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))


main()
