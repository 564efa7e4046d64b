"""What a camera of docs/pairing-protocol.md does, whatever carries its bytes. Sections are that document's.

All of it runs on one event loop. A client is whatever the carrier calls it by."""
import asyncio
import dataclasses

from pairing_fields import checked, complete, shown
from pairing_frames import Malformed, OutOfOrder, Reader, TooShort, frames
import pairing_messages as wire
from pairing_messages import Answer, Parts, Refusal, Share, State
from pairing_session import NotOpened, Registration, Session, context
from pairing_tries import Tries
import spake2plus

# The step at which a failure shows: those of the network while joining, the others while registering.
EARLY_FAILURES = ("wrongPassword", "networkNotFound", "noAddress", "invalidCredentials", "couldNotJoin")


@dataclasses.dataclass
class Settings:
    layouts: list
    code: str | None = None
    insists: bool = False
    model: str = "Stranger 1"
    device_id: str = ""
    networks: list | None = dataclasses.field(default_factory=list)
    # 'joined' or the name of a failure, one for each attempt; the last is that of all further ones.
    outcomes: list = dataclasses.field(default_factory=lambda: ["joined"])
    costs: tuple = (14, 8, 1)
    staging_limit: float = 60
    lock: float = 60
    settling: float = 1
    step: float = 0.2


class Talk:
    """One client on the exchange of one layout."""

    def __init__(self):
        self.reader = Reader()
        self.conversation = None
        self.hello = self.welcome = b""
        self.forget()

    def forget(self):
        self.session = None
        # The keys of a share that waits for its confirm, and its password kind.
        self.keys = None
        self.kind = None


