# SPDX-License-Identifier: Apache-2.0
# The same contents as `./dev image` makes without a container engine.
FROM debian:12 AS build
WORKDIR /src
COPY . .
RUN ./dev build release && python3 -m image.make --root /image

FROM scratch
LABEL org.opencontainers.image.title=xebec \
      org.opencontainers.image.licenses=Apache-2.0 \
      org.opencontainers.image.description="Xebec: a Kubernetes operator runtime; watcher, planner and applier"
COPY --from=build /image/ /
USER 65532:65532
ENV PATH=/usr/bin
