# syntax-free on purpose: the classic builder reads it too.
# BUILDER is any image with the Go toolchain of go.mod.
ARG BUILDER=golang:1.26
FROM ${BUILDER} AS build
WORKDIR /src
COPY . .
RUN CGO_ENABLED=0 go build -trimpath -buildvcs=false -ldflags=-s -o /out/provision-tenants . \
 && echo 'nobody:x:65534:65534:nobody:/:/' > /out/passwd

FROM scratch
COPY --from=build /out/passwd /etc/passwd
COPY --from=build /out/provision-tenants /usr/local/bin/provision-tenants
USER nobody
ENTRYPOINT ["/usr/local/bin/provision-tenants"]
