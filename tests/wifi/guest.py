"""The guest of the Wi-Fi test: Debian's kernel, and an initramfs with simulated radios.

It is not installed on this machine: packages are downloaded by ``apt-get download`` and unpacked
into a folder. The initramfs has the files that the test needs, the shared libraries that these
need, and the kernel's modules. The switch is this tree's own: the extension of the Python package,
in a Python of the guest, or the binary that ``WEIR_SWITCHD`` names.
"""

from __future__ import annotations

import gzip
import lzma
import os
import re
import shutil
import subprocess
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).parent
CACHE = ROOT / "out" / "wifi"

PROGRAMS = (
    "dash",
    "hostapd",
    "iw",
    "wpasupplicant",
    "dnsmasq-base",
    "iproute2",
    "nftables",
    "python3-minimal",
)
"""Packages with the programs of the guest; apt says which libraries they need."""

MODULES = (
    "mac80211_hwsim",
    "veth",
    # The ciphers that hostapd's AES-CCM and management frames need.
    *("ccm", "ctr", "cmac", "gcm"),
    # NAT.
    *("crc32c_generic", "nf_tables", "nft_chain_nat", "nft_masq", "nft_ct", "nf_nat", "nf_conntrack"),
)

_KERNEL_FILES = (
    "*/vmlinuz-*",
    "*/kernel/net/*",
    "*/kernel/crypto/*",
    "*/kernel/lib/*",
    "*/drivers/virtio/*",
    "*hwsim.ko*",
    "*/veth.ko*",
)
"""What is unpacked of the kernel's package, which has 4000 modules."""

BINARIES = {
    "busybox": "bin",
    "dash": "sbin",
    "hostapd": "usr/sbin",
    "iw": "sbin",
    "wpa_supplicant": "sbin",
    "wpa_cli": "sbin",
    "dnsmasq": "usr/sbin",
    "ip": "sbin",
    "nft": "usr/sbin",
}
"""Programs of the guest, and their folder."""


@dataclass(frozen=True)
class Architecture:
    """A kind of machine that qemu emulates.

    Attributes:
        name: Debian's name of it.
        triplet: the folder of its libraries.
        loader: the dynamic loader.
        kernel: the package that depends on the current kernel.
        qemu: the emulator, with a machine that has a serial console.
        console: the kernel's name of that.
    """

    name: str
    triplet: str
    loader: str
    kernel: str
    qemu: tuple[str, ...]
    console: str


X86_64 = Architecture(
    "amd64",
    "x86_64-linux-gnu",
    "lib64/ld-linux-x86-64.so.2",
    "linux-image-amd64",
    ("qemu-system-x86_64", "-machine", "pc", "-cpu", "max"),
    "ttyS0",
)
AARCH64 = Architecture(
    "arm64",
    "aarch64-linux-gnu",
    "lib/ld-linux-aarch64.so.1",
    "linux-image-arm64",
    ("qemu-system-aarch64", "-machine", "virt", "-cpu", "max,pauth-impdef=on"),
    "ttyAMA0",
)


ARCHITECTURES = {one.name: one for one in (X86_64, AARCH64)}


def _output(*command: str, cwd: Path | None = None) -> str:
    ended = subprocess.run(command, cwd=cwd, capture_output=True, text=True, timeout=600)
    if ended.returncode:
        raise RuntimeError(f"{' '.join(command)}: {ended.stderr.strip() or ended.stdout.strip()}")
    return ended.stdout


def _apt(architecture: Architecture, place: Path) -> list[str]:
    """The options of apt for an architecture, with separate package lists if it is not this
    machine's."""
    # The sandbox's user might not be able to write here.
    options = ["APT::Sandbox::User=root", "Acquire::Retries=3"]
    if _output("dpkg", "--print-architecture").strip() != architecture.name:
        state, cache = place / "apt/state", place / "apt/cache"
        for folder in (state / "lists/partial", cache / "archives/partial"):
            folder.mkdir(parents=True, exist_ok=True)
        (state / "status").touch()
        options += [f"APT::Architecture={architecture.name}", f"APT::Architectures={architecture.name}"]
        options += [f"Dir::State={state}", f"Dir::State::status={state / 'status'}", f"Dir::Cache={cache}"]
    words = [word for option in options for word in ("-o", option)]
    if len(options) > 2:
        _output("apt-get", *words, "-qq", "update")
    return words


