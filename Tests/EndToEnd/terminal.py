"""The program in a terminal of its own, as a person has it in front: what is on the screen, and what is typed."""
import codecs
import fcntl
import os
import pty
import select
import struct
import termios
import time

from screen import Screen
from support import PROGRAM, check


class OnTerminal:
    def __init__(self, *words, environment=None, columns=80, program=PROGRAM):
        self.shown = ""
        self.screen = Screen(columns)
        # The other end stays open here too, so that the terminal can be looked at when the program is gone.
        self.terminal, self.other_end = pty.openpty()
        fcntl.ioctl(self.other_end, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        self.before = termios.tcgetattr(self.other_end)
        environment = dict(environment or os.environ)
        environment.setdefault("TERM", "xterm-256color")
        self.process = os.fork()
        if self.process == 0:
            os.setsid()
            fcntl.ioctl(self.other_end, termios.TIOCSCTTY, 0)
            for stream in range(3):
                os.dup2(self.other_end, stream)
            os.execve(program, [str(program), *words], environment)
        self.decoder = codecs.getincrementaldecoder("utf-8")("replace")

    def read(self, seconds):
        """Reads what is shown within this time, if anything."""
        if select.select([self.terminal], [], [], seconds)[0]:
            text = self.decoder.decode(os.read(self.terminal, 4096))
            self.shown += text
            self.screen.feed(text)

    def read_until(self, text, limit=60):
        """Reads until this stands on the screen, or has gone over it."""
        self.wait(lambda: text in self.screen.text or text in self.shown, f"'{text}'", limit)

    def wait(self, condition, what, limit=60):
        deadline = time.monotonic() + limit
        while not condition():
            check(time.monotonic() < deadline, f"no {what} within {limit} s on: {self.screen.text}")
            self.read(0.1)

    def type(self, text):
        os.write(self.terminal, text.encode())

    @property
    def is_as_before(self):
        """Whether the terminal shows what is typed, line by line, as it did."""
        return termios.tcgetattr(self.terminal) == self.before

    @property
    def echoes(self):
        return bool(termios.tcgetattr(self.terminal)[3] & termios.ECHO)

    def end(self, limit=20):
        """Its exit code, and whether the terminal is as it was."""
        deadline = time.monotonic() + limit
        ended = 0
        while not ended:
            check(time.monotonic() < deadline, f"it does not end: {self.screen.text}")
            self.read(0.05)
            ended, status = os.waitpid(self.process, os.WNOHANG)
        self.read(0)
        restored = self.is_as_before
        os.close(self.terminal)
        os.close(self.other_end)
        return os.waitstatus_to_exitcode(status), restored
