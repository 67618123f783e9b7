# SPDX-License-Identifier: Apache-2.0
"""Writes an image as one file that `docker load`, `ctr images import` and every OCI tool read; equal contents give
equal bytes."""

import gzip
import hashlib
import io
import json
import tarfile

from image import reference

OCI = "application/vnd.oci.image"


def digest(data):
    return "sha256:" + hashlib.sha256(data).hexdigest()


def _add(tar, name, data=None, mode=0o644, link=None):
    info = tarfile.TarInfo(name)
    info.mode = mode
    if link is not None:
        info.type, info.linkname = tarfile.SYMTYPE, link
    elif data is None:
        info.type, info.mode = tarfile.DIRTYPE, 0o755
    else:
        info.size = len(data)
    tar.addfile(info, None if data is None else io.BytesIO(data))


def layer(files):
    """An uncompressed layer with these files ({path: (mode, bytes)}) and the folders that they are in."""
    out, folders = io.BytesIO(), set()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.GNU_FORMAT) as tar:
        for path, (mode, data) in sorted(files.items()):
            parts = path.split("/")[:-1]
            for depth in range(1, len(parts) + 1):
                folder = "/".join(parts[:depth])
                if folder not in folders:
                    folders.add(folder)
                    _add(tar, folder)
            _add(tar, path, data, mode)
    return out.getvalue()


def _json(value):
    return json.dumps(value, sort_keys=True, separators=(",", ":")).encode()


def _descriptor(kind, data, **more):
    return {"mediaType": kind, "digest": digest(data), "size": len(data), **more}


def write(out, name, files, created, architecture, labels, user):
    """Writes the archive `out` for the image `name` (repository:tag); returns the manifest's digest. `created`: RFC
    3339."""
    path, tag = reference.complete(name)
    plain = layer(files)
    packed = gzip.compress(plain, 6, mtime=0)
    config = _json({"architecture": architecture, "os": "linux", "created": created,
                    "config": {"User": f"{user}:{user}", "WorkingDir": "/", "Env": ["PATH=/usr/bin"], "Labels": labels},
                    "rootfs": {"type": "layers", "diff_ids": [digest(plain)]},
                    "history": [{"created": created, "created_by": "./dev image"}]})
    manifest = _json({"schemaVersion": 2, "mediaType": f"{OCI}.manifest.v1+json",
                      "config": _descriptor(f"{OCI}.config.v1+json", config),
                      "layers": [_descriptor(f"{OCI}.layer.v1.tar+gzip", packed)], "annotations": labels})
    index = _json({"schemaVersion": 2, "mediaType": f"{OCI}.index.v1+json", "manifests": [_descriptor(
        f"{OCI}.manifest.v1+json", manifest, annotations={"io.containerd.image.name": f"{path}:{tag}",
                                                          "org.opencontainers.image.ref.name": tag})]})
    blobs = {digest(data): data for data in (packed, config, manifest)}
    old_manifest = _json([{"Config": _blob(digest(config)), "RepoTags": [f"{reference.familiar(path)}:{tag}"], "Layers": [_blob(digest(packed))]}])
    with tarfile.open(out, "w", format=tarfile.GNU_FORMAT) as tar:
        _add(tar, "oci-layout", _json({"imageLayoutVersion": "1.0.0"}))
        _add(tar, "index.json", index)
        _add(tar, "manifest.json", old_manifest)
        for key, data in sorted(blobs.items()):
            _add(tar, _blob(key), data)
    return digest(manifest), len(packed), len(plain)


def _blob(key):
    return "blobs/" + key.replace(":", "/")
