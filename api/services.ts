import path from 'node:path';
import type { PayloadCodec } from '@temporalio/common';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import type { DocumentClass } from '../model/entity/document-class';
import type { OperatorDefinition } from '../model/flow/operator';
import type { SearchOptions } from '../model/search/wire-options';
import type { DestinationInspector, SourceInspector } from '../operators/inspection';
import type { Answers } from '../services/answer/answers';
import type { AuditLog } from '../services/audit/audit-log';
import type { ConnectionsStore } from '../services/connection/store';
import type { PageViews } from '../services/conversion/page-views';
import type { DocumentLibrariesStore } from '../services/document-set/document-libraries-store';
import type { ExportRows } from '../services/document-set/document-set-export';
import type { DocumentSetsStore } from '../services/document-set/document-sets-store';
import type { LibraryFiles } from '../services/document-set/library-files';
import type { LibraryUploads } from '../services/document-set/library-uploads';
import type { FlowRuns, FlowsStore, ProjectsStore } from '../services/flow/ports';
import type { QueryCheck } from '../services/flow/query-check';
import type { Schedules } from '../services/flow/schedules';
import type { Graphs } from '../services/graph/graphs';
import type { TemplateModel } from '../services/graph/template-model';
import type { AccessSyncs } from '../services/identity/access-syncs';
import type { IdentityMaps } from '../services/identity/maps';
import type { RightsSync } from '../services/identity/rights-sync';
import type { ModelCatalogue } from '../services/llm/model-catalogue';
import type { Accounts } from '../services/login/accounts';
import type { AgentLogins } from '../services/login/agent-logins';
import type { ApiKeys } from '../services/login/api-keys';
import type { Directory } from '../services/login/directory';
import type { LoginStates } from '../services/login/login-states';
import type { Oidc } from '../services/login/oidc';
import type { Readers } from '../services/login/readers';
import type { Revocations } from '../services/login/revocations';
import type { Sessions } from '../services/login/sessions';
import type { Tokens } from '../services/login/tokens';
import type { Probes } from '../services/process/probes';
import type { Removals } from '../services/removal/removals';
import type { Reviews } from '../services/review/reviews';
import type { Failures } from '../services/run/failures';
import type { Ledger } from '../services/run/ledger';
import type { RunsStore } from '../services/run/run-record';
import type { Runs } from '../services/run/runs';
import type { StepRows } from '../services/run/step-rows';
import type { JudgedQueries } from '../services/search/judged-queries';
import type { IndexHoldings, Search } from '../services/search/ports';
import type { DocumentQueries } from '../services/search/query';
import type { SavedSearches } from '../services/search/saved-searches';
import type { ObjectStore } from '../services/storage/object-store-port';
import type { StorageUsage } from '../services/storage/usage';
import type { TablesStore } from '../services/table/tables';
import type { IndexCatalogue } from '../services/vector/index-catalogue';
import type { Announcer } from '../services/webhook/announcer';
import type { Webhooks } from '../services/webhook/store';
import type { ConnectionInspector } from './connection/inspector';
import type { ConversionServices } from './conversion/services';
import { type ConversionSettings, defaultConversionSettings } from './conversion/settings';
import type { FlowInspection } from './flow/inspection';
import type { LoginLimit } from './login/login-limit';

