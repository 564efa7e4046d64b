"""Root's rights, which the guest's view of this machine's files needs: it is root there, and reads what root reads here."""
import os
import shutil
import sys

from .layout import PRODUCTS, LabError


def become_root(*more):
    """Goes on as root: begins this program again by sudo, with its arguments and `more`, unless it is root's already."""
    if os.geteuid() == 0:
        return
    if shutil.which("sudo") is None:
        raise LabError("the guest's view of this machine's files needs root, and there is no sudo. Run it as root.")
    sys.stdout.flush()
    os.execvp("sudo", ["sudo", "--", sys.executable, *sys.argv, *more])


def give_back():
    """What root has made in the cache becomes the user's who called sudo: he could not delete it."""
    if "SUDO_UID" not in os.environ or os.geteuid() != 0:
        return
    user, group = int(os.environ["SUDO_UID"]), int(os.environ["SUDO_GID"])
    for directory, names, files in os.walk(PRODUCTS):
        for name in [".", *names, *files]:
            os.chown(os.path.join(directory, name), user, group, follow_symlinks=False)
