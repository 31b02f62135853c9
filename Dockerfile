# Needs nothing that only some builders have: the classic one reads it too. No
# command here needs a shell, so BUILDER can be any image with the Go toolchain
# that go.mod asks for and a user `nobody`. `make image` finds one.
ARG BUILDER=golang:1.26
FROM ${BUILDER} AS build
ARG GOPROXY
ENV CGO_ENABLED=0
WORKDIR /src
COPY . .
RUN ["go", "build", "-trimpath", "-buildvcs=false", "-ldflags=-s", "-o", "/out/provision-tenants", "."]

# kustomize and kpt pass `--user nobody`, which is looked up in the image.
FROM scratch
COPY --from=build /etc/passwd /etc/passwd
COPY --from=build /out/provision-tenants /usr/local/bin/provision-tenants
USER nobody
ENTRYPOINT ["/usr/local/bin/provision-tenants"]
