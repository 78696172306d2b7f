import { createReadStream } from 'node:fs';
import path from 'node:path';
import { AppError, errorCatalogue } from '../../model/errors';
import type { GraphActivities } from '../../model/graph/activities';
import { type GraphOutcome, isFinalGraph } from '../../model/graph/graph-build';
import { readCheckpoints } from '../../operators/graph/checkpoints';
import type { ThreadFailure } from '../../services/graph/builder';
import { buildGraphFileKey, locateGraphInput, tidyGraph } from '../../services/graph/files';
import type { GraphRecord } from '../../services/graph/store';
import { withTemporaryFolder } from '../../services/storage/temporary-folder';
import { runActivityWork, type Pulse } from '../conduct';
import { createOutageReport } from '../waits';
import { buildFailure } from './build-failure';
import type { GraphDeps } from './deps';
import { omitModelId, createModelHooks } from './model-hooks';
import { createUpdateActivities } from './update';
import { untilCancelled } from './watch-cancel';

/** The activities of graphs. */
export function createGraphActivities(deps: GraphDeps): GraphActivities {
  return {
    build_graph: ({ graphId }) =>
      runActivityWork((signal, pulse) => build(deps, graphId, signal, pulse), createOutageReport()),
    finish_graph: ({ graphId, outcome }) => runActivityWork(() => finish(deps, graphId, outcome), createOutageReport()),
    ...createUpdateActivities(deps),
  };
}

async function build(deps: GraphDeps, id: string, given: AbortSignal, pulse: Pulse): Promise<GraphOutcome> {
  const graph = await deps.store.begin(id);
  if (!graph || isFinalGraph(graph.state)) return { state: 'CANCELED' };
  return untilCancelled({ store: deps.store, id, given }, (signal) =>
    withTemporaryFolder((folder) => buildInFolder(folder, deps, { graph, signal, pulse })),
  );
}

interface Build {
  graph: GraphRecord;
  signal: AbortSignal;
  pulse: Pulse;
}

async function buildInFolder(folder: string, deps: GraphDeps, { graph, signal, pulse }: Build): Promise<GraphOutcome> {
  const { files, builder } = deps;
  const input = locateGraphInput(graph.id);
  const finished = await readCheckpoints(files, input.work);
  let done = finished.size;
  const onDone = async () => {
    done += 1;
    pulse.done = done;
    await deps.store.noteChunks(graph.id, done);
  };
  const hooks = await createModelHooks(deps, graph, { signal, work: input.work, onDone });
  const task = {
    source: await files.get(input.source),
    sourceType: graph.source_type,
    sourceName: graph.source.name,
    template: Buffer.from(await files.get(input.template)).toString(),
    options: omitModelId(graph),
    createdAt: graph.created_at,
    finished,
    folder,
  };
  const answer = await builder.build(task, hooks, signal).catch(buildFailure);
  if ('failure' in answer) return toFinalFailure(answer.failure);
  for (const { name } of answer.facts.files) {
    signal.throwIfAborted();
    await files.put(buildGraphFileKey(graph.id, name), createReadStream(path.join(folder, name)));
  }
  return { state: 'COMPLETED', facts: answer.facts };
}

/**
 * Returns a failure as the outcome if a retry would fail in the same way. Throws every other failure, which is then
 * retried.
 */
function toFinalFailure({ code, message, isFinal, retryAfterMs }: ThreadFailure): GraphOutcome {
  if (isFinal || errorCatalogue[code].retry === undefined) return { state: 'FAILED', code, message };
  throw new AppError(code, message, retryAfterMs === undefined ? {} : { retryAfterMs });
}

async function finish(
  { store, files }: Pick<GraphDeps, 'store' | 'files'>,
  id: string,
  outcome: GraphOutcome,
): Promise<void> {
  const { graph } = await store.end(id, buildEnd(outcome));
  await tidyGraph(files, id, graph?.state);
}

function buildEnd(outcome: GraphOutcome) {
  if (outcome.state === 'COMPLETED') return { state: outcome.state, facts: outcome.facts };
  if (outcome.state === 'CANCELED') return { state: outcome.state };
  return { state: outcome.state, error: { code: outcome.code, message: outcome.message } };
}
