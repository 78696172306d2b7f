import type { ModelConfig } from '../vision/model-configs';
import type { Location, RequestProblem } from './check-value';
import { type ConvertOptions, deprecatedOptions } from './options';

/** Mutually exclusive options: a preset and a custom configuration, or an older and a newer option for the same thing. */
const exclusivePairs: readonly (readonly [keyof ConvertOptions, keyof ConvertOptions])[] = [
  ['table_structure_preset', 'table_structure_custom_config'],
  ['layout_preset', 'layout_custom_config'],
  ['picture_description_preset', 'picture_description_custom_config'],
  ['picture_description_local', 'picture_description_api'],
  ['picture_description_preset', 'picture_description_local'],
  ['picture_description_preset', 'picture_description_api'],
  ['picture_description_custom_config', 'picture_description_local'],
  ['picture_description_custom_config', 'picture_description_api'],
  ['picture_classification_preset', 'picture_classification_custom_config'],
  ['chart_extraction_preset', 'chart_extraction_custom_config'],
  ['code_formula_preset', 'code_formula_custom_config'],
  ['vlm_pipeline_preset', 'vlm_pipeline_custom_config'],
  ['vlm_pipeline_model', 'vlm_pipeline_model_local'],
  ['vlm_pipeline_model', 'vlm_pipeline_model_api'],
  ['vlm_pipeline_model_local', 'vlm_pipeline_model_api'],
  ['vlm_pipeline_preset', 'vlm_pipeline_model'],
  ['vlm_pipeline_preset', 'vlm_pipeline_model_local'],
  ['vlm_pipeline_preset', 'vlm_pipeline_model_api'],
  ['vlm_pipeline_custom_config', 'vlm_pipeline_model'],
  ['vlm_pipeline_custom_config', 'vlm_pipeline_model_local'],
  ['vlm_pipeline_custom_config', 'vlm_pipeline_model_api'],
  ['chunking_options', 'chunking_preset'],
];
const optionsWithKind = ['ocr_custom_config', 'table_structure_custom_config', 'layout_custom_config'] as const;

/** Validated options. Deprecated options are null; their values have moved to the options that replace them. */
export interface SettledOptions {
  options: ConvertOptions;
  /** One sentence per deprecated option that was sent. */
  notes: string[];
  /** True when at least one deprecated option was sent. */
  isDeprecated: boolean;
  problems: RequestProblem[];
}

/**
 * Checks options against each other. `sent` lists the names in the request, because defaults do not count. Problems that
 * concern the options as a whole are reported at `loc`.
 */
export function settleOptions(options: ConvertOptions, sent: ReadonlySet<string>, loc: Location): SettledOptions {
  const problems: RequestProblem[] = [];
  const complain = (text: string, at: Location = loc) =>
    void problems.push({ type: 'value_error', loc: at, msg: `Value error, ${text}` });
  const [start, end] = options.page_range;
  if (start < 1 || end < start)
    complain('Invalid page range: start must be ≥ 1 and end must be ≥ start.', [...loc, 'page_range']);
  for (const [one, other] of exclusivePairs) {
    if (options[one] !== null && options[other] !== null) complain(`${one} and ${other} cannot both be set.`);
  }
  if (options.ocr_custom_config !== null && sent.has('ocr_preset') && options.ocr_preset !== 'auto')
    complain('ocr_preset and ocr_custom_config cannot both be set.');
  for (const name of optionsWithKind)
    if (options[name] !== null && typeof options[name]['kind'] !== 'string') complain(`${name} must have a 'kind'.`);
  const used = Object.entries(deprecatedOptions).filter(([name]) => sent.has(name));
  return {
    options: omitDeprecated(options, sent),
    notes: used.map(([name, instead]) => `The option ${name} is deprecated since 1.21.0; use ${instead}.`),
    isDeprecated: used.length > 0,
    problems,
  };
}

function omitDeprecated(options: ConvertOptions, sent: ReadonlySet<string>): ConvertOptions {
  const takesEngine = sent.has('ocr_engine') && !sent.has('ocr_preset');
  const placeholder = options.image_export_mode === 'placeholder';
  return {
    ...options,
    ocr_preset: takesEngine ? options.ocr_engine : options.ocr_preset,
    picture_description_custom_config: options.picture_description_custom_config ?? getPictureModel(options),
    picture_description_local: null,
    picture_description_api: null,
    vlm_pipeline_preset: options.vlm_pipeline_preset ?? findNamedPageModel(options),
    vlm_pipeline_custom_config: options.vlm_pipeline_custom_config ?? settlePageModel(options),
    vlm_pipeline_model: null,
    vlm_pipeline_model_local: null,
    vlm_pipeline_model_api: null,
    pdf_heading_hierarchy_options: {
      ...options.pdf_heading_hierarchy_options,
      enabled: options.do_pdf_heading_hierarchy || options.pdf_heading_hierarchy_options.enabled,
    },
    include_images: options.include_images && !placeholder,
    include_page_images: options.include_page_images && !placeholder,
    page_range: [Math.trunc(options.page_range[0]), Math.trunc(options.page_range[1])],
  };
}

function getPictureModel({ picture_description_local: local, picture_description_api: api }: ConvertOptions) {
  if (local) {
    const { repo_id: repository, prompt, ...others } = local;
    return buildConfig(
      { engine_type: 'transformers' },
      { default_repo_id: repository, name: repository },
      prompt,
      others,
    );
  }
  if (!api) return null;
  const { url, headers, params, timeout, concurrency, prompt, ...others } = api;
  return buildConfig({ engine_type: 'api', url, headers, params, timeout, concurrency }, {}, prompt, others);
}

function settlePageModel({ vlm_pipeline_model_local: local, vlm_pipeline_model_api: api }: ConvertOptions) {
  if (local) {
    const { repo_id: repository, prompt, response_format: format, inference_framework: engine, ...others } = local;
    const model = { default_repo_id: repository, name: repository, response_format: format };
    return buildConfig({ engine_type: engine }, model, prompt, others);
  }
  if (!api) return null;
  const { url, headers, params, timeout, concurrency, prompt, response_format: format, ...others } = api;
  const engine = { engine_type: 'api', url, headers, params, timeout, concurrency } as const;
  return buildConfig(engine, { response_format: format }, prompt, others);
}

function findNamedPageModel({ vlm_pipeline_model: name }: ConvertOptions): string | null {
  const plain = name?.replace(/_(vllm|ollama|lmstudio)$/, '') ?? null;
  const renamed: Readonly<Record<string, string>> = { got_ocr_2: 'got_ocr', deepseekocr: 'deepseek_ocr' };
  return plain === null ? null : (renamed[plain] ?? plain);
}

function buildConfig(
  engine: NonNullable<ModelConfig['engine_options']>,
  model: Record<string, unknown>,
  prompt: string,
  others: Record<string, unknown>,
): ModelConfig {
  return { ...others, engine_options: engine, model_spec: { ...model, prompt }, prompt };
}
