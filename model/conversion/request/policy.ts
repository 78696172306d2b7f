import { pageFormatsByName } from '../../page/vision';
import { isRemote } from '../vision/model-configs';
import { type WantedTask, listWantedTasks } from '../vision/vision-plan';
import type { VisionTask } from '../vision/vision-settings';
import type { ConvertOptions } from './options';
import {
  chartExtractionPresets,
  codeFormulaPresets,
  layoutPresets,
  ocrPresets,
  pictureClassificationPresets,
  pictureDescriptionPresets,
  tableStructurePresets,
  vlmPipelinePresets,
} from './presets';
import { bucketKinds, isBucket } from './sources';

/** The kinds of sources that this server can read. */
const builtInSources = ['file', 'http', ...bucketKinds] as const;
/** The kinds of targets that this server can write. */
const builtInTargets = ['inbody', 'presigned_url', 'put', 'zip', ...bucketKinds] as const;

/** Limits set by the operator of the server. Empty lists allow everything that is built in. */
export interface Policy {
  maxDocumentTimeoutSeconds: number;
  maxImagesScale: number;
  maxSources: number;
  ocrPresets: readonly string[];
  imageExportModes: readonly string[];
  sourceKinds: readonly string[];
  targetKinds: readonly string[];
  remoteServices: boolean;
  /**
   * Stages that accept a custom model configuration: vlm, picture_description, code_formula, table_structure, layout,
   * picture_classification, chart_extraction, ocr.
   */
  customConfigs: ReadonlySet<string>;
  /** True when the server has its own bucket for results. */
  artifactStorage: boolean;
  /** Tasks for which the server has its own model, so that requests need not name one. */
  models: ReadonlySet<VisionTask>;
  /** True when the server has a speech model, which `pipeline` asr requires. */
  hasSpeech?: boolean;
}

/** The part of the policy that applies to options. */
export type OptionPolicy = Omit<Policy, 'artifactStorage'>;

/** Maximum number of sources for requests that the operator's limit does not cover. */
const minSourcesLimit = 1_000;

/** The highest number of sources any request may have. Parsers can stop storing sources beyond it. */
export function computeSourcesLimit({ maxSources }: Pick<Policy, 'maxSources'>): number {
  return Math.max(maxSources, minSourcesLimit);
}

/** The parts of a request that the policy checks. */
export interface PolicyRequest {
  options: ConvertOptions;
  sources: readonly { kind: string }[];
  target: string;
  /** The word for sources in messages. */
  counted: 'sources' | 'files';
  isChunking?: boolean;
}

/** All reasons why the policy rejects a request, in the wording that clients expect; undefined when it is allowed. */
export function findRefusal(request: PolicyRequest, policy: Policy): string | undefined {
  const reasons = findReasons(request, policy);
  return reasons.length > 0 ? reasons.join(' ') : undefined;
}

/** The reasons why the policy refuses these options, whatever the sources and the target of the request. */
export function findOptionRefusals(options: ConvertOptions, policy: OptionPolicy): string[] {
  const request: PolicyRequest = { options, sources: [], target: 'inbody', counted: 'sources' };
  return findReasons(request, { ...policy, targetKinds: [], artifactStorage: false });
}

function findReasons(request: PolicyRequest, policy: Policy): string[] {
  return [...new Set(checks.flatMap((check) => check(request, policy) ?? []))];
}

type PolicyCheck = (request: PolicyRequest, policy: Policy) => string | readonly string[] | undefined;

// The order is part of the contract: clients compare the beginning of the text.
const checks: readonly PolicyCheck[] = [
  ({ options: { document_timeout: seconds } }, { maxDocumentTimeoutSeconds: maxTimeout }) => {
    if (seconds === null) return undefined;
    if (seconds <= 0) return 'document_timeout must be greater than 0.';
    return seconds > maxTimeout
      ? `document_timeout exceeds the configured maximum of ${formatDecimal(maxTimeout)} seconds.`
      : undefined;
  },
  ({ options: { images_scale: scale } }, { maxImagesScale: maxScale }) => {
    if (scale <= 0) return 'images_scale must be greater than 0.';
    return scale > maxScale ? `images_scale exceeds the configured maximum of ${formatDecimal(maxScale)}.` : undefined;
  },
  ({ options }, policy) => describeNotAmong('ocr_preset', options.ocr_preset, policy.ocrPresets, ocrPresets),
  ({ options }, policy) =>
    describeNotAmong('image_export_mode', options.image_export_mode, policy.imageExportModes, [
      'embedded',
      'placeholder',
      'referenced',
    ]),
  ({ options }, { customConfigs }) =>
    options.vlm_pipeline_custom_config !== null &&
    !isRemote(options.vlm_pipeline_custom_config) &&
    !customConfigs.has('vlm')
      ? 'Custom VLM configuration is disabled by server policy.'
      : undefined,
  ({ sources }, policy) =>
    sources.flatMap(
      ({ kind }) => describeNotAmong('source kind', kind, addBuiltIn(policy.sourceKinds), builtInSources) ?? [],
    ),
  ({ target }, policy) => describeNotAmong('target kind', target, policy.targetKinds, builtInTargets),
  ({ sources, counted, isChunking }, policy) => {
    const maxSources = isChunking ? computeSourcesLimit(policy) : policy.maxSources;
    return sources.length > maxSources
      ? `Too many ${counted}: ${sources.length} exceeds the maximum of ${maxSources}.`
      : undefined;
  },
  ({ target, isChunking }) =>
    isChunking && target === 'presigned_url' ? 'presigned_url target is not supported for chunk endpoints.' : undefined,
  ({ target, isChunking }, { artifactStorage }) =>
    target === 'presigned_url' && !isChunking && !artifactStorage
      ? 'Presigned URL target requires artifact storage to be configured and enabled on the server.'
      : undefined,
  ({ sources, target }) => {
    const expandable = [...new Set(sources.filter(isBucket).map(({ kind }) => kind))];
    if (expandable.length === 0 || !['inbody', 'zip', 'put'].includes(target)) return undefined;
    return `sources of kind ['${expandable.join("', '")}'] can expand into multiple documents and require a storage target with artifact result mode; got target kind '${target}'.`;
  },
  ({ options: { pipeline } }, { hasSpeech = false }) =>
    pipeline === 'legacy' || (pipeline === 'asr' && !hasSpeech)
      ? `pipeline '${pipeline}' is not implemented. Allowed values: [${hasSpeech ? "'asr', " : ''}'native', 'standard', 'vlm'].`
      : undefined,
  ({ options }) =>
    listPresets(options).flatMap(([name, input, presetNames]) =>
      input === null ? [] : (describeNotAmong(name, input, [], presetNames) ?? []),
    ),
  ({ options }, policy) => listModelRefusals(options, policy),
];

