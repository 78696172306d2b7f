import type { Readable } from 'node:stream';
import type { User } from '../model/access';
import { AppError } from '../model/errors';
import type { GraphCreate } from '../model/wire/graphs';
import type { GraphSource } from '../services/graph-store';
import type { DocumentResponse, Search } from '../services/ports';
import { createKeyCheck } from './routes/conversion/api-key';
import { tenantIn } from './routes/conversion/tenant';
import type { ApiOptions, ApiServices } from './services';

/** What a graph is made of: a copy of what the asker may read now, so that every attempt of the build sees the same. */
export interface LoadedSource {
  source: GraphSource;
  source_type: 'document' | 'markdown';
  content: Uint8Array | Readable;
}

/** Who asks, and what to ask with. */
export interface SourceAsking {
  user: User;
  services: Pick<ApiServices, 'search' | 'conversion'>;
  options: Pick<ApiOptions, 'conversion'>;
  header: (name: string) => string | undefined;
}

const limits = { characters: 32 * 1024 * 1024, bytes: 256 * 1024 * 1024 } as const;
const chunksOfPage = 100;

/** The one source that a request names. DOCUMENT_NOT_FOUND and CONVERSION_TASK_NOT_FOUND say nothing of what others may read. */
export async function loadSource(body: GraphCreate, asking: SourceAsking): Promise<LoadedSource> {
  const { document_id, task_id, document_index } = body;
  if (document_id !== undefined && task_id === undefined && document_index === undefined)
    return ofDocument(document_id, asking);
  if (document_id === undefined && task_id !== undefined) return ofTask(task_id, document_index, asking);
  throw new AppError(
    'VALIDATION_ERROR',
    "A graph has one source: expected 'document_id', or 'task_id' with 'document_index' where the task has several documents.",
    { target: { type: 'field', name: document_id === undefined ? 'document_id' : 'task_id' } },
  );
}

/** True while the user may read the document, as a record or by its chunks. */
export async function mayReadDocument(
  user: User,
  id: string,
  search: Pick<Search, 'get' | 'search'>,
): Promise<boolean> {
  if (await search.get(user, id)) return true;
  return (await search.search(user, { filters: { document_id: id }, limit: 1 })).total > 0;
}

async function ofDocument(id: string, { user, services }: SourceAsking): Promise<LoadedSource> {
  const found = (await services.search.get(user, id)) ?? (await joinedChunks(user, id, services.search));
  if (!found)
    throw new AppError('DOCUMENT_NOT_FOUND', 'Document not found.', {
      target: { type: 'field', name: 'document_id' },
    });
  const { content, title } = found;
  if (content.length > limits.characters) throw tooLarge(`${content.length} characters`, limits.characters);
  const source = { name: title || id, document_id: id };
  return { source, source_type: 'markdown', content: Buffer.from(content) };
}

/** The text of a document of which the index has chunks that the user may read; undefined when there are none. */
async function joinedChunks(
  user: User,
  id: string,
  search: Pick<Search, 'search'>,
): Promise<{ content: string; title: string } | undefined> {
  const chunks: DocumentResponse[] = [];
  let characters = 0;
  for (let total = 1; chunks.length < total;) {
    const found = await search.search(user, {
      filters: { document_id: id },
      sort: [{ id: 'asc' }],
      limit: chunksOfPage,
      offset: chunks.length,
    });
    if (found.documents.length === 0) break;
    total = found.total;
    chunks.push(...found.documents);
    characters += found.documents.reduce((sum, { content }) => sum + content.length, 0);
    if (characters > limits.characters) throw tooLarge(`more than ${characters} characters`, limits.characters);
  }
  const [first] = chunks;
  if (!first) return undefined;
  const place = ({ metadata }: DocumentResponse) => Number(metadata['chunk_index'] ?? 0);
  return { content: joined(chunks.toSorted((one, other) => place(one) - place(other))), title: first.title };
}

/** Chunks that overlap say where they begin; what an earlier one has said already is not said again. */
function joined(chunks: readonly DocumentResponse[]): string {
  let text = '';
  let end = 0;
  for (const { content, metadata } of chunks) {
    const start = metadata['start_index'];
    if (typeof start !== 'number') {
      text += text === '' ? content : `\n\n${content}`;
      continue;
    }
    if (start + content.length <= end) continue;
    text += start <= end ? content.slice(end - start) : `${text === '' ? '' : '\n\n'}${content}`;
    end = start + content.length;
  }
  return text;
}

async function ofTask(id: string, index: number | undefined, asking: SourceAsking): Promise<LoadedSource> {
  const { services, options, header } = asking;
  const { apiKeys, tenantHeader } = options.conversion;
  if (!createKeyCheck(apiKeys)([header('X-Api-Key')]))
    throw new AppError('FORBIDDEN', 'Tasks of /v1 need a key of the conversion service in the header X-Api-Key.', {
      target: { type: 'header', name: 'X-Api-Key' },
    });
  const { documents } = await services.conversion.tasks.result(tenantIn(header(tenantHeader)), id);
  if (index === undefined && documents.length !== 1)
    throw new AppError(
      'VALIDATION_ERROR',
      `The task has ${documents.length} documents; expected 'document_index', the place of one of them from 0.`,
      { target: { type: 'field', name: 'document_index' } },
    );
  const document = documents.find((one) => one.index === (index ?? documents[0]?.index));
  if (!document)
    throw new AppError('DOCUMENT_NOT_FOUND', `The task has no document ${index}; it has ${documents.length}, from 0.`, {
      target: { type: 'field', name: 'document_index' },
    });
  const { json, md, text } = document.outputs;
  const output = json ?? md ?? text;
  if (!output)
    throw new AppError(
      'GRAPH_CONFIGURATION_INVALID',
      `The document has no output that a graph can be made of: it has ${Object.keys(document.outputs).join(', ') || 'none'}; expected json, md or text.`,
      { target: { type: 'field', name: 'task_id' } },
    );
  if (output.bytes > limits.bytes) throw tooLarge(`${output.bytes} bytes`, limits.bytes);
  return {
    source: { name: document.filename, task_id: id, document_index: document.index },
    source_type: json ? 'document' : 'markdown',
    content: await services.conversion.results.open(output.key),
  };
}

function tooLarge(given: string, most: number): AppError {
  return new AppError('DOCUMENT_TOO_LARGE', `The source has ${given}; up to ${most} are read here.`);
}
