# Stands where ghcr.io/shopify/toxiproxy stands: one static binary.
FROM scratch
COPY toxiproxy-server /toxiproxy
EXPOSE 8474
USER 65534:65534
ENTRYPOINT ["/toxiproxy"]
CMD ["-host=0.0.0.0"]
