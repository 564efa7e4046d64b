"""What stands on a terminal's screen after a program has written to it."""
import re
import unicodedata

SEQUENCE = re.compile(r"\x1b\[(\?)?([0-9;]*)([A-Za-z])")


class Screen:
    """The little of a terminal that the program uses: lines, the cursor's way up and to the left, and erasing."""

    def __init__(self, columns=80, rows=24):
        self.columns, self.rows = columns, rows
        self.lines = [[]]
        self.row = self.column = 0
        self.rest = ""

    def feed(self, text):
        text = self.rest + text
        self.rest = ""
        at = 0
        while at < len(text):
            if text[at] == "\x1b":
                match = SEQUENCE.match(text, at)
                if not match:
                    if len(text) - at >= 16:
                        raise ValueError(f"an unknown sequence: {text[at:at + 16]!r}")
                    self.rest = text[at:]
                    return
                self.control(match[2], match[3])
                at = match.end()
                continue
            self.put(text[at])
            at += 1

    def control(self, argument, kind):
        if kind == "A":
            self.row = max(0, self.row - int(argument or 1))
        elif kind == "K":
            del self.lines[self.row][self.column:]
        elif kind == "J":
            del self.lines[self.row][self.column:]
            del self.lines[self.row + 1:]
        elif kind != "m":
            raise ValueError(f"an unknown sequence: CSI {argument}{kind}")

    def put(self, character):
        if character == "\r":
            self.column = 0
        elif character == "\n":
            self.row += 1
            while len(self.lines) <= self.row:
                self.lines.append([])
        else:
            width = 0 if unicodedata.combining(character) or character == "\u200d" else \
                2 if unicodedata.east_asian_width(character) in "WF" else 1
            if self.column + width > self.columns:
                self.put("\n")
                self.put("\r")
            line = self.lines[self.row]
            line += " " * (self.column - len(line))
            # A wide character takes its column and an empty one.
            line[self.column:self.column + width] = [character, ""][:width]
            self.column += width

    @property
    def text(self):
        return "\n".join("".join(line).rstrip() for line in self.lines)
