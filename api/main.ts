import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { version } from 'docloom/package.json';
import { type Config, readConfig } from '../model/config';
import { networkRules } from '../model/network-rules';
import { addOperators, operators } from '../operators';
import { createConnectionsStore } from '../services/connection/store';
import { createPageViews } from '../services/conversion/page-views';
import { createConversion } from '../services/conversion/conversion';
import { createDirectory } from '../services/login/directory';
import { documentClasses } from '../services/operator/document-classes';
import { createDocumentLibrariesStore } from '../services/document-set/document-libraries-store';
import { createLibraryFiles } from '../services/document-set/library-files';
import { MongoLibraryUploads, uploadLimits } from '../services/document-set/library-uploads';
import { createRowExport } from '../services/document-set/document-set-export';
import { createDocumentSetsStore } from '../services/document-set/document-sets-store';
import { createDuckdb } from '../services/table/duckdb';
import { createEmbedder } from '../services/embedding/embedder';
import { createFiles } from '../services/storage/files';
import { createFlowRuns } from '../services/flow/flow-runs';
import { connectGraphs } from '../services/graph/graphs';
import { installationPlaces, type Places, verifyAtStart } from '../services/installation/places';
import { createLoginStates } from '../services/login/login-states';
import { createLog, type Log } from '../services/process/log';
import { countTasks, createRegistry } from '../services/process/metrics';
import { createModelCatalogue } from '../services/llm/model-catalogue';
import { configuredSealer } from '../services/storage/sealer-keys';
import { connectMongo, type Mongo } from '../services/storage/mongo';
import { createOidc } from '../services/login/oidc';
import { announcingRuns, createAnnouncer } from '../services/webhook/announcer';
import { createWebhookEngine } from '../services/webhook/engine';
import { createWebhooks } from '../services/webhook/store';
import { createAccounts } from '../services/login/accounts';
import { createApiKeys } from '../services/login/api-keys';
import { createRevocations } from '../services/login/revocations';
import { createResourceStores, type ResourceStores } from '../services/flow/resource-files';
import { createReviews } from '../services/review/reviews';
import { createFailures } from '../services/run/failures';
import { createLedger } from '../services/run/ledger';
import { createRuns } from '../services/run/runs';
import { createRunStats } from '../services/run/stats';
import { createRunsStore } from '../services/run/runs-store';
import { closeFolders } from '../services/storage/own-folders';
import { createObjectStore } from '../services/storage/object-store';
import { createSchedules } from '../services/flow/schedules';
import { connectRemovals } from '../services/removal/connect';
import { createIndexCatalogue } from '../services/vector/index-catalogue';
import { createAnswers } from '../services/answer/answers';
import { createLlm } from '../services/llm/llm';
import { createSavedSearches } from '../services/search/saved-searches';
import { createSearch } from '../services/search/search';
import { configuredOperators } from '../services/operator/custom-operators';
import { createAuditLog } from '../services/audit/audit-log';
import { createAddressGuard } from '../services/net/address-guard';
import { ownFolders, secretFiles, sourceLimits } from '../services/source/closed-folders';
import { createSources } from '../services/source/sources';
import { createQueryCheck } from '../services/flow/query-check';
import { createSqlRunner } from '../services/table/sql';
import { createTables } from '../services/table/tables';
import { createPayloadCodec } from '../services/temporal/payload-codec';
import { temporalOptions } from '../services/temporal/client';
import { createTokens } from '../services/login/tokens';
import { createApp } from './app';
import { conversionSettings, refuseOpenService } from './conversion/settings';
import { createStatusSockets } from './conversion/status-socket';
import { createLoginLimit } from './login/login-limit';
import { createFlowInspection } from './flow/inspection';
import { hostNamesOf } from './http/host-names';
import { createHttpServer, listen } from './http/listen';
import { type ApiOptions, type ApiServices, defaultApiOptions } from './services';

/**
 * What a request leaves behind is collected when the heap has grown by a fifth. By itself V8 waits, longer and longer, until it
 * is twice as large: resident memory of the conversion service went from 210 to 290 MB, and stays at 190 so.
 */
const growBeforeCollection = '--heap-growing-percent=20';
/**
 * The event loop stands still while V8's helper threads collect the young generation, and on a machine that is busy with
 * conversions they wait for a processor: up to 130 ms for what takes 10.
 */
const collectAlone = '--no-parallel-scavenge';
const loginAttemptsPerMinute = 10;
const loginFailuresPerMinute = 30;
const authorizationsPerMinute = 60;
/** How long the start waits for the proof that database, store and index belong together. */
const proofPatienceMs = 3_000;

