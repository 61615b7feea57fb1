"""Uses clerk view in a pseudo terminal, and compares what its screen shows.

    view.py CLERK TRACE EXPECTED   a screen of EXPECTED begins with a line `== KEYS`: the keys, in the words of curses,
                                   pressed before it is shown; with CLERK_WRITE=FILE the screens are written there
    view.py CLERK TRACE WORDS KEY...   after these keys the screen has these words; TRACE may have options behind it
"""
import fcntl
import os
import pty
import select
import struct
import sys
import termios
import time

import pyte

COLUMNS, LINES = 80, 24
KEYS = {'Up': '\033[A', 'Down': '\033[B', 'Right': '\033[C', 'Left': '\033[D', 'End': '\033[4~', 'Home': '\033[1~',
        'PgDn': '\033[6~', 'PgUp': '\033[5~', 'Tab': '\t', 'Enter': '\r', 'Backspace': '\177'}


class Terminal:
    def __init__(self, command):
        self.screen = pyte.Screen(COLUMNS, LINES)
        self.stream = pyte.ByteStream(self.screen)
        self.process, self.master = pty.fork()
        if self.process == 0:
            fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack('HHHH', LINES, COLUMNS, 0, 0))
            os.environ.update(TERM='linux', LC_ALL='C.UTF-8')
            os.execv(command[0], command)

    def read(self, seconds):
        """Takes what the program prints in this time; false when it has ended."""
        if not select.select([self.master], [], [], seconds)[0]:
            return None
        try:
            data = os.read(self.master, 1 << 16)
        except OSError:
            data = b''
        self.stream.feed(data)
        return bool(data)

    def shown(self):
        """The lines, the chosen one in the list marked."""
        lines = []
        for number, line in enumerate(self.screen.display):
            is_chosen = 0 < number < LINES - 1 and self.screen.buffer[number][0].reverse
            lines.append((('>' if is_chosen else ' ') + line).rstrip())
        return '\n'.join(lines) + '\n'

    def shows(self, wanted):
        """Waits for this screen; a busy machine may need a while."""
        end = time.monotonic() + (20 if wanted else 1)
        while self.shown() != wanted and time.monotonic() < end:
            self.read(0.2)
        return self.shown() == wanted

    def press(self, word):
        os.write(self.master, KEYS.get(word, word).encode())

    def status(self):
        while self.read(20):
            pass
        return os.waitstatus_to_exitcode(os.waitpid(self.process, 0)[1])


def screens(path):
    with open(path, encoding='utf-8') as file:
        for part in file.read().split('== ')[1:]:
            keys, _, screen = part.partition('\n')
            yield keys.split(), screen


def quit(terminal):
    terminal.press('q')
    status = terminal.status()
    if status:
        sys.exit(f'clerk view ended with {status}')


def say(terminal, words, keys):
    for key in keys:
        terminal.press(key)
    end = time.monotonic() + 20
    while words not in terminal.shown() and time.monotonic() < end:
        terminal.read(0.2)
    if words not in terminal.shown():
        sys.exit(f'after {keys} the screen is\n{terminal.shown()}and does not say {words}')
    quit(terminal)


def main():
    clerk, trace, expected, *keys = sys.argv[1:]
    terminal = Terminal([clerk, 'view', *trace.split()])
    if keys:
        say(terminal, expected, keys)
        return
    written = ''
    for keys, wanted in screens(expected):
        for key in keys:
            terminal.press(key)
        if 'CLERK_WRITE' in os.environ:
            terminal.shows('')  # until it is quiet
            written += f'== {" ".join(keys)}\n{terminal.shown()}'
        elif not terminal.shows(wanted):
            sys.exit(f'after {keys} the screen is\n{terminal.shown()}and not\n{wanted}')
    if written:
        with open(os.environ['CLERK_WRITE'], 'w', encoding='utf-8') as file:
            file.write(written)
    quit(terminal)


main()
