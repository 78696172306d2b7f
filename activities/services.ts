import { randomUUID } from 'node:crypto';
import type { Config } from '../model/config';
import { readVisionSettings } from '../model/conversion/vision/vision-settings';
import { buildNetworkRules } from '../model/network-rules';
import type { OperatorServices } from '../operators/operator';
import { flowStores } from '../operators/stores';
import { type AuditLog, createAuditLog } from '../services/audit/audit-log';
import { type ConnectionsStore, createConnectionsStore } from '../services/connection/store';
import { createRequestBuckets } from '../services/conversion/buckets';
import { createCallbackSender } from '../services/conversion/callback-sender';
import { findArtifactStorage, createResultFiles } from '../services/conversion/conversion';
import { createConverter } from '../services/conversion/converter';
import { createRemoteConverter } from '../services/conversion/remote-converter';
import { createResultTargets } from '../services/conversion/result-targets';
import { createConversionStore } from '../services/conversion/store';
import { createDocumentLibrariesStore } from '../services/document-set/document-libraries-store';
import { createRowExport } from '../services/document-set/document-set-export';
import { createDocumentSetsStore } from '../services/document-set/document-sets-store';
import { createLibraryFiles } from '../services/document-set/library-files';
import { MongoLibraryUploads, readUploadLimits } from '../services/document-set/library-uploads';
import { createEmbedder, type EmbedderFor } from '../services/embedding/embedder';
import { createEmbeddingCache } from '../services/embedding/embedding-cache';
import { createTokenizers } from '../services/embedding/tokenizers';
import { connectExports } from '../services/export/connect';
import { createFlowsStore } from '../services/flow/flows-store';
import type { FlowsStore } from '../services/flow/ports';
import { createScheduleRecords, type ScheduleRecords } from '../services/flow/schedules';
import { createGraphBuilder } from '../services/graph/builder';
import { createCorpusStore } from '../services/graph/corpus-store';
import { connectGraphs } from '../services/graph/graphs';
import { createGraphStore } from '../services/graph/store';
import { type AccessSyncs, createAccessSyncs } from '../services/identity/access-syncs';
import { readLdapAccounts } from '../services/identity/ldap-accounts';
import { createLedgerAccess, type LedgerAccess } from '../services/identity/ledger-access';
import { createIdentityMaps, type IdentityMaps } from '../services/identity/maps';
import { createInstallationPlaces, type Places } from '../services/installation/places';
import { createLlm } from '../services/llm/llm';
import { createVision } from '../services/llm/vision';
import { createAccounts } from '../services/login/accounts';
import { createDirectory } from '../services/login/directory';
import { connectReaders, type Readers } from '../services/login/readers';
import { migrations } from '../services/migration/list';
import { migrate, type MigrateOptions } from '../services/migration/migrate';
import { createAddressGuard } from '../services/net/address-guard';
import { createSourceFetcher } from '../services/net/source-fetch';
import { listDocumentClasses } from '../services/operator/document-classes';
import type { Probes } from '../services/process/probes';
import { connectRemovals } from '../services/removal/connect';
import type { Removals } from '../services/removal/removals';
import { createReviews, type Reviews } from '../services/review/reviews';
import { createFailures, type Failures } from '../services/run/failures';
import { createLedger } from '../services/run/ledger';
import type { RunsStore } from '../services/run/run-record';
import { type Runs, createRuns } from '../services/run/runs';
import { createRunsStore } from '../services/run/runs-store';
import { createRunStats } from '../services/run/stats';
import type { IndexAccess } from '../services/search/access';
import { withIndexOwners } from '../services/search/index-owners';
import { createSearch } from '../services/search/search';
import { listClosedFolders, readSourceLimits } from '../services/source/closed-folders';
import { createKnownItems } from '../services/source/items/known-items';
import { createSources, type Sources } from '../services/source/sources';
import { createFiles } from '../services/storage/files';
import { connectMongo, type Mongo } from '../services/storage/mongo';
import { createObjectStore } from '../services/storage/object-store';
import type { ObjectStore } from '../services/storage/object-store-port';
import { createOriginals } from '../services/storage/originals';
import { createConfiguredSealer } from '../services/storage/sealing/sealer-keys';
import { createDuckdb } from '../services/table/duckdb';
import { createSqlRunner } from '../services/table/sql';
import { createTables } from '../services/table/tables';
import { readTemporalOptions, type TemporalOptions } from '../services/temporal/client';
import { createEarlierQueues, type EarlierQueues } from '../services/temporal/earlier-queues';
import { createPrivateTexts, type PrivateTexts } from '../services/temporal/private-texts';
import { createIndexCatalogue } from '../services/vector/index-catalogue';
import { type Announcer, announceRuns, createAnnouncer } from '../services/webhook/announcer';
import { createWebhookEngine } from '../services/webhook/engine';
import { createWebhookSender } from '../services/webhook/sender';
import { createWebhooks } from '../services/webhook/store';
import { getThreadFile } from '../threads/entries';
import type { ConvertDeps } from './conversion/deps';
import type { ActivityDeps } from './deps';
import type { GraphDeps } from './graph/deps';
import { createElsewhere } from './run/elsewhere';
import { createExportRemoval } from './run/exported-files';
import type { WebhookDeps } from './webhook/deliver';

