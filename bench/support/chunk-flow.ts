import type { FlowDefinition } from '../../model/flow/flow';

/** A flow that converts the files of the folder and cuts them into chunks. */
export function buildChunkFlow(name: string, folder: string): FlowDefinition {
  return {
    flow_name: name,
    flow: [
      {
        type: 'ingest_source',
        name: 'ingest',
        config: { provider: 'filesystem', connection_params: { paths: [folder] } },
      },
      {
        type: 'extract_operator',
        name: 'extract',
        depends_on: ['ingest'],
        config: { text_extraction: { provider: 'local' } },
      },
      { type: 'chunker', name: 'chunk', depends_on: ['extract'], config: { chunk_type: 'simple' } },
    ],
  };
}

/** The same with hashing embeddings and an OpenSearch index of the same name. */
export function buildIndexFlow(name: string, folder: string): FlowDefinition {
  const definition = buildChunkFlow(name, folder);
  return {
    ...definition,
    flow: [
      ...definition.flow,
      { type: 'embeddings', name: 'embed', depends_on: ['chunk'], config: { type: 'hashing' } },
      {
        type: 'vectordb',
        name: 'index',
        depends_on: ['embed'],
        config: { provider: 'opensearch', index_name: name },
      },
    ],
  };
}
