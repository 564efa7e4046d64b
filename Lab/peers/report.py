"""Results of the peers: JSON, one object a line, on standard output. Lines for a peer come on standard input."""
import asyncio
import json
import sys
import time

BEGAN = time.monotonic()


def report(event, **fields):
    """Bytes are written in hexadecimal, the time in seconds since the program began."""
    line = {"event": event, "time": round(time.monotonic() - BEGAN, 3)}
    line.update((key.rstrip("_"), value.hex() if isinstance(value, (bytes, bytearray)) else value)
                for key, value in fields.items())
    print(json.dumps(line), flush=True)


async def lines():
    """The lines of standard input, until its end."""
    reader = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    while line := await reader.readline():
        if text := line.decode().strip():
            yield text