/** All services that the activities of a worker use, and `close` to disconnect them. */
export interface ConnectedServices {
  services: OperatorServices;
  runsStore: RunsStore;
  failures: Failures;
  reviews: Reviews;
  runs: Runs;
  webhooks: WebhookDeps;
  announcer: Announcer;
  flows: Pick<FlowsStore, 'get' | 'mayChange'>;
  roles: ActivityDeps['roles'];
  readers: Readers;
  identityMaps: IdentityMaps;
  audit: AuditLog;
  accessSyncs: AccessSyncs;
  ledgerAccess: LedgerAccess;
  indexAccess: IndexAccess;
  schedules: ScheduleRecords;
  sealer: Mongo['sealer'];
  privateTexts: PrivateTexts;
  embedderFor: EmbedderFor;
  openSources: Sources;
  directories: ActivityDeps['directories'];
  connections: Pick<ConnectionsStore, 'open'>;
  conversion: ConvertDeps;
  graphs: Omit<GraphDeps, 'env'>;
  store: Pick<ObjectStore, 'removeUnfinished'>;
  /** Checks for the worker's `/ready`, in addition to Temporal. */
  probes: Probes;
  removals: Removals;
  uploads: { sweep(now: Date): Promise<number> };
  /** The database and store that must belong to the same installation. */
  installation: Places;
  temporal: TemporalOptions;
  /** Brings stored data of earlier releases into the form of this one. */
  migrate(options: MigrateOptions): Promise<void>;
  /** The task queues of versions without installation ids. The caller closes them. */
  earlierQueues: () => EarlierQueues;
  close(): Promise<void>;
}

/** Number of graphs that are built at the same time. Those that call a model spend most of the time waiting. */
export function countGraphThreads({ DOCLOOM_CONVERSION_THREADS }: Pick<Config, 'DOCLOOM_CONVERSION_THREADS'>): number {
  return Math.max(4, DOCLOOM_CONVERSION_THREADS * 2);
}

const readerOfEverything = { user: { username: '' }, everyone: true };

function readRoles(config: Config): ActivityDeps['roles'] {
  return {
    adminGroups: config.DOCLOOM_ADMIN_GROUPS,
    ingestPrincipals: config.DOCLOOM_INGEST_PRINCIPALS,
    exportPrincipals: config.DOCLOOM_EXPORT_PRINCIPALS,
  };
}

/** Creates every service from the configuration, each once. They connect on first use. */
export function connectServices(config: Config, env: ActivityDeps['env']): ConnectedServices {
  const shared = connectShared(config);
  const { mongo, objects, search, embedder, llm, runStats, connections } = shared;
  const installation = createInstallationPlaces(config, mongo, objects);
  const temporal = readTemporalOptions(config, mongo);
  const runs = createRuns(temporal);
  const libraries = createLibraryServices(shared);
  const operators = createOperatorServices(shared, libraries);
  const conversion = createConversionServices(shared);
  const webhooks = createWebhookServices(shared, temporal);
  const runsStore = announceRuns(createRunsStore(mongo, runStats), webhooks.announcer);
  const { documentSets } = operators.services;
  const audit = createAuditLog(mongo, config.DOCLOOM_AUDIT_DAYS, () => undefined);
  const graphs = createGraphServices(shared, documentSets);
  return {
    services: operators.services,
    openSources: operators.openSources,
    directories: operators.directories,
    uploads: libraries.uploads,
    runsStore,
    webhooks: webhooks.deps,
    announcer: webhooks.announcer,
    removals: createRemovalServices({ shared, operators, runsStore, updates: graphs.updates, env }),
    failures: shared.failures,
    reviews: shared.reviews,
    runs,
    flows: createFlowsStore(mongo, { adminGroups: config.DOCLOOM_ADMIN_GROUPS }),
    roles: readRoles(config),
    readers: operators.readers,
    identityMaps: operators.rights,
    audit,
    accessSyncs: createAccessSyncs(mongo),
    ledgerAccess: createLedgerAccess(mongo),
    indexAccess: search,
    schedules: createScheduleRecords(mongo),
    sealer: mongo.sealer,
    privateTexts: createPrivateTexts(mongo),
    embedderFor: embedder.forPeople,
    connections,
    conversion: conversion.deps,
    graphs: graphs.deps,
    store: objects,
    probes: { mongo: () => mongo.ping(), search: () => search.ping() },
    installation,
    temporal,
    migrate: (options) => migrate(mongo, migrations, options),
    earlierQueues: () => createEarlierQueues(temporal, mongo),
    close: async () => {
      for (const service of [embedder, llm]) service.close();
      for (const part of [graphs, operators, conversion]) part.close();
      await webhooks.close();
      await audit.close();
      const others = [shared.converter, graphs.builder, graphs.updates, operators.services.sql, search, installation];
      await Promise.allSettled([...others, runs, runStats, mongo].map((service) => service.close()));
    },
  };
}