def _packages(architecture: Architecture, apt: list[str], programs: Iterable[str]) -> list[str]:
    """The packages to download: programs, the current kernel, and libraries."""
    kernel = re.search(
        r"Depends: (linux-image-\S+)", _output("apt-cache", *apt, "depends", architecture.kernel)
    )
    assert kernel, f"{architecture.kernel} depends on no kernel"
    kinds = ("recommends", "suggests", "conflicts", "breaks", "replaces", "enhances")
    command = ["apt-cache", *apt, "depends", "--recurse", *(f"--no-{kind}" for kind in kinds), *programs]
    closure = re.findall(r"^(\S+)$", _output(*command), re.MULTILINE)
    libraries = {
        name for name in closure if re.match(r"lib(?!perl|.*-perl)|zlib1g|python3\.\d+-minimal", name)
    }
    return sorted({*programs, "busybox-static", kernel[1], *libraries})


def _unpacked(architecture: Architecture, programs: Iterable[str]) -> Path:
    """The folder into which the packages are unpacked; they are downloaded once."""
    place = CACHE / architecture.name
    apt = _apt(architecture, place)
    names = _packages(architecture, apt, programs)
    listed, files, archives = place / "packages", place / "files", place / "archives"
    if listed.exists() and listed.read_text().split() == names:
        return files
    for folder in (files, archives):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
    _output("apt-get", *apt, "download", *names, cwd=archives)
    for archive in sorted(archives.iterdir()):
        some = ["--wildcards", *_KERNEL_FILES] if archive.name.startswith("linux-image") else []
        command = ["dpkg-deb", "--fsys-tarfile", str(archive)]
        with subprocess.Popen(command, stdout=subprocess.PIPE) as contents:
            subprocess.run(["tar", "-x", "-C", str(files), *some], stdin=contents.stdout, check=True)
        assert contents.returncode == 0, archive
    shutil.rmtree(archives)
    listed.write_text("\n".join(names))
    return files


class _Initramfs:
    """The folder that becomes the initramfs."""

    def __init__(self, files: Path, architecture: Architecture, folder: Path) -> None:
        self._files, self._architecture, self.folder = files, architecture, folder
        shutil.rmtree(folder, ignore_errors=True)
        for name in (
            "proc",
            "sys",
            "dev",
            "run",
            "tmp",
            "etc",
            "var/run",
            "var/lib/misc",
            "bin",
            "sbin",
            "lib",
        ):
            (folder / name).mkdir(parents=True)

    def add(self, source: Path, target: str, *, libraries: bool = True) -> None:
        """Adds a file, and the libraries that it needs."""
        place = self.folder / target
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(source, place)
        if libraries:
            for name in re.findall(r"\(NEEDED\).*\[(.*)\]", _output("readelf", "-d", str(source))):
                self._library(name)

    def _library(self, name: str) -> None:
        loader = self._architecture.loader
        target = loader if name == Path(loader).name else f"lib/{name}"
        if (self.folder / target).exists():
            return
        triplet = self._architecture.triplet
        for folder in (f"lib/{triplet}", f"usr/lib/{triplet}"):
            if (path := self._files / folder / name).exists():
                self.add(path, target)
                return
        raise AssertionError(f"no package has {name}")

    def program(self, name: str) -> None:
        """Adds a program from a package."""
        for folder in ("bin", "sbin", "usr/bin", "usr/sbin"):
            if (path := self._files / folder / name).exists():
                self.add(path, f"{BINARIES[name]}/{name}")
                return
        raise AssertionError(f"no package has the program {name}")

    def modules(self) -> None:
        """Adds the modules and what they depend on, numbered in the order in which to load them."""
        found = {}
        for path in (self._files / "lib/modules").rglob("*.ko*"):
            found[path.name.partition(".")[0].replace("-", "_")] = path
        loaded: dict[str, None] = {}

        def load(name: str) -> None:
            if name in loaded:
                return
            octets = found[name].read_bytes()
            octets = lzma.decompress(octets) if found[name].suffix == ".xz" else octets
            depends = re.search(rb"\0depends=([^\0]*)\0", octets)
            for other in filter(None, depends[1].decode().split(",") if depends else []):
                load(other.replace("-", "_"))
            (self.folder / "modules").mkdir(exist_ok=True)
            (self.folder / "modules" / f"{len(loaded):03}-{name}.ko").write_bytes(octets)
            loaded[name] = None

        for name in MODULES:
            if name in found:  # or it is in the kernel itself
                load(name)
        assert "mac80211_hwsim" in loaded and "veth" in loaded, "the kernel has no simulated radios"

    def packed(self, target: Path) -> None:
        """Writes the initramfs."""
        paths = sorted(self.folder.rglob("*"))
        parts = [_member(str(path.relative_to(self.folder)), path) for path in paths]
        target.write_bytes(gzip.compress(b"".join([*parts, _member("TRAILER!!!", None)]), 1))


