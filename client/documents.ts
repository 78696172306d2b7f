import type { RemovalPage, RemovalReply } from '../model/removal/wire';
import type { DocumentReply, SearchReply, SearchRequestBody, SuggestReply } from '../model/search/wire';
import type {
  AccessExplanation,
  DocumentLife,
  ExplainReply,
  ExplainRequest,
  SearchAsReply,
  SearchAsRequest,
} from '../model/search/wire-access';
import type { AnswerEndEvent, AnswerSentence, AskBody } from '../model/search/wire-ask';
import type { DocumentFacts } from '../model/search/wire-document-facts';
import type { IndexPage, IndexPatch, IndexReply } from '../model/search/wire-indexes';
import type { SearchOptions } from '../model/search/wire-options';
import type { DocumentPage, DocumentPages } from '../model/search/wire-pages';
import { ApiError } from './api-error';
import { readNamedEvents } from './events';
import type { Call } from './http';

interface Page {
  limit?: number;
  offset?: number;
}

type Store = SearchRequestBody['store'];

/** A part of an answer: its sentences in order, then the end. */
export type AnswerEvent = ({ type: 'sentence' } & AnswerSentence) | ({ type: 'end' } & AnswerEndEvent);

/** Documents, their removal, and the indexes that contain them. */
export interface DocumentMethods {
  documents: {
    get(documentId: string, query?: { store?: Store }): Promise<DocumentReply>;
    search(request?: SearchRequestBody): Promise<SearchReply>;
    /** What a search may ask for on this server. */
    searchOptions(signal?: AbortSignal): Promise<SearchOptions>;
    /** How a text may continue, from titles and words that you may read. */
    suggest(text: string, query?: { limit?: number; index?: string; store?: Store }): Promise<SuggestReply>;
    /**
     * Yields each sentence of the answer with its sources as soon as it is written, then the end, which reports whether your
     * readable documents contain an answer. Rejects with the error if the answer fails after it has begun.
     */
    ask(question: AskBody, signal?: AbortSignal): AsyncGenerator<AnswerEvent, void, void>;
    /** The results another user would get; for administrators only. */
    searchAs(request: SearchAsRequest): Promise<SearchAsReply>;
    /** Why a user may or may not read a document; about others for administrators only. */
    explainAccess(request: ExplainRequest): Promise<ExplainReply>;
    /** The records of a document, in order. */
    chunks(documentId: string, query?: { limit?: number; offset?: number; store?: Store }): Promise<SearchReply>;
    pages(documentId: string): Promise<DocumentPages>;
    page(documentId: string, page: number, query?: { uncovered?: boolean }): Promise<DocumentPage>;
    /** Who may read the document, and the rules that decided. */
    access(documentId: string): Promise<AccessExplanation>;
    life(documentId: string): Promise<DocumentLife>;
    /** What flows and graphs found in the document. */
    facts(documentId: string): Promise<DocumentFacts>;
    /** The whole document as one HTML page. It contains untrusted text: show it in a sandbox only. */
    html(documentId: string, signal?: AbortSignal): Promise<string>;
    /** The first `characters` of the document in one form; the rest is not transferred. */
    start(
      documentId: string,
      form: 'markdown' | 'json' | 'html',
      characters: number,
    ): Promise<{ text: string; isCut: boolean }>;
    /** The whole document as Markdown. */
    markdown(documentId: string, signal?: AbortSignal): Promise<string>;
    /** The file that the document was read from, if the server kept it. */
    original(documentId: string, signal?: AbortSignal): Promise<Uint8Array>;
    /** A page as PNG, for PDF documents and images whose file was kept. */
    pageImage(documentId: string, page: number, signal?: AbortSignal): Promise<Uint8Array>;
    /** The whole document as a DoclingDocument. */
    json(documentId: string): Promise<Record<string, unknown>>;
    /** Returns the receipt; its state is WORKING while a worker continues the removal. */
    remove(documentId: string, query?: { everywhere?: boolean }): Promise<RemovalReply>;
  };
  removals: {
    list(query?: Page): Promise<RemovalPage>;
    get(removalId: string): Promise<RemovalReply>;
    /** Allows runs to ingest the documents again. */
    restore(removalId: string): Promise<RemovalReply>;
  };
  indexes: {
    list(query?: Page): Promise<IndexPage>;
    get(name: string): Promise<IndexReply>;
    patch(name: string, change: IndexPatch): Promise<IndexReply>;
    /** Deletes the index with all its records. */
    remove(name: string): Promise<void>;
  };
}

const documents = '/api/v1/documents';
const removals = '/api/v1/removals';
const indexes = '/api/v1/indexes';

