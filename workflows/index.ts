import type { Workflows } from '../model/run/workflows';
import { buildGraph } from './build-graph';
import { convert, convertPart } from './convert';
import { deliverWebhook } from './deliver-webhook';
import { runBatch } from './run-batch';
import { runFlow } from './run-flow';
import { scheduledRun } from './scheduled-run';
import { sweep } from './sweep';
import { syncRights } from './sync-rights';
import { updateGraph } from './update-graph';

export {
  buildGraph,
  convert,
  convertPart,
  deliverWebhook,
  runBatch,
  runFlow,
  scheduledRun,
  sweep,
  syncRights,
  updateGraph,
};

// Fails to compile when a workflow differs from the type that its callers expect.
void ({
  buildGraph,
  convert,
  deliverWebhook,
  runFlow,
  scheduledRun,
  sweep,
  syncRights,
  updateGraph,
} satisfies Workflows);