def _member(name: str, path: Path | None) -> bytes:
    """A member of an initramfs (Documentation/driver-api/early-userspace/buffer-format.rst)."""
    mode = 0 if path is None else path.stat().st_mode
    data = path.read_bytes() if path is not None and path.is_file() else b""
    # Inode, mode, user, group, links, time, size, four numbers of devices, size of the name, sum.
    numbers = [0, mode, 0, 0, 1, 0, len(data), 0, 0, 0, 0, len(name) + 1, 0]
    start = b"070701" + b"".join(b"%08X" % number for number in numbers) + name.encode() + b"\0"
    return start + bytes(-len(start) % 4) + data + bytes(-len(data) % 4)


def _python(initramfs: _Initramfs, files: Path) -> None:
    """Adds the parts of Python that are needed to start it, and the package's extension."""
    (binary,) = files.glob("usr/bin/python3.*")
    initramfs.add(binary, "usr/bin/python3")
    (library,) = files.glob("usr/lib/python3.*")
    # Python warns without this folder.
    (initramfs.folder / "usr/lib" / library.name / "lib-dynload").mkdir(parents=True)
    for name in ("encodings", "importlib", "collections", "re"):
        shutil.copytree(
            library / name, initramfs.folder / "usr/lib" / library.name / name, dirs_exist_ok=True
        )
    for path in library.glob("*.py"):
        initramfs.add(path, f"usr/lib/{library.name}/{path.name}", libraries=False)


def build(architecture: Architecture, access_point: Path, folder: Path) -> tuple[Path, Path]:
    """Makes a guest whose access point is the one in a folder.

    Returns:
        The kernel and the initramfs.
    """
    binary = os.environ.get("WEIR_SWITCHD")
    assert binary or architecture is X86_64, "WEIR_SWITCHD must name a weir-switchd for this machine"
    programs = [name for name in PROGRAMS if binary is None or not name.startswith("python")]
    files = _unpacked(architecture, programs)
    initramfs = _Initramfs(files, architecture, folder / "initramfs")
    for name in BINARIES:
        initramfs.program(name)
    initramfs.modules()
    shutil.copy(HERE / "init.sh", initramfs.folder / "init")
    shutil.copytree(access_point, initramfs.folder / "etc/weir-ap")
    if binary is not None:
        initramfs.add(Path(binary), "usr/bin/weir-switchd")
    else:
        _python(initramfs, files)
        (extension,) = (ROOT / "python/weir").glob("_core*.so")
        initramfs.add(extension, "usr/lib/weir/_core.so")
        shutil.copy(HERE / "switchd.py", initramfs.folder / "usr/bin/weir-switchd")
    for name in ("init", "usr/bin/weir-switchd"):
        (initramfs.folder / name).chmod(0o755)
    target = folder / "initramfs.gz"
    initramfs.packed(target)
    (kernel,) = (files / "boot").glob("vmlinuz-*")
    return kernel, target