/** The services that routes use. Tests pass typed literals, `api/main.ts` the real services. */
export interface ApiServices {
  operators: readonly OperatorDefinition[];
  flows: FlowsStore;
  projects: ProjectsStore;
  flowRuns: FlowRuns;
  runsStore: RunsStore;
  /** Documents whose latest processing failed, over all runs. */
  failures: Pick<Failures, 'list' | 'get' | 'findIds' | 'countByGroup' | 'setState' | 'setIgnored' | 'forgetJob'>;
  /** Documents whose conversion needs a review. */
  reviews: Pick<Reviews, 'list' | 'get' | 'decide' | 'forgetJob'>;
  runs: Runs;
  /** Only for removing the data of deleted runs. */
  tables: Pick<TablesStore, 'removeRun'>;
  /** The rows that operators of runs wrote. */
  stepRows: StepRows;
  schedules: Schedules;
  search: Pick<Search, 'get' | 'search'>;
  searchOptions: SearchOptions;
  indexHoldings: IndexHoldings;
  /** Documents as flows store them next to their records. The caller must check the right to read. */
  keptDocuments: Pick<Ledger, 'find' | 'lookup'> & Pick<ObjectStore, 'open' | 'exists' | 'put' | 'removePrefix'>;
  pageViews: Omit<PageViews, 'close'>;
  removals: Omit<Removals, 'sweep'>;
  indexes: Omit<IndexCatalogue, 'names'>;
  suggest: DocumentQueries['suggest'];
  savedSearches: SavedSearches;
  judgedQueries: JudgedQueries;
  answers: Answers;
  templateModel: TemplateModel;
  connections: Omit<ConnectionsStore, 'open'>;
  documentSets: DocumentSetsStore;
  documentLibraries: DocumentLibrariesStore;
  libraryFiles: Pick<LibraryFiles, 'get' | 'list' | 'open' | 'findByContent' | 'remove' | 'removeLibrary'>;
  libraryUploads: Omit<LibraryUploads, 'sweep'>;
  exportRows: ExportRows;
  /** Encrypts and decrypts Temporal payloads; undefined if they are stored in clear text. */
  payloadCodec?: PayloadCodec;
  models: Pick<ModelCatalogue, 'list'>;
  documentClasses: () => readonly DocumentClass[];
  inspection: FlowInspection;
  sourceInspector: SourceInspector;
  destinationInspector: DestinationInspector;
  connectionInspector: ConnectionInspector;
  queryCheck: QueryCheck;
  conversion: ConversionServices;
  graphs: Graphs;
  directory: Directory;
  tokens: Tokens;
  loginLimit: LoginLimit;
  /** Counts a login that starts at a provider; TOO_MANY_REQUESTS beyond the limit. */
  authorizeLimit: (clientAddress: string) => void;
  oidc: Oidc;
  /** Undefined if agents cannot log in at the provider. */
  agentLogins?: AgentLogins | undefined;
  loginStates: LoginStates;
  revocations: Revocations;
  sessions: Sessions;
  storageUsage: StorageUsage;
  apiKeys: ApiKeys;
  webhooks: Pick<Webhooks, 'create' | 'get' | 'list' | 'change' | 'remove' | 'removeByOwner' | 'listDeliveries'>;
  announcer: Pick<Announcer, 'announce' | 'ping'>;
  accounts: Accounts;
  readers: Readers;
  identityMaps: IdentityMaps;
  /** Starts the synchronization of rights outside of runs. */
  rightsSync: RightsSync;
  accessSyncs: Pick<AccessSyncs, 'listByFlow' | 'listJobs'>;
  audit: Pick<AuditLog, 'write' | 'note' | 'list'>;
  clock: () => Date;
  newId: () => string;
  /** Checks for `/ready`, by reported name. A probe that rejects or times out is reported as a reason. */
  probes: Probes;
}

/** Settings of the HTTP surface. */
export interface ApiOptions {
  corsOrigins: readonly string[];
  /** Allowed names in the Host header in addition to addresses and localhost; `*` allows all. */
  hostNames: readonly string[];
  codeCase: 'upper' | 'lower';
  adminGroups: readonly string[];
  /** Who may ingest documents that they may not read; empty for the administrators. */
  ingestPrincipals: readonly string[];
  /** Addresses and networks of proxies that are trusted to report the client's address. */
  trustedProxies: readonly string[];
  /** How long a login at a provider may take. */
  loginSeconds: number;
  /** Base address for links; undefined means the address of the request. With https, cookies and headers make browsers insist on TLS. */
  publicUrl?: string;
  temporalUiAddress: string;
  temporalNamespace: string;
  version: string;
  requestTimeoutMs: number;
  probeTimeoutMs: number;
  /** Aborts when the server starts to shut down, so that streams end within the drain time. */
  closing?: AbortSignal;
  /** Where `scripts/build-console.js` put the built console. */
  consoleFolder: string;
  /** How long `DELETE …?force=true` waits for a cancelled run to end. */
  cancelWaitMs: number;
  conversion: ConversionSettings;
  logger: Logger;
  /** Where `/metrics` reads; each app has its own, since names are unique within one. */
  registry: Registry;
}

/** Values for members that the caller does not name. */
export const defaultApiOptions = {
  corsOrigins: [] as readonly string[],
  hostNames: [] as readonly string[],
  codeCase: 'upper' as const,
  adminGroups: [] as readonly string[],
  ingestPrincipals: [] as readonly string[],
  trustedProxies: [] as readonly string[],
  loginSeconds: 3_600,
  temporalUiAddress: 'http://127.0.0.1:8233',
  consoleFolder: path.join(path.dirname(require.resolve('docloom/package.json')), 'dist', 'console'),
  temporalNamespace: 'default',
  version: '0.0.0',
  requestTimeoutMs: 30_000,
  probeTimeoutMs: 2_000,
  cancelWaitMs: 15_000,
  conversion: defaultConversionSettings,
};
