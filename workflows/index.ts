export { buildGraph } from './build-graph';
export { convert, convertPart } from './convert';
export { runBatch } from './run-batch';
export { runFlow } from './run-flow';
export { scheduledRun } from './scheduled-run';
export { sweep } from './sweep';
