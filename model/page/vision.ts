import type { NetworkRules } from '../network-rules';

/** Connection to a vision model: the address of its chat completions (OpenAI protocol) and request settings. Contains keys. */
export interface VisionEndpoint {
  url: string;
  headers: Readonly<Record<string, string>>;
  /** Members of the request body, such as `model`, `max_tokens` and `temperature`. */
  params: Readonly<Record<string, unknown>>;
  timeoutMs: number;
  /** Maximum number of concurrent requests per document. */
  concurrency: number;
  /** True when the address comes from the server's settings, which skip the address guard. */
  isConfigured: boolean;
}

/** A question for a vision model. Images are PNG, JPEG, GIF or WEBP. */
export interface VisionQuestion {
  prompt: string;
  image?: { bytes: Uint8Array; mimetype: string };
}

/** The answer of a vision model. */
export interface VisionAnswer {
  text: string;
  /** True when the answer stopped at its length limit. */
  isTruncated: boolean;
}

/** Formats in which a model can write a page. */
export const pageFormats = ['doctags', 'doclang', 'otsl', 'markdown', 'html', 'plaintext'] as const;
export type PageFormat = (typeof pageFormats)[number];

/** Maps the answer formats that requests may name to formats that this server can read; others cannot be read. */
export const pageFormatsByName: Readonly<Record<string, PageFormat>> = {
  doctags: 'doctags',
  doclang: 'doclang',
  otsl: 'otsl',
  markdown: 'markdown',
  deepseekocr_markdown: 'markdown',
  unlimited_ocr_markdown: 'markdown',
  html: 'html',
  chandra_html: 'html',
  plaintext: 'plaintext',
};

/** A page model: converts the image of a page to text. */
export interface PageModel {
  format: PageFormat;
  /** Scale of rendered page images; 1 is 72 dpi. */
  scale: number;
  concurrency: number;
  ask: (page: { png: Uint8Array; pageNo: number }) => Promise<VisionAnswer>;
}

/** Enrichments that models add to a converted document. */
export const enrichments = ['classification', 'charts', 'description', 'code', 'formulas'] as const;
export type Enrichment = (typeof enrichments)[number];

/** A requested enrichment. */
export interface EnrichmentPlan {
  endpoint: VisionEndpoint;
  prompt: string;
  /** Scale of rendered images; 1 is 72 dpi. */
  scale: number;
  /** For descriptions: minimum size of a picture, as a share of its page. */
  areaThreshold?: number;
  /** For descriptions: picture classes to include or exclude. Classes below `minConfidence` are ignored. */
  allow?: readonly string[] | null;
  deny?: readonly string[] | null;
  minConfidence?: number;
}

/** Runs one enrichment. */
export interface Enricher extends Omit<EnrichmentPlan, 'endpoint' | 'scale'> {
  /** Recorded in the document as the origin of the answer. */
  modelName: string;
  concurrency: number;
  ask: (question: VisionQuestion) => Promise<VisionAnswer>;
}

/** An item for which the model returned no usable answer. */
export interface EnrichmentProblem {
  enrichment: Enrichment;
  pageNo: number | null;
  /** Includes the name of the item. */
  message: string;
}

/** The models that a conversion uses. Passed only to a conversion thread, because it contains keys. */
export interface VisionPlan {
  /** Converts pages of PDF files and images instead of the format readers. */
  pages?: { endpoint: VisionEndpoint; prompt: string; scale: number; format: PageFormat };
  enrichments: Partial<Record<Enrichment, EnrichmentPlan>>;
  /** Transcribes audio and video; its address is that of transcriptions. */
  speech?: VisionEndpoint;
  /** The hosts that models named in requests may have. */
  network: NetworkRules;
}

/** The name of a model in documents: the `model` parameter, else its host. */
export function getModelName({ url, params }: Pick<VisionEndpoint, 'url' | 'params'>): string {
  const { model } = params;
  if (typeof model === 'string' && model !== '') return model;
  return URL.canParse(url) ? new URL(url).host : 'model';
}
