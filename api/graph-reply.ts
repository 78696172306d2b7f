import type { GraphFile } from '../model/graph-build';
import type { GraphReply } from '../model/wire/graphs';
import type { GraphRecord } from '../services/graph-store';

const types: Readonly<Record<string, string>> = {
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

/** Every media type in which files of graphs are sent. */
export const graphMediaTypes: readonly string[] = [...new Set(Object.values(types))];

/** The media type of a file of a graph, by its name. */
export function mediaTypeOf(name: string): string {
  return types[name.slice(name.lastIndexOf('.') + 1)] ?? 'application/octet-stream';
}

/** What callers see of a graph; the model's host and key are not among it. */
export function graphReply(graph: GraphRecord): GraphReply {
  const { id, owner, state, source, template, options, chunks, facts, error } = graph;
  const { created_at, started_at, ended_at } = graph;
  return {
    id,
    owner,
    state,
    source,
    template,
    options,
    progress: { chunks },
    nodes: facts?.nodes ?? null,
    edges: facts?.edges ?? null,
    problems: facts?.problems ?? null,
    files: (facts?.files ?? []).map(fileReply),
    error,
    created_at,
    started_at,
    ended_at,
  };
}

function fileReply({ name, format, bytes }: GraphFile): GraphReply['files'][number] {
  return { name, format: format ?? null, bytes, media_type: mediaTypeOf(name) };
}
