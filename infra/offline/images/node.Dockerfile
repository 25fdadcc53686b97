# Stands where node:24-slim stands: a minimal Debian, Node and npm in the same places, the same user `node` (1000).
ARG FROM_IMAGE
FROM ${FROM_IMAGE}
COPY node /usr/local/bin/node
COPY npm /usr/local/lib/node_modules/npm
RUN ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm \
  && ln -s ../lib/node_modules/npm/bin/npx-cli.js /usr/local/bin/npx \
  && echo 'node:x:1000:1000::/home/node:/bin/sh' >> /etc/passwd \
  && echo 'node:x:1000:' >> /etc/group \
  && mkdir --parents /home/node \
  && chown 1000:1000 /home/node
ENV PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
CMD ["node"]
