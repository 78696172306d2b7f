import type { TSchema } from '@sinclair/typebox';
import { HierarchicalChunkRequest, HybridChunkRequest } from '../../model/conversion/request/requests';
import { ChunkResult, RemoteResult } from '../../model/conversion/task/result';
import { TaskDescriptor } from '../../model/conversion/task/task';
import { buildChunkForm } from './body/form-schema';
import { convertLater, convertNow } from './convert';
import { unionReplies, zip } from './http/reply-schemas';
import { type ConversionRoute, defineConversionRoute } from './http/route';

const requests = { hybrid: HybridChunkRequest, hierarchical: HierarchicalChunkRequest } as const;
const splitting = {
  hybrid: 'chunks that follow its tree and fit a tokenizer',
  hierarchical: 'a chunk for each item of its tree',
} as const;

/** The four routes of each chunker. */
export const chunkRoutes: readonly ConversionRoute[] = (['hybrid', 'hierarchical'] as const).flatMap((chunker) =>
  (['source', 'file'] as const).flatMap((sent) => {
    const bodies: Record<string, TSchema> =
      sent === 'source'
        ? { 'application/json': requests[chunker] }
        : { 'multipart/form-data': buildChunkForm(chunker) };
    const facts = { method: 'POST' as const, tags: ['chunk'], needsKey: true, audit: 'read' as const, bodies };
    const what = sent === 'source' ? 'documents given by URL or inside the body' : 'uploaded files';
    return [
      defineConversionRoute({
        ...facts,
        path: `/v1/chunk/${chunker}/${sent}`,
        summary: `Converts ${what} and splits each into ${splitting[chunker]}; returns the result.`,
        replies: { 'application/json': unionReplies(ChunkResult, RemoteResult), 'application/zip': zip },
        refusals: [400, 413, 415, 502, 503, 504],
        handler: (exchange) => convertNow(exchange, chunker, sent),
      }),
      defineConversionRoute({
        ...facts,
        path: `/v1/chunk/${chunker}/${sent}/async`,
        summary: `Starts to convert ${what} and to split each into ${splitting[chunker]}; returns a task.`,
        replies: { 'application/json': TaskDescriptor },
        refusals: [400, 413, 415, 503],
        handler: (exchange) => convertLater(exchange, chunker, sent),
      }),
    ];
  }),
);
