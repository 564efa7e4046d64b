"""Controllers for the kernel and nothing else, which hear each other. Usage: controllers.py COUNT

Unlike btvirt's they have several links each, a signal strength, and are heard as often as they advertise."""
import asyncio
import sys

from air import Air, give_to_kernel


async def main(count):
    air = Air()
    radios = [await give_to_kernel(air, f"F0:00:00:00:01:{index:02X}") for index in range(count)]
    print(f"{len(radios)} controllers", flush=True)
    await asyncio.get_running_loop().create_future()


asyncio.run(main(int(sys.argv[1])))
