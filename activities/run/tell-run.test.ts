import { findRunWorkflow } from './tell-run';

const runId = '99ecb0d4-0000-4000-8000-000000000000';
const readable = `invoices/2026-11-23T08.15.07/${runId}`;

test.each([
  [readable, readable],
  [`${readable}/batch-02`, readable],
  [`${readable}/stage-2/batch-02/retry-1`, readable],
  [runId, runId],
  [`${runId}/0/p00000`, runId],
  ['something else', runId],
])('the workflow of the run of %s is %s', (workflowId, run) => {
  expect(findRunWorkflow(workflowId, runId)).toBe(run);
});
