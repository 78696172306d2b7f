import type {
  DocumentSetCreate,
  DocumentSetPage,
  DocumentSetPatch,
  DocumentSetPreview,
  DocumentSetReply,
} from '../model/document-set/wire';
import type { LibraryFile, LibraryFilePage, Upload, UploadCreate } from '../model/document-set/wire-files';
import type {
  DocumentLibraryCreate,
  DocumentLibraryPage,
  DocumentLibraryPatch,
  DocumentLibraryReply,
  LibrarySetPage,
} from '../model/document-set/wire-libraries';
import type { Call } from './http';
import { type UploadedFile, uploadFile, type UploadOptions } from './upload';

interface Page {
  limit?: number;
  offset?: number;
}

/** The columns of a document set to return. Default: all except vectors. */
export interface ColumnChoice {
  columns?: readonly string[];
  include_vectors?: boolean;
}

/** Document sets and libraries of the api. */
export interface DocumentSetMethods {
  documentSets: {
    /** Returns the existing set if you already have one with that name. */
    create(set: DocumentSetCreate): Promise<DocumentSetReply>;
    get(setId: string): Promise<DocumentSetReply>;
    list(query?: Page & { name?: string }): Promise<DocumentSetPage>;
    patch(setId: string, change: DocumentSetPatch): Promise<DocumentSetReply>;
    /** With `delete_data: false`, the files with the rows are kept in the object store. */
    remove(setId: string, options?: { delete_data?: boolean }): Promise<void>;
    preview(setId: string, query?: Page & ColumnChoice): Promise<DocumentSetPreview>;
    /** The graph that a flow built from a document, as in its `graph.json`, or the passages of its nodes. */
    graph(setId: string, documentId: string, part?: 'graph' | 'provenance'): Promise<Record<string, unknown>>;
    /** Streams the file; there is no timeout except `signal`. */
    export(
      setId: string,
      query?: ColumnChoice & { format?: 'parquet' | 'csv' | 'jsonl'; exact?: boolean },
      signal?: AbortSignal,
    ): AsyncGenerator<Uint8Array, void, void>;
  };
  documentLibraries: {
    create(library: DocumentLibraryCreate): Promise<DocumentLibraryReply>;
    get(libraryId: string): Promise<DocumentLibraryReply>;
    list(query?: Page & { name?: string; tags?: readonly string[] }): Promise<DocumentLibraryPage>;
    patch(libraryId: string, change: DocumentLibraryPatch): Promise<DocumentLibraryReply>;
    /** The document sets themselves are kept. */
    remove(libraryId: string): Promise<void>;
    sets(libraryId: string, query?: Page): Promise<LibrarySetPage>;
    /** Adds all of them or none; sets that are in the library already stay there. */
    addSets(libraryId: string, setIds: readonly string[]): Promise<void>;
    removeSets(libraryId: string, setIds: readonly string[]): Promise<void>;
    files(libraryId: string, query?: Page & { name?: string }): Promise<LibraryFilePage>;
    file(libraryId: string, fileId: string): Promise<LibraryFile>;
    /** Streams the bytes of a file; there is no timeout except `signal`. */
    content(libraryId: string, fileId: string, signal?: AbortSignal): AsyncGenerator<Uint8Array, void, void>;
    removeFile(libraryId: string, fileId: string): Promise<void>;
    /**
     * Sends a file in parts and completes it; parts that arrived before a lost connection are not sent again. Without
     * `sha256` it is computed, which needs the whole file in memory and, in browsers, HTTPS or a loopback address.
     */
    upload(libraryId: string, file: UploadedFile, options?: UploadOptions): Promise<LibraryFile>;
    beginUpload(libraryId: string, announced: UploadCreate): Promise<Upload>;
    cancelUpload(libraryId: string, uploadId: string): Promise<void>;
  };
}

/** Implements these methods: `send` for JSON, `bytes` for files. */
export function createDocumentSetMethods(
  send: <T>(call: Call) => Promise<T>,
  bytes: (call: Call) => AsyncGenerator<Uint8Array, void, void>,
): DocumentSetMethods {
  const sets = '/api/v1/document-sets';
  const libraries = '/api/v1/document-libraries';
  const buildSetPath = (id: string) => `${sets}/${encodeURIComponent(id)}`;
  const buildLibraryPath = (id: string) => `${libraries}/${encodeURIComponent(id)}`;
  const buildFilePath = (id: string, file: string) => `${buildLibraryPath(id)}/files/${encodeURIComponent(file)}`;
  const buildMembersPath = (id: string) => `${buildLibraryPath(id)}/document-sets`;
  return {
    documentSets: {
      create: (body) => send({ method: 'POST', path: sets, body }),
      get: (id) => send({ method: 'GET', path: buildSetPath(id) }),
      list: (query) => send({ method: 'GET', path: sets, query: { ...query } }),
      patch: (id, body) => send({ method: 'PATCH', path: buildSetPath(id), body }),
      remove: (id, query) => send({ method: 'DELETE', path: buildSetPath(id), query: { ...query } }),
      preview: (id, query) => send({ method: 'GET', path: `${buildSetPath(id)}/preview`, query: { ...query } }),
      graph: (id, document, part) =>
        send({ method: 'GET', path: `${buildSetPath(id)}/graphs/${encodeURIComponent(document)}`, query: { part } }),
      export: (id, query, signal) =>
        bytes({ method: 'GET', path: `${buildSetPath(id)}/export`, query: { ...query }, signal }),
    },
    documentLibraries: {
      create: (body) => send({ method: 'POST', path: libraries, body }),
      get: (id) => send({ method: 'GET', path: buildLibraryPath(id) }),
      list: (query) => send({ method: 'GET', path: libraries, query: { ...query } }),
      patch: (id, body) => send({ method: 'PATCH', path: buildLibraryPath(id), body }),
      remove: (id) => send({ method: 'DELETE', path: buildLibraryPath(id) }),
      sets: (id, query) => send({ method: 'GET', path: buildMembersPath(id), query: { ...query } }),
      addSets: (id, document_set_ids) =>
        send({ method: 'PUT', path: buildMembersPath(id), body: { document_set_ids } }),
      removeSets: (id, document_set_ids) =>
        send({ method: 'DELETE', path: buildMembersPath(id), body: { document_set_ids } }),
      files: (id, query) => send({ method: 'GET', path: `${buildLibraryPath(id)}/files`, query: { ...query } }),
      file: (id, file) => send({ method: 'GET', path: buildFilePath(id, file) }),
      content: (id, file, signal) => bytes({ method: 'GET', path: `${buildFilePath(id, file)}/content`, signal }),
      removeFile: (id, file) => send({ method: 'DELETE', path: buildFilePath(id, file) }),
      upload: (id, file, options) => uploadFile(send, buildLibraryPath(id), file, options),
      beginUpload: (id, body) => send({ method: 'POST', path: `${buildLibraryPath(id)}/uploads`, body }),
      cancelUpload: (id, upload) =>
        send({ method: 'DELETE', path: `${buildLibraryPath(id)}/uploads/${encodeURIComponent(upload)}` }),
    },
  };
}
