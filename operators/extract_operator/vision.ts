import { buildDefaultConvertOptions } from '../../model/conversion/request/options';
import type { ModelConfig } from '../../model/conversion/vision/model-configs';
import type { VisionOptions } from '../../model/conversion/vision/vision-plan';
import type { RemoteConversion, VisionModel } from '../../model/page/remote-conversion';

/** The options for vision models in the built-in engine; undefined when the settings request nothing. */
export function findVisionOptions(settings: RemoteConversion): VisionOptions | undefined {
  const flags = {
    do_code_enrichment: settings.do_code_enrichment ?? false,
    do_formula_enrichment: settings.do_formula_enrichment ?? false,
    do_picture_classification: settings.do_picture_classification ?? false,
    do_picture_description: settings.do_picture_description ?? false,
    do_chart_extraction: settings.do_chart_extraction ?? false,
  };
  const isByModel =
    settings.pipeline === 'vlm' || (settings.pipeline === undefined && settings.vlm_pipeline !== undefined);
  if (!isByModel && !Object.values(flags).includes(true)) return undefined;
  const { prompt, ...enriching } = buildModel(settings.vlm_pipeline ?? {});
  return {
    ...buildDefaultConvertOptions(),
    ...flags,
    pipeline: isByModel ? 'vlm' : 'standard',
    picture_description_area_threshold: settings.picture_description_area_threshold ?? 0.05,
    // The prompt is for pages only; items have better built-in prompts.
    vlm_pipeline_custom_config: { ...enriching, ...(prompt === undefined ? {} : { prompt }) },
    picture_description_custom_config: enriching,
    picture_classification_custom_config: enriching,
    chart_extraction_custom_config: enriching,
    code_formula_custom_config: enriching,
  };
}

function buildModel({
  engine,
  engine_options: engineOptions,
  response_format,
  prompt,
  scale,
}: VisionModel): ModelConfig {
  const type = (engine ?? (engineOptions?.url === undefined ? 'auto_inline' : 'api')) as 'api';
  const { api_key: key, headers, ...options } = (engineOptions ?? {}) as Record<string, unknown>;
  const sent = {
    ...(typeof headers === 'object' && headers !== null ? (headers as Record<string, string>) : {}),
    ...(typeof key === 'string' && key !== '' ? { Authorization: `Bearer ${key}` } : {}),
  };
  return {
    engine_options: { ...options, engine_type: type, headers: sent },
    ...(response_format === undefined ? {} : { model_spec: { response_format } }),
    ...(prompt === undefined ? {} : { prompt }),
    ...(scale === undefined ? {} : { scale }),
  };
}
