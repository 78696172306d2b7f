import { type Static, Type } from '@sinclair/typebox';
import { literals } from '../model/literals';
import { listProblems } from '../model/validate';
import type { LanguageModel } from './ask/language-model';
import { ConfigurationError } from './core/errors';
import type { GraphTemplate } from './template/model';

const createChoice = (values: readonly string[], fallback: string) => literals(values, { default: fallback });

/** The options of a pipeline run; unknown options are errors. */
export const PipelineOptions = Type.Object(
  {
    backend: createChoice(['llm', 'vlm', 'rules'], 'llm'),
    inference: createChoice(['local', 'remote'], 'local'),
    processing_mode: createChoice(['one-to-one', 'many-to-one'], 'many-to-one'),
    extraction_contract: createChoice(['direct', 'dense', 'auto'], 'auto'),
    use_chunking: Type.Boolean({ default: true }),
    chunk_max_tokens: Type.Integer({ minimum: 16, default: 512 }),
    parallel_workers: Type.Integer({ minimum: 1, default: 4 }),
    gleaning_enabled: Type.Boolean({ default: true }),
    structured_output: Type.Boolean({ default: true }),
    structured_sparse_check: Type.Boolean({ default: true }),
    /** The limits of the model, if it does not state them itself. */
    context_limit: Type.Optional(Type.Integer({ minimum: 1 })),
    max_output_tokens: Type.Optional(Type.Integer({ minimum: 1 })),
    dense_skeleton_batch_tokens: Type.Integer({ minimum: 1, default: 2048 }),
    dense_fill_nodes_cap: Type.Integer({ minimum: 1, default: 5 }),
    dense_fill_context: createChoice(['scoped', 'full'], 'scoped'),
    dense_dedupe: createChoice(['off', 'standard', 'aggressive'], 'standard'),
    provenance: createChoice(['off', 'standard', 'detailed'], 'standard'),
    reverse_edges: Type.Boolean({ default: false }),
    debug: Type.Boolean({ default: false }),
    profile: createChoice(['spec', 'peer'], 'spec'),
    /** The caller selects the model: these three are only validated here, for use by the caller. */
    provider_override: Type.Optional(Type.String()),
    model_override: Type.Optional(Type.String()),
    docling_config: createChoice(['ocr', 'vision'], 'ocr'),
  },
  { additionalProperties: false },
);
export type PipelineOptions = Static<typeof PipelineOptions>;

/** Fills in defaults. Throws a ConfigurationError with all problems. */
export function validateOptions(
  givenOptions: Partial<PipelineOptions>,
  { model, template }: { model?: LanguageModel; template: GraphTemplate },
): PipelineOptions {
  const options = { ...givenOptions } as PipelineOptions;
  const problems = listProblems(PipelineOptions, options).map(({ pointer, message }) => `${pointer || '/'} ${message}`);
  const { backend, inference, extraction_contract: contract, use_chunking: canChunk } = options;
  if (contract === 'dense' && !canChunk) problems.push('the extraction_contract dense needs use_chunking');
  if (contract === 'dense' && backend === 'rules')
    problems.push('the extraction_contract dense needs a model; the backend is rules');
  if (backend === 'vlm' && inference === 'remote') problems.push('the backend vlm supports only the inference local');
  else if (backend === 'vlm' && !model) problems.push('the backend vlm needs a vision model');
  else if (backend === 'llm' && !model) problems.push('the backend llm needs a language model');
  if (template.classes.get(template.root)?.isEntity === false) problems.push('the root of the template is a component');
  if (problems.length > 0)
    throw new ConfigurationError(`The options are invalid: ${problems.join('; ')}`, { problems });
  return options;
}
