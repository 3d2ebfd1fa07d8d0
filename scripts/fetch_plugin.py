#!/usr/bin/env python3
"""Installs PJRT plugins into the cache where pjrtmem looks for them by name.

    fetch_plugin.py NAME...     the plugins of these names in plugins.toml
    fetch_plugin.py --all       all of them
    fetch_plugin.py --names     only print the names

A plugin goes to $PJRTMEM_CACHE/plugins/NAME.so, the PJRT header, where its wheel ships one, to
$PJRTMEM_CACHE/include/pjrt_c_api.h. PJRTMEM_CACHE is ${XDG_CACHE_HOME:-$HOME/.cache}/pjrtmem if unset.

Every file is renamed into place when it is complete, and the stamp that says which wheel it came from
comes last: a run that is interrupted at any point leaves either the old state or one that the next run
repairs. Needs Python 3.9 and pip, nothing else.
"""

import argparse
import contextlib
import fcntl
import hashlib
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import zipfile
from pathlib import Path

MANIFEST = Path(__file__).resolve().parent.parent / "plugins.toml"
REQUIRED = ("package", "version", "sha256", "size", "library", "api_minor")
OPTIONAL = ("header",)


class FetchError(Exception):
    """Something that the user has to know about; its text is the whole message."""


# ---- the manifest ---------------------------------------------------------------------------------


def parse_manifest(text, where="plugins.toml"):
    """Reads the subset of TOML that plugins.toml keeps to, and nothing beyond it.

    tomllib came with Python 3.11 only. One strict reader for every Python is less than two ways to
    read one file; a test compares it with tomllib where that exists.
    """
    plugins = {}
    table = None
    for number, line in enumerate(text.splitlines(), 1):
        line = line.strip()
        if not line or line.startswith("#"):
            continue
        header = re.fullmatch(r"\[([A-Za-z0-9_-]+)\]", line)
        entry = re.fullmatch(r'([a-z0-9_]+)\s*=\s*(?:"([^"\\]*)"|([0-9]+))', line)
        if header and header[1] not in plugins:
            table = plugins[header[1]] = {}
        elif entry and table is not None and entry[1] not in table:
            table[entry[1]] = entry[2] if entry[3] is None else int(entry[3])
        else:
            raise FetchError(f"{where}:{number}: not understood: {line}")
    for name, plugin in plugins.items():
        missing = [key for key in REQUIRED if key not in plugin]
        unknown = [key for key in plugin if key not in REQUIRED + OPTIONAL]
        if missing or unknown:
            raise FetchError(f"{where}: [{name}]: missing {missing}, unknown {unknown}")
        if not re.fullmatch(r"[0-9a-f]{64}", str(plugin["sha256"])):
            raise FetchError(f"{where}: [{name}]: sha256 is not 64 lower-case hexadecimal digits")
    return plugins


def cache_dir():
    """The same three places, in the same order, as the library's own look-up by name."""
    if os.environ.get("PJRTMEM_CACHE"):
        return Path(os.environ["PJRTMEM_CACHE"])
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "pjrtmem"


# ---- hashes and stamps ----------------------------------------------------------------------------


def sha256_of(path):
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()


def check_hash(path, expected, what):
    found = sha256_of(path)
    if found != expected:
        raise FetchError(
            f"{what}: the SHA-256 of {path.name} is wrong, nothing was installed\n"
            f"  expected {expected}\n"
            f"  found    {found}"
        )


class Installed:
    """Where one plugin's files are, and whether they are what the manifest pins."""

    def __init__(self, cache, name, plugin):
        self.library = cache / "plugins" / f"{name}.so"
        self.stamp = cache / "plugins" / f"{name}.stamp"
        self.header = cache / "include" / "pjrt_c_api.h" if "header" in plugin else None
        self.plugin = plugin

    def stamp_text(self):
        # The library's size is here to notice a file that was cut short or replaced without hashing
        # some 200 MB at every run. Size and pin are what a later run compares.
        size = self.library.stat().st_size
        return f"wheel-sha256 {self.plugin['sha256']}\nlibrary-size {size}\n"

    def current(self):
        try:
            there = self.stamp.read_text() == self.stamp_text()
        except FileNotFoundError:
            return False
        return there and (self.header is None or self.header.is_file())


# ---- fetching -------------------------------------------------------------------------------------


def megabytes(size):
    return f"{size / 1e6:.1f} MB"


def say(text):
    print(text, file=sys.stderr, flush=True)


class Progress:
    """Says, while pip works, how much has arrived: pip's own bar is silent where there is no terminal."""

    def __init__(self, name, directory, total):
        self.name, self.directory, self.total = name, directory, total
        self.terminal = sys.stderr.isatty()
        self.done = threading.Event()
        self.thread = threading.Thread(target=self._watch, daemon=True)

    def _arrived(self):
        size = 0
        for folder, _, files in os.walk(self.directory):
            for file in files:
                with contextlib.suppress(OSError):
                    size = max(size, os.stat(os.path.join(folder, file)).st_size)
        return min(size, self.total)

    def _watch(self):
        while not self.done.wait(0.5 if self.terminal else 5):
            line = f"{self.name}: {self._arrived() / 1e6:.0f} of {megabytes(self.total)}"
            print(f"\r{line}" if self.terminal else line, end="" if self.terminal else "\n",
                  file=sys.stderr, flush=True)

    def __enter__(self):
        self.thread.start()

    def __exit__(self, *_):
        self.done.set()
        self.thread.join()
        if self.terminal:
            print("\r\033[K", end="", file=sys.stderr, flush=True)


