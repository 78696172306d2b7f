import { AppError } from '../../model/errors';
import type { ResolutionMode } from '../../model/graph/pairs';
import type { GraphCreate } from '../../model/graph/wire';
import type { NewCorpusGraph } from '../../services/graph/graphs';
import type { GraphRecord } from '../../services/graph/store';
import { type RequestContext, documentSetPolicy, read } from '../http/policies';
import { validateRequest } from './request';

/** The members of a request that only a graph of a corpus has. */
const corpusMembers = ['readers', 'resolution', 'auto_update', 'limit', 'dry_run'] as const;
/** The members that only a graph of one document has. */
const documentMembers = ['document_id', 'task_id', 'document_index', 'text'] as const;

/** True for a request for a graph of a corpus. Throws VALIDATION_ERROR for members that belong to the other kind. */
export function isCorpusRequest(body: GraphCreate): boolean {
  const isCorpus = body.name !== undefined;
  const stray = (isCorpus ? documentMembers : corpusMembers).find((member) => body[member] !== undefined);
  if (stray === undefined && (!isCorpus || body.document_set_id !== undefined)) return isCorpus;
  throw new AppError('VALIDATION_ERROR', describeStray(isCorpus, stray), {
    target: { type: 'field', name: stray ?? 'document_set_id' },
  });
}

function describeStray(isCorpus: boolean, stray: string | undefined): string {
  if (!isCorpus) return `'${stray}' is for a graph of a corpus, which has a 'name'.`;
  if (stray === undefined) return "A graph with a 'name' is made of a document set: expected 'document_set_id'.";
  return `A graph with a 'name' is made of a whole document set: '${stray}' is for a graph of one document.`;
}

/** The requested corpus graph. The user must see the document set. */
export async function readCorpusRequest(body: GraphCreate, context: RequestContext): Promise<NewCorpusGraph> {
  const { name = '', readers = [], document_set_id: setId = '', limit = null, dry_run = false, options = {} } = body;
  if (options.backend === 'vlm') throw createOptionError('backend', 'vlm', 'rules or llm');
  if (options.profile === 'peer') throw createOptionError('profile', 'peer', 'spec');
  refuseWithoutModel(body.resolution, options.backend);
  const checked = validateRequest(body);
  const set = await read(documentSetPolicy, setId, context);
  const { username, groups } = context.user;
  return {
    ...checked,
    name,
    readers: [...new Set(readers)],
    owner: username,
    owner_groups: groups,
    source: { name: set.name, document_set_id: setId },
    given: body.template,
    ...(body.resolution === undefined ? {} : { resolution: body.resolution }),
    ...(body.auto_update === undefined ? {} : { auto_update: body.auto_update }),
    limit,
    is_dry_run: dry_run,
  };
}

function createOptionError(option: string, given: string, expected: string): AppError {
  return new AppError(
    'GRAPH_CONFIGURATION_INVALID',
    `A graph of a corpus has no ${option} ${given}; expected ${expected}.`,
    { target: { type: 'field', name: `options.${option}` } },
  );
}

/** Throws GRAPH_CONFIGURATION_INVALID if nodes are to be compared by the model of a graph that has none. */
export function refuseWithoutModel(
  resolution: ResolutionMode | undefined,
  backend: GraphRecord['options']['backend'],
): void {
  if (resolution !== 'model' || backend === 'llm') return;
  throw new AppError(
    'GRAPH_CONFIGURATION_INVALID',
    'The resolution model needs the backend llm, and the graph has the backend rules; expected the resolution rules or off.',
    { target: { type: 'field', name: 'resolution' } },
  );
}

/** The graph if it is one of a corpus; CONFLICT otherwise. */
export function requireCorpus(graph: GraphRecord): GraphRecord {
  if (graph.corpus) return graph;
  throw new AppError(
    'CONFLICT',
    'The graph is made of one document; only graphs of a corpus are updated and have pairs of nodes.',
  );
}
