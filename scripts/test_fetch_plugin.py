"""Tests of fetch_plugin.py against a wheel made here. No network: pip is told to look in one folder only.

    python3 -m unittest discover -s scripts
"""

import hashlib
import os
import signal
import subprocess
import sys
import tempfile
import textwrap
import time
import unittest
import zipfile
from pathlib import Path

import fetch_plugin

SCRIPT = Path(fetch_plugin.__file__)
LIBRARY = b"\x7fELF not really, but nobody loads it here" * 1000
HEADER = b"/* the header */\n"


def make_wheel(folder, version="1.0", library=LIBRARY):
    """A wheel that pip accepts: two files and the three that every wheel must have."""
    wheel = folder / f"fake_plugin-{version}-py3-none-any.whl"
    info = f"fake_plugin-{version}.dist-info"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("fake_plugin/plugin.so", library)
        archive.writestr("fake_plugin/include/pjrt_c_api.h", HEADER)
        archive.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: fake-plugin\nVersion: {version}\n")
        archive.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        archive.writestr(f"{info}/RECORD", "")
    return wheel


class FetchTest(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)
        self.wheels = self.folder / "wheels"
        self.wheels.mkdir()
        self.cache = self.folder / "cache"
        self.manifest = self.folder / "plugins.toml"
        self.wheel = make_wheel(self.wheels)
        self.hash = hashlib.sha256(self.wheel.read_bytes()).hexdigest()
        self.write_manifest(self.hash)

    def write_manifest(self, sha256, version="1.0", library="fake_plugin/plugin.so"):
        self.manifest.write_text(textwrap.dedent(f"""\
            # a comment
            [fake]
            package = "fake-plugin"
            version = "{version}"
            sha256 = "{sha256}"
            size = 1000
            library = "{library}"
            header = "fake_plugin/include/pjrt_c_api.h"
            api_minor = 81
            """))

    def environment(self, **more):
        return dict(os.environ, PJRTMEM_CACHE=str(self.cache), PIP_NO_INDEX="1",
                    PIP_FIND_LINKS=str(self.wheels), PIP_CONFIG_FILE=os.devnull, **more)

    def start(self, *arguments, **more):
        return subprocess.Popen([sys.executable, str(SCRIPT), "--manifest", str(self.manifest), *arguments],
                                env=self.environment(**more), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def fetch(self, *arguments, **more):
        process = self.start(*(arguments or ("fake",)), **more)
        out, err = process.communicate(timeout=120)
        return process.returncode, out, err

    def assert_installed(self, library=LIBRARY):
        self.assertEqual((self.cache / "plugins/fake.so").read_bytes(), library)
        self.assertEqual((self.cache / "include/pjrt_c_api.h").read_bytes(), HEADER)
        self.assert_nothing_left_over()

    def assert_nothing_left_over(self):
        """No file of an unfinished run, whatever happened."""
        left = [path.name for path in self.cache.rglob("*") if path.name.startswith(".") and path.name != ".fake.lock"]
        self.assertEqual(left, [])

    def pip_that_runs(self, body):
        """A folder that shadows the pip module, for what a real pip will not do on request."""
        folder = self.folder / "shadow"
        (folder / "pip").mkdir(parents=True)
        (folder / "pip/__init__.py").write_text("")
        (folder / "pip/__main__.py").write_text(textwrap.dedent(body))
        return str(folder)


class Fetching(FetchTest):
    def test_installs_library_header_and_says_so(self):
        code, out, err = self.fetch()
        self.assertEqual(code, 0, err)
        self.assertIn(f"fake: {self.cache}/plugins/fake.so (fetched)", out)
        self.assertIn("fetching fake-plugin 1.0", err)
        self.assert_installed()

    def test_second_run_uses_the_cache(self):
        self.fetch()
        self.wheel.unlink()  # it could not be fetched again
        code, out, err = self.fetch()
        self.assertEqual((code, err), (0, ""))
        self.assertIn("(cached)", out)

    def test_changed_pin_fetches_again(self):
        self.fetch()
        newer = make_wheel(self.wheels, "2.0", b"newer")
        self.write_manifest(hashlib.sha256(newer.read_bytes()).hexdigest(), "2.0")
        code, out, err = self.fetch()
        self.assertEqual(code, 0, err)
        self.assertIn("(fetched)", out)
        self.assert_installed(b"newer")

    def test_shortened_or_missing_file_is_repaired(self):
        for path in ("plugins/fake.so", "include/pjrt_c_api.h"):
            for damage in (Path.unlink, lambda path: path.write_bytes(b"short")):
                self.fetch()
                damage(self.cache / path)
                if path.endswith(".h") and (self.cache / path).exists():
                    continue  # only the library's size is recorded
                self.assertEqual(self.fetch()[0], 0)
                self.assert_installed()

    def test_two_runs_at_once(self):
        runs = [self.start("fake") for _ in range(4)]
        outs = [run.communicate(timeout=120)[0] for run in runs]
        self.assertEqual([run.returncode for run in runs], [0] * 4)
        self.assertEqual(sum("(fetched)" in out for out in outs), 1, outs)
        self.assert_installed()

    def test_unknown_name(self):
        code, _, err = self.fetch("nobody")
        self.assertEqual(code, 1)
        self.assertIn("no such plugin: nobody; known: fake", err)

    def test_names(self):
        self.assertEqual(self.fetch("--names")[1], "fake\n")


class Refusing(FetchTest):
    def test_wrong_hash_names_both(self):
        self.write_manifest("0" * 64)
        code, _, err = self.fetch()
        self.assertEqual(code, 1)
        self.assertIn("0" * 64, err)
        self.assertIn(self.hash, err)
        self.assertFalse((self.cache / "plugins/fake.so").exists())
        self.assert_nothing_left_over()

    def test_own_check_catches_what_pip_lets_through(self):
        self.write_manifest("1" * 64)
        shadow = self.pip_that_runs(f"""\
            import shutil, sys
            from pathlib import Path
            dest = Path(sys.argv[sys.argv.index("--dest") + 1])
            dest.mkdir()
            shutil.copy({str(self.wheel)!r}, dest)
            """)
        code, _, err = self.fetch(PYTHONPATH=shadow)
        self.assertEqual(code, 1)
        self.assertIn(f"expected {'1' * 64}", err)
        self.assertIn(f"found    {self.hash}", err)
        self.assertFalse((self.cache / "plugins/fake.so").exists())
        self.assert_nothing_left_over()

    def test_wrong_hash_leaves_the_installed_one(self):
        self.fetch()
        self.write_manifest("0" * 64)
        self.assertEqual(self.fetch()[0], 1)
        self.assert_installed()

    def test_wheel_without_the_library(self):
        self.write_manifest(self.hash, library="fake_plugin/other.so")
        code, _, err = self.fetch()
        self.assertEqual(code, 1)
        self.assertIn("has no file fake_plugin/other.so", err)
        self.assert_nothing_left_over()

    def test_no_such_version(self):
        self.write_manifest(self.hash, version="9.9")
        code, _, err = self.fetch()
        self.assertEqual(code, 1)
        self.assertIn("fake-plugin==9.9", err)


class Interrupting(FetchTest):
    def interrupted(self, how):
        """Ends a run while its pip is at work; returns the exit status."""
        shadow = self.pip_that_runs(f"""\
            import time
            from pathlib import Path
            Path({str(self.folder / "started")!r}).touch()
            time.sleep(60)
            """)
        run = self.start("fake", PYTHONPATH=shadow)
        deadline = time.monotonic() + 60
        while not (self.folder / "started").exists() and time.monotonic() < deadline:
            time.sleep(0.02)
        # The folder of the unfinished run is there, which is what makes this test mean something.
        self.assertTrue(list((self.cache / "plugins").glob(".fake.tmp-*")))
        run.send_signal(how)
        run.communicate(timeout=60)
        self.assertFalse((self.cache / "plugins/fake.so").exists())
        return run.returncode

    def test_terminated_run_cleans_up(self):
        self.assertEqual(self.interrupted(signal.SIGTERM), 143)
        self.assert_nothing_left_over()

    def test_ctrl_c_cleans_up(self):
        self.assertEqual(self.interrupted(signal.SIGINT), 130)
        self.assert_nothing_left_over()

    def test_killed_run_is_cleaned_up_by_the_next(self):
        self.interrupted(signal.SIGKILL)
        self.assertEqual(self.fetch()[0], 0)
        self.assert_installed()

    def test_killed_between_library_and_stamp(self):
        self.fetch()
        (self.cache / "plugins/fake.stamp").unlink()
        self.assertIn("(fetched)", self.fetch()[1])
        self.assert_installed()


class Manifest(unittest.TestCase):
    def test_the_real_one(self):
        plugins = fetch_plugin.parse_manifest(fetch_plugin.MANIFEST.read_text())
        self.assertEqual(list(plugins), ["cpu", "cpu-zml", "cpu-jax"])

    def test_same_as_tomllib(self):
        try:
            import tomllib
        except ImportError:
            self.skipTest("this Python has no tomllib (3.11 has)")
        text = fetch_plugin.MANIFEST.read_text()
        self.assertEqual(fetch_plugin.parse_manifest(text), tomllib.loads(text))

    def test_refuses_what_it_does_not_know(self):
        for text in ("name = \"x\"", "[a]\n[a]", "[a]\nb = 'x'", "[a]\nb = [1]", "[a]\nb = \"x\" # y", "[a]\npackage = \"x\"",
                     "[a]\nb = 1\nb = 2", "[a.b]"):
            with self.subTest(text), self.assertRaises(fetch_plugin.FetchError):
                fetch_plugin.parse_manifest(text)

    def test_refuses_a_short_hash(self):
        text = fetch_plugin.MANIFEST.read_text().replace("55837b6b", "")
        with self.assertRaisesRegex(fetch_plugin.FetchError, r"\[cpu\]: sha256"):
            fetch_plugin.parse_manifest(text)


if __name__ == "__main__":
    unittest.main()
