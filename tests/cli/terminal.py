"""Types commands for a debugger on a terminal of its own, each behind its prompt.

    terminal.py COMMAND-LINE... < COMMANDS

Prints what the terminal shows; exits as the command does.
"""
import os
import pty
import sys

PROMPT = b'(clerk) '


def main():
    typed = sys.stdin.read().splitlines()
    child, terminal = pty.fork()
    if child == 0:
        os.execvp(sys.argv[1], sys.argv[1:])
    shown = b''
    prompts = 0
    while True:
        try:
            read = os.read(terminal, 4096)
        except OSError:  # the terminal's end
            break
        if not read:
            break
        shown += read
        if typed and shown.count(PROMPT) > prompts:
            prompts = shown.count(PROMPT)
            os.write(terminal, typed.pop(0).encode() + b'\n')
    sys.stdout.write(shown.decode().replace('\r\n', '\n'))
    sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))


main()
