"""The strangers' client and camera talk to each other without a radio."""
import asyncio
import unittest

from pairing_conversations import AttError, Exchange, Failure, conversation
from pairing_device import Camera, Settings
from pairing_fields import shown
import pairing_messages as wire
from pairing_probe import Probe

NETWORKS = [wire.Network(3, -48, 3, b"Porchlight Demo"), wire.Network(0, -88, 1, b"Guest")]
FIELDS = {"environment": b"dev", "ssid": b"Porchlight Demo", "security": b"\x03", "password": b"porchlight",
          "sessionKey": b"8Zk3vQ1nT0xWb6RgYc2uLw", "region": b"us"}
CODE = "20461812"
DEVICE = "01J9ZC3K5T7W8XQ4M2N6P8VYJ00"
EVERY = list(wire.LAYOUTS.values())


class Carrier:
    """Every subscriber gets every notification (section 3.2), cut to what its link holds."""

    def __init__(self):
        self.links = {}
        self.moves = 0

    async def notify(self, client, characteristic, frame):
        for link in self.links.values():
            if characteristic in link.functions:
                asyncio.get_running_loop().call_soon(link.functions[characteristic], frame[:link.size])

    def room(self, client):
        return min(link.size for link in self.links.values())

    def subscribed(self, client, characteristic):
        return characteristic in self.links[client].functions

    def moved(self):
        self.moves += 1


class Link:
    """A client's. Each number in `lost` is a write that does not arrive."""

    def __init__(self, camera, name, size=20, lost=()):
        self.camera, self.name, self.size, self.lost = camera, name, size, set(lost)
        self.functions = {}
        self.writes = 0
        camera.carrier.links[name] = self

    async def read(self, characteristic):
        value = self.camera.read(self.name, characteristic)
        # As BlueZ does.
        if characteristic in self.functions:
            self.functions[characteristic](value)
        return value

    async def write(self, characteristic, value):
        await asyncio.sleep(0)
        self.writes += 1
        if self.writes in self.lost:
            raise AttError(0x0E)
        try:
            self.camera.written(self.name, characteristic, value)
        except wire.Refusal as refusal:
            raise AttError(refusal.code) from None

    async def subscribe(self, characteristic, function):
        self.functions[characteristic] = function

    def room(self, _):
        return self.size

    def close(self):
        del self.camera.carrier.links[self.name]
        self.camera.left(self.name)


