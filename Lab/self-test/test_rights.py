"""How an ordinary user's lab comes to root's rights."""
import os
import pathlib
import sys
import tempfile
import unittest
from unittest import mock

from host import rights
from host.layout import LabError


class Rights(unittest.TestCase):
    def begun_again(self, user, sudo):
        """The command that takes this program's place, if one does."""
        with (mock.patch("os.geteuid", return_value=user), mock.patch("shutil.which", return_value=sudo),
              mock.patch.object(sys, "argv", ["Lab/run", "boot"]), mock.patch("os.execvp") as execute):
            rights.become_root("--no-build")
        return execute.call_args and execute.call_args.args

    def test_root_goes_on(self):
        self.assertIsNone(self.begun_again(0, "/usr/bin/sudo"))

    def test_a_user_begins_again_by_sudo(self):
        self.assertEqual(self.begun_again(1000, "/usr/bin/sudo"),
                         ("sudo", ["sudo", "--", sys.executable, "Lab/run", "boot", "--no-build"]))

    def test_a_user_without_sudo_is_told(self):
        with self.assertRaisesRegex(LabError, "no sudo"):
            self.begun_again(1000, None)

    @unittest.skipUnless(os.geteuid() == 0, "only root can give files away")
    def test_what_root_made_is_the_users_afterwards(self):
        with tempfile.TemporaryDirectory() as directory:
            products = pathlib.Path(directory, "lab")
            made = [products / "runs" / "one", products / "runs" / "one" / "console.log"]
            made[0].mkdir(parents=True)
            made[1].touch()
            with (mock.patch.object(rights, "PRODUCTS", products),
                  mock.patch.dict(os.environ, {"SUDO_UID": "1234", "SUDO_GID": "1235"})):
                rights.give_back()
            for path in [products, *made]:
                self.assertEqual((path.stat().st_uid, path.stat().st_gid), (1234, 1235), path)


if __name__ == "__main__":
    unittest.main()
