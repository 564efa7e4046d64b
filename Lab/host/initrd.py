"""The first file system of the guest: busybox, the four modules that reach the host's root, and guest/init."""
import gzip
import pathlib
import shutil
import subprocess
import tempfile

from . import kernel
from .layout import INITRD, KERNEL, LAB

MODULES = ["virtio_pci", "9pnet_virtio", "9p", "overlay"]
APPLETS = ["sh", "cat", "chroot", "ln", "mkdir", "modprobe", "mount", "uname"]
DIRECTORIES = ["bin", "proc", "sys", "dev", "host", "ram", "root"]


def _module_paths():
    """The modules and all that they depend on, relative to the kernel package's root."""
    paths = set()
    for module in MODULES:
        listing = subprocess.run(["modprobe", "--dirname", KERNEL, "--set-version", kernel.version(),
                                  "--show-depends", module], capture_output=True, text=True, check=True)
        for line in listing.stdout.splitlines():
            if line.startswith("insmod "):
                paths.add(pathlib.Path(line.split()[1]).relative_to(KERNEL))
    indexes = (KERNEL / "lib" / "modules" / kernel.version()).glob("modules.*")
    return sorted(paths) + [index.relative_to(KERNEL) for index in indexes]


def build():
    """Made anew only when the kernel or guest/init changed."""
    sources = [LAB / "guest" / "init", kernel.SOURCE, pathlib.Path(__file__)]
    if INITRD.exists() and all(source.stat().st_mtime < INITRD.stat().st_mtime for source in sources):
        return
    with tempfile.TemporaryDirectory(dir=INITRD.parent) as directory:
        tree = pathlib.Path(directory)
        for name in DIRECTORIES:
            (tree / name).mkdir()
        shutil.copy2("/bin/busybox", tree / "bin")
        for applet in APPLETS:
            (tree / "bin" / applet).symlink_to("busybox")
        for path in _module_paths():
            (tree / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(KERNEL / path, tree / path)
        shutil.copy2(LAB / "guest" / "init", tree / "init")
        names = "\n".join(str(path.relative_to(tree)) for path in sorted(tree.rglob("*")))
        archive = subprocess.run(["cpio", "--create", "--format=newc", "--quiet"], cwd=tree, input=names.encode(),
                                 capture_output=True, check=True)
    partial = INITRD.with_suffix(".partial")
    partial.write_bytes(gzip.compress(archive.stdout, compresslevel=1))
    partial.rename(INITRD)
