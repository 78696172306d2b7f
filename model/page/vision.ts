import type { NetworkRules } from '../network-rules';

/** A model that is shown images: where its chat completions are (OpenAI protocol), and how it is asked. Holds keys. */
export interface VisionEndpoint {
  url: string;
  headers: Readonly<Record<string, string>>;
  /** Members of the request's body, such as `model`, `max_tokens` and `temperature`. */
  params: Readonly<Record<string, unknown>>;
  timeoutMs: number;
  /** Requests at a time, for one document. */
  concurrency: number;
  /** True where the address is a setting of the server, which need not pass the address guard. */
  isConfigured: boolean;
}

/** What a model is asked. Images are PNG, JPEG, GIF or WEBP. */
export interface VisionQuestion {
  prompt: string;
  image?: { bytes: Uint8Array; mimetype: string };
}

/** What a model said. */
export interface VisionAnswer {
  text: string;
  /** It stopped at the limit of its answer. */
  isTruncated: boolean;
}

/** How a model writes a page. */
export const pageFormats = ['doctags', 'doclang', 'otsl', 'markdown', 'html', 'plaintext'] as const;
export type PageFormat = (typeof pageFormats)[number];

/** The forms of answers that a request may name, as they are read here; others cannot be read. */
export const pageFormatOf: Readonly<Record<string, PageFormat>> = {
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

/** A reader of pages that is a model: it is shown the image of a page and writes it down. */
export interface PageModel {
  format: PageFormat;
  /** Of the images of pages that are drawn; 1 is 72 dots an inch. */
  scale: number;
  concurrency: number;
  ask: (page: { png: Uint8Array; pageNo: number }) => Promise<VisionAnswer>;
}

/** What models add to a document that was read. */
export const enrichments = ['classification', 'charts', 'description', 'code', 'formulas'] as const;
export type Enrichment = (typeof enrichments)[number];

/** One of them, as it is asked for. */
export interface EnrichmentPlan {
  endpoint: VisionEndpoint;
  prompt: string;
  /** Of images that are drawn for it; 1 is 72 dots an inch. */
  scale: number;
  /** Descriptions: smallest share of its page that a picture has. */
  areaThreshold?: number;
  /** Descriptions: kinds of pictures that are described, or not; a kind that is less sure than `minConfidence` is none. */
  allow?: readonly string[] | null;
  deny?: readonly string[] | null;
  minConfidence?: number;
}

/** What asks for one of them. */
export interface Enricher extends Omit<EnrichmentPlan, 'endpoint' | 'scale'> {
  /** Stands in the document as the origin of what the model said. */
  modelName: string;
  concurrency: number;
  ask: (question: VisionQuestion) => Promise<VisionAnswer>;
}

/** An item for which a model gave nothing that can be used. */
export interface EnrichmentProblem {
  enrichment: Enrichment;
  pageNo: number | null;
  /** Names the item. */
  message: string;
}

/** The models that a conversion asks. Crosses into a conversion thread, and goes nowhere else, since it holds keys. */
export interface VisionPlan {
  /** Reads pages of PDF and images instead of the readers of formats. */
  pages?: { endpoint: VisionEndpoint; prompt: string; scale: number; format: PageFormat };
  enrichments: Partial<Record<Enrichment, EnrichmentPlan>>;
  /** Whom models that requests name may be. */
  network: NetworkRules;
}

/** What a model is called in documents: the name that it is asked by, else its host. */
export function modelNameOf({ url, params }: Pick<VisionEndpoint, 'url' | 'params'>): string {
  const { model } = params;
  if (typeof model === 'string' && model !== '') return model;
  return URL.canParse(url) ? new URL(url).host : 'model';
}