type Shared = ReturnType<typeof connectShared>;

function createRemovalServices({
  shared,
  operators: { services },
  runsStore,
  updates,
  env,
}: {
  shared: Shared;
  operators: ReturnType<typeof createOperatorServices>;
  runsStore: RunsStore;
  updates: ReturnType<typeof createGraphServices>['updates'];
  env: ActivityDeps['env'];
}): Removals {
  return connectRemovals({
    ...shared,
    ...services,
    store: shared.objects,
    catalogue: createIndexCatalogue(shared.mongo, shared.search, shared.config.SEARCH_DEFAULT_INDEX),
    runsStore,
    graphs: updates,
    removeElsewhere: createElsewhere({ ...shared, env }),
    removeExported: createExportRemoval({ services, connections: shared.connections, env }),
    flowStores,
  });
}

/** Services shared by several subjects. */
function connectShared(config: Config) {
  const mongo = connectMongo(config.MONGODB_URL, createConfiguredSealer(config));
  const objects = createObjectStore(config);
  const guard = createAddressGuard(buildNetworkRules(config));
  const llm = createLlm(config, guard);
  const cache = createEmbeddingCache(mongo, config.DOCLOOM_EMBEDDING_CACHE_DAYS);
  const embedder = createEmbedder(config, { cache, llm });
  return {
    config,
    mongo,
    objects,
    files: createFiles({ store: objects }),
    guard,
    search: withIndexOwners(createSearch(config, { embedder, guard }), mongo),
    embedder,
    llm,
    converter: createConverter({
      threadFile: getThreadFile('conversion'),
      threads: config.DOCLOOM_CONVERSION_THREADS,
      memoryMb: config.DOCLOOM_CONVERSION_MEMORY_MB,
      pageTimeoutMs: config.DOCLOOM_PAGE_TIMEOUT * 1_000,
      modelsFolder: config.DOCLOOM_MODELS_FOLDER,
      // Flows may call models regardless of this setting: addresses in flows are guarded, and the address in the settings belongs
      // to the operator of the installation.
      vision: { ...readVisionSettings(config), remoteServices: true },
    }),
    connections: createConnectionsStore(mongo),
    failures: createFailures(mongo),
    reviews: createReviews(mongo),
    runStats: createRunStats(config, mongo),
  };
}

function createLibraryServices({ config, mongo, objects }: Shared) {
  const duckdb = createDuckdb();
  const documentSets = createDocumentSetsStore({ mongo, store: objects, duckdb });
  const libraries = createDocumentLibrariesStore(mongo, documentSets);
  const files = createLibraryFiles(mongo, objects);
  const uploads = new MongoLibraryUploads(mongo, objects, files, readUploadLimits(config));
  const exists = async (id: string) => (await libraries.get(readerOfEverything, id)) !== undefined;
  return {
    tables: createTables({ store: objects, duckdb }),
    rowExport: createRowExport(duckdb),
    documentSets,
    library: { libraries, files },
    uploads: { sweep: (now: Date) => uploads.sweep(now, exists) },
  };
}

