"""Runs in the guest: ours and bleak take turns, round after round, each in one process. Usage: alternate.py RESULTS PYTHON"""
import json
import pathlib
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
CLIENTS = {"ours": [HERE / ".build" / "release" / "gatt"], "peer": [sys.argv[2], HERE / "bleak_rows.py"]}
# A round: what is measured, by the name of its row in the table, and what has to be done between.
ROUND = [
    ("scan", "scan to first discovery"), ("rest", None), ("connect", "connect to services resolved"),
    ("read 100", "100 reads"), ("write 100", "100 writes with response"),
    ("count", None), ("stream", "64 KiB written without response"),
    ("subscribe", None), ("notify 1000", "1,000 notifications received"), ("unsubscribe", None), ("disconnect", None),
]
ROUNDS, WARM_UPS, PATIENCE = 5, 1, 3


class Client:
    def __init__(self, command):
        # Its state is the benchmark's own; the guest's /tmp is gone afterwards.
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                                        cwd=tempfile.mkdtemp())
        self.do("start")

    def do(self, row):
        self.process.stdin.write(row + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline().strip()
        if not answer or answer.startswith("failed"):
            raise RuntimeError(f"{row}: {answer or 'ended'}")
        return [float(word) for word in answer.split()]

    def round(self):
        measured = {}
        for row, name in ROUND:
            figures = self.do(row)
            if name:
                measured[name] = figures
            if row == "rest":
                # CoreBluetooth's stopScan has no answer: the end of the discovery is not to be part of the next row.
                time.sleep(0.5)
        return measured


def main():
    clients = {name: Client(command) for name, command in CLIENTS.items()}
    results = {name: {row: [] for _, row in ROUND if row} for name in clients}
    for number in range(WARM_UPS + ROUNDS):
        for name, client in clients.items():
            for row, measured in client.round().items():
                print(number, name, row, measured, flush=True)
                if number >= WARM_UPS:
                    results[name][row].append(measured)
            # bluetoothd is still at the last link's end for a moment.
            time.sleep(1)
    pathlib.Path(sys.argv[1]).write_text(json.dumps(results))
    for client in clients.values():
        client.process.stdin.close()
        client.process.wait(timeout=20)


main()
