import { setTimeout as delay } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { version } from 'docloom/package.json';
import { type Config, readConfig } from '../model/config';
import { trimSlashes } from '../model/trim-slashes';
import { addOperators, operators } from '../operators';
import { verifyAtStart } from '../services/installation/places';
import { loadConfiguredOperators } from '../services/operator/custom-operators';
import { limitExit } from '../services/process/exit-deadline';
import { createLog, type Log } from '../services/process/log';
import { countBacklog, countTasks, createRegistry } from '../services/process/metrics';
import { buildOwnFolders, secretFiles } from '../services/source/closed-folders';
import { closeFolders } from '../services/storage/own-folders';
import { startTracing } from '../services/tracing/tracing';
import { createApp } from './app';
import { type ApiThreads, connectApi } from './connect';
import { readConversionSettings, refuseOpenService } from './conversion/settings';
import { createStatusSockets } from './conversion/status-socket';
import { listHostNames } from './http/host-names';
import { createHttpServer, listen } from './http/listen';
import { type ApiOptions, defaultApiOptions } from './services';

/**
 * Collects the garbage of requests once the heap has grown by a fifth. By default V8 waits until the heap has doubled:
 * resident memory of the conversion service grew from 210 to 290 MB, and stays at 190 MB with this setting.
 */
const growBeforeCollection = '--heap-growing-percent=20';
/**
 * The event loop stops while helper threads of V8 collect the young generation. On a machine busy with conversions they wait
 * for a processor: up to 130 ms for 10 ms of work.
 */
const collectAlone = '--no-parallel-scavenge';
/** How long the start waits for the proof that database, store and index belong together. */
const proofPatienceMs = 3_000;
/** Time for all that follows the drain; what has not ended then is killed. */
const closeMs = 20_000;

/** Runs the api until a signal ends it: no new connections, running requests end, then the clients close. */
export async function main(env: Record<string, string | undefined>, threads: ApiThreads): Promise<void> {
  for (const flag of [growBeforeCollection, collectAlone]) setFlagsFromString(flag);
  const config = readConfig(env);
  refuseOpenService(config);
  const log = createLog(config.DS_LOG_LEVEL, { service: 'api' });
  const traces = await startTracing(config, 'docloom-api', version);
  const dataFolders = buildOwnFolders(config);
  for (const problem of closeFolders(dataFolders.data, dataFolders.cache, secretFiles)) log.warn(problem);
  addOperators(
    await loadConfiguredOperators(
      config,
      operators.map(({ name }) => name),
    ),
  );
  const { services, resources, installation, known, backlog, close } = connectApi(config, log, threads);
  const closing = new AbortController();
  const proof = verifyAtStart(installation, { warn: (message) => log.warn(message), signal: closing.signal });
  void proof.installation.then(({ identity }) => (known.identity = identity)).catch(() => undefined);
  // Unavailable servers must not prevent the start; they are checked when they answer.
  await Promise.race([proof.installation, proof.failed, delay(proofPatienceMs, undefined, { ref: false })]);
  const options = { ...buildOptions(config, log), closing: closing.signal };
  countTasks(options.registry, () => services.conversion.tasks.countByState());
  countBacklog(options.registry, () => backlog.readCounts());
  const app = createApp(services, options);
  const drainMs = config.DOCLOOM_DRAIN_SECONDS * 1000;
  const listening = await listen(createHttpServer(), app, {
    host: config.DOCLOOM_HOST,
    port: config.DOCLOOM_PORT,
    drainMs,
    upgrades: createStatusSockets({ services, options }),
    acceptsMany: true,
  });
  log.info({ address: `http://${config.DOCLOOM_HOST}:${listening.port}` }, 'listening');
  if (!config.JWT_SECRET_KEY) log.warn('JWT_SECRET_KEY is not set: logins and requests that need a token get 503');
  // An unavailable database must not prevent the start; the next request for projects completes the cleanup.
  const prepared = resources
    .load()
    .then(() => services.projects.finishRemovals())
    .catch((error: unknown) => {
      log.warn({ err: error }, 'files of projects, and interrupted removals of projects, wait for the next request');
    });
  if (config.OAUTH2_ENABLED && services.oidc.listProviders().length === 0)
    log.warn('OAUTH2_ENABLED is set, but the provider is not configured completely: logins through it get 503');
  const signal = await Promise.race([waitForStopSignal(), proof.failed]);
  log.info({ signal }, 'stopping');
  limitExit('The API', drainMs + closeMs);
  closing.abort();
  await listening.close();
  await prepared;
  await close();
  await traces.close();
  log.info('stopped');
}

/** HTTP settings from the configuration; each call creates its own metrics. */
export function buildOptions(config: Config, logger: Log): ApiOptions {
  return {
    ...defaultApiOptions,
    corsOrigins: config.CORS_ORIGINS,
    hostNames: listHostNames(config),
    codeCase: config.DOCLOOM_ERROR_CODE_CASE === 'lower' ? 'lower' : 'upper',
    adminGroups: config.DOCLOOM_ADMIN_GROUPS,
    ingestPrincipals: config.DOCLOOM_INGEST_PRINCIPALS,
    trustedProxies: config.DOCLOOM_TRUSTED_PROXIES,
    loginSeconds: config.OAUTH2_SESSION_EXPIRE_MINUTES * 60,
    publicUrl: config.DOCLOOM_PUBLIC_URL,
    temporalUiAddress: trimSlashes(config.TEMPORAL_UI_ADDRESS),
    temporalNamespace: config.TEMPORAL_NAMESPACE,
    conversion: readConversionSettings(config),
    version,
    logger,
    registry: createRegistry(),
  };
}

function waitForStopSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => resolve(signal));
  });
}
