import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { ApiError } from '../../client/api-error';
import { isFinalGraph } from '../../model/graph/graph-build';
import { type Outcome, retryWhileAway } from './persist';
import type { ChaosStack } from './stack';
import { computeDigest, omitTimes, readRunState } from './state';

/** Work that runs once undisturbed and then with faults; the outcomes must be equal. */
export interface Workload {
  name: 'run' | 'convert' | 'graph';
  /** Does all the work and describes the outcome. The same work gives an equal description. */
  perform(stack: ChaosStack): Promise<Outcome>;
}

/** A flow over a folder: files become chunks with vectors in an index, and rows of a document set. */
export function createRunWorkload(folder: string): Workload {
  return {
    name: 'run',
    perform: async (stack) => {
      const name = `chaos-${randomUUID().slice(0, 8)}`;
      const { client } = stack;
      const flow = await retryWhileAway(() =>
        client.flows
          .create({
            flow_name: name,
            flow: buildOperators(folder, name),
            global_config: { micro_batch_size: 4, max_concurrent_batches: 2 },
          })
          .catch(async (error: unknown) => {
            // A call whose answer was lost may have succeeded.
            const made = (await client.flows.list({ limit: 100 })).flows.find(
              (candidate) => 'flow_name' in candidate && candidate.flow_name === name,
            );
            if (made) return made;
            throw error;
          }),
      );
      const idempotencyKey = randomUUID();
      const { job_run_id: runId } = await retryWhileAway(() =>
        client.jobRuns.create({ flow_id: flow.flow_id }, { idempotencyKey }),
      );
      await waitUntilEnded(stack, 'the run', async () => Boolean((await client.jobRuns.get(runId)).ended_at));
      return readRunState(stack, { runId, name });
    },
  };
}

/** Conversion tasks of one file each. */
export function createConvertWorkload(files: readonly string[]): Workload {
  return {
    name: 'convert',
    perform: async (stack) => {
      const { conversions } = stack;
      const outcomes = files.map(async (file) => {
        const idempotencyKey = randomUUID();
        const name = path.basename(file);
        const content = readFileSync(file);
        const request = { files: [{ name, content }], options: { to_formats: ['md' as const] } };
        const { task_id: taskId } = await retryWhileAway(() => conversions.submit(request, { idempotencyKey }));
        let state = '';
        await waitUntilEnded(stack, `the task of ${name}`, async () => {
          const { task_status: status } = await conversions.poll(taskId);
          state = status;
          return ['success', 'failure', 'partial_success', 'skipped'].includes(status);
        });
        const result = await retryWhileAway(() => conversions.result(taskId)).catch(describeError);
        // A digest alone would not say why a task failed.
        const errors = state === 'failure' ? { errors: (result as { errors?: unknown }).errors ?? result } : {};
        return [name, { state, result: computeDigest(omitTimes(result)), ...errors }] as const;
      });
      return { tasks: Object.fromEntries((await Promise.all(outcomes)).toSorted(([a], [b]) => (a < b ? -1 : 1))) };
    },
  };
}

/** A graph of each of these indexed documents, and one of the whole document set. */
export function createGraphWorkload(documentIds: readonly string[], documentSetId: string): Workload {
  return {
    name: 'graph',
    perform: async (stack) => {
      const { client } = stack;
      const build = async (source: { document_id: string } | { document_set_id: string; name: string }) => {
        const idempotencyKey = randomUUID();
        const made = await retryWhileAway(() => client.graphs.create({ ...source, template }, { idempotencyKey }));
        let found = made;
        await waitUntilEnded(stack, `the graph ${made.id}`, async () => {
          found = await client.graphs.get(made.id);
          return isFinalGraph(found.state);
        });
        const { id, state, nodes, edges, problems, error } = found;
        const files = found.files.map(({ name }) => name).toSorted();
        return { id, source, outcome: { state, nodes, edges, problems, error, files } };
      };
      const graphs = documentIds.map(async (document_id) => {
        const { id, outcome } = await build({ document_id });
        const result = await retryWhileAway(() => readAll(client.graphs.result(id))).catch(describeError);
        return { document_id, ...outcome, result: computeDigest(result) };
      });
      // The name of a graph of a corpus is taken until the graph is removed.
      const corpus = build({ document_set_id: documentSetId, name: `chaos-${randomUUID().slice(0, 8)}` });
      const { id, outcome } = await corpus;
      const statistics = await retryWhileAway(() => client.graphs.statistics(id)).catch(describeError);
      return { graphs: await Promise.all(graphs), corpus: { ...outcome, statistics: omitTimes(statistics) } };
    },
  };
}

async function readAll(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  const all: Uint8Array[] = [];
  for await (const chunk of chunks) all.push(chunk);
  return Buffer.concat(all).toString();
}

function describeError(error: unknown): { error: string; message: string } {
  if (error instanceof ApiError) return { error: error.code, message: error.message };
  throw error;
}

const template = `
title: Report
type: object
x-graph-id-fields: [title]
properties:
  title: { type: string, description: Title }
  date: { type: string, description: Date }
  author: { $ref: '#/$defs/Party', x-edge-label: WRITTEN_BY }
$defs:
  Party: { title: Party, type: object, x-graph-id-fields: [name], properties: { name: { type: string } } }
`;

function buildOperators(folder: string, name: string) {
  const after = (type: string, own: string, before: string, config: Record<string, unknown> = {}) => ({
    ...{ type, name: own, depends_on: [before], config },
  });
  return [
    { type: 'ingest_source', name: 'ingest', config: { connection_params: { paths: [folder] } } },
    after('extract_operator', 'extract', 'ingest'),
    after('chunker', 'chunk', 'extract'),
    after('embeddings', 'embed', 'chunk', { type: 'hashing' }),
    after('vectordb', 'index', 'embed', { provider: 'opensearch', index_name: name }),
    after('document_set', 'keep', 'extract', { document_set_name: name }),
  ];
}

async function waitUntilEnded(
  { patienceMs }: ChaosStack,
  value: string,
  hasEnded: () => Promise<boolean>,
): Promise<void> {
  for (const deadline = Date.now() + patienceMs; !(await retryWhileAway(hasEnded)); await delay(250)) {
    if (Date.now() > deadline) throw new Error(`${value} has not ended after ${patienceMs / 1000} s`);
  }
}
