import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { bundleWorkflowCode, DefaultLogger, NativeConnection, Runtime } from '@temporalio/worker';
import { WorkflowWorker } from '../../activities/workflow-worker';
import type { longStep } from '../support/workflow/long-step';

test('a step of a workflow has no time limit, for which each call into the sandbox would start a thread', async () => {
  const logger = new DefaultLogger('ERROR');
  Runtime.install({ logger });
  const address = process.env['TEMPORAL_ADDRESS'] ?? '127.0.0.1:7233';
  const native = await NativeConnection.connect({ address });
  const connection = await Connection.connect({ address });
  const taskQueue = `test-${randomUUID()}`;
  const workflowsPath = path.join(__dirname, '..', 'support', 'workflow', 'long-step.ts');
  const worker = await WorkflowWorker.create({
    connection: native,
    taskQueue,
    workflowBundle: await bundleWorkflowCode({ workflowsPath, logger }),
    // An option that the types leave out.
    ...({ isolateExecutionTimeout: 20 } as object),
  });
  const running = worker.run();
  try {
    const { workflow } = new Client({ connection });
    const options = { workflowId: taskQueue, taskQueue, workflowExecutionTimeout: '20s' } as const;
    expect(await workflow.execute<typeof longStep>('longStep', options)).toBeGreaterThan(0);
  } finally {
    worker.shutdown();
    await running;
    await connection.close();
    await native.close();
  }
});
