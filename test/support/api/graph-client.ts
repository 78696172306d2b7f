import { defaultConversionSettings } from '../../../api/conversion/settings';
import type { User } from '../../../model/access';
import type { GraphReply } from '../../../model/graph/wire';
import { locateGraphInput } from '../../../services/graph/files';
import type { DocumentReply } from '../../../services/search/ports';
import { memoryConversion } from './conversion-services';
import { memoryDocumentSets } from './document-set-services';
import { memoryGraphs } from './graph-services';
import { alice, startApi, type TestApi } from './server';

/** A template that accepts the document `invoice`. */
export const template = {
  title: 'Invoice',
  type: 'object',
  'x-graph-id-fields': ['number'],
  properties: { number: { type: 'string', description: 'Invoice number' } },
};
/** A user without groups, documents and sets. */
export const dora: User = { username: 'dora', email: '', full_name: '', groups: [] };

const createRecord = (id: string, content: string, metadata: Record<string, unknown> = {}): DocumentReply => ({
  id,
  content,
  title: `Title of ${id}`,
  metadata,
  created_at: '',
  updated_at: '',
});
/** Records of the index, which only alice may read: a whole document, and the chunks of two others. */
const createDocuments = () =>
  new Map([
    ['invoice', createRecord('invoice', 'Invoice number: A-1')],
    // The third chunk overlaps the second, the fourth has no position.
    ['c3', createRecord('c3', ' world, and', { document_id: 'long', chunk_index: 2, start_index: 13 })],
    ['c1', createRecord('c1', 'First.', { document_id: 'long', chunk_index: 0, start_index: 0 })],
    ['c2', createRecord('c2', 'hello world', { document_id: 'long', chunk_index: 1, start_index: 8 })],
    ['c4', createRecord('c4', 'more', { document_id: 'long', chunk_index: 3 })],
    ...Array.from({ length: 150 }, (_, index): [string, DocumentReply] => {
      const id = `m${index}`;
      return [id, createRecord(id, `part ${index}`, { document_id: 'many', chunk_index: index })];
    }),
  ]);

interface PostInit {
  user?: User;
  headers?: Record<string, string>;
}

/** An api with graphs in memory, restarted for every test of the file, with functions that send requests to it. */
export function createGraphClient() {
  const documents = createDocuments();
  const conversion = memoryConversion();
  const sets = memoryDocumentSets();
  const current = { graphs: memoryGraphs(), api: undefined as unknown as TestApi };

  /** Starts the api without any graphs. The conversion service requires one of `apiKeys`, if any. */
  async function start(apiKeys: string[] = []): Promise<void> {
    current.graphs = memoryGraphs();
    current.api = await startApi(
      {
        graphs: current.graphs.services,
        ...sets,
        conversion: conversion.services,
        search: createSearch(documents),
      },
      {
        adminGroups: ['admins'],
        conversion: { ...defaultConversionSettings, tenantHeader: 'X-Tenant-Id', apiKeys },
      },
    );
  }
  beforeEach(() => start());
  afterEach(() => current.api.close());

  const post = (body: object, { user = alice, headers }: PostInit = {}) =>
    current.api.call('POST', '/api/v1/graphs', { user, body, headers });
  return {
    documents,
    conversion,
    sets,
    /** The running api and its graphs. */
    current,
    start,
    post,
    get: (path: string, user = alice) => current.api.call('GET', `/api/v1/graphs/${path}`, { user }),
    create: async (body: object = { document_id: 'invoice', template }) =>
      (await post(body)).body as unknown as GraphReply,
    getSource: (id: string) => current.graphs.files.get(locateGraphInput(id).source)?.toString(),
    getBytes: async (path: string, user = alice) => {
      const headers = { Authorization: `Bearer ${current.api.tokenOf(user)}` };
      const response = await fetch(`${current.api.url}/api/v1/graphs/${path}`, { headers });
      return {
        status: response.status,
        headers: response.headers,
        bytes: new Uint8Array(await response.arrayBuffer()),
      };
    },
  };
}

function createSearch(
  documents: ReadonlyMap<string, DocumentReply>,
): NonNullable<Parameters<typeof startApi>[0]>['search'] {
  const mayRead = (user: User) => user.username === 'alice';
  return {
    get: async (user, id) => (mayRead(user) ? documents.get(id) : undefined),
    search: async (user, { filters = {}, limit = 10, offset = 0 }) => {
      const matches = [...documents.values()].filter(
        ({ metadata }) => mayRead(user) && metadata['document_id'] === filters['document_id'],
      );
      const page = matches.slice(offset, offset + limit);
      return { documents: page, total: matches.length, limit, offset, has_more: false };
    },
  };
}

/** Status and error code of a reply. */
export function getOutcome({ status, body }: { status: number; body: unknown }): [status: number, code?: string] {
  const [error] = (body as { errors?: { code: string }[] }).errors ?? [];
  return [status, error?.code];
}
