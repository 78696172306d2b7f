import type { DoclingDocument } from '../document/model';
import { pageChunks } from './ask/source-chunks';
import type { KnowledgeGraph } from './core/knowledge-graph';
import type { Attributes } from './core/value';
import type { Extracted } from './extract-source';
import type { PipelineOptions } from './pipeline-options';

const longestText = 2_000;

/** The steps of a run for `debug/trace_data.json`. Contains no times, because the library has no clock. */
export function buildTrace(
  source: DoclingDocument | string,
  run: { options: PipelineOptions; extracted: Extracted; models: readonly Attributes[]; graph: KnowledgeGraph },
): Attributes {
  const { options, extracted, models, graph } = run;
  const pages = pageChunks(source).map(({ id, text, pages: [page] }) => ({
    page_number: page ?? id + 1,
    text_content: text.slice(0, longestText),
  }));
  const counts = { node_count: graph.nodes.size, edge_count: graph.edges.size };
  const extractions = extracted.extracts.map(({ chunk, instance, problems }) => ({
    chunk_id: chunk.id,
    parsed_model: instance ?? null,
    problems,
  }));
  const createStep = (name: string, artifacts: Attributes): Attributes => ({ name, status: 'success', artifacts });
  return {
    summary: {
      page_count: pages.length,
      extraction_success: models.length > 0,
      fallback_used: extracted.contract !== 'dense' && extracted.dense !== undefined,
      ...counts,
    },
    steps: [
      createStep('pipeline', { options: { ...options } }),
      createStep('docling_conversion', { pages }),
      createStep('data_extraction', {
        contract: extracted.contract,
        reason: extracted.reason,
        extractions,
        ...(extracted.dense ? { dense: { ...extracted.dense.trace, stats: extracted.dense.stats } } : {}),
      }),
      createStep('graph_mapping', { source_model_count: models.length, ...counts }),
    ],
  };
}
