import type { DocumentReply, SearchReply, SearchRequestBody } from '../model/search/wire';
import type { AccessExplanation, DocumentLife, SearchAsReply, SearchAsRequest } from '../model/search/wire-access';
import type { DocumentPage, DocumentPages } from '../model/search/wire-pages';
import type { Call } from './http';

/** Indexed documents. */
export interface DocumentMethods {
  documents: {
    get(documentId: string): Promise<DocumentReply>;
    search(request?: SearchRequestBody): Promise<SearchReply>;
    /** The results another user would get; for administrators only. */
    searchAs(request: SearchAsRequest): Promise<SearchAsReply>;
    /** The records of a document, in order. */
    chunks(documentId: string, query?: { limit?: number; offset?: number }): Promise<SearchReply>;
    pages(documentId: string): Promise<DocumentPages>;
    page(documentId: string, page: number, query?: { uncovered?: boolean }): Promise<DocumentPage>;
    /** Who may read the document, and the rules that decided. */
    access(documentId: string): Promise<AccessExplanation>;
    life(documentId: string): Promise<DocumentLife>;
  };
}

const documents = '/api/v1/documents';

/** Implements these methods over `send`. */
export function documentMethods(send: <T>(call: Call) => Promise<T>): DocumentMethods {
  const path = (id: string) => `${documents}/${encodeURIComponent(id)}`;
  return {
    documents: {
      get: (id) => send({ method: 'GET', path: path(id) }),
      search: (request = {}) => send({ method: 'POST', path: `${documents}/search`, body: request }),
      searchAs: (request) => send({ method: 'POST', path: `${documents}/search_as`, body: request }),
      chunks: (id, query) => send({ method: 'GET', path: `${path(id)}/chunks`, query: { ...query } }),
      pages: (id) => send({ method: 'GET', path: `${path(id)}/pages` }),
      page: (id, page, query) => send({ method: 'GET', path: `${path(id)}/pages/${page}`, query: { ...query } }),
      access: (id) => send({ method: 'GET', path: `${path(id)}/access` }),
      life: (id) => send({ method: 'GET', path: `${path(id)}/life` }),
    },
  };
}

/** The path of a page image, relative to the address of the api. */
export function pageImagePath(documentId: string, page: number): string {
  return `${documents}/${encodeURIComponent(documentId)}/pages/${page}/image`;
}
