# Stands where mongo:8 stands: FerretDB speaks MongoDB's protocol in front of PostgreSQL with DocumentDB.
ARG FROM_IMAGE
FROM ${FROM_IMAGE}
COPY ferretdb /usr/local/bin/ferretdb
COPY postgresql.conf /etc/gateway/postgresql.conf
COPY mongo-entrypoint.sh /usr/local/bin/entrypoint
RUN mkdir --parents /data/db && chown -R postgres:postgres /data/db && chmod 0755 /usr/local/bin/entrypoint /usr/local/bin/ferretdb
USER postgres
ENV PATH=/usr/lib/postgresql/18/bin:/usr/local/bin:/usr/bin:/bin LANG=C.UTF-8 TZ=UTC DO_NOT_TRACK=1
VOLUME /data/db
EXPOSE 27017
STOPSIGNAL SIGTERM
ENTRYPOINT ["/usr/local/bin/entrypoint"]
