import type { Config } from '../../config';
import { AppError } from '../../errors';
import { type NetworkRules, networkRules } from '../../network-rules';
import { type Enrichment, enrichments, type PageFormat } from '../../page/vision';

/** What is done by a model: pages, or one of the enrichments. */
export type VisionTask = 'pages' | Enrichment;
/** Every task, as settings name them. */
export const visionTasks: readonly VisionTask[] = ['pages', ...enrichments];

/** The model of the server's own settings. */
export interface ServerModel {
  url: string;
  apiKey?: string;
  /** By task; undefined for the model that the server has anyway. */
  modelOf: (task: VisionTask) => string | undefined;
  format: PageFormat;
  timeoutMs: number;
  concurrency: number;
}

/** What the operator of a server has set about models that see images. */
export interface VisionSettings {
  /** Whether conversions may ask models on other servers at all. */
  remoteServices: boolean;
  server?: ServerModel;
  /** Whom requests may name. */
  network: NetworkRules;
}

/** The settings as the environment has them. */
export function visionSettings(config: Config): VisionSettings {
  const named = new Map(config.DOCLOOM_VISION_MODELS.map((entry) => splitAt(entry, '=')));
  const url = config.DOCLOOM_VISION_URL;
  const server: ServerModel | undefined = url
    ? {
        url,
        ...(config.DOCLOOM_VISION_API_KEY ? { apiKey: config.DOCLOOM_VISION_API_KEY } : {}),
        modelOf: (task) => named.get(task) ?? config.DOCLOOM_VISION_MODEL,
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
    network: networkRules(config),
  };
}

function splitAt(entry: string, sign: string): [string, string] {
  const at = entry.indexOf(sign);
  return at < 0 ? [entry.trim(), ''] : [entry.slice(0, at).trim(), entry.slice(at + 1).trim()];
}