/** Implements these methods: `send` for JSON, `bytes` for Markdown and pictures, `stream` for events. */
export function createDocumentMethods(
  send: <T>(call: Call) => Promise<T>,
  bytes: (call: Call) => AsyncGenerator<Uint8Array, void, void>,
  stream: (call: Call) => AsyncIterable<string>,
): DocumentMethods {
  const buildPath = (id: string) => `${documents}/${encodeURIComponent(id)}`;
  return {
    documents: {
      get: (id, query) => send({ method: 'GET', path: buildPath(id), query: { ...query } }),
      search: (request = {}) => send({ method: 'POST', path: `${documents}/search`, body: request }),
      searchOptions: (signal) => send({ method: 'GET', path: '/api/v1/search-options', ...(signal ? { signal } : {}) }),
      suggest: (text, query) => send({ method: 'GET', path: `${documents}/suggest`, query: { q: text, ...query } }),
      ask: (body, signal) =>
        readAnswer(stream({ method: 'POST', path: `${documents}/ask`, body, ...(signal ? { signal } : {}) })),
      searchAs: (request) => send({ method: 'POST', path: `${documents}/search_as`, body: request }),
      explainAccess: (request) => send({ method: 'POST', path: '/api/v1/access/explain', body: request }),
      chunks: (id, query) => send({ method: 'GET', path: `${buildPath(id)}/chunks`, query: { ...query } }),
      pages: (id) => send({ method: 'GET', path: `${buildPath(id)}/pages` }),
      page: (id, page, query) => send({ method: 'GET', path: `${buildPath(id)}/pages/${page}`, query: { ...query } }),
      access: (id) => send({ method: 'GET', path: `${buildPath(id)}/access` }),
      life: (id) => send({ method: 'GET', path: `${buildPath(id)}/life` }),
      facts: (id) => send({ method: 'GET', path: `${buildPath(id)}/facts` }),
      html: (id, signal) => readText(bytes({ method: 'GET', path: documentHtmlPath(id), signal })),
      async start(id, form, characters) {
        const text = await readText(bytes({ method: 'GET', path: `${buildPath(id)}/${form}` }), characters + 1);
        return { text: text.slice(0, characters), isCut: text.length > characters };
      },
      markdown: (id, signal) => readText(bytes({ method: 'GET', path: `${buildPath(id)}/markdown`, signal })),
      original: (id, signal) => readAll(bytes({ method: 'GET', path: `${buildPath(id)}/original`, signal })),
      pageImage: (id, page, signal) => readAll(bytes({ method: 'GET', path: pageImagePath(id, page), signal })),
      json: (id) => send({ method: 'GET', path: `${buildPath(id)}/json` }),
      remove: (id, query) => send({ method: 'DELETE', path: buildPath(id), query: { ...query } }),
    },
    removals: {
      list: (query) => send({ method: 'GET', path: removals, query: { ...query } }),
      get: (id) => send({ method: 'GET', path: `${removals}/${encodeURIComponent(id)}` }),
      restore: (id) => send({ method: 'POST', path: `${removals}/${encodeURIComponent(id)}/restore` }),
    },
    indexes: {
      list: (query) => send({ method: 'GET', path: indexes, query: { ...query } }),
      get: (name) => send({ method: 'GET', path: `${indexes}/${encodeURIComponent(name)}` }),
      patch: (name, body) => send({ method: 'PATCH', path: `${indexes}/${encodeURIComponent(name)}`, body }),
      remove: (name) => send({ method: 'DELETE', path: `${indexes}/${encodeURIComponent(name)}` }),
    },
  };
}

/** Reads a stream to its end. */
export async function readAll(stream: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const parts: Uint8Array<ArrayBuffer>[] = [];
  for await (const part of stream) parts.push(new Uint8Array(part));
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}

/** Stops reading and cancels the reply after `maxLength` characters. */
async function readText(stream: AsyncIterable<Uint8Array>, maxLength = Number.POSITIVE_INFINITY): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const part of stream) {
    text += decoder.decode(part, { stream: true });
    if (text.length >= maxLength) break;
  }
  return text;
}

async function* readAnswer(chunks: AsyncIterable<string>): AsyncGenerator<AnswerEvent, void, void> {
  for await (const { name, data } of readNamedEvents(chunks)) {
    if (name === 'sentence') yield { type: 'sentence', ...(data as AnswerSentence) };
    if (name === 'end') return yield { type: 'end', ...(data as AnswerEndEvent) };
    if (name === 'error') throw createFailure(data as { code: string; message: string });
  }
  throw new ApiError('CONNECTION_ERROR', 0, 'The connection ended before the answer did.');
}

/** The reply had begun with status 200 when the answer failed. */
function createFailure({ code, message }: { code: string; message: string }): ApiError {
  return new ApiError(code, 200, message);
}

/** The path of a document as HTML, relative to the address of the api. */
export function documentHtmlPath(documentId: string): string {
  return `${documents}/${encodeURIComponent(documentId)}/html`;
}

/** The path of a page image, relative to the address of the api. */
export function pageImagePath(documentId: string, page: number): string {
  return `${documents}/${encodeURIComponent(documentId)}/pages/${page}/image`;
}
