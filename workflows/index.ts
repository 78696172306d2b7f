export { runBatch } from './run-batch';
export { runFlow } from './run-flow';
