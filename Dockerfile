# Image of any service: docker build --build-arg SERVICE=orders . Needs BuildKit; works from Docker 20.10 on.
ARG NODE_IMAGE=node:24-bookworm-slim
ARG SERVICE

FROM ${NODE_IMAGE} AS pruned
ENV TURBO_TELEMETRY_DISABLED=1
WORKDIR /source
COPY package.json ./
RUN npm install --global --no-audit --no-fund "turbo@$(node -p "require('./package.json').devDependencies.turbo")"
COPY . .
ARG SERVICE
# Dependencies and files of tests are removed before the installation, so that none have to be removed afterwards.
RUN turbo prune "@quittance/${SERVICE}" --production --docker \
 && cd out/json && npm pkg delete devDependencies optionalDependencies --workspaces --include-workspace-root \
 && cd ../full && find packages services -name '*.test.ts' -delete && rm -rf services/*/test packages/*/test

FROM ${NODE_IMAGE} AS installed
WORKDIR /app
COPY --from=pruned /source/out/json ./
# The binaries of sharp and esbuild are optional dependencies, one package per platform.
RUN optional=$(grep -qE '"node_modules/(sharp|esbuild)"' package-lock.json || echo --omit=optional) \
 && npm ci --omit=dev $optional --ignore-scripts --no-audit --no-fund \
 && find node_modules -type f \( -name '*.map' -o -name '*.d.ts' -o -name '*.d.mts' -o -name '*.d.cts' \) -delete \
 && if [ -d node_modules/@fontsource ]; then find node_modules/@fontsource -path '*/files/*' -type f \
      ! -name '*-400-normal.woff2' ! -name '*-700-normal.woff2' -delete; fi \
 && rm -rf /root/.npm
COPY --from=pruned /source/out/full/packages packages
COPY --from=pruned /source/out/full/services services

# The workspace links of node_modules stay links: Node strips types only of files outside node_modules.
FROM ${NODE_IMAGE} AS plain
ENV NODE_ENV=production NODE_COMPILE_CACHE=/tmp/compile-cache HEALTH_HOST=0.0.0.0 HEALTH_PORT=9090
WORKDIR /app
EXPOSE 9090

FROM plain AS with-chromium
RUN apt-get update && apt-get install -y --no-install-recommends chromium-headless-shell && rm -rf /var/lib/apt/lists/*
# A container has no user namespaces for Chromium's sandbox, and no right to change users. Linux hides environment and memory of a process whose
# program its user cannot read from every process of that user, and thus hides those of the service from the browser.
RUN chmod 711 "$(command -v node)"
ENV PUPPETEER_EXECUTABLE_PATH=/usr/bin/chromium-headless-shell CHROMIUM_SANDBOX=off

FROM plain AS for-gateway
ENV HOST=0.0.0.0 PORT=8080
EXPOSE 8080
FROM plain AS for-auth
FROM plain AS for-orders
FROM plain AS for-provisioner
FROM plain AS for-storefront
FROM plain AS for-webhooks
FROM plain AS for-mail
FROM plain AS for-usage
FROM with-chromium AS for-invoices

FROM for-${SERVICE}
ARG SERVICE
COPY --from=installed /app /app
WORKDIR /app/services/${SERVICE}
USER 1000:1000
# Bash checks the health, because a Node process for each check would cost more than an idle service does.
HEALTHCHECK --interval=3s --timeout=5s --start-period=90s --retries=5 CMD ["bash", "-c", \
  "exec 3<>/dev/tcp/127.0.0.1/$HEALTH_PORT && printf 'GET /readyz HTTP/1.0\\r\\n\\r\\n' >&3 && read -r _ status _ <&3 && [ \"$status\" = 200 ]"]
STOPSIGNAL SIGTERM
CMD ["node", "--max-semi-space-size=32", "src/main.ts"]
