import { Type } from '@sinclair/typebox';
import { ApiError, type Client, type DocumentReply } from '../../client';
import { SearchRequestBody } from '../../model/search/wire';
import { createTimeLimit } from '../../model/time/time-limit';
import { uuidPattern } from '../../model/uuid';
import { cut, toDataContent, getNextOffset, definePage, portionInput, getPortion } from '../answer';
import { tool } from '../tool';

const document_id = Type.String({
  minLength: 1,
  maxLength: 512,
  description: 'The id of a document, or of one of its records, from search_documents.',
});
const { filters, index, flow, project, document_set, graph, store, rerank } = SearchRequestBody.properties;
/** Maximum characters of a passage in a list of hits. */
const maxPassageLength = 1_200;
/** Maximum characters of an item of a page whose position is shown, and of a value of a document set. */
const maxItemLength = 80;
const maxFactLength = 1_000;
/** Maximum records that are joined when a document is not kept as Markdown. */
const maxRecords = 2_000;
/** Agents wait about a minute for the list of tools, and work without tools afterwards. */
const optionsTimeoutMs = 2_000;

const nothingFound =
  'Nothing that the user may read matches. Use other words or mode hybrid, and leave out filters and index.';

const searchInput = Type.Object(
  {
    query: Type.String({ minLength: 1, maxLength: 2_000 }),
    mode: Type.Optional(
      Type.Union(
        (['text', 'vector', 'hybrid', 'graph'] as const).map((name) => Type.Literal(name)),
        { default: 'hybrid' },
      ),
    ),
    ...definePage(20, 8),
    group: Type.Optional(Type.Boolean({ default: false, description: 'Each document once, by its best passage.' })),
    rerank,
    filters,
    index,
    flow,
    project,
    document_set,
    graph,
    store,
  },
  { additionalProperties: false },
);

/** Searches what the caller may read. */
export const searchDocuments = tool({
  name: 'search_documents',
  title: 'Search documents',
  description:
    'Finds passages of documents that the user may read. Returns text, title, page numbers and the document_id for get_document and get_page. Use mode `hybrid` for questions, `text` for names, numbers and exact words, and `graph` with the id of a graph from list_graphs for questions whose answer is spread over several documents.',
  input: searchInput,
  // Without a model for it, every call with `rerank` would be refused.
  describeInput: async ({ api, signal }) => {
    const limited = AbortSignal.any([signal, createTimeLimit(optionsTimeoutMs)]);
    const { rerank: hasModel } = await api.documents.searchOptions(limited);
    return hasModel ? searchInput : Type.Omit(searchInput, ['rerank']);
  },
  async run({ mode = 'hybrid', limit = 8, offset = 0, ...request }, { api }) {
    const results = await api.documents.search({ ...request, mode, limit, offset, provenance: true });
    return toDataContent({
      passages: results.documents.map(buildPassage),
      total: results.total,
      next_offset: results.has_more ? offset + results.documents.length : null,
      ...(results.warnings ? { warnings: results.warnings } : {}),
      ...(results.total === 0 ? { next: nothingFound } : {}),
    });
  },
});

function buildPassage({ id, title, content, metadata, provenance, group }: DocumentReply) {
  return {
    document_id: provenance?.document_id ?? metadata['document_id'] ?? id,
    record_id: id,
    title,
    text: cut(content, maxPassageLength),
    ...(provenance && provenance.pages.length > 0 ? { pages: provenance.pages } : {}),
    ...(group ? { passages_found: group.records } : {}),
  };
}

/** Reads a document in portions. */
export const getDocument = tool({
  name: 'get_document',
  title: 'Read a document',
  description:
    'The text of a document as Markdown, in portions: call again with offset = next_offset until it is null. Use get_page for one page of a long document.',
  input: Type.Object({ document_id, ...portionInput }, { additionalProperties: false }),
  async run({ document_id: id, ...portion }, { api, signal }) {
    const { text, form } = await readDocument(api, id, signal);
    return getPortion(text, portion, { document_id: id, form });
  },
});

/**
 * The whole document as Markdown. If that was not kept, or the caller may not read all of it: the records that the caller may
 * read, one after the other.
 */
