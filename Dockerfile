# SPDX-License-Identifier: Apache-2.0
# Builds the same image as `./dev image`, with a container engine. The build context has no .git, so pass version and revision:
#   docker build --build-arg VERSION=0.1.0 --build-arg REVISION="$(git rev-parse HEAD)" --build-arg CREATED="$(git show -s --format=%cI)" --tag xebec:0.1.0 .
FROM debian:12 AS build
WORKDIR /src
COPY . .
RUN ./dev image --root /image

FROM scratch
ARG VERSION=unknown
ARG REVISION=unknown
ARG CREATED=1970-01-01T00:00:00Z
LABEL org.opencontainers.image.title=xebec \
      org.opencontainers.image.version=$VERSION \
      org.opencontainers.image.revision=$REVISION \
      org.opencontainers.image.created=$CREATED \
      org.opencontainers.image.licenses=Apache-2.0 \
      org.opencontainers.image.description="Xebec: a Kubernetes operator runtime; watcher, planner, applier and hook gateway"
COPY --from=build /image/ /
USER 65532:65532
ENV PATH=/usr/bin
