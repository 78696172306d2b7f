import type { FlowDefinition } from '../../model/flow/flow';
import { findEmbeddingBefore } from './embedding';

const flow = (...more: FlowDefinition['flow']): FlowDefinition => ({
  flow_name: 'f',
  flow: [
    { type: 'ingest_source', name: 'ingest' },
    { type: 'embeddings', name: 'embed', config: { type: 'hashing' }, depends_on: ['ingest'] },
    { type: 'vectordb', name: 'index', depends_on: ['embed'] },
    ...more,
  ],
});

test('the embedder before the operator is known by its column', () => {
  expect(findEmbeddingBefore(flow(), 'index', 'embeddings')).toEqual({ type: 'hashing' });
  expect(findEmbeddingBefore(flow(), 'index', 'other')).toBeUndefined();
  expect(findEmbeddingBefore(flow(), 'ingest', 'embeddings')).toBeUndefined();
});

test('defaults of the flow count', () => {
  const shared: Record<string, unknown> = { embeddings: { provider_config: { dimensions: 64 } } };
  const input: FlowDefinition = { ...flow(), global_config: shared };
  expect(findEmbeddingBefore(input, 'index', 'embeddings')).toEqual({ type: 'hashing', dimensions: 64 });
});

test('two embedders for one column leave the model unknown', () => {
  const second = {
    type: 'embeddings',
    name: 'second',
    config: { type: 'local_api', provider_config: { model_id: 'm' } },
    depends_on: ['embed'],
  };
  const both = { type: 'vectordb', name: 'both', depends_on: ['second', 'embed'] };
  expect(findEmbeddingBefore(flow(second, both), 'both', 'embeddings')).toBeUndefined();
});
