# Compiles with the locked dependencies, then copies only what runs. The console has tools of its own, which do not run.
FROM node:22-slim AS console
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts
COPY . .
RUN node scripts/build-console.js

FROM node:22-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# The package's own `prepare` needs the sources, which come next; no dependency needs its install script.
RUN npm ci --omit=dev --ignore-scripts
COPY . .
RUN node scripts/build.js

FROM node:22-slim
RUN apt-get update \
  && apt-get install --yes --no-install-recommends ca-certificates \
  && rm -rf /var/lib/apt/lists/* \
  && mkdir /data && chown node:node /data
WORKDIR /app
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
COPY --from=console /app/dist/console ./dist/console
COPY --from=build /app/bin ./bin
COPY --from=build /app/model/entity/classes ./model/entity/classes
COPY --from=build /app/package.json /app/LICENSE ./
ENV NODE_ENV=production DOCLOOM_HOST=0.0.0.0 DOCLOOM_PORT=8080 DOCLOOM_DATA=/data
USER node
VOLUME /data
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=5s --start-period=20s --retries=6 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + process.env.DOCLOOM_PORT + '/health').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "bin/docloom"]
CMD ["api"]
