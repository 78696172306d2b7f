import type { DoclingDocument, NodeItem } from '../../document/model';
import { isGroup, isPicture } from '../../document/tree';
import { enrichDocument } from '../../formats/enrich/enrich';
import type { DrawnItems } from '../../formats/format';
import type { Transcribe } from '../../model/conversion/speech/speech';
import type { NetworkRules } from '../../model/network-rules';
import {
  type Enricher,
  type Enrichment,
  type EnrichmentPlan,
  type EnrichmentProblem,
  getModelName,
  type PageModel,
  type VisionEndpoint,
  type VisionPlan,
  type VisionQuestion,
} from '../../model/page/vision';
import { cropImage, prepareImage } from '../../services/image/model-images';
import { createSpeech, type Speech } from '../../services/llm/speech';
import { createVision, type Vision } from '../../services/llm/vision';

/** The work of vision models in one conversion. */
export interface VisionWork {
  /** Options for `convertBytes`. */
  reading: { pageModel?: PageModel; transcribe?: Transcribe };
  /** Page options for `convertBytes`: images of items are kept for `enrich`. */
  drawing: { drawn?: DrawnItems };
  /** Call it after the document is read. It changes the document. */
  enrich: (document: DoclingDocument) => Promise<EnrichmentProblem[]>;
}

let cached: { key: string; vision: Vision; speech: Speech } | undefined;

/** Returns the connections of this thread. They are kept for the next document with the same network rules. */
function openModels(network: NetworkRules): { vision: Vision; speech: Speech } {
  const key = JSON.stringify(network);
  if (cached?.key !== key) {
    cached?.vision.close();
    cached?.speech.close();
    cached = { key, vision: createVision(network), speech: createSpeech(network) };
  }
  return cached;
}

/** Requests need no signal of their own: they end when the pool ends the thread. */
const neverAborted = new AbortController().signal;

/** Returns the models of a plan. `keepsPictures` cuts pictures out of pages that a model reads. */
export function openVision(plan: VisionPlan, { keepsPictures }: { keepsPictures: boolean }): VisionWork {
  const { pages, speech: hearing } = plan;
  const { vision, speech } = openModels(plan.network);
  const ask = async (endpoint: VisionEndpoint, question: VisionQuestion) => {
    const image = question.image && (await prepareImage(question.image));
    return vision.ask(endpoint, { prompt: question.prompt, ...(image ? { image } : {}) }, neverAborted);
  };
  const images = new Map<string, Uint8Array>();
  const wantedLabels = listLabels(plan, keepsPictures);
  return {
    reading: {
      ...(pages ? { pageModel: createPageModel(pages, ask) } : {}),
      ...(hearing ? { transcribe: (recording) => speech.transcribe(hearing, recording, neverAborted) } : {}),
    },
    drawing: wantedLabels.size > 0 ? { drawn: drawItems(plan, wantedLabels, images) } : {},
    async enrich(document) {
      if (pages && keepsPictures) keepPictures(document, images);
      const enrichers = Object.fromEntries(
        Object.entries(plan.enrichments).map(([name, enrichmentPlan]) => [name, createEnricher(enrichmentPlan, ask)]),
      ) as Partial<Record<Enrichment, Enricher>>;
      const getImage = (item: NodeItem) =>
        pages && isUnplaced(document, item) ? undefined : findImage(item, images.get(item.self_ref));
      return enrichDocument(document, enrichers, getImage);
    },
  };
}

type Ask = (endpoint: VisionEndpoint, question: VisionQuestion) => ReturnType<Vision['ask']>;

function createPageModel({ endpoint, prompt, scale, format }: NonNullable<VisionPlan['pages']>, ask: Ask): PageModel {
  return {
    format,
    scale,
    concurrency: endpoint.concurrency,
    ask: ({ png }) => ask(endpoint, { prompt, image: { bytes: png, mimetype: 'image/png' } }),
  };
}

function createEnricher({ endpoint, scale: _scale, ...plan }: EnrichmentPlan, ask: Ask): Enricher {
  return {
    ...plan,
    modelName: getModelName(endpoint),
    concurrency: endpoint.concurrency,
    ask: (question) => ask(endpoint, question),
  };
}

/** Returns the labels of items to draw, because items of pages have no image data. */
function listLabels({ pages, enrichments }: VisionPlan, keepsPictures: boolean): ReadonlySet<string> {
  const { code, formulas, description, classification, charts } = enrichments;
  const isAboutPictures = description || classification || charts || (pages && keepsPictures);
  return new Set([
    ...(isAboutPictures ? ['picture', 'chart'] : []),
    ...(code ? ['code'] : []),
    ...(formulas ? ['formula'] : []),
  ]);
}

function drawItems(plan: VisionPlan, labels: ReadonlySet<string>, images: Map<string, Uint8Array>): DrawnItems {
  const scales = Object.values(plan.enrichments).map(({ scale }) => scale);
  return {
    labels,
    scale: Math.max(...scales, scales.length === 0 ? 2 : 0),
    crop: cropImage,
    take: (ref, png) => void images.set(ref, png),
  };
}

/** Adds pictures to image files, whose reader does not cut them out. */
function keepPictures(document: DoclingDocument, images: ReadonlyMap<string, Uint8Array>): void {
  for (const picture of document.pictures) {
    const png = picture.image || isUnplaced(document, picture) ? undefined : images.get(picture.self_ref);
    if (!png) continue;
    // The header of a PNG file has the width at byte 16 and the height at byte 20.
    const size = { width: Buffer.from(png).readUInt32BE(16), height: Buffer.from(png).readUInt32BE(20) };
    const uri = `data:image/png;base64,${Buffer.from(png).toString('base64')}`;
    picture.image = { mimetype: 'image/png', dpi: 72, size, uri };
  }
}

/** True if only the page of an item is known, because a model returned it without a position. */
function isUnplaced({ pages }: DoclingDocument, item: NodeItem): boolean {
  const place = isGroup(item) ? undefined : item.prov[0];
  const size = pages[String(place?.page_no)]?.size;
  if (!place || !size) return false;
  const { l, t, r, b } = place.bbox;
  return Math.abs(r - l) >= size.width && Math.abs(b - t) >= size.height;
}

function findImage(item: NodeItem, drawn: Uint8Array | undefined): VisionQuestion['image'] {
  if (drawn) return { bytes: drawn, mimetype: 'image/png' };
  const uri = isPicture(item) ? item.image?.uri : undefined;
  const [head, mimetype] = /^data:([^;,]+)[^,]*;base64,/.exec(uri ?? '') ?? [];
  if (uri === undefined || head === undefined || mimetype === undefined) return undefined;
  return { bytes: Buffer.from(uri.slice(head.length), 'base64'), mimetype };
}
