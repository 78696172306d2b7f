import type { LdapDirectory } from '../model/identity/directory';
import type { Roles } from '../model/run/rights';
import type { OperatorServices, RegisteredOperator } from '../operators/operator';
import type { AuditLog } from '../services/audit/audit-log';
import type { ConnectionsStore } from '../services/connection/store';
import type { EmbedderFor } from '../services/embedding/embedder';
import type { FlowsStore } from '../services/flow/ports';
import type { ScheduleRecords } from '../services/flow/schedules';
import type { AccessSyncs } from '../services/identity/access-syncs';
import type { LedgerAccess } from '../services/identity/ledger-access';
import type { IdentityMaps, SourceDirectory } from '../services/identity/maps';
import type { Readers } from '../services/login/readers';
import type { OperatorCounter } from '../services/process/metrics';
import type { Removals } from '../services/removal/removals';
import type { Reviews } from '../services/review/reviews';
import type { Failures } from '../services/run/failures';
import type { RunsStore } from '../services/run/run-record';
import type { Runs } from '../services/run/runs';
import type { IndexAccess } from '../services/search/access';
import type { SourceDirectories, Sources } from '../services/source/sources';
import type { ObjectStore } from '../services/storage/object-store-port';
import type { Sealer } from '../services/storage/sealing/sealer';
import type { PrivateTexts } from '../services/temporal/private-texts';
import type { Announcer } from '../services/webhook/announcer';
import type { ConvertDeps } from './conversion/deps';
import type { GraphDeps } from './graph/deps';
import type { WebhookDeps } from './webhook/deliver';

/** Dependencies of the activities. */
export interface ActivityDeps {
  operators: readonly RegisteredOperator[];
  services: OperatorServices;
  runsStore: RunsStore;
  failures: Pick<Failures, 'record' | 'forget'>;
  reviews: Pick<Reviews, 'record' | 'forget'>;
  runs: Pick<Runs, 'readStatus' | 'nameWorkflow'>;
  flows: Pick<FlowsStore, 'get' | 'mayChange'>;
  /** The store of webhooks and their deliveries, and the sender. */
  webhooks: WebhookDeps;
  announcer: Announcer;
  /** Looks up the groups of the users whom runs act for. */
  readers: Readers;
  identityMaps: IdentityMaps;
  /** Accounts and groups of services and of the LDAP directory, for identity maps. */
  directories: SourceDirectories & { readLdap(settings: LdapDirectory): Promise<SourceDirectory> };
  audit: Pick<AuditLog, 'note'>;
  accessSyncs: AccessSyncs;
  ledgerAccess: LedgerAccess;
  indexAccess: IndexAccess;
  /** Who is an administrator, who may ingest for others, and who may export into folders. */
  roles: Roles & { exportPrincipals: readonly string[] };
  conversion: ConvertDeps;
  graphs: Omit<GraphDeps, 'env'>;
  /** Holds tables and files. */
  store: Pick<ObjectStore, 'removeUnfinished'>;
  /** Unfinished removals. */
  removals: Pick<Removals, 'sweep'>;
  /** Unfinished uploads into document libraries. */
  uploads: { sweep(now: Date): Promise<number> };
  /** The texts that workflow histories refer to; absent when nothing is hidden. */
  privateTexts?: Pick<PrivateTexts, 'forget'>;
  /** The embedder of a run; absent when there is no embedding cache. */
  embedderFor?: EmbedderFor;
  /**
   * Sources without hidden files, for runs that act for users other than administrators; absent when all runs use the same
   * sources.
   */
  openSources?: Sources;
  /** Days that tables and converted documents are kept after the end of their run. */
  retentionDays: number;
  /** How long an operator waits for an unavailable server before its run ends. */
  waitMs: number;
  count: OperatorCounter;
  /** The records of schedules. */
  schedules: ScheduleRecords;
  /** Decrypts the data of earlier versions' schedules in Temporal; absent when it is stored in plain text. */
  sealer?: Pick<Sealer, 'open'>;
  /** The environment of the worker. Secret references are resolved only here. */
  env: Record<string, string | undefined>;
  /** Opens the secrets that flows reference as `${connection:NAME}`. */
  connections?: Pick<ConnectionsStore, 'open'>;
}
