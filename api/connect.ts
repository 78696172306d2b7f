import { randomUUID } from 'node:crypto';
import { type Config } from '../model/config';
import { buildNetworkRules } from '../model/network-rules';
import { operators } from '../operators';
import type { SourceInspector } from '../operators/inspection';
import { flowStores } from '../operators/stores';
import { createAnswers } from '../services/answer/answers';
import { createAuditLog } from '../services/audit/audit-log';
import { type ConnectionsStore, createConnectionsStore } from '../services/connection/store';
import { createConversion } from '../services/conversion/conversion';
import { createPageViews } from '../services/conversion/page-views';
import { createDocumentLibrariesStore } from '../services/document-set/document-libraries-store';
import { createRowExport } from '../services/document-set/document-set-export';
import { createDocumentSetsStore } from '../services/document-set/document-sets-store';
import { createLibraryFiles } from '../services/document-set/library-files';
import { MongoLibraryUploads, readUploadLimits } from '../services/document-set/library-uploads';
import { createEmbedder } from '../services/embedding/embedder';
import { createThreadedOnnxEmbedder } from '../services/embedding/onnx-thread';
import { createReranker, type Reranker } from '../services/embedding/reranker';
import { createDestinationChecks } from '../services/export/check';
import { createFlowRuns } from '../services/flow/flow-runs';
import { createQueryCheck } from '../services/flow/query-check';
import { createResourceStores, type ResourceStores } from '../services/flow/resource-files';
import { createSchedules } from '../services/flow/schedules';
import { connectGraphs } from '../services/graph/graphs';
import { createTemplateModel } from '../services/graph/template-model';
import { createAccessSyncs } from '../services/identity/access-syncs';
import { createIdentityMaps } from '../services/identity/maps';
import { createRightsSync } from '../services/identity/rights-sync';
import { createInstallationPlaces, type Places } from '../services/installation/places';
import { createLlm } from '../services/llm/llm';
import { createModelCatalogue } from '../services/llm/model-catalogue';
import { createAccounts } from '../services/login/accounts';
import { createAgentLogins } from '../services/login/agent-logins';
import { createApiKeys } from '../services/login/api-keys';
import { createDirectory } from '../services/login/directory';
import { createLoginStates } from '../services/login/login-states';
import { createOidc } from '../services/login/oidc';
import { connectReaders } from '../services/login/readers';
import { createRevocations } from '../services/login/revocations';
import { createSessions } from '../services/login/sessions';
import { createTokens } from '../services/login/tokens';
import { createAddressGuard } from '../services/net/address-guard';
import { listDocumentClasses } from '../services/operator/document-classes';
import { type Log } from '../services/process/log';
import { connectRemovals } from '../services/removal/connect';
import { createReviews } from '../services/review/reviews';
import { createFailures } from '../services/run/failures';
import { createLedger } from '../services/run/ledger';
import { createRuns } from '../services/run/runs';
import { createRunsStore } from '../services/run/runs-store';
import { createRunStats } from '../services/run/stats';
import { createStepRows } from '../services/run/step-rows';
import { createJudgedQueries } from '../services/search/judged-queries';
import { addReranking, createHostScoring } from '../services/search/ranking/rerank';
import { createSavedSearches } from '../services/search/saved-searches';
import { createSearch } from '../services/search/search';
import { listClosedFolders, readSourceLimits } from '../services/source/closed-folders';
import { createSources } from '../services/source/sources';
import { connectMongo } from '../services/storage/mongo';
import { createObjectStore } from '../services/storage/object-store';
import { createConfiguredSealer } from '../services/storage/sealing/sealer-keys';
import { createStorageUsage } from '../services/storage/usage';
import { createDuckdb } from '../services/table/duckdb';
import { createSqlRunner } from '../services/table/sql';
import { createTables } from '../services/table/tables';
import { readTemporalOptions } from '../services/temporal/client';
import { createPayloadCodec } from '../services/temporal/payload-codec';
import { createQueueBacklog, type QueueBacklog } from '../services/temporal/queue-backlog';
import { createIndexCatalogue } from '../services/vector/index-catalogue';
import { announceRuns, createAnnouncer } from '../services/webhook/announcer';
import { createWebhookEngine } from '../services/webhook/engine';
import { createWebhooks } from '../services/webhook/store';
import { type ConnectionInspectorDeps, createConnectionInspector } from './connection/inspector';
import { createDestinationInspector, type DestinationInspectorDeps } from './export/inspector';
import { createFlowInspection } from './flow/inspection';
import { createLoginLimit } from './login/login-limit';
import { type ApiServices } from './services';
import { createSourceInspector } from './source/inspector';

