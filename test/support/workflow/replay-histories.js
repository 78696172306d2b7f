// Replays histories on the compiled workflows and prints one line of JSON per file: { file, error? }. It runs outside jest,
// whose separate module registries break the SDK's reading of histories.
'use strict';
const { readFileSync } = require('node:fs');
const path = require('node:path');
const { bundleWorkflowCode, DefaultLogger, Runtime, Worker } = require('@temporalio/worker');

async function main(files) {
  const logger = new DefaultLogger('ERROR', () => {});
  Runtime.install({ logger });
  const workflowsPath = path.join(__dirname, '..', '..', '..', 'dist', 'workflows', 'index.js');
  const workflowBundle = await bundleWorkflowCode({ workflowsPath, logger });
  for (const file of files) {
    const history = JSON.parse(readFileSync(file, 'utf8'));
    // Batches are named by the workflow id they were recorded under.
    const id = history.events[0].workflowExecutionStartedEventAttributes.workflowId;
    const error = await Worker.runReplayHistory({ workflowBundle }, history, id).then(
      () => undefined,
      (reason) => String(reason),
    );
    process.stdout.write(`${JSON.stringify({ file: path.basename(file), error })}\n`);
  }
}

void main(process.argv.slice(2));
