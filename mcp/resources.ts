import { AppError } from '../model/errors';
import { cut, getPortion } from './answer';
import type { ToolContext } from './tool';
import { readDocument } from './tools/documents';

const prefix = 'docloom://documents/';
/** Documents per page of the list. */
const pageSize = 50;
/** Maximum characters of a resource; get_document can read the rest. */
const maxResourceLength = 100_000;

/** The templates of resource addresses. */
export const resourceTemplates = [
  {
    uriTemplate: `${prefix}{document_id}`,
    name: 'document',
    title: 'Document',
    description: 'An indexed document as Markdown.',
    mimeType: 'text/markdown',
  },
];

/** The documents that the caller may read, one page at a time; the cursor is an offset. */
export async function listResources(cursor: string | undefined, { api }: ToolContext) {
  const offset = cursor === undefined ? 0 : Number(cursor);
  if (!Number.isInteger(offset) || offset < 0)
    throw new AppError('VALIDATION_ERROR', `'${cut(String(cursor), 40)}' is not a cursor of this list.`);
  const { documents, has_more } = await api.documents.search({
    limit: pageSize,
    offset,
    group: true,
    provenance: true,
    sort: [{ updated_at: 'desc' }],
  });
  return {
    resources: documents.map(({ id, title, provenance, updated_at: lastModified }) => {
      const documentId = provenance?.document_id ?? id;
      return {
        uri: `${prefix}${encodeURIComponent(documentId)}`,
        name: title || documentId,
        mimeType: 'text/markdown',
        annotations: { lastModified },
      };
    }),
    ...(has_more ? { nextCursor: String(offset + pageSize) } : {}),
  };
}

/** One document as Markdown, cut at 100,000 characters. */
export async function readResource(uri: string, { api, signal }: ToolContext) {
  const id = uri.startsWith(prefix) ? decodeAddress(uri.slice(prefix.length)) : '';
  if (id === '')
    throw new AppError(
      'DOCUMENT_NOT_FOUND',
      `There is no resource '${cut(uri, 200)}'; expected ${prefix}{document_id}.`,
    );
  const { text } = await readDocument(api, id, signal);
  const [facts, part] = getPortion(text, { max_characters: maxResourceLength }, { document_id: id });
  const contents = text.length > maxResourceLength ? [part, facts] : [part];
  return {
    contents: contents.flatMap((block) =>
      block?.type === 'text' ? [{ uri, mimeType: 'text/markdown', text: block.text }] : [],
    ),
  };
}

function decodeAddress(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return '';
  }
}