const loginAttemptsPerMinute = 10;
const loginFailuresPerMinute = 30;
const authorizationsPerMinute = 60;

/** The services of the api, and what it needs to start and stop. */
export interface ConnectedApi {
  services: ApiServices;
  resources: ResourceStores;
  installation: Places;
  known: KnownInstallation;
  backlog: QueueBacklog;
  close: () => Promise<void>;
}

/** Compiled files that run in threads of the api. */
export interface ApiThreads {
  page: string;
  rerank: string;
  embed: string;
}

/** Set once the database has answered. */
interface KnownInstallation {
  identity?: string;
}

/**
 * Creates the services of the api, each once. They connect on first use, so the api can start while a server is unavailable.
 */
export function connectApi(config: Config, log: Log, threads: ApiThreads): ConnectedApi {
  const knownInstallation: KnownInstallation = {};
  const shared = connectShared(config, threads.embed);
  const { mongo, store, search, sql, runStats, clock } = shared;
  const installation = createInstallationPlaces(config, mongo, store);
  const resources = connectResourceStores(shared, log);
  const runs = createRunServices(shared);
  const schedules = createSchedules({ mongo, ...shared.temporal });
  const backlog = createQueueBacklog(shared.temporal);
  const documentSets = createDocumentSetServices(shared);
  const connections = createConnectionsStore(mongo);
  const sourceInspector = createSourceInspection(shared, documentSets, connections);
  const graphs = connectGraphs({ config, mongo, store, newId: randomUUID });
  const conversion = { ...createConversion({ config, mongo, store }), guard: shared.guard };
  const models = createModelCatalogue(config, { guard: shared.guard });
  const pageViews = createPageViews({ threadFile: threads.page, memoryMb: config.DOCLOOM_CONVERSION_MEMORY_MB });
  const reranker = connectReranker(shared, threads.rerank);
  const logins = connectLoginServices(shared, knownInstallation);
  const audit = createAuditLog(mongo, config.DOCLOOM_AUDIT_DAYS, (entries) =>
    log.error({ entries }, 'entries of the audit log could not be stored'),
  );
  const services: ApiServices = {
    operators,
    flows: resources.flows,
    projects: resources.projects,
    flowRuns: createFlowRuns(mongo),
    schedules,
    queryCheck: createQueryCheck({ sql, operators }),
    ...createInspectors(shared, { sources: sourceInspector, connections, flows: resources.flows }),
    ...runs.services,
    ...documentSets,
    removals: connectRemovals({ ...shared, ...runs.services, ...documentSets, graphs, flowStores }),
    ...createSearchServices(shared, reranker),
    pageViews,
    ...getPayloadCodec(config),
    models,
    documentClasses: listDocumentClasses,
    conversion,
    graphs,
    connections,
    ...logins,
    storageUsage: createStorageMeasuring(shared),
    audit,
    clock,
    newId: randomUUID,
    probes: { mongo: () => mongo.ping(), temporal: () => runs.services.runs.ping(), search: () => search.ping() },
  };
  const close = async () => {
    await audit.close();
    for (const service of [models, shared.embedder, shared.llm, store]) service.close();
    const { rightsSync } = logins;
    const others = [graphs, runs, schedules, rightsSync, backlog, search, pageViews, sql, installation, runStats];
    await Promise.allSettled([conversion.tasks, ...others, mongo].map((service) => service.close()));
    await Promise.all([shared.onnx.close(), reranker?.close?.()]);
  };
  return { services, resources, installation, known: knownInstallation, backlog, close };
}

type Shared = ReturnType<typeof connectShared>;

