import {
  asGraphAppError,
  ConfigurationError,
  GraphLibraryError,
  type GraphTemplate,
  type LanguageModel,
} from '../../graph';
import { validateOptions } from '../../graph/pipeline-options';
import { toPipelineOptions, getTemplate } from '../../graph/request';
import { AppError } from '../../model/errors';
import type { GraphCreate, GraphOptions } from '../../model/graph/wire';
import type { GraphRecord } from '../../services/graph/store';

const maxTemplateCharacters = 200_000;

/** The validated template and options for the record. Throws GRAPH_CONFIGURATION_INVALID with all problems. */
export function validateRequest({
  template: givenTemplate,
  options = {},
}: Pick<GraphCreate, 'template' | 'options'>): Pick<GraphRecord, 'template' | 'options' | 'provider_config'> {
  const template = asGraphError(() => validateTemplate(givenTemplate));
  const { provider_config: config, ...shown } = options;
  refuseContradictions(options);
  asGraphError(() => validateOptions(toPipelineOptions(options), { template, model: modelOfWorker }));
  if ((options.backend ?? 'rules') === 'rules') return { template: template.root, options: shown };
  const model_id = config?.model_id ?? '';
  const max_output_tokens = options.max_output_tokens ?? config?.max_tokens;
  const limits = max_output_tokens === undefined ? {} : { max_output_tokens };
  return {
    template: template.root,
    options: { ...shown, ...limits, model_id },
    provider_config: JSON.stringify(config),
  };
}

/** Stands in for the model, which only the worker has. */
const modelOfWorker: LanguageModel = { ask: () => Promise.reject(new Error('The api asks no model.')) };

function validateTemplate(input: string | object): GraphTemplate {
  const { length } = typeof input === 'string' ? input : JSON.stringify(input);
  if (length > maxTemplateCharacters)
    throw new ConfigurationError(`The template has ${length} characters; at most ${maxTemplateCharacters} are allowed`);
  return getTemplate(input);
}

/** Runs a check of the graph library; its errors become errors of the api. */
export function asGraphError<T>(check: () => T): T {
  try {
    return check();
  } catch (error) {
    if (error instanceof RangeError)
      throw new AppError('GRAPH_CONFIGURATION_INVALID', 'The template is nested too deeply.', {}, error);
    if (error instanceof GraphLibraryError) throw asGraphAppError(error);
    throw error;
  }
}

function refuseContradictions({ backend = 'rules', provider_config, type }: GraphOptions): void {
  const createRefusedError = (message: string, name: string) =>
    new AppError('GRAPH_CONFIGURATION_INVALID', message, { target: { type: 'field', name } });
  if (backend === 'rules' && (provider_config !== undefined || type !== undefined))
    throw createRefusedError(
      'A model is named, but the backend rules asks none; expected options.backend llm or vlm.',
      'options.backend',
    );
  if (backend !== 'rules' && provider_config?.model_id === undefined)
    throw createRefusedError(
      `The backend ${backend} needs options.provider_config.model_id, the name of the model.`,
      'options.provider_config',
    );
  if (backend === 'vlm' && type !== undefined && type !== 'local_api')
    throw createRefusedError(
      `The backend vlm asks local models only; expected the type local_api, not ${type}.`,
      'options.type',
    );
}

/** Throws GRAPH_CONFIGURATION_INVALID for a source without page images if the backend needs them. */
export function refuseWithoutPages(options: GraphOptions | undefined, sourceType: GraphRecord['source_type']): void {
  if (options?.backend !== 'vlm' || sourceType === 'document') return;
  throw new AppError(
    'GRAPH_CONFIGURATION_INVALID',
    'The backend vlm reads pictures of pages; expected a task of /v1 with the output json, converted with include_page_images.',
    { target: { type: 'field', name: 'options.backend' } },
  );
}
