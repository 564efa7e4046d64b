"""What a client of docs/pairing-protocol.md does on each layout, whatever carries its bytes. Sections are that document's.

`link` has read(characteristic), write(characteristic, value), subscribe(characteristic, function) and room(characteristic),
the longest value; an answer with an ATT error raises AttError. `say` takes a word and fields, one for each step."""
import asyncio
import secrets

from pairing_frames import HEADER, Malformed, OutOfOrder, Reader, frames, position
import pairing_messages as wire
from pairing_messages import Answer, Share, State
from pairing_session import NotOpened, Session, context, stretch
import spake2plus

ATTEMPTS = 3
PATIENCE = 30
OUTCOME_PATIENCE = 100


class AttError(Exception):
    def __init__(self, code):
        super().__init__(f"ATT error 0x{code:02X}")
        self.code = code


class Failure(Exception):
    """The pairing cannot go on; the reason is a word."""

    def __init__(self, reason, **fields):
        super().__init__(reason)
        self.reason, self.fields = reason, fields

    @property
    def result(self):
        """The refusal, where it was one."""
        return self.fields.get("refusal", self.reason)


def refused(what, code, field=0):
    """A refusal of section 5, or an error of Bluetooth's own."""
    return Failure("refused", what=what, refusal=wire.REFUSAL_NAMES.get(code, f"0x{code:02x}"),
                   field=wire.FIELD_CODES.get(field))


def failure_name(code):
    """Section 10: an unknown failure is shown as 9."""
    return wire.FAILURES[code] if code < len(wire.FAILURES) else wire.FAILURES[9]


class Client:
    """What the layouts share. In its queues is what the camera has said, or the failure that ends it all."""

    def __init__(self, link, say, expected_device=None):
        self.link, self.say, self.expected_device = link, say, expected_device
        self.states, self.items, self.answers = asyncio.Queue(), asyncio.Queue(), asyncio.Queue()

    def forget(self):
        """What was said before; from here on everything is news."""
        for queue in (self.states, self.items, self.answers):
            while not queue.empty():
                queue.get_nowait()

    def end(self, reason):
        """Whoever waits for the camera need not wait any longer."""
        for queue in (self.states, self.items, self.answers):
            queue.put_nowait(Failure(reason))

    def meet(self, info, device_id, layout):
        self.say("camera", layouts=info.layouts, capabilities=info.capabilities, model=info.model,
                 device=device_id.decode("ascii"))
        if not info.layouts & layout.bit:
            raise Failure("layoutNotListed")
        if self.expected_device is not None and self.expected_device != device_id.decode("ascii"):
            raise Failure("otherDevice")

    def show(self, network):
        self.say("network", ssid=network.ssid, security=network.security, strength=network.strength, bands=network.bands)

    async def collect(self):
        """The list of networks that was asked for."""
        networks = []
        while True:
            item = await within(self.items, 90, "noNetworks")
            if isinstance(item, wire.ScanFailed):
                raise Failure("scanFailed")
            if isinstance(item, wire.End):
                self.say("networks", count=len(networks), announced=item.count)
                return networks
            networks.append(item)
            self.show(item)

    async def outcome(self):
        """Until the camera has registered or failed. It says so once more than once: only news counts."""
        while True:
            state = await within(self.states, OUTCOME_PATIENCE, "noOutcome")
            self.say("state", phase=state.phase, failure=failure_name(state.failure))
            if state.phase == wire.REGISTERED:
                return "joined"
            if state.phase == wire.FAILED:
                return failure_name(state.failure)


class Standard(Client):
    layout = wire.STANDARD
    reader = None

    async def begin(self):
        info = wire.Info.decode(await self.link.read(wire.INFO))
        self.meet(info, await self.link.read(wire.DEVICE_ID), self.layout)
        if self.reader is None:
            self.reader = Reader()
            await self.link.subscribe(wire.NETWORKS, self.came)
            await self.link.subscribe(wire.STATUS, lambda value: self.states.put_nowait(State.decode(value)))

    def came(self, frame):
        try:
            message = self.reader.take(frame)
            item = message and wire.decode_record(message[1])
        except (Malformed, OutOfOrder) as error:
            self.say("ignored", why=str(error))
            return
        if item:
            self.items.put_nowait(item)

    async def secure(self, code):
        if code is not None:
            raise Failure("notProtected")

    async def networks(self):
        await self.write("scan", wire.NETWORKS, wire.SCAN_COMMAND)
        return await self.collect()

    async def hand_over(self, fields):
        """The environment last, whatever the order."""
        for name in sorted(fields, key=lambda name: name == "environment"):
            if name == "environment":
                self.forget()
            await self.write(name, wire.FIELDS[name][0], fields[name])
            self.say("written", field=name)

    async def write(self, what, characteristic, value):
        try:
            await self.link.write(characteristic, value)
        except AttError as error:
            raise refused(what, error.code) from None