function connectResourceStores({ config, mongo }: Shared, log: Log): ResourceStores {
  return createResourceStores(mongo, {
    adminGroups: config.DOCLOOM_ADMIN_GROUPS,
    folder: config.PROJECT_REPOSITORY_BASE_DIR,
    warn: (message) => log.warn(message),
  });
}

/** Services shared by several subjects. */
function connectShared(config: Config, embedThread: string) {
  const mongo = connectMongo(config.MONGODB_URL, createConfiguredSealer(config));
  const guard = createAddressGuard(buildNetworkRules(config));
  const llm = createLlm(config, guard);
  const onnx = createThreadedOnnxEmbedder(embedThread, {
    modelsFolder: config.DOCLOOM_MODELS_FOLDER,
    threads: config.DOCLOOM_EMBEDDING_THREADS,
  });
  const embedder = createEmbedder(config, { llm, onnx });
  const search = createSearch(config, { embedder, guard });
  const clock = () => new Date();
  const accounts = createAccounts(mongo);
  return {
    config,
    mongo,
    accounts,
    identityMaps: createIdentityMaps(mongo, { accounts, clock }),
    catalogue: createIndexCatalogue(mongo, search, config.SEARCH_DEFAULT_INDEX),
    ledger: createLedger(mongo),
    store: createObjectStore(config),
    temporal: readTemporalOptions(config, mongo),
    duckdb: createDuckdb(),
    sql: createSqlRunner(),
    search,
    embedder,
    onnx,
    llm,
    guard,
    runStats: createRunStats(config, mongo),
    clock,
  };
}

function createRunServices({ mongo, store, temporal, runStats, ledger }: Shared) {
  const tables = createTables({ store });
  const webhooks = createWebhooks(mongo);
  const deliveries = createWebhookEngine(temporal);
  const announcer = createAnnouncer(webhooks, deliveries);
  const runs = createRuns(temporal);
  const services = {
    runs,
    runsStore: announceRuns(createRunsStore(mongo, runStats), announcer),
    webhooks,
    announcer,
    failures: createFailures(mongo),
    reviews: createReviews(mongo),
    tables,
    stepRows: createStepRows({ tables, ledger }),
    keptDocuments: {
      find: (documentId) => ledger.find(documentId),
      lookup: (jobId, documentIds) => ledger.lookup(jobId, documentIds),
      open: (key) => store.open(key),
      exists: (key) => store.exists(key),
      put: (key, bytes) => store.put(key, bytes),
      removePrefix: (prefix) => store.removePrefix(prefix),
    } satisfies ApiServices['keptDocuments'],
  };
  return { services, close: () => Promise.allSettled([runs.close(), deliveries.close()]) };
}

function createDocumentSetServices({ config, mongo, store, duckdb }: Shared) {
  const documentSets = createDocumentSetsStore({ mongo, store, duckdb });
  const libraryFiles = createLibraryFiles(mongo, store);
  return {
    documentSets,
    documentLibraries: createDocumentLibrariesStore(mongo, documentSets),
    libraryFiles,
    libraryUploads: new MongoLibraryUploads(mongo, store, libraryFiles, readUploadLimits(config)),
    exportRows: createRowExport(duckdb),
  };
}

/** Checks of flows, sources and connections. */
function createInspectors(
  { search, embedder, guard, config }: Shared,
  deps: Omit<ConnectionInspectorDeps, 'guard' | 'destinations'> & Pick<DestinationInspectorDeps, 'connections'>,
): Pick<ApiServices, 'inspection' | 'sourceInspector' | 'destinationInspector' | 'connectionInspector'> {
  const limits = { roots: config.DOCLOOM_EXPORT_ROOTS, closed: listClosedFolders(config) };
  const destinationInspector = createDestinationInspector({
    destinations: createDestinationChecks({ guard, limits }),
    connections: deps.connections,
    exportPrincipals: config.DOCLOOM_EXPORT_PRINCIPALS,
    adminGroups: config.DOCLOOM_ADMIN_GROUPS,
  });
  return {
    inspection: createFlowInspection({ search, embedder, sources: deps.sources, destinations: destinationInspector }),
    destinationInspector,
    sourceInspector: deps.sources,
    connectionInspector: createConnectionInspector({ ...deps, guard, destinations: destinationInspector }),
  };
}

