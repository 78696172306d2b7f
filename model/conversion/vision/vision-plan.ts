import { AppError } from '../../errors';
import {
  type Enrichment,
  type EnrichmentPlan,
  type PageFormat,
  pageFormatsByName,
  type VisionEndpoint,
  type VisionPlan,
} from '../../page/vision';
import type { ConvertOptions } from '../request/options';
import { isRemote, type ModelConfig } from './model-configs';
import { findEndpoint, hasModel, getMember } from './vision-endpoint';
import { codeFormulaPrompts, enrichmentPrompts, pagePrompts } from './vision-prompts';
import type { ServerModel, VisionSettings, VisionTask } from './vision-settings';

/** The options that request vision models. */
export type VisionOptions = Pick<
  ConvertOptions,
  | 'pipeline'
  | 'do_code_enrichment'
  | 'do_formula_enrichment'
  | 'do_picture_classification'
  | 'do_chart_extraction'
  | 'do_picture_description'
  | 'picture_description_area_threshold'
  | 'picture_description_custom_config'
  | 'picture_classification_custom_config'
  | 'chart_extraction_custom_config'
  | 'code_formula_preset'
  | 'code_formula_custom_config'
  | 'vlm_pipeline_custom_config'
>;

/** A requested task, the option that requests it, and the custom model configuration if there is one. */
export interface WantedTask {
  task: VisionTask;
  option: string;
  config: ModelConfig | null;
}

/** The tasks that the options request. */
export function listWantedTasks(options: VisionOptions): WantedTask[] {
  const { code_formula_custom_config: code } = options;
  return [
    {
      task: 'pages',
      option: 'pipeline',
      config: options.vlm_pipeline_custom_config,
      isWanted: options.pipeline === 'vlm',
    },
    {
      task: 'classification',
      option: 'do_picture_classification',
      config: options.picture_classification_custom_config,
      isWanted: options.do_picture_classification,
    },
    {
      task: 'charts',
      option: 'do_chart_extraction',
      config: options.chart_extraction_custom_config,
      isWanted: options.do_chart_extraction,
    },
    {
      task: 'description',
      option: 'do_picture_description',
      config: options.picture_description_custom_config,
      isWanted: options.do_picture_description,
    },
    {
      task: 'code',
      option: 'do_code_enrichment',
      config: code,
      isWanted: options.do_code_enrichment && getMember(code, 'extract_code') !== false,
    },
    {
      task: 'formulas',
      option: 'do_formula_enrichment',
      config: code,
      isWanted: options.do_formula_enrichment && getMember(code, 'extract_formulas') !== false,
    },
  ].flatMap(({ isWanted, task, ...request }) => (isWanted ? [{ task: task as VisionTask, ...request }] : []));
}

/**
 * The models to call; undefined when there are none. Enrichments without a model are left out, which the reply to the request
 * mentions. Page conversion without a model throws CONVERSION_FAILED, also when remote services are off.
 */
export function findVisionPlan(options: VisionOptions, settings: VisionSettings): VisionPlan | undefined {
  const plan: VisionPlan = { enrichments: {}, network: settings.network };
  for (const { task, config } of listWantedTasks(options)) {
    if (!settings.remoteServices && (isRemote(config) || task === 'pages'))
      throw new AppError(
        'CONVERSION_FAILED',
        'Models on other servers are not allowed here (CONVERT_SERVE_ENABLE_REMOTE_SERVICES).',
      );
    const endpoint =
      settings.remoteServices && hasModel(config, settings) ? findEndpoint(task, config, settings) : undefined;
    if (task === 'pages') {
      if (!endpoint) throw new AppError('CONVERSION_FAILED', "The pipeline 'vlm' has no model that sees pages.");
      const format = getFormat(config, settings.server);
      plan.pages = {
        endpoint,
        format,
        scale: computeScale(config),
        prompt: getPrompt(config, pagePrompts[format], format),
      };
    } else if (endpoint) plan.enrichments[task] = buildEnrichmentPlan(task, endpoint, options, config);
  }
  return plan.pages || Object.keys(plan.enrichments).length > 0 ? plan : undefined;
}

function buildEnrichmentPlan(
  task: Enrichment,
  endpoint: VisionEndpoint,
  options: VisionOptions,
  config: ModelConfig | null,
): EnrichmentPlan {
  const preset = codeFormulaPrompts[options.code_formula_preset ?? ''];
  const defaultPrompt =
    (task === 'code' || task === 'formulas' ? preset?.[task] : undefined) ?? enrichmentPrompts[task];
  const plan = { endpoint, scale: computeScale(config), prompt: getPrompt(config, defaultPrompt) };
  if (task !== 'description') return plan;
  const readList = (name: string) => {
    const value = getMember(config, name);
    return Array.isArray(value) ? value.map(String) : null;
  };
  const minConfidence = Number(getMember(config, 'classification_min_confidence') ?? 0);
  return {
    ...plan,
    areaThreshold: Number(getMember(config, 'picture_area_threshold') ?? options.picture_description_area_threshold),
    allow: readList('classification_allow'),
    deny: readList('classification_deny'),
    minConfidence: Number.isFinite(minConfidence) ? minConfidence : 0,
  };
}

/** Pixels per point of a page. Smaller scales show nothing; larger ones need more pixels than are rendered. */
const [minScale, defaultScale, maxScale] = [0.1, 2, 8];

function computeScale(config: ModelConfig | null): number {
  const scale = Number(getMember(config, 'scale') ?? defaultScale);
  return Number.isFinite(scale) ? Math.min(Math.max(scale, minScale), maxScale) : defaultScale;
}

function getPrompt(config: ModelConfig | null, defaultPrompt: string, format?: PageFormat): string {
  const prompt = config?.prompt ?? config?.model_spec?.['prompt'];
  if (typeof prompt !== 'string' || prompt === '') return defaultPrompt;
  // Default values ask for DocTags, even when the request wants another format.
  return format !== undefined && format !== 'doctags' && prompt === pagePrompts.doctags ? defaultPrompt : prompt;
}

function getFormat(config: ModelConfig | null, server: ServerModel | undefined): PageFormat {
  const input = config?.model_spec?.['response_format'];
  const pageFormat = typeof input === 'string' ? pageFormatsByName[input] : undefined;
  return pageFormat ?? (isRemote(config) ? 'doctags' : (server?.format ?? 'doctags'));
}