class Camera:
    """`carrier` has notify(client, characteristic, frame), room(client), subscribed(client, characteristic) and
    moved(), which is called when what is advertised has changed. `say` takes a word and fields. The registration is that of
    the camera's life before."""

    def __init__(self, settings, carrier, say, registration=None):
        self.settings, self.carrier, self.say = settings, carrier, say
        self.phase, self.failure = wire.WAITING, 0
        self.holder = None
        self.staged = {}
        self.staging = None
        self.talks = {}
        self.tries = Tries(settings.lock, self.lock, carrier.moved)
        self.attempts = 0
        self.sent = 0
        self.scan = None
        self.registration = registration or Registration(settings.code, settings.device_id, settings.costs)
        self.outbox, self.inbox = asyncio.Queue(), asyncio.Queue()
        self.tasks = {asyncio.create_task(work()) for work in (self.send, self.serve)}

    def spawn(self, work):
        task = asyncio.create_task(work)
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)
        return task

    # What it shows

    @property
    def info(self):
        has_code = self.settings.code is not None
        return wire.Info(sum(layout.bit for layout in self.settings.layouts),
                         wire.MANAGES_WIFI | has_code * wire.HAS_CODE | self.settings.insists * wire.INSISTS_ON_CODE,
                         self.settings.model)

    @property
    def sighting(self):
        return wire.Sighting(self.phase, self.failure, self.info.layouts).encode()

    @property
    def is_busy(self):
        return self.phase in (wire.JOINING, wire.REGISTERING, wire.REGISTERED)

    @property
    def advertises(self):
        return not (self.is_busy or self.tries.is_locked)

    def move(self, phase, failure=0):
        self.phase, self.failure = phase, failure
        self.say("phase", phase=phase, failure=wire.FAILURES[failure])
        if wire.STANDARD in self.settings.layouts:
            self.post(None, wire.STATUS, bytes([phase, failure]))
        for (client, layout), talk in self.talks.items():
            if talk.conversation is not None and (layout is not wire.PROTECTED or talk.session):
                self.tell(client, layout, talk, State(phase, failure))
        self.carrier.moved()

    # Values that come and go by the carrier

    def read(self, client, characteristic):
        if characteristic == wire.INFO:
            return self.info.encode()
        if characteristic == wire.DEVICE_ID:
            return self.settings.device_id.encode()
        if characteristic == wire.STATUS:
            return bytes([self.phase, self.failure])
        return self.talk(client, characteristic)[1].reader.position

    def written(self, client, characteristic, value):
        """Raises what is refused."""
        try:
            self.write(client, characteristic, value)
        except Refusal as refusal:
            self.say("refused", refusal=refusal.name)
            raise

    def write(self, client, characteristic, value):
        names = {identifier: name for name, (identifier, _) in wire.FIELDS.items()}
        if characteristic in names or characteristic == wire.NETWORKS:
            if self.tries.is_locked:
                raise Refusal("locked")
            self.command(client, value) if characteristic == wire.NETWORKS else self.stage(
                client, names[characteristic], value)
            return
        layout, talk = self.talk(client, characteristic)
        if not self.carrier.subscribed(client, characteristic):
            raise Refusal("notSubscribed")
        try:
            message = talk.reader.take(value)
        except OutOfOrder:
            raise Refusal("frameOrder") from None
        except Malformed:
            raise Refusal("value") from None
        if message is None:
            return
        number, message = message
        # While there is no conversation, nothing but an ATT error can refuse.
        if message[0] == wire.HELLO:
            self.greet(client, layout, talk, message)
        elif talk.conversation is None:
            raise Refusal("noSession")
        else:
            self.inbox.put_nowait((client, layout, talk, number, message))

    def left(self, client):
        """Its link has ended."""
        for layout in self.settings.layouts:
            if talk := self.talks.pop((client, layout), None):
                self.lose_try(talk)
        if self.holder == client and not self.is_busy:
            self.let_go()
            if self.phase == wire.WRITING:
                self.move(wire.WAITING)
        if self.scan and self.scan[0] == client:
            self.scan[1].cancel()

    def talk(self, client, characteristic):
        layout = next(one for one in self.settings.layouts if one.exchange == characteristic)
        return layout, self.talks.setdefault((client, layout), Talk())

    # The standard layout

    def command(self, client, value):
        if len(value) != 1:
            raise Refusal("length")
        if value != wire.SCAN_COMMAND:
            raise Refusal("unknownCommand")
        self.begin_scan(client, lambda item: self.post(client, wire.NETWORKS, wire.record(item)))

    def stage(self, client, name, value):
        self.hold(client)
        try:
            value = checked(name, value)
            if name == "environment":
                complete(self.staged | {name: value})
        except Refusal:
            if not self.staged:
                self.let_go()
            raise
        self.staged[name] = value
        if self.phase != wire.WRITING:
            self.move(wire.WRITING)
        if self.staging:
            self.staging.cancel()
        self.staging = asyncio.get_running_loop().call_later(self.settings.staging_limit, self.stale)
        if name == "environment":
            self.apply(self.staged)

    def stale(self):
        self.let_go()
        self.move(wire.WAITING)

    def hold(self, client):
        if self.is_busy or self.holder not in (None, client):
            raise Refusal("busy")
        self.holder = client

    def let_go(self):
        self.holder, self.staged = None, {}
        if self.staging:
            self.staging.cancel()
            self.staging = None

    # Networks

    def begin_scan(self, client, tell):
        if self.scan:
            self.scan[1].cancel()
        self.scan = client, self.spawn(self.list_networks(tell))

    async def list_networks(self, tell):
        await asyncio.sleep(self.settings.step)
        if self.settings.networks is None:
            tell(wire.ScanFailed())
            return
        for network in self.settings.networks:
            tell(network)
        tell(wire.End(len(self.settings.networks)))
        self.say("listed", count=len(self.settings.networks))

    # The exchange

    def tell(self, client, layout, talk, item):
        """A message of the conversation, sealed as soon as it has a key."""
        body = item.encode()
        if talk.session:
            body = wire.Sealed(talk.session.to_client.seal(body)).encode()
        self.post(client, layout.exchange, wire.addressed(body, talk.conversation))

    def post(self, client, characteristic, message):
        self.outbox.put_nowait((client, characteristic, message))

    async def send(self):
        while True:
            client, characteristic, message = await self.outbox.get()
            if characteristic == wire.STATUS:
                await self.carrier.notify(client, characteristic, message)
                continue
            for frame in frames(message, self.sent % 256, self.carrier.room(client)):
                await self.carrier.notify(client, characteristic, frame)
            self.sent += 1

    async def serve(self):
        while True:
            client, layout, talk, number, message = await self.inbox.get()
            if self.talks.get((client, layout)) is not talk or talk.conversation is None:
                continue
            try:
                try:
                    self.take(client, layout, talk, number, message)
                except Malformed as error:
                    raise Refusal("incomplete" if isinstance(error, TooShort) else "value") from None
            except Refusal as refusal:
                self.say("refused", refusal=refusal.name, layout=layout.name)
                self.tell(client, layout, talk, Answer(number, refusal.code, refusal.field))

    def take(self, client, layout, talk, number, message):
        kind, content = message[0], message[1:]
        if layout is wire.PROTECTED:
            if kind == wire.SHARE:
                self.share(client, layout, talk, content)
                return
            if kind == wire.CONFIRM:
                self.confirm(client, layout, talk, number, content)
                return
            if kind != wire.SEALED or talk.session is None:
                raise Refusal("noSession")
            try:
                message = talk.session.to_camera.open(content)
            except NotOpened:
                talk.forget()
                raise Refusal("noSession") from None
            if not message:
                raise TooShort("an empty message")
            kind, content = message[0], message[1:]
        if self.tries.is_locked:
            raise Refusal("locked")
        match kind:
            case wire.SCAN:
                self.tell(client, layout, talk, Answer(number))
                began = talk.conversation, talk.session

                def list_item(item):
                    # Neither under another number nor in the clear.
                    if (talk.conversation, talk.session) == began:
                        self.tell(client, layout, talk, item)
                self.begin_scan(client, list_item)
            case wire.STATE:
                self.tell(client, layout, talk, Answer(number))
                self.tell(client, layout, talk, State(self.phase, self.failure))
            case wire.CREDENTIALS:
                self.hold(client)
                try:
                    fields = {name: checked(name, value) for name, value in wire.credential_fields(content).items()}
                    complete(fields)
                except Refusal:
                    self.let_go()
                    raise
                self.tell(client, layout, talk, Answer(number))
                self.apply(fields)
            case _:
                raise Refusal("unknownCommand")

    def greet(self, client, layout, talk, message):
        self.lose_try(talk)
        talk.forget()
        talk.conversation = None
        if self.tries.is_locked:
            raise Refusal("locked")
        if len(message) != 4:
            raise Refusal("incomplete" if len(message) < 4 else "value")
        if message[1] != wire.VERSION:
            raise Refusal("value")
        conversation = int.from_bytes(message[2:], "big")
        if any(other.conversation == conversation for other in self.talks.values()):
            raise Refusal("busy")
        talk.conversation = conversation
        welcome = wire.Welcome(self.info, self.settings.device_id.encode(), self.phase, self.failure)
        if layout is wire.PROTECTED:
            welcome = dataclasses.replace(welcome, salt=self.registration.salt,
                                          costs=self.registration.costs)
        talk.hello, talk.welcome = message, wire.addressed(welcome.encode(), conversation)
        self.say("hello", layout=layout.name, conversation=conversation)
        self.post(client, layout.exchange, talk.welcome)

    # The session of the protected layout

    def share(self, client, layout, talk, content):
        parts = Parts(content)
        kind, share = parts.byte(), parts.take(65)
        parts.end()
        self.lose_try(talk)
        talk.forget()
        if self.tries.is_locked:
            raise Refusal("locked")
        if self.is_busy:
            raise Refusal("busy")
        if kind == wire.NO_CODE and self.settings.insists:
            raise Refusal("setupCodeRequired")
        if kind not in self.registration.records:
            raise Refusal("value")
        verifier = spake2plus.Verifier(*self.registration.records[kind])
        try:
            keys = verifier.finish(share, context(talk.hello, talk.welcome, kind),
                                   verifier=self.settings.device_id.encode())
        except spake2plus.Refused:
            raise Refusal("value") from None
        if kind == wire.SETUP_CODE:
            self.tries.spend()
            self.say("try", spent=self.tries.spent)
        talk.keys, talk.kind = keys, kind
        self.tell(client, layout, talk, Share(verifier.share, keys.confirm_v))

    def confirm(self, client, layout, talk, number, content):
        if self.tries.is_locked:
            raise Refusal("locked")
        if talk.keys is None:
            raise Refusal("noSession")
        parts = Parts(content)
        proof = parts.take(32)
        parts.end()
        keys, kind = talk.keys, talk.kind
        if not spake2plus.same(proof, keys.confirm_p):
            self.lose_try(talk)
            talk.forget()
            raise Refusal("wrongSetupCode")
        talk.forget()
        if kind == wire.SETUP_CODE:
            self.tries.give_back(len(self.open_tries))
        talk.session = Session(keys.shared, talk.conversation)
        self.say("secured", code=kind == wire.SETUP_CODE)
        self.tell(client, layout, talk, Answer(number))

    @property
    def open_tries(self):
        """The conversations whose share for the code waits for its confirm."""
        return [talk for talk in self.talks.values() if talk.keys is not None and talk.kind == wire.SETUP_CODE]

    def lose_try(self, talk):
        """Of a share that will not be confirmed."""
        if talk.keys is not None and talk.kind == wire.SETUP_CODE:
            self.say("lost", lost=self.tries.lost + 1)
            self.tries.lose()

    def lock(self):
        for talk in self.open_tries:
            talk.forget()
        self.say("locked", lost=self.tries.lost, for_good=self.tries.is_over)
        self.carrier.moved()

    # An attempt

    def apply(self, fields):
        self.say("credentials", **shown(fields))
        if self.staging:
            self.staging.cancel()
        outcome = self.settings.outcomes[min(self.attempts, len(self.settings.outcomes) - 1)]
        self.attempts += 1
        self.move(wire.JOINING)
        self.spawn(self.attempt(outcome))

    async def attempt(self, outcome):
        await asyncio.sleep(self.settings.settling)
        if outcome not in EARLY_FAILURES:
            self.move(wire.REGISTERING)
            await asyncio.sleep(self.settings.step)
        self.let_go()
        if outcome == "joined":
            self.move(wire.REGISTERED)
        else:
            self.move(wire.FAILED, wire.FAILURES.index(outcome))

    def stop(self):
        for task in list(self.tasks):
            task.cancel()
        if self.staging:
            self.staging.cancel()
