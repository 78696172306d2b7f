import { Client, Connection } from '@temporalio/client';

/** History events of all workflows of a run: the run itself with its continuations, and its batches. */
export async function countHistory(
  address: string,
  namespace: string,
  runId: string,
): Promise<{ workflows: number; events: number; longest: number; bytes: number }> {
  const connection = await Connection.connect({ address });
  try {
    const client = new Client({ connection, namespace });
    const lengths: number[] = [];
    let bytes = 0;
    for await (const { workflowId, runId: execution } of client.workflow.list({
      query: `JobRunId = '${runId}'`,
    })) {
      // The list is updated when a workflow closes, and may lag behind describe.
      const { historyLength, historySize } = await client.workflow.getHandle(workflowId, execution).describe();
      lengths.push(historyLength);
      bytes += historySize ?? 0;
    }
    return {
      workflows: lengths.length,
      events: lengths.reduce((sum, length) => sum + length, 0),
      longest: Math.max(0, ...lengths),
      bytes,
    };
  } finally {
    await connection.close();
  }
}
