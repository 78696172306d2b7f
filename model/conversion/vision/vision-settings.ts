import type { Config } from '../../config';
import { AppError } from '../../errors';
import { type NetworkRules, buildNetworkRules } from '../../network-rules';
import { type Enrichment, enrichments, type PageFormat } from '../../page/vision';
import { type SpeechEndpoint, findSpeechEndpoint } from '../speech/speech';

/** A task for a model: page conversion or one of the enrichments. */
export type VisionTask = 'pages' | Enrichment;
/** All tasks, as named in settings. */
export const visionTasks: readonly VisionTask[] = ['pages', ...enrichments];

/** The model from the server's own settings. */
export interface ServerModel {
  url: string;
  apiKey?: string;
  /** The model name for a task; undefined means the server's default model. */
  findModel: (task: VisionTask) => string | undefined;
  format: PageFormat;
  timeoutMs: number;
  concurrency: number;
}

/** The operator's settings for vision models. */
export interface VisionSettings {
  /** True when conversions may call models on other servers at all. */
  remoteServices: boolean;
  server?: ServerModel;
  /** The speech model of the server. */
  speech?: SpeechEndpoint;
  /** The hosts that requests may name. */
  network: NetworkRules;
}

/** Reads the vision settings from the configuration. */
export function readVisionSettings(config: Config): VisionSettings {
  const named = new Map(config.DOCLOOM_VISION_MODELS.map((entry) => splitAt(entry, '=')));
  const speech = findSpeechEndpoint(config);
  const url = config.DOCLOOM_VISION_URL;
  const server: ServerModel | undefined = url
    ? {
        url,
        ...(config.DOCLOOM_VISION_API_KEY ? { apiKey: config.DOCLOOM_VISION_API_KEY } : {}),
        findModel: (task) => named.get(task) ?? config.DOCLOOM_VISION_MODEL,
        format: config.DOCLOOM_VISION_FORMAT as PageFormat,
        timeoutMs: config.DOCLOOM_VISION_SECONDS * 1_000,
        concurrency: config.DOCLOOM_VISION_CONCURRENCY,
      }
    : undefined;
  const unknown = [...named.keys()].find((task) => !visionTasks.includes(task as VisionTask));
  if (unknown !== undefined)
    throw new AppError(
      'INVALID_CONFIGURATION',
      `DOCLOOM_VISION_MODELS names a model for '${unknown}'; it may be for ${visionTasks.join(', ')}, as in description=a-model.`,
    );
  return {
    remoteServices: config.CONVERT_SERVE_ENABLE_REMOTE_SERVICES,
    ...(server ? { server } : {}),
    ...(speech ? { speech } : {}),
    network: buildNetworkRules(config),
  };
}

function splitAt(entry: string, sign: string): [string, string] {
  const at = entry.indexOf(sign);
  return at < 0 ? [entry.trim(), ''] : [entry.slice(0, at).trim(), entry.slice(at + 1).trim()];
}
