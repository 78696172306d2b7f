import { type Static, Type } from '@sinclair/typebox';
import { isObject } from '../../json';
import { HierarchicalChunkerOptions, HybridChunkerOptions } from './chunking';
import { ConvertOptions } from './options';
import { nullable } from './schema-parts';
import { BatchSource, BatchTarget, Callback, ConvertSource, ConvertTarget } from './sources';

const callbacks = Type.Array(Callback, { default: [] });
const target = Type.Optional(nullable(ConvertTarget, { default: undefined }));
const options = Type.Unsafe<ConvertOptions>({ ...ConvertOptions, default: {} });

/** Request body for converting files and addresses. */
export const ConvertRequest = Type.Object(
  { options, sources: Type.Array(ConvertSource, { minItems: 1 }), target, callbacks },
  { $id: 'ConvertSourcesRequest' },
);
export type ConvertRequest = Static<typeof ConvertRequest>;

/** Request body for converting whole buckets. `targets` overrides `target`. */
export const BatchRequest = Type.Object(
  {
    options,
    sources: Type.Array(BatchSource, { minItems: 1 }),
    target: Type.Optional(nullable(BatchTarget, { default: undefined })),
    targets: Type.Optional(nullable(Type.Array(BatchTarget), { default: undefined })),
    callbacks,
  },
  { $id: 'BatchConvertSourcesRequest' },
);
export type BatchRequest = Static<typeof BatchRequest>;

const chunked = {
  convert_options: options,
  sources: Type.Array(ConvertSource),
  include_converted_doc: Type.Boolean({
    default: false,
    description: 'Also include the converted documents in the result.',
  }),
  target,
  callbacks,
};

/** Request body for chunking along the document tree within a token limit. */
export const HybridChunkRequest = Type.Object(
  {
    ...chunked,
    chunking_options: Type.Unsafe<HybridChunkerOptions>({ ...HybridChunkerOptions, default: { chunker: 'hybrid' } }),
  },
  { $id: 'HybridChunkerOptionsDocumentsRequest' },
);
export type HybridChunkRequest = Static<typeof HybridChunkRequest>;

/** Request body for chunking item by item. */
export const HierarchicalChunkRequest = Type.Object(
  {
    ...chunked,
    chunking_options: Type.Unsafe<HierarchicalChunkerOptions>({
      ...HierarchicalChunkerOptions,
      default: { chunker: 'hierarchical' },
    }),
  },
  { $id: 'HierarchicalChunkerOptionsDocumentsRequest' },
);
export type HierarchicalChunkRequest = Static<typeof HierarchicalChunkRequest>;

/**
 * Converts a body of the older shape to the newer one: `http_sources`, then `file_sources`, become `sources`, and
 * `return_as_file` becomes the target `zip`. A body with `sources` is returned unchanged.
 */
export function readOlderShape(body: unknown): unknown {
  if (!isObject(body)) return body;
  const settings = isObject(body['options']) ? body['options'] : {};
  const asFile = settings['return_as_file'] === true || body['return_as_file'] === true;
  const target = body['target'] === undefined && asFile ? { target: { kind: 'zip' } } : {};
  const { http_sources: http, file_sources: files } = body;
  if (body['sources'] !== undefined || (!Array.isArray(http) && !Array.isArray(files))) return { ...body, ...target };
  const sources = [...addKind('http', http), ...addKind('file', files)];
  return { ...body, ...target, sources };
}

function addKind(kind: string, sources: unknown): unknown[] {
  if (!Array.isArray(sources)) return [];
  return sources.map((source: unknown) => (isObject(source) ? { ...source, kind } : source));
}
