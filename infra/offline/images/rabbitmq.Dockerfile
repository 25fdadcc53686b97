# Stands where rabbitmq:4-management stands, without the management plugin's pages.
ARG FROM_IMAGE
FROM ${FROM_IMAGE}
COPY rabbitmq.conf /etc/rabbitmq/rabbitmq.conf
RUN mkdir --parents /var/lib/rabbitmq && chown -R rabbitmq:rabbitmq /var/lib/rabbitmq
USER rabbitmq
# The start script becomes the Erlang machine, as under systemd, so that it hears the engine's SIGTERM.
ENV HOME=/var/lib/rabbitmq LANG=C.UTF-8 PATH=/usr/lib/rabbitmq/bin:/usr/sbin:/usr/bin:/sbin:/bin \
  RABBITMQ_LOGS=- RUNNING_UNDER_SYSTEMD=true \
  RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS="+sbwt none +sbwtdcpu none +sbwtdio none"
VOLUME /var/lib/rabbitmq
EXPOSE 5672
CMD ["/usr/lib/rabbitmq/bin/rabbitmq-server"]