function listPresets(options: ConvertOptions): [name: string, given: string | null, known: readonly string[]][] {
  return [
    ['table_structure_preset', options.table_structure_preset, tableStructurePresets],
    ['layout_preset', options.layout_preset, layoutPresets],
    ['picture_description_preset', options.picture_description_preset, pictureDescriptionPresets],
    ['picture_classification_preset', options.picture_classification_preset, pictureClassificationPresets],
    ['chart_extraction_preset', options.chart_extraction_preset, chartExtractionPresets],
    ['code_formula_preset', options.code_formula_preset, codeFormulaPresets],
    ['vlm_pipeline_preset', options.vlm_pipeline_preset, vlmPipelinePresets],
  ];
}

const remoteRefusal =
  'Remote services are disabled on this server; its operator can allow them with CONVERT_SERVE_ENABLE_REMOTE_SERVICES=true.';

function listModelRefusals(options: ConvertOptions, policy: Policy): string[] {
  const { remoteServices, customConfigs } = policy;
  const models = [
    ['picture_description', options.picture_description_custom_config, 'Picture description'],
    ['code_formula', options.code_formula_custom_config, 'Code and formula'],
    ['picture_classification', options.picture_classification_custom_config, 'Picture classification'],
    ['vlm', options.vlm_pipeline_custom_config, 'VLM'],
    ['chart_extraction', options.chart_extraction_custom_config, 'Chart extraction'],
  ] as const;
  const usesRemote = models.some(([, config]) => isRemote(config)) && !remoteServices;
  const configurations = [
    // Remote models have a separate setting, for remote services.
    ...models.filter(([, config]) => !isRemote(config)),
    ['table_structure', options.table_structure_custom_config, 'Table structure'],
    ['layout', options.layout_custom_config, 'Layout'],
    ['ocr', options.ocr_custom_config, 'OCR'],
  ] as const;
  const forbidden = configurations.filter(([stage, config]) => config !== null && !customConfigs.has(stage));
  const reasons = [
    ...(usesRemote ? [remoteRefusal] : []),
    ...forbidden.map(([, , name]) => `Custom ${name} configuration is disabled by server policy.`),
  ];
  // A model whose configuration is forbidden needs no second reason.
  return reasons.length > 0
    ? reasons
    : listWantedTasks(options).flatMap((feature) => findTaskRefusal(feature, policy) ?? []);
}

/** Why a requested model cannot be used. `listIdleOptions` reports enrichments that are merely ignored. */
function findTaskRefusal({ task, option, config }: WantedTask, { models }: Policy): string | undefined {
  const engine = config?.engine_options?.engine_type;
  if (engine !== undefined && engine !== 'auto_inline' && !isRemote(config))
    return `The model of ${option} cannot be run inside this server (engine_type '${engine}'); name one that is called over the network, such as engine_type 'api' with its url.`;
  const form = config?.model_spec?.['response_format'];
  if (task === 'pages' && typeof form === 'string' && !(form in pageFormatsByName))
    return `response_format '${form}' cannot be read here. Allowed values: ['${Object.keys(pageFormatsByName).toSorted().join("', '")}'].`;
  if (isRemote(config) || models.has(task)) return undefined;
  if (task === 'pages') return "pipeline 'vlm' is not available: this server has no model that sees pages.";
  return undefined;
}

/** Options that request a model the server does not have. The request is accepted and these options are ignored. */
export function listIdleOptions(options: ConvertOptions, { models }: Pick<Policy, 'models'>): string[] {
  return listWantedTasks(options).flatMap(({ task, option, config }) =>
    isRemote(config) || models.has(task) ? [] : [option],
  );
}

function describeNotAmong(
  what: string,
  input: string,
  allowed: readonly string[],
  builtIn: readonly string[],
): string | undefined {
  const values = allowed.length > 0 ? allowed : builtIn;
  if (values.includes(input)) return undefined;
  const list = values.toSorted().map((value) => `'${value}'`);
  return `${what} '${input}' is not allowed. Allowed values: [${list.join(', ')}].`;
}

/** Files and addresses are always allowed as sources; the operator's list restricts the other kinds. */
function addBuiltIn(kinds: readonly string[]): readonly string[] {
  return kinds.length === 0 ? [] : [...new Set(['file', 'http', ...kinds])];
}

/** Formats a number as Python prints a float, because clients know the messages in that form. */
function formatDecimal(value: number): string {
  return Number.isInteger(value) ? `${value}.0` : String(value);
}