def pip_download(name, plugin, directory):
    """Has pip put the pinned wheel into `directory` and returns its path."""
    pinned = f"{plugin['package']}=={plugin['version']}"
    requirements = directory / "requirements.txt"
    requirements.write_text(f"{pinned} --hash=sha256:{plugin['sha256']}\n")
    wheels = directory / "wheel"
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--progress-bar", "off", "--no-deps",
               "--require-hashes", "--only-binary", ":all:", "--disable-pip-version-check",
               "--dest", str(wheels), "--requirement", str(requirements)]
    # pip keeps a half-loaded file under TMPDIR: there it can be watched, and it is removed with the rest.
    environment = dict(os.environ, TMPDIR=str(directory))
    with Progress(name, directory, plugin["size"]):
        pip = subprocess.run(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                             text=True, errors="replace", check=False)
    if pip.returncode != 0:
        raise FetchError(f"{name}: pip could not download {pinned} "
                         f"(pinned SHA-256 {plugin['sha256']}):\n{pip.stdout.strip()}")
    found = list(wheels.glob("*.whl"))
    if len(found) != 1:
        raise FetchError(f"{name}: pip left {len(found)} wheels for {pinned}, expected one")
    return found[0]


def unpack(wheel, member, destination):
    """Puts one file of the wheel at `destination`, complete or not at all."""
    destination.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(wheel) as archive:
        try:
            source = archive.open(member)
        except KeyError:
            raise FetchError(f"{wheel.name} has no file {member}") from None
        with source, replacing(destination) as file:
            shutil.copyfileobj(source, file, 1 << 20)


@contextlib.contextmanager
def replacing(destination):
    """A binary file that takes `destination`'s place in one step, when its writer ends without an error."""
    handle, partial = tempfile.mkstemp(prefix=f".{destination.name}.", dir=destination.parent)
    try:
        with open(handle, "wb") as file:
            yield file
            os.fchmod(file.fileno(), 0o644)
        os.replace(partial, destination)
    except BaseException:
        os.unlink(partial)
        raise


@contextlib.contextmanager
def locked(path):
    """One process at a time for one plugin: the others wait and then find it in the cache."""
    with open(path, "w", encoding="ascii") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say(f"waiting for another process that holds {path}")
            fcntl.flock(file, fcntl.LOCK_EX)
        yield


def remove_leftovers(folder, name):
    """What a killed run left. Only called under the plugin's lock, so nobody is using it."""
    for path in [*folder.glob(f".{name}.tmp-*"), *folder.glob(f".{name}.so.*"), *folder.glob(f".{name}.stamp.*")]:
        if path.is_dir():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink()


def fetch(name, plugin, cache):
    """Installs one plugin unless it is there already; returns True if it had to be fetched."""
    installed = Installed(cache, name, plugin)
    if installed.current():
        return False
    folder = installed.library.parent
    folder.mkdir(parents=True, exist_ok=True)
    with locked(folder / f".{name}.lock"):
        if installed.current():
            return False
        remove_leftovers(folder, name)
        say(f"{name}: fetching {plugin['package']} {plugin['version']}, {megabytes(plugin['size'])}")
        with tempfile.TemporaryDirectory(prefix=f".{name}.tmp-", dir=folder) as scratch:
            wheel = pip_download(name, plugin, Path(scratch))
            # pip was told the hash as well. It is checked again because everything after this line
            # trusts the file, and pip can be configured from outside.
            check_hash(wheel, plugin["sha256"], name)
            unpack(wheel, plugin["library"], installed.library)
            if installed.header:
                unpack(wheel, plugin["header"], installed.header)
        with replacing(installed.stamp) as stamp:
            stamp.write(installed.stamp_text().encode())
    return True


# ---- the command ----------------------------------------------------------------------------------


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--all", action="store_true", help="every plugin of the manifest")
    parser.add_argument("--names", action="store_true", dest="only_names", help="print the names and stop")
    parser.add_argument("--manifest", type=Path, default=MANIFEST, help="default: plugins.toml of the repository")
    options = parser.parse_args(arguments)
    try:
        plugins = parse_manifest(options.manifest.read_text(encoding="utf-8"), options.manifest.name)
        if options.only_names:
            print("\n".join(plugins))
            return 0
        names = list(plugins) if options.all else options.names
        if not names:
            parser.error("name a plugin, or --all")
        unknown = [name for name in names if name not in plugins]
        if unknown:
            raise FetchError(f"no such plugin: {', '.join(unknown)}; known: {', '.join(plugins)}")
        cache = cache_dir()
        for name in names:
            how = "fetched" if fetch(name, plugins[name], cache) else "cached"
            print(f"{name}: {cache / 'plugins' / name}.so ({how})", flush=True)
    except (FetchError, OSError) as error:
        say(f"fetch_plugin: {error}")
        return 1
    except KeyboardInterrupt:
        say("fetch_plugin: interrupted")
        return 130
    return 0


if __name__ == "__main__":
    # So that a terminated run cleans up as an interrupted one does.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    sys.exit(main())