/** Runs the api until a signal ends it: no new connections, running requests end, then the clients close. */
export async function main(env: Record<string, string | undefined>, threads: { page: string }): Promise<void> {
  for (const flag of [growBeforeCollection, collectAlone]) setFlagsFromString(flag);
  const config = readConfig(env);
  refuseOpenService(config);
  const log = createLog(config.DS_LOG_LEVEL, { service: 'api' });
  const own = ownFolders(config);
  for (const problem of closeFolders(own.data, own.cache, secretFiles)) log.warn(problem);
  addOperators(
    await configuredOperators(
      config,
      operators.map(({ name }) => name),
    ),
  );
  const { services, resources, installation, known, close } = connect(config, log, threads);
  const closing = new AbortController();
  const proof = verifyAtStart(installation, { warn: (message) => log.warn(message), signal: closing.signal });
  void proof.installation.then(({ identity }) => (known.identity = identity)).catch(() => undefined);
  // Servers that are away must not stop the start; they are judged when they answer.
  await Promise.race([proof.installation, proof.failed, delay(proofPatienceMs, undefined, { ref: false })]);
  const options = { ...optionsOf(config, log), closing: closing.signal };
  countTasks(options.registry, () => services.conversion.tasks.counts());
  const app = createApp(services, options);
  const drainMs = config.DOCLOOM_DRAIN_SECONDS * 1000;
  const listening = await listen(createHttpServer(), app, {
    host: config.DOCLOOM_HOST,
    port: config.DOCLOOM_PORT,
    drainMs,
    upgrades: createStatusSockets({ services, options }),
  });
  log.info({ address: `http://${config.DOCLOOM_HOST}:${listening.port}` }, 'listening');
  if (!config.JWT_SECRET_KEY) log.warn('JWT_SECRET_KEY is not set: login and everything that needs a token answer 503');
  // A database that is away must not stop the start; the next request for projects completes what is left here.
  const prepared = resources
    .load()
    .then(() => services.projects.finishRemovals())
    .catch((error: unknown) => {
      log.warn({ err: error }, 'files of projects, and interrupted removals of projects, wait for the next request');
    });
  if (config.OAUTH2_ENABLED && services.oidc.providers().length === 0)
    log.warn('OAUTH2_ENABLED is set, but the provider is not configured completely: logins by it answer 503');
  const signal = await Promise.race([stopSignal(), proof.failed]);
  log.info({ signal }, 'stopping');
  closing.abort();
  await listening.close();
  await prepared;
  await close();
  log.info('stopped');
}

/** Makes the clients of the api; each connects with its first use, so the api starts while a server is away. */
function connect(
  config: Config,
  log: Log,
  threads: { page: string },
): {
  services: ApiServices;
  resources: ResourceStores;
  installation: Places;
  known: KnownInstallation;
  close: () => Promise<void>;
} {
  const known: KnownInstallation = {};
  const mongo = connectMongo(config.MONGODB_URL, configuredSealer(config));
  const temporal = temporalOptions(config, mongo);
  const runs = createRuns(temporal);
  const schedules = createSchedules({ mongo, ...temporal });
  const installation = installationPlaces(config, mongo, createObjectStore(config));
  const search = createSearch(config);
  const models = createModelCatalogue(config);
  const pageViews = createPageViews({ threadFile: threads.page, memoryMb: config.DOCLOOM_CONVERSION_MEMORY_MB });
  const embedder = createEmbedder(config);
  const llm = createLlm(config);
  const clock = () => new Date();
  const audit = createAuditLog(mongo, config.DOCLOOM_AUDIT_DAYS, (entries) =>
    log.error({ entries }, 'entries of the audit log could not be stored'),
  );
  const sql = createSqlRunner();
  const guard = createAddressGuard(networkRules(config));
  const conversion = { ...conversionServices(config, mongo), guard };
  const graphs = connectGraphs({ config, mongo, store: createObjectStore(config), newId: randomUUID });
  const runStats = createRunStats(config, mongo);
  const documentSets = documentSetServices(config, mongo);
  const tables = createTables({ store: createObjectStore(config) });
  const webhooks = createWebhooks(mongo);
  const deliveries = createWebhookEngine(temporal);
  const announcer = createAnnouncer(webhooks, deliveries);
  const runsStore = announcingRuns(createRunsStore(mongo, runStats), announcer);
  const resources = createResourceStores(mongo, {
    adminGroups: config.DOCLOOM_ADMIN_GROUPS,
    folder: config.PROJECT_REPOSITORY_BASE_DIR,
    warn: (message) => log.warn(message),
  });
  const limits = {
    ...sourceLimits(config),
    guard,
    library: { libraries: documentSets.documentLibraries, files: documentSets.libraryFiles },
  };
  const services: ApiServices = {
    operators,
    flows: resources.flows,
    projects: resources.projects,
    flowRuns: createFlowRuns(mongo),
    runsStore,
    webhooks,
    announcer,
    failures: createFailures(mongo),
    reviews: createReviews(mongo),
    runs,
    tables,
    schedules,
    keptDocuments: keptDocuments(config, mongo),
    removals: connectRemovals({
      config,
      mongo,
      search,
      tables,
      graphs,
      runsStore,
      documentSets: documentSets.documentSets,
      store: createObjectStore(config),
    }),
    indexes: createIndexCatalogue(mongo, search, config.SEARCH_DEFAULT_INDEX),
    search,
    indexHoldings: search,
    pageViews,
    suggest: (user, request) => search.suggest(user, request),
    savedSearches: createSavedSearches(mongo),
    answers: createAnswers(llm, config),
    ...payloadCodec(config),
    models,
    documentClasses,
    inspection: createFlowInspection({
      search,
      embedder,
      sources: createSources(limits),
      openSources: createSources({ ...limits, hidden: false }),
    }),
    queryCheck: createQueryCheck({ sql, operators }),
    conversion,
    graphs,
    ...documentSets,
    connections: createConnectionsStore(mongo),
    ...loginServices(config, mongo, { clock, known }),
    audit,
    clock,
    newId: randomUUID,
    probes: { mongo: () => mongo.ping(), temporal: () => runs.ping(), search: () => search.ping() },
  };
  return {
    services,
    resources,
    installation,
    known,
    close: async () => {
      await audit.close();
      models.close();
      embedder.close();
      llm.close();
      await Promise.allSettled([
        conversion.tasks.close(),
        graphs.close(),
        runs.close(),
        deliveries.close(),
        schedules.close(),
        search.close(),
        pageViews.close(),
        sql.close(),
        installation.close(),
        runStats.close(),
        mongo.close(),
      ]);
    },
  };
}

