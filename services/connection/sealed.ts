import { sealedTaskDocuments } from '../conversion/documents';
import { sealedTaskRecords } from '../conversion/store';
import { sealedFlows } from '../flow/flows-store';
import { sealedSchedules } from '../flow/schedules';
import { sealedGraphs } from '../graph/store';
import { sealedRuns } from '../run/runs-store';
import type { SealedCollection } from '../storage/sealing/rotation';
import { sealedWebhooks } from '../webhook/store';
import { sealedConnections } from './store';

/** Every collection whose records hold encrypted secrets. */
export const sealedCollections: readonly SealedCollection[] = [
  sealedConnections,
  sealedFlows,
  sealedSchedules,
  sealedRuns,
  sealedGraphs,
  sealedTaskRecords,
  sealedTaskDocuments,
  sealedWebhooks,
];
