import { Option } from 'commander';
import type { Config } from '../../model/config';
import type { ConvertOptions } from '../../model/conversion/request/options';
import { listWantedTasks } from '../../model/conversion/vision/vision-plan';
import { type VisionSettings, readVisionSettings } from '../../model/conversion/vision/vision-settings';
import { AppError } from '../../model/errors';
import { type PageFormat, pageFormats } from '../../model/page/vision';

/** Command-line options for vision models. */
export interface ModelOptions {
  pipeline: 'standard' | 'vlm';
  enrichCode?: boolean;
  enrichFormula?: boolean;
  enrichPictureClasses?: boolean;
  enrichPictureDescription?: boolean;
  enrichChartExtraction?: boolean;
  modelUrl?: string;
  modelName?: string;
  modelFormat?: PageFormat;
  speechUrl?: string;
  speechModel?: string;
}

/** The options of `docloom convert` for models. */
export function createModelOptions(): Option[] {
  return [
    new Option('--pipeline <name>', 'vlm: a vision model reads the pages of PDF and images')
      .choices(['standard', 'vlm'])
      .default('standard'),
    new Option('--enrich-code', 'read code and detect its language with a model'),
    new Option('--enrich-formula', 'read formulas as LaTeX with a model'),
    new Option('--enrich-picture-classes', 'classify pictures with a model'),
    new Option('--enrich-picture-description', 'describe pictures with a model'),
    new Option('--enrich-chart-extraction', 'extract the data of charts with a model'),
    new Option(
      '--model-url <address>',
      'chat completions of that model (default: DOCLOOM_VISION_URL); its key is DOCLOOM_VISION_API_KEY',
    ),
    new Option('--model-name <name>', 'the model, as its server names it (default: DOCLOOM_VISION_MODEL)'),
    new Option('--model-format <form>', 'format in which it writes pages (default: DOCLOOM_VISION_FORMAT)').choices(
      pageFormats,
    ),
    new Option(
      '--speech-url <address>',
      'transcriptions of a speech model, for audio and video (default: DOCLOOM_SPEECH_URL); its key is DOCLOOM_SPEECH_API_KEY',
    ),
    new Option('--speech-model <name>', 'the speech model, as its server names it (default: DOCLOOM_SPEECH_MODEL)'),
  ];
}

/** The members of a conversion request that these command-line options set. */
export function buildConversionOptions(options: ModelOptions): Partial<ConvertOptions> {
  return {
    pipeline: options.pipeline,
    do_code_enrichment: options.enrichCode ?? false,
    do_formula_enrichment: options.enrichFormula ?? false,
    do_picture_classification: options.enrichPictureClasses ?? false,
    do_picture_description: options.enrichPictureDescription ?? false,
    do_chart_extraction: options.enrichChartExtraction ?? false,
  };
}

/**
 * The model to use. Naming it on the command line also allows its address, so it may run on this machine. Throws
 * INVALID_CONFIGURATION when a model is needed and none is named.
 */
export function buildVisionSettings(
  convertOptions: ConvertOptions,
  options: ModelOptions,
  config: Config,
): VisionSettings {
  const { modelUrl, modelName, modelFormat, speechUrl, speechModel } = options;
  const settings = readVisionSettings({
    ...config,
    ...(modelUrl === undefined ? {} : { DOCLOOM_VISION_URL: modelUrl }),
    ...(modelName === undefined ? {} : { DOCLOOM_VISION_MODEL: modelName, DOCLOOM_VISION_MODELS: [] }),
    ...(modelFormat === undefined ? {} : { DOCLOOM_VISION_FORMAT: modelFormat }),
    ...(speechUrl === undefined ? {} : { DOCLOOM_SPEECH_URL: speechUrl }),
    ...(speechModel === undefined ? {} : { DOCLOOM_SPEECH_MODEL: speechModel }),
  });
  if (listWantedTasks(convertOptions).length > 0 && !settings.server)
    throw new AppError(
      'INVALID_CONFIGURATION',
      'No vision model is named: give --model-url, or set DOCLOOM_VISION_URL to the chat completions URL of one, such as http://127.0.0.1:8000/v1/chat/completions.',
    );
  return { ...settings, remoteServices: true };
}