function payloadCodec(config: Config): Pick<ApiServices, 'payloadCodec'> {
  const keys = config.DOCLOOM_PAYLOAD_KEYS;
  return keys.length > 0 ? { payloadCodec: createPayloadCodec(keys) } : {};
}

function conversionServices(config: Config, mongo: Mongo) {
  const store = createObjectStore(config);
  return { ...createConversion({ config, mongo, store }), files: createFiles({ store }) };
}

function keptDocuments(config: Config, mongo: Mongo): ApiServices['keptDocuments'] {
  const store = createObjectStore(config);
  const ledger = createLedger(mongo);
  return {
    find: (documentId) => ledger.find(documentId),
    open: (key) => store.open(key),
    exists: (key) => store.exists(key),
    put: (key, bytes) => store.put(key, bytes),
    removePrefix: (prefix) => store.removePrefix(prefix),
  };
}

function documentSetServices(config: Config, mongo: Mongo) {
  const duckdb = createDuckdb();
  const store = createObjectStore(config);
  const documentSets = createDocumentSetsStore({ mongo, store, duckdb });
  const libraryFiles = createLibraryFiles(mongo, store);
  return {
    documentSets,
    documentLibraries: createDocumentLibrariesStore(mongo, documentSets),
    libraryFiles,
    libraryUploads: new MongoLibraryUploads(mongo, store, libraryFiles, uploadLimits(config)),
    exportRows: createRowExport(duckdb),
  };
}

/** Filled in as soon as the database tells. */
interface KnownInstallation {
  identity?: string;
}

function loginServices(
  config: Config,
  mongo: Mongo,
  { clock, known }: { clock: () => Date; known: KnownInstallation },
) {
  const authorizeLimit = createLoginLimit(authorizationsPerMinute, clock);
  return {
    directory: createDirectory(config),
    oidc: createOidc(config, clock),
    loginStates: createLoginStates(mongo, clock),
    revocations: createRevocations(mongo, clock),
    apiKeys: createApiKeys(mongo),
    accounts: createAccounts(mongo),
    tokens: createTokens({
      secret: config.JWT_SECRET_KEY,
      previousSecrets: config.JWT_PREVIOUS_SECRET_KEYS,
      expireMinutes: config.JWT_ACCESS_TOKEN_EXPIRE_MINUTES,
      audience: config.JWT_AUDIENCE,
      identity: () => known.identity,
    }),
    loginLimit: createLoginLimit(loginAttemptsPerMinute, clock, loginFailuresPerMinute),
    authorizeLimit: (clientAddress: string) => void authorizeLimit(clientAddress, ''),
  };
}

/** What the settings say about the HTTP surface; each call has metrics of its own. */
export function optionsOf(config: Config, logger: Log): ApiOptions {
  return {
    ...defaultApiOptions,
    corsOrigins: config.CORS_ORIGINS,
    hostNames: hostNamesOf(config),
    codeCase: config.DOCLOOM_ERROR_CODE_CASE === 'lower' ? 'lower' : 'upper',
    adminGroups: config.DOCLOOM_ADMIN_GROUPS,
    ingestPrincipals: config.DOCLOOM_INGEST_PRINCIPALS,
    trustedProxies: config.DOCLOOM_TRUSTED_PROXIES,
    loginSeconds: config.OAUTH2_SESSION_EXPIRE_MINUTES * 60,
    publicUrl: config.DOCLOOM_PUBLIC_URL,
    temporalUiAddress: config.TEMPORAL_UI_ADDRESS.replace(/\/+$/, ''),
    temporalNamespace: config.TEMPORAL_NAMESPACE,
    conversion: conversionSettings(config),
    version,
    logger,
    registry: createRegistry(),
  };
}

function stopSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => resolve(signal));
  });
}