export async function readDocument(
  api: Client,
  id: string,
  signal?: AbortSignal,
): Promise<{ text: string; form: 'markdown' | 'passages' }> {
  try {
    return { text: await api.documents.markdown(id, signal), form: 'markdown' };
  } catch (error) {
    if (!(error instanceof ApiError) || !['DOCUMENT_FORM_NOT_FOUND', 'DOCUMENT_NOT_FOUND'].includes(error.code))
      throw error;
  }
  const texts: string[] = [];
  for (;;) {
    const { documents, has_more } = await api.documents.chunks(id, { limit: 100, offset: texts.length });
    texts.push(...documents.map(({ content }) => content));
    if (!has_more || documents.length === 0 || texts.length >= maxRecords) break;
  }
  return { text: texts.join('\n\n'), form: 'passages' };
}

/** Reads one page, with boxes and picture on request. */
export const getPage = tool({
  name: 'get_page',
  title: 'Read a page',
  description:
    'One page of a document as Markdown. With `boxes`, also the position of each item (left, top, right, bottom in points from the top left). With `image`, also a picture of the page, of PDF and images.',
  input: Type.Object(
    {
      document_id,
      page: Type.Integer({ minimum: 1, description: 'From 1; documents without pages count portions of 200 items.' }),
      boxes: Type.Optional(Type.Boolean({ default: false })),
      image: Type.Optional(Type.Boolean({ default: false })),
    },
    { additionalProperties: false },
  ),
  async run({ document_id: id, page: number, boxes = false, image = false }, { api, signal }) {
    const [{ markdown, items, width, height }, { pages, name }] = await Promise.all([
      api.documents.page(id, number),
      api.documents.pages(id),
    ]);
    const facts = { document_id: id, name, page: number, pages: pages.length, width, height };
    const places = items.map(({ label, text, boxes: [box] }) => ({ label, text: cut(text, maxItemLength), box }));
    const picture = image ? await api.documents.pageImage(id, number, signal) : undefined;
    return [
      { type: 'text', text: JSON.stringify(boxes ? { ...facts, items: places } : facts) },
      { type: 'text', text: markdown.map(({ text }) => text).join('\n\n') },
      ...(picture
        ? [{ type: 'image' as const, data: Buffer.from(picture).toString('base64'), mimeType: 'image/png' }]
        : []),
    ];
  },
});

/** Explains why the caller may read a document. */
export const explainAccess = tool({
  name: 'explain_access',
  title: 'Explain access',
  description:
    'Whether the user may read a document, by which rule, and, for its owner and administrators, who else may.',
  input: Type.Object({ document_id }, { additionalProperties: false }),
  run: async ({ document_id: id }, { api }) => toDataContent(await api.documents.access(id)),
});

/** Lists document sets: tables of documents and of the facts extracted from them. */
export const listDocumentSets = tool({
  name: 'list_document_sets',
  title: 'List document sets',
  description: 'Tables that flows fill with documents and with facts extracted from them. Read one with read_facts.',
  input: Type.Object(
    { name: Type.Optional(Type.String({ maxLength: 255, description: 'Part of the name.' })), ...definePage(50, 20) },
    { additionalProperties: false },
  ),
  async run({ limit = 20, offset = 0, name }, { api }) {
    const { items, total } = await api.documentSets.list({ name, limit, offset });
    return toDataContent({
      document_sets: items.map(({ id, name: title, description, total_documents, total_rows }) => ({
        document_set_id: id,
        name: title,
        description,
        documents: total_documents,
        rows: total_rows,
      })),
      total,
      next_offset: getNextOffset(offset, items.length, total),
    });
  },
});

/** Reads rows of a document set. */
export const readFacts = tool({
  name: 'read_facts',
  title: 'Read extracted facts',
  description:
    'Rows of a document set that the user may read: one row for a document or chunk, one column for each extracted fact. Name the columns you need: `content` holds whole texts.',
  input: Type.Object(
    {
      document_set_id: Type.String({ pattern: uuidPattern, description: 'From list_document_sets.' }),
      columns: Type.Optional(Type.Array(Type.String({ minLength: 1, maxLength: 255 }), { maxItems: 50 })),
      ...definePage(100, 20),
    },
    { additionalProperties: false },
  ),
  async run({ document_set_id: id, columns, limit = 20, offset = 0 }, { api }) {
    const rows = await api.documentSets.preview(id, { columns, limit, offset });
    return toDataContent({
      columns: rows.columns,
      rows: rows.data.map((row) =>
        Object.fromEntries(
          Object.entries(row).map(([name, value]) => [
            name,
            typeof value === 'string' ? cut(value, maxFactLength) : value,
          ]),
        ),
      ),
      total: rows.total_rows,
      next_offset: rows.has_more ? offset + rows.data.length : null,
    });
  },
});
