import type { Readable } from 'node:stream';
import type { User } from '../../model/access';
import { errorCatalogue, type ErrorCode } from '../../model/errors';
import type { GraphFile } from '../../model/graph/graph-build';
import type { GraphReply } from '../../model/graph/wire';
import type { GraphRecord } from '../../services/graph/store';
import { type Reply, reply } from '../http/route';
import { withheldName } from '../run/names';

const mediaTypes: Readonly<Record<string, string>> = {
  json: 'application/json',
  csv: 'text/csv',
  cypher: 'text/plain; charset=utf-8',
  md: 'text/markdown; charset=utf-8',
  html: 'text/html; charset=utf-8',
  graphml: 'application/xml',
  gexf: 'application/xml',
  ttl: 'text/turtle',
  jsonld: 'application/ld+json',
  parquet: 'application/vnd.apache.parquet',
  zip: 'application/zip',
};

/** All media types of graph files. */
export const graphMediaTypes: readonly string[] = [...new Set(Object.values(mediaTypes))];

/** The media type of a graph file, by name. */
export function getMediaType(name: string): string {
  return mediaTypes[name.slice(name.lastIndexOf('.') + 1)] ?? 'application/octet-stream';
}

/**
 * A graph as shown to callers, without the model's host and key. Users other than the owner see no document name, and only the
 * code of an error.
 */
export function toGraphReply(graphRecord: GraphRecord, user: Pick<User, 'username'>): GraphReply {
  const graph = graphRecord.owner === user.username ? graphRecord : omitNames(graphRecord);
  const { id, owner, state, source, template, options, chunks, facts, error } = graph;
  const { created_at, started_at, ended_at, name } = graph;
  return {
    id,
    owner,
    ...(name === undefined ? {} : { name, ...toCorpusReply(graphRecord, user) }),
    state,
    source,
    template,
    options,
    progress: { chunks },
    nodes: facts?.nodes ?? null,
    edges: facts?.edges ?? null,
    problems: facts?.problems ?? null,
    files: (facts?.files ?? []).map(toFileReply),
    error,
    created_at,
    started_at,
    ended_at,
  };
}

/** Counts and readers are for the owner only: they reveal documents that others may not read. */
function toCorpusReply({ owner, readers = [], corpus }: GraphRecord, { username }: Pick<User, 'username'>) {
  if (!corpus) return {};
  const {
    update,
    updated_at,
    is_dry_run,
    resolution = 'off',
    auto_update = false,
    limit,
    changes,
    estimate,
    usage,
  } = corpus;
  const isOwner = owner === username;
  const ownerFields = isOwner
    ? { limit, changes, estimate, usage }
    : { limit: null, changes: null, estimate: null, usage: null };
  return {
    ...(isOwner ? { readers } : {}),
    corpus: { update, updated_at, resolution, auto_update, is_dry_run, ...ownerFields },
  };
}

function omitNames(graph: GraphRecord): GraphRecord {
  const { code = '' } = graph.error ?? {};
  const message = code in errorCatalogue ? errorCatalogue[code as ErrorCode].text : withheldName;
  const error = graph.error && { code, message };
  return { ...graph, source: { ...graph.source, name: withheldName }, error };
}

function toFileReply({ name, format, bytes }: GraphFile): GraphReply['files'][number] {
  return { name, format: format ?? null, bytes, media_type: getMediaType(name) };
}

/** A file as a download. */
export function createAttachmentReply(body: Readable, name: string): Reply<Readable> {
  return reply(200, body, {
    'Content-Type': getMediaType(name),
    'Cache-Control': 'no-store',
    'Content-Disposition': `attachment; filename="${name}"`,
  });
}
