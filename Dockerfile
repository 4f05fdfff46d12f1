# The App, one image for every role: the argument is all (the default), web or worker. docs/operate.md says how to
# run it. Add --init to docker run, so that something reaps what git leaves behind.
FROM node:26-trixie-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts
COPY tsconfig.json tsconfig.build.json ./
COPY src ./src
COPY queues ./queues
RUN npm run build && npm prune --omit=dev --ignore-scripts

FROM node:26-trixie-slim
ENV NODE_ENV=production HOST=0.0.0.0 SKILLKEEPER_DATA_DIR=/var/lib/skillkeeper
RUN apt-get update \
  && apt-get install -y --no-install-recommends ca-certificates git \
  && rm -rf /var/lib/apt/lists/* \
  && install -d -o node -g node -m 0700 /var/lib/skillkeeper
WORKDIR /app
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
COPY package.json app.yml ./
# The image's user "node", by number: Kubernetes believes only a number when it must not be root.
USER 1000:1000
VOLUME /var/lib/skillkeeper
EXPOSE 3000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT || 3000}/healthz`).then(answer => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "dist/src/app/main.js"]
CMD ["all"]
