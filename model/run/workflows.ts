import type { ConvertInput, ConvertReport } from '../conversion/task/work';
import type { UpdateGraphInput } from '../graph/corpus';
import type { BuildGraphInput, GraphReport } from '../graph/graph-build';
import type { SyncRightsInput, SyncRightsReport } from '../identity/sync';
import type { DeliverWebhookInput } from '../webhook/activities';
import type { RunFlowInput, RunOutcome, ScheduledRunInput, SweepReport } from './run';

/**
 * The workflows that other processes start, keyed by Temporal workflow type. `workflows/index.ts` is checked against this type.
 */
export interface Workflows {
  runFlow(input: RunFlowInput): Promise<RunOutcome>;
  scheduledRun(input: ScheduledRunInput): Promise<{ runId?: string; skipped?: string }>;
  sweep(): Promise<SweepReport>;
  syncRights(input?: SyncRightsInput): Promise<SyncRightsReport>;
  convert(input: ConvertInput): Promise<ConvertReport | undefined>;
  buildGraph(input: BuildGraphInput): Promise<GraphReport>;
  updateGraph(input: UpdateGraphInput): Promise<void>;
  deliverWebhook(input: DeliverWebhookInput): Promise<void>;
}
