import { AppError } from '../../model/errors';
import type { SearchRequestBody } from '../../model/search/wire';
import type { FlowRecord } from '../../services/flow/ports';
import { getOwnJobId } from '../../services/run/sharing';
import type { SearchRequest } from '../../services/search/ports';
import { type RequestContext, documentSetPolicy, flowPolicy, projectPolicy, read } from '../http/policies';

/** Maximum number of flows of a project, and of documents of sets, to which a search can be limited. */
const maxFlows = 1_000;
const maxDocuments = 20_000;
const flowsPerPage = 100;
/** Number of characters of a record used for a similarity search. */
const maxLikenessCharacters = 4_000;

/** The scope of a search request. Throws "not found" for a flow, project or set that the user may not see. */
export async function readScope(
  { index, flow, project, document_set: set }: SearchRequestBody,
  context: RequestContext,
): Promise<Pick<SearchRequest, 'scope'>> {
  if ([index, flow, project, set].every((item) => item === undefined)) return {};
  const [flows, projects, documents] = await Promise.all([
    flow === undefined ? undefined : listJobsOfFlows(toList(flow), context),
    project === undefined ? undefined : listJobsOfProjects(toList(project), context),
    set === undefined ? undefined : listDocumentsOfSets(toList(set), context),
  ]);
  return {
    scope: {
      ...(index === undefined ? {} : { indexes: toList(index) }),
      jobs: [flows, projects].filter((jobs) => jobs !== undefined),
      documents: documents === undefined ? [] : [documents],
    },
  };
}

/** The text of the record to which results must be similar. Throws "not found" for a record that the user may not read. */
export async function readLikeness(
  { like, query, store }: SearchRequestBody,
  { user, services }: RequestContext,
): Promise<Pick<SearchRequest, 'query' | 'unlike'>> {
  if (like === undefined) return {};
  if (typeof query === 'string')
    throw new AppError(
      'VALIDATION_ERROR',
      "'like' and 'query' exclude each other: with 'like', the text of the record is the query.",
      {
        target: { type: 'field', name: 'like' },
      },
    );
  const record = await services.search.get(user, like, store);
  if (!record)
    throw new AppError(
      'DOCUMENT_NOT_FOUND',
      "Document not found. 'like' takes the id of a record, as in the member id of a hit.",
      { target: { type: 'field', name: 'like' } },
    );
  const document = record.metadata['document_id'];
  const text = `${record.title}\n${record.content}`.slice(0, maxLikenessCharacters);
  return { query: text, unlike: typeof document === 'string' ? document : record.id };
}

const toList = (names: string | string[]) => (typeof names === 'string' ? [names] : names);

async function listJobsOfFlows(ids: readonly string[], context: RequestContext): Promise<string[]> {
  const flows = await Promise.all(ids.map((id) => read(flowPolicy, id, context)));
  return flows.flatMap((flow) => listJobs(flow, context));
}

/** Runs by users who may change a flow share its job; each reader has a separate job. */
function listJobs({ flow_id: id, owner, readers }: FlowRecord, { user }: RequestContext): string[] {
  const people = new Set([owner, ...readers, user.username]);
  return [id, ...[...people].map((name) => getOwnJobId(id, name))];
}

async function listJobsOfProjects(ids: readonly string[], context: RequestContext): Promise<string[]> {
  const jobs: string[] = [];
  for (const id of ids) {
    await read(projectPolicy, id, context);
    for (let offset = 0; ; offset += flowsPerPage) {
      const { items, total } = await context.services.flows.list(context.user, {
        projectId: id,
        limit: flowsPerPage,
        offset,
      });
      if (total > maxFlows) throw createTooManyError('project', `The project has ${total} flows`, maxFlows);
      jobs.push(...items.flatMap((flow) => listJobs(flow, context)));
      if (offset + items.length >= total || items.length === 0) break;
    }
  }
  return jobs;
}

/** Reads only rows that the user may read; the row of a chunk names its document. */
async function listDocumentsOfSets(ids: readonly string[], context: RequestContext): Promise<string[]> {
  const { services, user } = context;
  const documentIds = new Set<string>();
  for (const id of ids) {
    await read(documentSetPolicy, id, context);
    const all = await services.documentSets.listColumns(user, id, {});
    const columns = ['id', 'document_id'].filter((column) => all.includes(column));
    for await (const rows of services.documentSets.readAll(user, id, columns)) {
      for (const row of rows) documentIds.add(String(row['document_id'] ?? row['id']));
      if (documentIds.size > maxDocuments)
        throw createTooManyError('document_set', 'The document sets hold more documents', maxDocuments);
    }
  }
  return [...documentIds];
}

function createTooManyError(member: string, excess: string, limit: number): AppError {
  return new AppError('VALIDATION_ERROR', `${excess}; a search can be limited to ${limit}. Use filters instead.`, {
    target: { type: 'field', name: member },
  });
}
