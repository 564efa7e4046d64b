"""Steps of the peers that play a central: a word and its arguments, done by the method do_WORD, answered by one line."""
import asyncio

from report import report


class Failure(Exception):
    """A step that could not be done."""


async def perform(central, name, text, limit=45):
    """Does the step and reports how it went. What the method returns, a dictionary, becomes part of the answer; an
    exception with an ATT error code, or any other, makes it one that is not ok."""
    word, *arguments = text.split()
    action = getattr(central, "do_" + word.replace("-", "_"), None)
    try:
        if action is None:
            raise Failure("there is no such step")
        brought = await asyncio.wait_for(action(*arguments), limit) or {}
    except asyncio.CancelledError:
        brought = {"error": "the link was lost"}
    except Exception as error:
        code = central.att_code(error)
        brought = {"att": code} if code is not None else {"error": f"{type(error).__name__}: {error}"}
    report("step", central=name, step=text, ok=not brought.keys() & {"att", "error"}, **brought)


class Values:
    """Those that come by themselves, in order, for each characteristic since the last subscription."""

    def __init__(self):
        self._received = {}
        self._arrived = asyncio.Event()

    def begin(self, key):
        """For a subscription: gives the function that takes its values."""
        values = self._received[key] = []

        def came(value):
            values.append(bytes(value))
            self._arrived.set()
        return came

    async def wait(self, key, count, seconds):
        """Until so many have come or time is up: what a step says about it."""
        values = self._received.get(key, [])
        deadline = asyncio.get_running_loop().time() + seconds
        while len(values) < count:
            self._arrived.clear()
            try:
                await asyncio.wait_for(self._arrived.wait(), deadline - asyncio.get_running_loop().time())
            except asyncio.TimeoutError:
                break
        said = {"count": len(values), "values": [value.hex() for value in values[-3:]]}
        return said if len(values) >= count else said | {"error": f"not {count}"}


def pattern(count):
    return bytes(index % 251 for index in range(int(count)))
