# One service per image: docker build --build-arg SERVICE=orders . ; invoices is built with --target with-chromium.
ARG NODE_IMAGE=node:24-bookworm-slim

FROM ${NODE_IMAGE} AS pruned
WORKDIR /source
COPY package.json package-lock.json .npmrc turbo.json ./
COPY packages packages
COPY services services
COPY tools/package.json tools/turbo.json tools/
COPY e2e/package.json e2e/package.json
COPY e2e/official-client/package.json e2e/official-client/package.json
COPY bench/package.json bench/package.json
ARG SERVICE
# Devices of tests and tools stay out; the service keeps its workspace symlinks, which type stripping needs.
RUN npm ci --omit=dev --omit=optional --ignore-scripts --workspace @quittance/${SERVICE} \
 && find packages services -name '*.test.ts' -delete && rm -rf packages/testing services/*/test

FROM ${NODE_IMAGE} AS service
ENV NODE_ENV=production NODE_COMPILE_CACHE=/tmp/compile-cache
WORKDIR /app
COPY --from=pruned --chown=1000:1000 /source/package.json ./
COPY --from=pruned --chown=1000:1000 /source/node_modules node_modules
COPY --from=pruned --chown=1000:1000 /source/packages packages
ARG SERVICE
COPY --from=pruned --chown=1000:1000 /source/services/${SERVICE} services/${SERVICE}
USER 1000
WORKDIR /app/services/${SERVICE}
CMD ["node", "--max-semi-space-size=32", "src/main.ts"]

FROM service AS with-chromium
USER root
RUN apt-get update && apt-get install -y --no-install-recommends chromium-headless-shell && rm -rf /var/lib/apt/lists/*
# A container has no user namespaces for Chromium's sandbox; the container itself is the wall around it.
ENV PUPPETEER_EXECUTABLE_PATH=/usr/bin/chromium-headless-shell CHROMIUM_SANDBOX=off
USER 1000

# Without --target the plain service is built.
FROM service