class Loopback(unittest.IsolatedAsyncioTestCase):
    def setUp(self):
        self.said = []

    def say(self, word, **fields):
        self.said.append((word, fields))

    def camera(self, **settings):
        camera = Camera(Settings(EVERY, device_id=DEVICE, networks=NETWORKS, costs=(10, 8, 1), settling=0, step=0,
                                 **settings), Carrier(), self.say)
        self.addCleanup(camera.stop)
        return camera

    async def talk(self, camera, layout, name="app", **link):
        client = conversation(layout, Link(camera, name, **link), self.say, DEVICE)
        await client.begin()
        return client

    async def refusal(self, work):
        with self.assertRaises(Failure) as caught:
            await work
        return caught.exception.result

    def credentials_seen(self):
        return [fields for word, fields in self.said if word == "credentials"]

    async def test_every_layout_at_every_size(self):
        for layout in EVERY:
            for size in (20, 182, 509):
                with self.subTest(layout=layout.name, size=size):
                    self.said.clear()
                    camera = self.camera(code=CODE)
                    client = await self.talk(camera, layout, size=size)
                    await client.secure(CODE if layout is wire.PROTECTED else None)
                    self.assertEqual(await client.networks(), NETWORKS)
                    await client.hand_over(FIELDS)
                    self.assertEqual(await client.outcome(), "joined")
                    [seen] = self.credentials_seen()
                    self.assertEqual(seen, shown(FIELDS))
                    self.assertFalse(camera.advertises)

    async def test_a_failure_is_told_and_the_conversation_goes_on(self):
        for layout in EVERY:
            with self.subTest(layout=layout.name):
                camera = self.camera(code=CODE, outcomes=["wrongPassword", "joined"])
                client = await self.talk(camera, layout)
                await client.secure(None)
                await client.hand_over(FIELDS)
                self.assertEqual(await client.outcome(), "wrongPassword")
                self.assertEqual(wire.Sighting.decode(camera.sighting), wire.Sighting(wire.FAILED, 1, 7))
                self.assertTrue(camera.advertises)
                await client.hand_over(FIELDS)
                self.assertEqual(await client.outcome(), "joined")

    async def test_lost_writes_are_made_up_for(self):
        for layout in (wire.CHUNKED, wire.PROTECTED):
            camera = self.camera()
            client = await self.talk(camera, layout, lost=(2, 4, 9))
            await client.secure(None)
            await client.hand_over(FIELDS)
            self.assertEqual(await client.outcome(), "joined")

    async def test_the_probe_finds_what_is_documented(self):
        for layout in (wire.CHUNKED, wire.PROTECTED):
            talk = conversation(layout, Link(self.camera(), "app"), self.say, DEVICE)
            await Probe(talk).run()
            self.assertEqual([fields for word, fields in self.said if word == "check" and not fields["ok"]], [])
            await talk.begin()
            await talk.secure(None)
            await talk.hand_over(FIELDS)
            self.assertEqual(await talk.outcome(), "joined")

    async def test_the_probe_finds_what_is_not(self):
        camera = self.camera()
        camera.carrier.subscribed = lambda *_: True
        self.assertFalse(await Probe(conversation(wire.CHUNKED, Link(camera, "app"), self.say, DEVICE)).run())

    async def test_two_clients_hear_each_other_and_do_not_mind(self):
        camera = self.camera(code=CODE)
        for layout in (wire.CHUNKED, wire.PROTECTED):
            one = await self.talk(camera, layout, "one" + layout.name)
            other = await self.talk(camera, layout, "other" + layout.name, size=100)
            await one.secure(None)
            await other.secure(CODE if layout is wire.PROTECTED else None)
            self.assertEqual(await other.networks(), NETWORKS)
            self.assertEqual(await one.networks(), NETWORKS)

    async def test_a_conversation_of_another_is_busy(self):
        camera = self.camera()
        one = await self.talk(camera, wire.CHUNKED, "one")
        draws = iter([one.conversation, one.conversation + 1])
        other = Exchange(wire.CHUNKED, Link(camera, "other"), self.say, DEVICE, draw=lambda _: next(draws))
        await other.begin()
        self.assertEqual(other.conversation, one.conversation + 1)
        self.assertEqual(await one.networks(), NETWORKS)

    async def test_fields_that_do_not_fit(self):
        for layout in EVERY:
            with self.subTest(layout=layout.name):
                client = await self.talk(self.camera(), layout)
                await client.secure(None)
                for change, refusal in (({"password": b"short"}, "length"), ({"ssid": b""}, "length"),
                                        ({"password": b"caf\xc3\xa9 au lait"}, "value"), ({"region": b"mars"}, "value"),
                                        ({"region": b"\xff"}, "notText"), ({"security": b"\x09"}, "value")):
                    self.assertEqual(await self.refusal(client.hand_over(FIELDS | change)), refusal)
                await client.hand_over(FIELDS)
                self.assertEqual(await client.outcome(), "joined")

    async def test_what_is_missing_is_named(self):
        for missing in ("ssid", "password", "sessionKey", "region"):
            client = await self.talk(self.camera(), wire.CHUNKED)
            with self.assertRaises(Failure) as caught:
                await client.hand_over({name: value for name, value in FIELDS.items() if name != missing})
            self.assertEqual((caught.exception.fields["refusal"], caught.exception.fields["field"]),
                             ("incomplete", missing))

    async def test_a_wrong_code_costs_a_try_and_the_fifth_locks(self):
        camera = self.camera(code=CODE)
        client = await self.talk(camera, wire.PROTECTED)
        for attempt in range(4):
            self.assertEqual(await self.refusal(client.secure("00000000")), "wrongSetupCode")
            self.assertEqual(camera.tries.spent, attempt + 1)
        await client.secure(CODE)
        self.assertEqual(camera.tries.spent, 0)
        await client.begin()
        for _ in range(5):
            self.assertEqual(await self.refusal(client.secure("00000000", confirm_anyway=True)), "wrongSetupCode")
        self.assertTrue(camera.tries.is_locked)
        self.assertFalse(camera.advertises)
        self.assertEqual(await self.refusal(client.secure(CODE)), "locked")
        self.assertEqual(await self.refusal(client.begin()), "locked")
        other = conversation(wire.STANDARD, Link(camera, "other"), self.say)
        await other.begin()
        self.assertEqual(await self.refusal(other.hand_over(FIELDS)), "locked")
        camera.tries.unlock()
        self.assertTrue(camera.advertises)
        await client.begin()
        await client.secure(CODE)

    async def test_the_fifth_try_may_be_right(self):
        camera = self.camera(code=CODE)
        client = await self.talk(camera, wire.PROTECTED)
        for _ in range(4):
            await self.refusal(client.secure("00000000"))
        await client.secure(CODE)
        self.assertTrue(camera.advertises)

    async def test_many_links_have_no_more_tries_than_one(self):
        camera = self.camera(code=CODE)
        links = [await self.talk(camera, wire.PROTECTED, str(number)) for number in range(6)]
        for client in links[:5]:
            self.assertEqual(await self.refusal(client.secure("00000000")), "wrongSetupCode")
        self.assertTrue(camera.advertises)
        self.assertEqual(await self.refusal(links[5].secure(CODE)), "locked")
        self.assertFalse(camera.advertises)

    async def test_a_link_that_ends_has_cost_its_try(self):
        camera = self.camera(code=CODE)
        for number in range(5):
            self.assertTrue(camera.advertises)
            client = await self.talk(camera, wire.PROTECTED, str(number))
            await self.refusal(client.secure("00000000"))
            client.link.close()
        self.assertFalse(camera.advertises)

    async def test_the_twentieth_ends_pairing_mode(self):
        camera = self.camera(code=CODE)
        client = await self.talk(camera, wire.PROTECTED)
        for _ in range(20):
            camera.tries.unlock()
            self.assertEqual(await self.refusal(client.secure("00000000", confirm_anyway=True)), "wrongSetupCode")
        camera.tries.unlock()
        self.assertEqual(await self.refusal(client.secure(CODE)), "locked")
        self.assertFalse(camera.advertises)

    async def test_a_camera_that_insists(self):
        client = await self.talk(self.camera(code=CODE, insists=True), wire.PROTECTED)
        self.assertEqual(await self.refusal(client.secure(None)), "setupCodeRequired")
        await client.secure(CODE)

    async def test_nothing_goes_without_a_key(self):
        client = await self.talk(self.camera(), wire.PROTECTED)
        self.assertEqual(await self.refusal(client.hand_over(FIELDS)), "noSession")
        self.assertEqual(self.credentials_seen(), [])

    async def test_what_was_not_sealed_with_the_key_ends_the_session(self):
        client = await self.talk(self.camera(), wire.PROTECTED)
        await client.secure(None)
        client.session.to_camera.seal(b"a message that does not arrive")
        self.assertEqual(await self.refusal(client.networks()), "noSession")

    async def test_a_list_ends_with_its_conversation(self):
        camera = self.camera()
        client = await self.talk(camera, wire.PROTECTED)
        await client.secure(None)
        camera.settings.step = 0.01
        await client.ask("scan", bytes([wire.SCAN]))
        await client.begin()
        while ("listed", {"count": 2}) not in self.said:
            await asyncio.sleep(0)
        await client.secure(None)
        self.assertTrue(client.items.empty())

    async def test_another_device_is_no_use(self):
        camera = self.camera()
        for layout in EVERY:
            client = conversation(layout, Link(camera, layout.name), self.say, DEVICE[:-1] + "9")
            self.assertEqual(await self.refusal(client.begin()), "otherDevice")

    async def test_a_scan_that_failed(self):
        for layout in EVERY:
            camera = self.camera()
            camera.settings.networks = None
            client = await self.talk(camera, layout)
            await client.secure(None)
            self.assertEqual(await self.refusal(client.networks()), "scanFailed")

    async def test_who_leaves_loses_the_pairing(self):
        camera = self.camera()
        one, other = await self.talk(camera, wire.STANDARD, "one"), await self.talk(camera, wire.STANDARD, "other")
        await one.write("ssid", wire.FIELDS["ssid"][0], b"Guest")
        self.assertEqual(camera.phase, wire.WRITING)
        self.assertEqual(await self.refusal(other.hand_over(FIELDS)), "busy")
        one.link.close()
        self.assertEqual((camera.phase, camera.staged), (wire.WAITING, {}))
        await other.hand_over(FIELDS)
        self.assertEqual(await other.outcome(), "joined")
