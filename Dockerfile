# Garoupa as one static binary in an otherwise empty image, for a PostgreSQL elsewhere
# (DATABASE_URL). compose.yaml runs both.

FROM golang:1.26.8 AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
RUN make build && mkdir data

FROM scratch
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/
COPY --from=build /src/bin/garoupa /garoupa
COPY --from=build --chown=65532:65532 /src/data /data
COPY LICENSE NOTICE /
USER 65532:65532
ENV GAROUPA_LISTEN=0.0.0.0:8080 GAROUPA_DATA_DIR=/data
VOLUME /data
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=6s --start-period=30s CMD ["/garoupa", "serve", "-probe"]
ENTRYPOINT ["/garoupa"]
CMD ["serve"]
