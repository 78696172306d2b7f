import type { Readable } from 'node:stream';
import { AppError } from '../../model/errors';
import { joinUnderHeadings, type Passage, buildPassage } from '../../model/graph/passages';
import type { GraphCreate } from '../../model/graph/wire';
import type { TaskResult } from '../../services/conversion/ports';
import type { GraphSource } from '../../services/graph/store';
import { listScopes } from '../conversion/caller';
import { readRecords } from '../document/whole';
import { type RequestContext, buildAsker, documentSetPolicy, read } from '../http/policies';
import { refuseWithoutPages } from './request';
import { maySeeInSet, readSetPassages } from './set-source';

/** The source of a graph: a copy of what the user may read now, so that every attempt of the build uses the same content. */
export interface LoadedSource {
  source: GraphSource;
  source_type: 'document' | 'markdown';
  content: () => Promise<Uint8Array | Readable>;
}

/** The user, the services and the headers of the request. */
export interface SourceContext extends RequestContext {
  header: (name: string) => string | undefined;
}

const limits = { characters: 32 * 1024 * 1024, bytes: 256 * 1024 * 1024 } as const;

/** Loads the source named in the request. The error is the same for a missing source and for one that only others may read. */
export async function loadSource(body: GraphCreate, context: SourceContext): Promise<LoadedSource> {
  const { document_id, document_set_id, task_id, document_index, text, options } = body;
  refuseOtherSources(body);
  if (task_id !== undefined) return loadTask({ id: task_id, index: document_index, options }, context);
  refuseWithoutPages(options, 'markdown');
  if (text !== undefined) return loadText(text);
  return loadDocument(
    { document_id: document_id ?? '', ...(document_set_id === undefined ? {} : { document_set_id }) },
    context,
  );
}

/** Throws VALIDATION_ERROR unless the request names exactly one source, with the members that belong to it. */
function refuseOtherSources({ document_id, document_set_id, task_id, document_index, text }: GraphCreate): void {
  const sources = [document_id, task_id, text].filter((source) => source !== undefined).length;
  const hasStray =
    (document_set_id !== undefined && document_id === undefined) ||
    (document_index !== undefined && task_id === undefined);
  if (sources === 1 && !hasStray) return;
  throw new AppError(
    'VALIDATION_ERROR',
    "A graph has one source: expected 'document_id', with 'document_set_id' where a set holds it, or 'task_id', with 'document_index' where the task has several documents, or 'text'.",
    { target: { type: 'field', name: document_id === undefined ? 'document_id' : 'task_id' } },
  );
}

function loadText(text: string): LoadedSource {
  return { source: { name: 'text' }, source_type: 'markdown', content: async () => Buffer.from(text) };
}

/** True unless the source is a document that the user may not read, or may no longer read. */
export async function mayReadSource(
  { document_id, document_set_id }: GraphSource,
  context: RequestContext,
): Promise<boolean> {
  if (document_id === undefined) return true;
  const { user, services } = context;
  if (document_set_id !== undefined) {
    const set = await services.documentSets.get(buildAsker(context), document_set_id);
    return set !== undefined && maySeeInSet(user, services.documentSets, { setId: set.id, documentId: document_id });
  }
  if (await services.search.get(user, document_id)) return true;
  return (await services.search.search(user, { filters: { document_id }, limit: 1 })).total > 0;
}

async function loadDocument(
  named: { document_id: string; document_set_id?: string },
  context: RequestContext,
): Promise<LoadedSource> {
  const { document_id, document_set_id } = named;
  const passages = await (document_set_id === undefined
    ? readIndexPassages(document_id, context)
    : readDocumentSetPassages(document_id, document_set_id, context));
  const [first] = passages;
  if (!first)
    throw new AppError('DOCUMENT_NOT_FOUND', 'Document not found.', {
      target: { type: 'field', name: 'document_id' },
    });
  const content = joinUnderHeadings(passages);
  if (content.length > limits.characters) throw createTooLargeError(`${content.length} characters`, limits.characters);
  const source = { name: first.title || document_id, ...named };
  return { source, source_type: 'markdown', content: async () => Buffer.from(content) };
}

async function readDocumentSetPassages(documentId: string, setId: string, context: RequestContext): Promise<Passage[]> {
  await read(documentSetPolicy, setId, context);
  return readSetPassages(context.user, context.services.documentSets, { setId, documentId });
}

/** The record with that id, else the chunks of the document with that id. Includes only what the user may read. */
async function readIndexPassages(document_id: string, context: RequestContext): Promise<Passage[]> {
  const record = await context.services.search.get(context.user, document_id);
  if (record) return [buildPassage(record.content, record.title, {})];
  const passages: Passage[] = [];
  let characters = 0;
  for await (const { content, title, metadata } of readRecords(document_id, context)) {
    characters += content.length;
    if (characters > limits.characters)
      throw createTooLargeError(`more than ${characters} characters`, limits.characters);
    passages.push(buildPassage(content, title, metadata));
  }
  return passages;
}

interface NamedTask {
  id: string;
  index: number | undefined;
  options: GraphCreate['options'];
}

async function loadTask({ id, index, options }: NamedTask, context: SourceContext): Promise<LoadedSource> {
  const { services } = context;
  const { documents } = await readResult(id, context);
  if (index === undefined && documents.length !== 1)
    throw new AppError(
      'VALIDATION_ERROR',
      `The task has ${documents.length} documents; expected 'document_index', the place of one of them from 0.`,
      { target: { type: 'field', name: 'document_index' } },
    );
  const document = documents.find((result) => result.index === (index ?? documents[0]?.index));
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
  refuseWithoutPages(options, json ? 'document' : 'markdown');
  if (output.bytes > limits.bytes) throw createTooLargeError(`${output.bytes} bytes`, limits.bytes);
  return {
    source: { name: document.filename, task_id: id, document_index: document.index },
    source_type: json ? 'document' : 'markdown',
    content: () => services.conversion.results.open(output.key),
  };
}

/** The result of a task of the user, else of the key in the request, else of an anonymous caller if the service is open. */
async function readResult(id: string, { user, services, header, options }: SourceContext): Promise<TaskResult> {
  const { conversion } = options;
  const input = { key: header('X-Api-Key'), tenant: header(conversion.tenantHeader) };
  const scopes = listScopes(user.username, input, conversion);
  for (const [index, scope] of scopes.entries()) {
    try {
      return await services.conversion.tasks.readResult(scope, id);
    } catch (error) {
      const isMissing = error instanceof AppError && error.code === 'CONVERSION_TASK_NOT_FOUND';
      if (!isMissing) throw error;
      if (index === scopes.length - 1 && scopes.length > 1) throw error;
    }
  }
  throw new AppError('FORBIDDEN', 'Tasks of /v1 that are not yours need their key in the header X-Api-Key.', {
    target: { type: 'header', name: 'X-Api-Key' },
  });
}

function createTooLargeError(size: string, limit: number): AppError {
  return new AppError('DOCUMENT_TOO_LARGE', `The source has ${size}; at most ${limit} are allowed.`);
}
