# The command line in a container: docker run --rm -v "$PWD:/repository" skillkeeper outline SKILL.md
FROM node:26-trixie-slim AS build
WORKDIR /app
COPY package.json package-lock.json tsconfig.json tsconfig.build.json ./
COPY src ./src
COPY queues ./queues
RUN npm ci && npm prune --omit=dev --ignore-scripts

FROM node:26-trixie-slim
RUN apt-get update \
  && apt-get install -y --no-install-recommends ca-certificates git \
  && rm -rf /var/lib/apt/lists/*
WORKDIR /app
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
USER node
WORKDIR /repository
ENTRYPOINT ["node", "/app/dist/src/cli/main.js"]
CMD ["--help"]
