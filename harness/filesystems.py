"""Which file system a path is on, as far as the journal has to know."""

from __future__ import annotations

from pathlib import Path
from typing import Final

MOUNTS: Final = Path("/proc/self/mountinfo")

#: File systems that other machines can write to: SQLite's write-ahead log needs memory shared by
#: all its users, which these cannot give it.
NETWORK_TYPES: Final = frozenset(
    ("nfs", "nfs4", "cifs", "smb3", "smbfs", "9p", "afs", "ceph", "glusterfs", "lustre", "beegfs")
)
NETWORK_PREFIXES: Final = ("fuse.sshfs", "fuse.gluster", "fuse.ceph", "fuse.s3fs")


def is_network_filesystem(path: Path, mounts: Path = MOUNTS) -> bool:
    """Whether `path` is on a network file system; False where the system does not tell."""
    if not mounts.exists():
        return False
    kind = filesystem_type(path.resolve(), mounts.read_text("utf-8", errors="replace"))
    return kind in NETWORK_TYPES or kind.startswith(NETWORK_PREFIXES)


def filesystem_type(path: Path, mountinfo: str) -> str:
    """The type of the mount that holds `path`, from the text of /proc/self/mountinfo (proc(5))."""
    best, kind = -1, ""
    for line in mountinfo.splitlines():
        mount, _, source = line.partition(" - ")
        # Blanks in a mount point are written as octal escapes.
        point = Path(mount.split()[4].replace("\\040", " ").replace("\\011", "\t"))
        if path.is_relative_to(point) and len(point.parts) >= best:
            best, kind = len(point.parts), source.split()[0]
    return kind
