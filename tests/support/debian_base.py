# SPDX-License-Identifier: Apache-2.0
"""A base image made of the Debian packages that are installed here, for machines without access to a registry."""

import os
import pathlib
import re
import subprocess
import tarfile

_FIELDS = r"${Package}\t${Essential}\t${Priority}\t${Pre-Depends}, ${Depends}\t${Provides}\n"
_MADE_BY_SCRIPTS = ("/etc/passwd", "/etc/group", "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/ld.so.cache", "/etc/alternatives", "/etc/ssl",
                    "/etc/debian_version", "/var/lib/dpkg")
_EMPTY = ("dev", "proc", "sys", "tmp", "root", "run", "etc", "var", "var/tmp")


def _names(field):
    """[[name of each alternative]] of a field such as Depends."""
    return [[re.split(r"[ (:]", each.strip(), maxsplit=1)[0] for each in part.split("|")] for part in field.split(",") if part.strip()]


def _installed():
    text = subprocess.run(["dpkg-query", "-W", "-f", _FIELDS], capture_output=True, text=True, check=True).stdout
    return [line.split("\t") for line in text.splitlines()]


def closure(wanted):
    """The installed packages that these need, with those that every Debian has."""
    needs, provided_by, todo = {}, {}, list(wanted)
    for package, essential, priority, depends, provides in _installed():
        needs.setdefault(package, []).extend(_names(depends))
        for name in [package, *(name for [name] in _names(provides))]:
            provided_by.setdefault(name, set()).add(package)
        if essential == "yes" or priority == "required":
            todo.append(package)
    found = set()
    while todo:
        for package in provided_by.get(todo.pop(), set()) - found:
            found.add(package)
            todo += [name for alternatives in needs[package] for name in alternatives]
    return sorted(found)


def _files(packages):
    listed = subprocess.run(["dpkg-query", "-L", *packages], capture_output=True, text=True, check=True).stdout.splitlines()
    links = [str(path) for path in pathlib.Path("/usr/bin").iterdir() if path.is_symlink() and os.readlink(path).startswith("/etc/alternatives")]
    return [path for path in {*listed, *links, *_MADE_BY_SCRIPTS} if path.startswith("/") and path != "/." and os.path.lexists(path)]


def write(out, wanted, more=None):
    """A file tree as a tar archive: what `docker import` takes. `more`: {path in the image: folder of this machine}."""
    done = set()

    def once(info):
        if info.name in done:
            return None
        done.add(info.name)
        return info
    with tarfile.open(out, "w") as tar:
        for name in _EMPTY:
            folder = tarfile.TarInfo(name)
            folder.type, folder.mode = tarfile.DIRTYPE, 0o1777 if name.endswith("tmp") else 0o755
            tar.addfile(once(folder))
        for name in filter(os.path.islink, ("/bin", "/sbin", "/lib", "/lib64", "/lib32", "/libx32")):
            tar.add(name, filter=once)
        for path in sorted(_files(closure(wanted))):
            real = os.path.join(os.path.realpath(os.path.dirname(path)), os.path.basename(path))
            tar.add(real, recursive=path in _MADE_BY_SCRIPTS, filter=once)
        for path, source in (more or {}).items():
            tar.add(source, arcname=path)
    return out
