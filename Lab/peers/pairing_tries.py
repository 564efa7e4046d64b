"""The tries of the setup code (docs/pairing-protocol.md, 6.3)."""
import asyncio

from pairing_messages import Refusal

UNTIL_LOCK = 5
UNTIL_END = 20


class Tries:
    """A try is spent with a share, given back by the right confirm, and lost otherwise. `locked` is called when the lock
    falls, which ends every try that is open, and `unlocked` when it is over."""

    def __init__(self, seconds, locked, unlocked):
        self.seconds, self.locked, self.unlocked = seconds, locked, unlocked
        self.spent = self.lost = 0
        self._wait = None

    @property
    def is_over(self):
        """Pairing mode has ended."""
        return self.lost >= UNTIL_END

    @property
    def is_locked(self):
        return self.is_over or self._wait is not None

    def spend(self):
        if self.spent > self.lost and self.spent % UNTIL_LOCK == 0:
            self._lock()
            raise Refusal("locked")
        self.spent += 1

    def lose(self):
        self.lost += 1
        if self.lost % UNTIL_LOCK == 0:
            self._lock()

    def give_back(self, still_open):
        """With all before; only those remain that wait for a confirm on other links."""
        self.spent, self.lost = still_open, 0

    def _lock(self):
        self.lost = self.spent
        if self._wait:
            self._wait.cancel()
        self._wait = asyncio.get_running_loop().call_later(self.seconds, self.unlock)
        self.locked()

    def unlock(self):
        """The lock's time is over."""
        if self._wait:
            self._wait.cancel()
            self._wait = None
            self.unlocked()
