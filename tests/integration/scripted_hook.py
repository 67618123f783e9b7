# SPDX-License-Identifier: Apache-2.0
"""A hook for tests. The page of a parent says what it does."""

import time

from xebec_operator import Operator

op = Operator("tests")


def answer(o):
    """Every parent has a ConfigMap with its page."""
    page, ns = o.spec.get("page", ""), o.spec.get("namespaces") or [None]
    if page == "hang":
        time.sleep(3600)
    if page == "related":
        page = " ".join(f'{each["metadata"]["name"]}={each["data"]["color"]}' for each in o.related("ConfigMap"))
    if page == "fail":
        raise RuntimeError("the page says so")
    for each in ns:
        metadata = {"metadata": {"namespace": each}} if each else {}
        o.ensure("v1", "ConfigMap", o.name, {**metadata, "data": {"page": page}}, created=f'Created page "{o.name}"')
    o.status(page=page)
    o.condition("Ready", True, "Written", "The page is written")


@op.sync
def sync(o):
    answer(o)


if __name__ == "__main__":
    op.serve()
