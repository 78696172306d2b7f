import { AppError } from '../../model/errors';
import type { ResolutionMode } from '../../model/graph/pairs';
import type { GraphCreate } from '../../model/graph/wire';
import type { NewCorpusGraph } from '../../services/graph/graphs';
import type { GraphRecord } from '../../services/graph/store';
import { type RequestContext, documentSetPolicy, read } from '../http/policies';
import { validateRequest } from './request';

/** The members of a request that only a graph of a corpus has. */
const ofCorpus = ['readers', 'resolution', 'auto_update', 'limit', 'dry_run'] as const;
/** The members that only a graph of one document has. */
const ofDocument = ['document_id', 'task_id', 'document_index', 'text'] as const;

/** True for a request for a graph of a corpus. Throws VALIDATION_ERROR for members that belong to the other kind. */
export function isCorpusRequest(body: GraphCreate): boolean {
  const isCorpus = body.name !== undefined;
  const stray = (isCorpus ? ofDocument : ofCorpus).find((member) => body[member] !== undefined);
  if (stray === undefined && (!isCorpus || body.document_set_id !== undefined)) return isCorpus;
  const message = !isCorpus
    ? `'${stray}' is for a graph of a corpus, which has a 'name'.`
    : stray === undefined
      ? "A graph with a 'name' is made of a document set: expected 'document_set_id'."
      : `A graph with a 'name' is made of a whole document set: '${stray}' is for a graph of one document.`;
  throw new AppError('VALIDATION_ERROR', message, { target: { type: 'field', name: stray ?? 'document_set_id' } });
}

/** The requested corpus graph. The user must see the document set. */
export async function readCorpusRequest(body: GraphCreate, context: RequestContext): Promise<NewCorpusGraph> {
  const { name = '', readers = [], document_set_id: setId = '', limit = null, dry_run = false, options = {} } = body;
  const member = (['vlm'].includes(options.backend ?? '') && 'backend') || (options.profile === 'peer' && 'profile');
  if (member)
    throw new AppError(
      'GRAPH_CONFIGURATION_INVALID',
      `A graph of a corpus has no ${member} ${options[member]}; expected ${member === 'backend' ? 'rules or llm' : 'spec'}.`,
      { target: { type: 'field', name: `options.${member}` } },
    );
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

/** Throws GRAPH_CONFIGURATION_INVALID if nodes are to be compared by the model of a graph that has none. */
export function refuseWithoutModel(
  resolution: ResolutionMode | undefined,
  backend: GraphRecord['options']['backend'],
): void {
  if (resolution !== 'model' || backend === 'llm') return;
  throw new AppError(
    'GRAPH_CONFIGURATION_INVALID',
    'The graph has no model that could be asked about its nodes; expected the resolution rules, or the backend llm.',
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
