import type {
  FailedDocumentChoice,
  FailedDocumentDetail,
  FailedDocumentGroups,
  FailedDocumentPage,
  FailedDocumentsChanged,
  FailedDocumentsRetried,
} from '../model/run/wire-failures';
import { readAll } from './documents';
import type { Call } from './http';

/** Filter of failed documents. */
export interface FailureFilters {
  code?: string;
  operator?: string;
  flow_id?: string;
  state?: 'failed' | 'left_out' | 'ignored';
}

/** Documents whose last attempt failed, over all runs. */
export interface FailedDocumentMethods {
  failedDocuments: {
    list(query?: { limit?: number; offset?: number } & FailureFilters): Promise<FailedDocumentPage>;
    groups(by?: 'code' | 'operator' | 'flow_id', query?: FailureFilters): Promise<FailedDocumentGroups>;
    get(failedId: string): Promise<FailedDocumentDetail>;
    /** The Markdown of a document that was converted and failed afterwards. */
    markdown(failedId: string): Promise<string>;
    /** The file as it was read. Throws DOCUMENT_FORM_NOT_FOUND if it is not kept. */
    original(failedId: string, signal?: AbortSignal): Promise<Uint8Array>;
    /** PNG of a page, from 1. */
    pageImage(failedId: string, page: number, signal?: AbortSignal): Promise<Uint8Array>;
    /** CSV text with one line for each document. */
    report(query?: FailureFilters): Promise<string>;
    retry(choice: FailedDocumentChoice): Promise<FailedDocumentsRetried>;
    /** Runs skip these documents until they change; with `leaveOut` false, runs try them again. */
    leaveOut(choice: FailedDocumentChoice, leaveOut?: boolean): Promise<FailedDocumentsChanged>;
    /** Ignored documents are no longer listed as failed, but runs still try them. With `ignore` false, they are listed again. */
    ignore(choice: FailedDocumentChoice, ignore?: boolean): Promise<FailedDocumentsChanged>;
  };
}

const all = '/api/v1/failed_documents';

/** Implements these methods: `send` for JSON, `readText` for Markdown and CSV, `bytes` for files and pictures. */
export function createFailedDocumentMethods(
  send: <T>(call: Call) => Promise<T>,
  readText: (call: Call) => Promise<string>,
  bytes: (call: Call) => AsyncGenerator<Uint8Array, void, void>,
): FailedDocumentMethods {
  return {
    failedDocuments: {
      list: (query) => send({ method: 'GET', path: all, query: { ...query } }),
      groups: (by, query) => send({ method: 'GET', path: `${all}/groups`, query: { by, ...query } }),
      get: (id) => send({ method: 'GET', path: failedPath(id) }),
      markdown: (id) => readText({ method: 'GET', path: `${failedPath(id)}/markdown` }),
      original: (id, signal) => readAll(bytes({ method: 'GET', path: `${failedPath(id)}/original`, signal })),
      pageImage: (id, page, signal) => readAll(bytes({ method: 'GET', path: failedPageImagePath(id, page), signal })),
      report: (query) => readText({ method: 'GET', path: `${all}/report`, query: { ...query } }),
      retry: (choice) => send({ method: 'POST', path: `${all}/retry`, body: choice }),
      leaveOut: (choice, leaveOut = true) =>
        send({ method: 'POST', path: `${all}/leave_out`, body: { ...choice, leave_out: leaveOut } }),
      ignore: (choice, ignore = true) => send({ method: 'POST', path: `${all}/ignore`, body: { ...choice, ignore } }),
    },
  };
}

/** The path of the picture of a page, relative to the address of the api. */
export function failedPageImagePath(failedId: string, page: number): string {
  return `${failedPath(failedId)}/pages/${page}/image`;
}

/** The path of a failed document, relative to the address of the api. */
export function failedPath(failedId: string): string {
  return `${all}/${encodeURIComponent(failedId)}`;
}
