import { mayRead } from '../../model/access-list';
import { AppError } from '../../model/errors';
import { joinPassages, buildPassage } from '../../model/graph/passages';
import { type KeptForm, keptForms, buildKeptKey } from '../../model/run/kept-document';
import type { DocumentReply } from '../../model/search/wire';
import type { LedgerEntry } from '../../services/run/ledger';
import type { SearchRequest } from '../../services/search/ports';
import type { RequestContext } from '../http/policies';
import { createDocumentNotFoundError } from '../http/policies';

const recordsPerPage = 100;
/** The limit of the content of one reply. */
const maxCharacters = 32 * 1024 * 1024;
type Store = SearchRequest['store'];
/** Metadata members with the position of a record in its document. */
const placeMembers = ['chunk_index', 'start_index', 'headings', 'page_numbers', 'bbox'];

/** The records of a document that the user may read, each once, in the order of their ids. */
export async function* readRecords(
  documentId: string,
  { user, services }: Pick<RequestContext, 'user' | 'services'>,
  store?: Store,
): AsyncGenerator<DocumentReply> {
  const seen = new Set<string>();
  for (let offset = 0, total = 1; offset < total; offset += recordsPerPage) {
    const page = { sort: [{ id: 'asc' as const }], limit: recordsPerPage, offset, ...(store ? { store } : {}) };
    const results = await services.search.search(user, { filters: { document_id: documentId }, ...page });
    total = results.total;
    // Two indexes may contain the same document.
    for (const record of results.documents) if (!seen.has(record.id)) yield record;
    for (const { id } of results.documents) seen.add(id);
  }
}

/** A document that the user may read, and one of its records. */
export interface ReadableDocument {
  documentId: string;
  record: DocumentReply;
  /** True if the requested id is that of the record. */
  isRecord: boolean;
  store?: Store;
}

/**
 * The document with that id, or else the document of the record with that id. Throws DOCUMENT_NOT_FOUND if the user may read
 * none of it.
 */
export async function findReadable(id: string, context: RequestContext, store?: Store): Promise<ReadableDocument> {
  const { user, services } = context;
  const record = await services.search.get(user, id, store);
  const from = store ? { store } : {};
  if (record) {
    const { document_id: documentId } = record.metadata;
    return { documentId: typeof documentId === 'string' ? documentId : record.id, record, isRecord: true, ...from };
  }
  const { documents } = await services.search.search(user, { filters: { document_id: id }, limit: 1, ...from });
  if (documents[0]) return { documentId: id, record: documents[0], isRecord: false, ...from };
  throw createDocumentNotFoundError();
}

/** The document as one: its records that the user may read, joined in their order, and the forms that may be opened. */
export async function readWhole(
  { documentId, record, store }: ReadableDocument,
  context: RequestContext,
): Promise<DocumentReply> {
  const passages = [];
  let characters = 0;
  let { created_at, updated_at } = record;
  for await (const response of readRecords(documentId, context, store)) {
    characters += response.content.length;
    if (characters > maxCharacters)
      throw new AppError(
        'DOCUMENT_TOO_LARGE',
        `The document has more than ${maxCharacters} characters; read its chunks page by page.`,
      );
    passages.push(buildPassage(response.content, response.title, response.metadata));
    if (response.created_at < created_at) created_at = response.created_at;
    if (response.updated_at > updated_at) updated_at = response.updated_at;
  }
  const metadata = Object.entries(record.metadata).filter(([name]) => !placeMembers.includes(name));
  return {
    id: documentId,
    content: joinPassages(passages),
    title: record.title,
    metadata: Object.fromEntries(metadata),
    created_at,
    updated_at,
    forms: ['chunks', ...(await readForms(documentId, context))],
  };
}

/** A stored form of a document, and its location. */
export interface KeptFile {
  key: string;
  entry: LedgerEntry;
}

/** DOCUMENT_FORM_NOT_FOUND where the form is not kept, or is not for this reader. */
export async function findForm(documentId: string, form: KeptForm, context: RequestContext): Promise<KeptFile> {
  const entries = await listReadableEntries(documentId, context);
  for (const entry of entries.filter((jobEntry) => mayOpen(jobEntry, context))) {
    const key = getKey(entry, form);
    if (await context.services.keptDocuments.exists(key)) return { key, entry };
  }
  const isWithheld = entries.length > 0 && !entries.some((entry) => mayOpen(entry, context));
  throw new AppError(
    'DOCUMENT_FORM_NOT_FOUND',
    isWithheld
      ? `The flow of the document may mask or leave out text, so its ${form} is for the owner of its run only. The chunks hold what you may read.`
      : `The ${form} of the document was not kept; only its chunks are stored. To keep it, run the flow again with force_ingest.`,
    { target: { type: 'parameter', name: 'document_id' } },
  );
}

/** The kept forms that this reader may open. */
export async function readForms(documentId: string, context: RequestContext): Promise<KeptForm[]> {
  const entries = (await listReadableEntries(documentId, context)).filter((entry) => mayOpen(entry, context));
  const forms: KeptForm[] = [];
  for (const form of Object.keys(keptForms) as KeptForm[])
    for (const entry of entries)
      if (!forms.includes(form) && (await context.services.keptDocuments.exists(getKey(entry, form)))) forms.push(form);
  return forms;
}

type JobEntry = LedgerEntry & { job_id: string };

/** The index grants access to a part; the access list of the document must grant it too. */
export async function listReadableEntries(documentId: string, { user, services }: RequestContext): Promise<JobEntry[]> {
  const entries = await services.keptDocuments.find(documentId);
  return entries.filter((entry) => mayRead(user, entry));
}

/** Only the owner of the run may see text that the flow masked or omitted. */
function mayOpen({ withholds_text, owner }: LedgerEntry, { user }: RequestContext): boolean {
  return withholds_text === false || owner === user.username;
}

function getKey({ job_id, id, content_hash, run_id }: JobEntry, form: KeptForm): string {
  return buildKeptKey(job_id, id, content_hash === '' ? run_id : content_hash, form);
}