class Exchange(Client):
    """The chunked layout, and what the protected one adds to it."""

    def __init__(self, layout, link, say, expected_device=None, draw=secrets.randbelow):
        super().__init__(link, say, expected_device)
        self.layout, self.draw = layout, draw
        self.reader = Reader()
        self.number = 0
        self.conversation = None
        self.session = None
        self.answered_sealed = False
        self.subscribed = False
        self.stretched = {}

    # Messages

    def came(self, frame):
        # BlueZ shows what was read, the position, as if it had been notified.
        if len(frame) <= HEADER:
            return
        try:
            message = self.reader.take(frame)
            if message is None:
                return
            conversation, body = wire.unaddressed(message[1])
            if conversation != self.conversation:
                return
            self.heard(wire.decode(body, self.layout), message[1])
        except (Malformed, OutOfOrder) as error:
            self.say("ignored", why=str(error))

    def heard(self, item, message):
        if self.session and isinstance(item, wire.Sealed):
            try:
                item = wire.decode(self.session.to_client.open(item.box), self.layout)
                self.answered_sealed = True
            except NotOpened:
                self.end("sessionBroken")
                return
        elif self.session:
            # Anybody could have said it. What can only be said so is believed: that the camera has no key, or not yet.
            if not (isinstance(item, Answer) and item.code
                    and (item.code == wire.REFUSALS["noSession"] or not self.answered_sealed)):
                self.say("ignored", why="it was not sealed")
                return
        elif isinstance(item, (wire.Sealed, *wire.RECORDS.values(), State)) and self.layout is wire.PROTECTED:
            return
        if isinstance(item, (wire.Network, wire.End, wire.ScanFailed)):
            self.items.put_nowait(item)
        elif isinstance(item, State):
            self.states.put_nowait(item)
        elif isinstance(item, (Answer, wire.Welcome, Share)):
            self.answers.put_nowait((item, message))

    async def send(self, message):
        """In frames, of which none is lost. Gives the message's number."""
        number, self.number = self.number, (self.number + 1) % 256
        parts = frames(message, number, self.link.room(self.layout.exchange))
        begin = 0
        for _ in range(ATTEMPTS):
            try:
                for part in parts[begin:]:
                    await self.link.write(self.layout.exchange, part)
                return number
            except AttError as error:
                if error.code in wire.REFUSAL_NAMES and error.code != wire.REFUSALS["frameOrder"]:
                    raise
            begin = await self.resume(number)
            if begin is None:
                return number
        raise Failure("notDelivered")

    async def resume(self, number):
        """From which frame on the camera misses them; None when it has all."""
        at, state, due = position(await self.link.read(self.layout.exchange))
        self.say("position", message=at, state=state, due=due)
        if at != number or state == 0:
            return 0
        return due if state == 1 else None

    async def ask(self, what, message, wanted=Answer, sealed=True):
        """Sends and waits for what answers it; refusals are raised."""
        if self.session and sealed:
            message = bytes([wire.SEALED]) + self.session.to_camera.seal(message)
        try:
            number = await self.send(message)
        except AttError as error:
            raise refused(what, error.code) from None
        while True:
            item, whole = await within(self.answers, PATIENCE, "noAnswer")
            # An answer to another message is another client's, who has tried to use the same conversation.
            if isinstance(item, Answer) and item.number == number and item.code:
                raise refused(what, item.code, item.field)
            if isinstance(item, wanted) and (wanted is not Answer or item.number == number):
                return item, whole

    # Steps

    async def subscribe(self):
        if not self.subscribed:
            self.subscribed = True
            await self.link.subscribe(self.layout.exchange, self.came)

    async def begin(self):
        """A conversation; another one on the same link, where there has been one."""
        await self.subscribe()
        self.forget()
        for attempt in range(ATTEMPTS):
            self.conversation, self.session, self.answered_sealed = self.draw(0x10000), None, False
            self.hello = wire.hello(self.conversation)
            try:
                self.welcome, self.welcomed = await self.ask("hello", self.hello, wire.Welcome, sealed=False)
                break
            except Failure as failure:
                if failure.fields.get("refusal") != "busy" or attempt == ATTEMPTS - 1:
                    raise
        self.meet(self.welcome.info, self.welcome.device_id, self.layout)

    async def secure(self, code, confirm_anyway=False):
        """By the setup code, or without one. A wrong code shows in confirmV; a client that wants to hear it from the
        camera confirms anyway."""
        if self.layout is not wire.PROTECTED:
            if code is not None:
                raise Failure("notProtected")
            return
        kind = wire.NO_CODE if code is None else wire.SETUP_CODE
        material = (code or "").encode(), self.welcome.device_id, self.welcome.salt, self.welcome.costs
        if material not in self.stretched:
            self.stretched[material] = stretch(*material)
        prover = spake2plus.Prover(*self.stretched[material])
        answer, _ = await self.ask("share", bytes([wire.SHARE, kind]) + prover.share, Share, sealed=False)
        try:
            keys = prover.finish(answer.share, context(self.hello, self.welcomed, kind), verifier=self.welcome.device_id)
        except spake2plus.Refused:
            raise Failure("noPoint") from None
        if not spake2plus.same(answer.confirm, keys.confirm_v):
            if confirm_anyway:
                await self.ask("confirm", bytes([wire.CONFIRM]) + keys.confirm_p, sealed=False)
            raise Failure("wrongSetupCode")
        self.session = Session(keys.shared, self.conversation)
        await self.ask("confirm", bytes([wire.CONFIRM]) + keys.confirm_p, sealed=False)
        self.say("secured", code=code is not None)

    async def networks(self):
        await self.ask("scan", bytes([wire.SCAN]))
        return await self.collect()

    async def hand_over(self, fields):
        self.forget()
        await self.ask("credentials", wire.credentials(fields))
        self.say("written", fields=sorted(fields))

    async def state(self):
        self.forget()
        await self.ask("state", bytes([wire.STATE]))
        return await within(self.states, PATIENCE, "noAnswer")


def conversation(layout, link, say, expected_device=None):
    if layout is wire.STANDARD:
        return Standard(link, say, expected_device)
    return Exchange(layout, link, say, expected_device)


async def within(queue, seconds, reason):
    """What comes next; the end of the conversation, or of the time, is raised."""
    try:
        item = await asyncio.wait_for(queue.get(), seconds)
    except asyncio.TimeoutError:
        raise Failure(reason) from None
    if isinstance(item, Failure):
        raise item
    return item