/** Tries the rights that sources need. */
function createSourceInspection(
  { config, guard, identityMaps }: Shared,
  { documentLibraries, libraryFiles }: ReturnType<typeof createDocumentSetServices>,
  connections: ConnectionsStore,
): SourceInspector {
  const library = { libraries: documentLibraries, files: libraryFiles };
  const limits = { ...readSourceLimits(config), guard, library, rights: identityMaps };
  return createSourceInspector({
    sources: createSources(limits),
    openSources: createSources({ ...limits, hidden: false }),
    connections,
  });
}

/** The model that orders hits; undefined where the settings name none. */
function connectReranker(
  { config, llm }: Shared,
  threadFile: string,
): (Partial<Reranker> & Pick<Reranker, 'score'>) | undefined {
  const { DOCLOOM_RERANK_MODEL: name, DOCLOOM_RERANK_TYPE: type, DOCLOOM_MODELS_FOLDER: modelsFolder } = config;
  if (name === '') return undefined;
  if (type !== 'onnx') return createHostScoring(llm, name);
  return createReranker({ threadFile, place: { modelsFolder, name, threads: config.DOCLOOM_EMBEDDING_THREADS } });
}

function createSearchServices(
  { config, mongo, search, catalogue, llm }: Shared,
  reranker: Pick<Reranker, 'score'> | undefined,
): Pick<
  ApiServices,
  | 'search'
  | 'searchOptions'
  | 'indexHoldings'
  | 'indexes'
  | 'suggest'
  | 'savedSearches'
  | 'judgedQueries'
  | 'answers'
  | 'templateModel'
> {
  return {
    search: {
      get: (user, id, store) => search.get(user, id, store),
      search: addReranking((user, request, signal) => search.search(user, request, signal), reranker),
    },
    searchOptions: { rerank: reranker !== undefined },
    indexHoldings: search,
    indexes: catalogue,
    suggest: (user, request, signal) => search.suggest(user, request, signal),
    savedSearches: createSavedSearches(mongo),
    judgedQueries: createJudgedQueries(mongo),
    answers: createAnswers(llm, config),
    templateModel: createTemplateModel(llm, config),
  };
}

function createStorageMeasuring({ mongo, store, search, catalogue, clock }: Shared) {
  const indexes = {
    listNames: () => catalogue.names(),
    readSizes: (names: readonly string[]) => search.readIndexSizes(names),
  };
  return createStorageUsage({ mongo, store, indexes, clock });
}

function getPayloadCodec(config: Config): Pick<ApiServices, 'payloadCodec'> {
  const keys = config.DOCLOOM_PAYLOAD_KEYS;
  return keys.length > 0 ? { payloadCodec: createPayloadCodec(keys) } : {};
}

function connectLoginServices(
  { config, mongo, clock, temporal, accounts, identityMaps }: Shared,
  installation: KnownInstallation,
) {
  const oidc = createOidc(config, clock);
  const authorizeLimit = createLoginLimit(authorizationsPerMinute, clock);
  const directory = createDirectory(config);
  const accessSyncs = createAccessSyncs(mongo);
  return {
    directory,
    readers: connectReaders(config, { accounts, directory, identityMaps }, (now) =>
      accessSyncs.listStalePrincipals(now),
    ),
    oidc,
    agentLogins: createAgentLogins(config, oidc),
    loginStates: createLoginStates(mongo, clock),
    revocations: createRevocations(mongo, clock),
    sessions: createSessions(mongo, clock),
    apiKeys: createApiKeys(mongo),
    accounts,
    identityMaps,
    accessSyncs,
    rightsSync: createRightsSync(temporal),
    tokens: createTokens({
      secret: config.JWT_SECRET_KEY,
      previousSecrets: config.JWT_PREVIOUS_SECRET_KEYS,
      expireMinutes: config.JWT_ACCESS_TOKEN_EXPIRE_MINUTES,
      audience: config.JWT_AUDIENCE,
      identity: () => installation.identity,
    }),
    loginLimit: createLoginLimit(loginAttemptsPerMinute, clock, loginFailuresPerMinute),
    authorizeLimit: (clientAddress: string) => void authorizeLimit(clientAddress, ''),
  };
}
