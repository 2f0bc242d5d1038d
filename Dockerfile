# syntax=docker/dockerfile:1

# The service: web, worker or both (ROLE), and the operator's command line. deploy/README.md says how it is checked.
ARG NODE_VERSION=24

FROM node:${NODE_VERSION}-bookworm AS build
WORKDIR /src
COPY . .
# Installs exactly what pnpm-lock.yaml says, builds, and keeps what can be loaded at run time.
RUN --mount=type=cache,target=/root/.local/share/pnpm/store node scripts/pack.mjs /app
# The programs of the image. Symbols are a seventh of Node, and nobody reads them in a container. The base image lacks
# the `env` by which the command line finds Node elsewhere.
RUN mkdir /programs && strip -o /programs/node "$(command -v node)" \
  && sed -i '1s|.*|#!/usr/local/bin/node|' /app/packages/server/bin/bot-directory-admin.mjs \
  && ln -s ../../../app/bin/bot-directory-admin /programs/bot-directory-admin

FROM gcr.io/distroless/cc-debian12:nonroot
COPY --from=build /programs /usr/local/bin
COPY --from=build /app /app
WORKDIR /app
ENV NODE_ENV=production PORT=3000
# Otherwise glibc keeps much of the memory that large buffers free: a tenth of the process.
ENV MALLOC_MMAP_THRESHOLD_=131072 MALLOC_TRIM_THRESHOLD_=131072
USER 65532:65532
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/healthz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node"]
CMD ["packages/server/dist/main.js"]
