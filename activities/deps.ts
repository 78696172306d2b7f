import type { ConnectionsStore } from '../services/connection/store';
import type { Sealer } from '../services/storage/sealer';
import type { OperatorServices, RegisteredOperator } from '../operators/operator';
import type { ConvertDeps } from './conversion/deps';
import type { GraphDeps } from './graph/build';
import type { OperatorCounter } from '../services/process/metrics';
import type { Roles } from '../model/run/acting';
import type { ObjectStore } from '../services/storage/object-store-port';
import type { FlowsStore } from '../services/flow/ports';
import type { ScheduleRecords } from '../services/flow/schedules';
import type { Failures } from '../services/run/failures';
import type { RunsStore } from '../services/run/run-record';
import type { Sources } from '../services/source/sources';
import type { EmbedderFor } from '../services/embedding/embedder';
import type { PrivateTexts } from '../services/temporal/private-texts';
import type { Runs } from '../services/run/runs';

/** What the activities need. */
export interface ActivityDeps {
  operators: readonly RegisteredOperator[];
  services: OperatorServices;
  runsStore: RunsStore;
  failures: Pick<Failures, 'record' | 'forget'>;
  runs: Pick<Runs, 'status'>;
  flows: Pick<FlowsStore, 'get' | 'mayChange'>;
  /** Who may ingest for everybody: for the runs of schedules. */
  roles: Roles;
  conversion: ConvertDeps;
  graphs: Omit<GraphDeps, 'env'>;
  /** Where tables and files are kept. */
  store: Pick<ObjectStore, 'removeUnfinished'>;
  /** Unfinished uploads into document libraries. */
  uploads: { sweep(now: Date): Promise<number> };
  /** What histories refer to; absent where nothing is hidden. */
  privateTexts?: Pick<PrivateTexts, 'forget'>;
  /** The embedder of a run; absent where nothing is remembered. */
  embedderFor?: EmbedderFor;
  /** Sources without hidden files, for runs that act for others than administrators; absent where all runs have the same. */
  openSources?: Sources;
  /** How long tables and converted documents outlive the end of their run. */
  retentionDays: number;
  /** How long an operator waits for a server that is away before its run ends. */
  waitMs: number;
  count: OperatorCounter;
  /** Records of schedules. */
  schedules: ScheduleRecords;
  /** Decrypts what schedules of earlier versions hold in Temporal; absent where that is in clear. */
  sealer?: Pick<Sealer, 'open'>;
  /** The environment of the worker: the only place where secret references resolve. */
  env: Record<string, string | undefined>;
  /** Opens the secrets that flows name as `${connection:NAME}`. */
  connections?: Pick<ConnectionsStore, 'open'>;
}
