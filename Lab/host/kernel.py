"""Debian's own kernel, fetched as a package and unpacked beside the build: nothing of it is installed or committed."""
import pathlib
import shutil
import subprocess
import tempfile

from .layout import KERNEL, LabError

# Not linux-image-amd64: Debian's 6.1.192 crashes in hci_chan_del when a link goes in the moment it came up.
META_PACKAGE = "linux-image-6.12-amd64"
SOURCE = KERNEL / "package"


def _newest_package():
    listing = subprocess.run(["apt-cache", "depends", META_PACKAGE], capture_output=True, text=True)
    for line in listing.stdout.splitlines():
        kind, _, name = line.strip().partition(" ")
        if kind == "Depends:" and name.startswith("linux-image-"):
            return name
    return None


def _download(directory):
    """Asks apt for the package; its lists may be missing or too old, so a refusal means: update them, ask again."""
    complaint = ""
    for attempt in range(2):
        if attempt > 0:
            subprocess.run(["apt-get", "-qq", "-o", "DPkg::Lock::Timeout=300", "update"], capture_output=True)
        package = _newest_package()
        if package is None:
            complaint = f"apt knows no {META_PACKAGE}"
            continue
        # apt drops its rights for the download; a directory that only root may enter makes it complain.
        done = subprocess.run(["apt-get", "-qq", "-o", "APT::Sandbox::User=root", "download", package],
                              cwd=directory, capture_output=True, text=True)
        found = sorted(pathlib.Path(directory).glob("*.deb"))
        if done.returncode == 0 and found:
            return found[0]
        complaint = done.stderr.strip()
    raise LabError(f"the kernel package could not be fetched: {complaint}\n"
                   "Check the network and /etc/apt/sources.list (Debian's main archive), then try again.")


def version():
    """The version of the kernel in the cache, or None."""
    images = sorted(KERNEL.glob("boot/vmlinuz-*"))
    return images[-1].name.removeprefix("vmlinuz-") if images else None


def image():
    return KERNEL / "boot" / f"vmlinuz-{version()}"


def fetch():
    """Makes sure that the kernel and its modules are in the cache. Complete or not there at all."""
    if SOURCE.exists() and SOURCE.read_text() == META_PACKAGE:
        return
    KERNEL.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=KERNEL.parent) as directory:
        package = _download(directory)
        unpacked = pathlib.Path(directory) / "root"
        subprocess.run(["dpkg-deb", "--extract", package, unpacked], check=True)
        release = next(unpacked.glob("lib/modules/*")).name
        subprocess.run(["depmod", "--basedir", unpacked, release], check=True)
        (unpacked / SOURCE.name).write_text(META_PACKAGE)
        if KERNEL.exists():
            shutil.rmtree(KERNEL)
        unpacked.rename(KERNEL)