function createOperatorServices(
  shared: Shared,
  { tables, documentSets, library, rowExport }: ReturnType<typeof createLibraryServices>,
) {
  const { config, mongo, guard } = shared;
  const accounts = createAccounts(mongo);
  const rights = createIdentityMaps(mongo, { accounts, clock: () => new Date() });
  const knownItems = createKnownItems(mongo);
  const limits = { ...readSourceLimits(config), guard, library, rights, knownItems };
  const remoteConverter = createRemoteConverter(guard);
  const services = {
    tables,
    files: shared.files,
    originals: createOriginals(config.DOCLOOM_KEEP_ORIGINALS_MB),
    ledger: createLedger(mongo),
    search: shared.search,
    embedder: shared.embedder,
    llm: shared.llm,
    documentClasses: { list: listDocumentClasses },
    converter: shared.converter,
    members: shared.converter,
    remoteConverter,
    sources: createSources(limits),
    sql: createSqlRunner(),
    tokenizers: createTokenizers({ modelsFolder: config.DOCLOOM_MODELS_FOLDER }),
    documentSets,
    ...connectExports(mongo, guard, {
      limits: { roots: config.DOCLOOM_EXPORT_ROOTS, closed: listClosedFolders(config) },
      rows: rowExport,
    }),
  };
  const openSources = createSources({ ...limits, hidden: false });
  const directories: ActivityDeps['directories'] = {
    readDirectory: (request, signal) => services.sources.readDirectory(request, signal),
    readLdap: (settings) => readLdapAccounts(config, settings),
  };
  const readers = connectReaders(config, { accounts, directory: createDirectory(config), identityMaps: rights });
  return { services, openSources, directories, readers, rights, close: () => remoteConverter.close() };
}

function createConversionServices({ config, mongo, objects, files, guard, converter }: Shared) {
  const results = createResultFiles(objects);
  const buckets = createRequestBuckets({ guard, googleEndpoint: config.DOCLOOM_GCS_ENDPOINT });
  const callbacks = createCallbackSender({ guard, secret: config.DOCLOOM_CALLBACK_SECRET });
  const targets = createResultTargets({ guard, buckets, results, storage: findArtifactStorage(config) });
  const fetcher = createSourceFetcher({
    guard,
    maxBytes: config.DOCLOOM_FETCH_MAX_MB * 1024 * 1024,
    timeoutMs: config.DOCLOOM_FETCH_SECONDS * 1_000,
  });
  const deps: ConvertDeps = {
    store: createConversionStore(mongo),
    files,
    results,
    exporter: converter,
    members: converter,
    fetcher,
    callbacks,
    targets,
    buckets,
    keysBelow: (prefix) => objects.list(prefix),
    withScratch: (use) => objects.withScratch(use),
    settings: readConversionSettings(config),
  };
  const close = () => {
    for (const service of [fetcher, callbacks, targets]) service.close();
  };
  return { deps, close };
}

function readConversionSettings(config: Config): ConvertDeps['settings'] {
  return {
    maxFileSize: config.CONVERT_SERVE_MAX_FILE_SIZE,
    maxPages: config.CONVERT_SERVE_MAX_NUM_PAGES,
    timeouts: {
      seconds: config.CONVERT_SERVE_DOCUMENT_TIMEOUT,
      maxSeconds: config.CONVERT_SERVE_MAX_DOCUMENT_TIMEOUT,
    },
    modelsFolder: config.DOCLOOM_MODELS_FOLDER,
    vision: readVisionSettings(config),
    retentionMs: config.DOCLOOM_RESULT_RETENTION_MINUTES * 60_000,
  };
}

function createWebhookServices({ mongo, guard }: Shared, temporal: TemporalOptions) {
  const store = createWebhooks(mongo);
  const engine = createWebhookEngine(temporal);
  const sender = createWebhookSender(guard);
  const close = async () => {
    sender.close();
    await engine.close().catch(() => undefined);
  };
  return { deps: { store, sender }, announcer: createAnnouncer(store, engine), close };
}

function createGraphServices(
  { config, mongo, objects, files, llm, connections }: Shared,
  documentSets: GraphDeps['documentSets'],
) {
  const updates = connectGraphs({ config, mongo, store: objects, newId: randomUUID });
  const pictures = createVision(buildNetworkRules(config));
  const builder = createGraphBuilder({
    threadFile: getThreadFile('graph'),
    threads: countGraphThreads(config),
    memoryMb: config.DOCLOOM_CONVERSION_MEMORY_MB,
  });
  const deps = {
    store: createGraphStore(mongo),
    files,
    llm,
    vision: pictures,
    localModelHost: config.LOCALMODEL_HOST,
    builder,
    connections,
    corpora: createCorpusStore(mongo),
    updates,
    documentSets,
  };
  return { deps, builder, updates, close: () => pictures.close() };
}
