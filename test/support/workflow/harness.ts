import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Client, Connection } from '@temporalio/client';
import {
  bundleWorkflowCode,
  DefaultLogger,
  NativeConnection,
  Runtime,
  Worker,
  type WorkflowBundle,
} from '@temporalio/worker';
import type { ConvertActivities } from '../../../model/conversion/task/activities';
import type { Plan, PlannedOperator } from '../../../model/flow/plan';
import type { GraphActivities } from '../../../model/graph/activities';
import type { RunActivities } from '../../../model/run/activities';
import type { IngestReport, OperatorCall, PartReport, RunFlowInput } from '../../../model/run/run';
import type { runFlow } from '../../../workflows/run-flow';

type OperatorFakes = Record<string, (call: OperatorCall) => Promise<PartReport>>;

/** Workers with faked activities on a separate task queue, and a client; `close` stops everything. */
export interface Harness {
  client: Client;
  /** Where workflows are started. */
  taskQueue: string;
  start(
    input: Partial<RunFlowInput> & { plan: Plan },
  ): Promise<{ runId: string; result: () => ReturnType<typeof runFlow> }>;
  /** Writes the histories of the run and its batches to `test/histories`, when DOCLOOM_RECORD_HISTORIES names the `temporal` binary. */
  record(name: string, runId: string): Promise<void>;
  close(): Promise<void>;
}

/** Where histories of released workflows are kept. */
export const historiesFolder = path.join(__dirname, '..', '..', 'histories');

let bundle: Promise<WorkflowBundle> | undefined;

/** Starts workers for these fakes on the Temporal server of the environment. */
export async function startHarness(
  operators: OperatorFakes,
  records: RunActivities,
  conversion?: ConvertActivities,
  graphs?: Partial<GraphActivities>,
): Promise<Harness> {
  const address = process.env['TEMPORAL_ADDRESS'] ?? '127.0.0.1:7233';
  const logger = new DefaultLogger('ERROR');
  Runtime.install({ logger });
  bundle ??= bundleWorkflowCode({
    workflowsPath: path.join(__dirname, '..', '..', '..', 'workflows', 'index.ts'),
    logger,
  });
  const native = await NativeConnection.connect({ address });
  const connection = await Connection.connect({ address });
  const client = new Client({ connection });
  const queue = `test-${randomUUID()}`;
  const workflowBundle = await bundle;
  const common = {
    connection: native,
    maxHeartbeatThrottleInterval: '500ms',
    stickyQueueScheduleToStartTimeout: '1s',
  } as const;
  const workers = await Promise.all([
    Worker.create({ ...common, taskQueue: `${queue}-flow`, workflowBundle }),
    Worker.create({ ...common, taskQueue: `${queue}-cpu`, activities: operators }),
    Worker.create({ ...common, taskQueue: `${queue}-io`, activities: { ...operators, ...records, ...graphs } }),
    ...(graphs ? [Worker.create({ ...common, taskQueue: `${queue}-graph`, activities: graphs })] : []),
    ...(conversion
      ? [Worker.create({ ...common, taskQueue: `${queue}-convert`, workflowBundle, activities: conversion })]
      : []),
  ]);
  const running = Promise.all(workers.map((worker) => worker.run()));
  return {
    client,
    taskQueue: `${queue}-flow`,
    async start(input) {
      const runId = randomUUID();
      const handle = await client.workflow.start<typeof runFlow>('runFlow', {
        workflowId: runId,
        taskQueue: `${queue}-flow`,
        args: [{ runId, jobId: 'job', flowName: 'test', ...input }],
      });
      return { runId, result: () => handle.result() };
    },
    async record(name, runId) {
      const temporal = process.env['DOCLOOM_RECORD_HISTORIES'];
      if (!temporal) return;
      const ids = [runId];
      for await (const { workflowId } of client.workflow.list({ query: `RootWorkflowId = '${runId}'` }))
        if (workflowId !== runId) ids.push(workflowId);
      mkdirSync(historiesFolder, { recursive: true });
      for (const id of ids.slice(0, 4)) {
        const history = execFileSync(temporal, ['workflow', 'show', '--address', address, '-w', id, '-o', 'json'], {
          encoding: 'utf8',
        });
        // Batches are named after their run; the run of a schedule is separate.
        const child = id.startsWith(runId) ? id.slice(runId.length) : '-run';
        const file = `${name}${child.replaceAll('/', '-')}.json`;
        // Stack traces contain paths of this machine, and replays ignore them.
        const plain = JSON.parse(history, (key, value: unknown) => (key === 'stackTrace' ? '' : value)) as unknown;
        writeFileSync(path.join(historiesFolder, file), `${JSON.stringify(plain)}\n`);
      }
    },
    async close() {
      for (const worker of workers) worker.shutdown();
      await running;
      await connection.close();
      await native.close();
    },
  };
}

/** A plan of one source and row operators in a chain. */
export function chainPlan(names: string[], change: Partial<Plan> = {}): Plan {
  const [source = 'ingest', ...rest] = names;
  const planned = (name: string, index: number): PlannedOperator => ({
    name,
    type: name,
    queue: 'cpu',
    inputs: [names[index] ?? ''],
  });
  return {
    sources: [{ name: source, type: source, queue: 'io', inputs: [] }],
    stages: [{ scope: 'row', operators: rest.map(planned) }],
    batchSize: 4,
    maxConcurrentBatches: 2,
    failFast: false,
    ...change,
  };
}

/** A report of an operator that processed `rows` rows without a failure. */
export function partReport(rows: number, change: Partial<PartReport> = {}): PartReport {
  return {
    in: rows,
    out: rows,
    documents: rows,
    failed: 0,
    skipped: 0,
    seconds: 0,
    failures: [],
    warnings: [],
    metrics: {},
    pages: 0,
    ...change,
  };
}

/** A report of a source with `parts` parts of four documents each. */
export function ingestReport(parts: number, change: Partial<IngestReport> = {}): IngestReport {
  return { ...partReport(parts * 4), parts, unchanged: 0, changed: 0, added: parts * 4, gone: 0, ...change };
}
