import { findMainClass, getMeta } from '../../document/meta';
import type { DoclingDocument, PictureItem } from '../../document/model';
import { toTopLeft } from '../../document/pages';
import { chartClasses } from '../../model/page/picture-classes';
import type { Enricher } from '../../model/page/vision';
import { parseChart, isNoChart, readPredictions } from './answers';
import { createAnswerError, type Asking } from './asking';

/** Classifies a picture. A picture whose file already contains its class is skipped. */
export const classify: Asking<PictureItem> = {
  question: (picture, { prompt }, image) =>
    image && findMainClass(getMeta(picture)) === undefined ? { prompt, image } : undefined,
  apply(picture, answer, { modelName }) {
    const predictions = readPredictions(answer);
    if (predictions.length === 0) throw createAnswerError('the answer names no class of pictures', answer);
    mergeMeta(picture, {
      classification: { predictions: predictions.map((prediction) => ({ ...prediction, created_by: modelName })) },
    });
    picture.annotations = [
      ...(picture.annotations ?? []),
      {
        kind: 'classification',
        provenance: modelName,
        predicted_classes: predictions.map(({ class_name, confidence = 1 }) => ({ class_name, confidence })),
      },
    ];
  },
};

/** Reads the data of a chart. A picture of unknown class may be a chart. A chart that already has its data is skipped. */
export const readChart: Asking<PictureItem> = {
  question(picture, { prompt }, image) {
    const meta = getMeta(picture);
    const kind = findMainClass(meta);
    const mayBeChart = kind === undefined || chartClasses.has(kind);
    return image && mayBeChart && !meta.tabular_chart ? { prompt, image } : undefined;
  },
  apply(picture, answer, { modelName }) {
    if (isNoChart(answer)) return;
    const chart = parseChart(answer);
    if (!chart) throw createAnswerError('the answer contains no table', answer);
    mergeMeta(picture, { tabular_chart: { ...chart, created_by: modelName } });
    picture.annotations = [
      ...(picture.annotations ?? []),
      { kind: 'tabular_chart_data', title: chart.title ?? '', chart_data: chart.chart_data },
    ];
  },
};

/** The author of a description that contains the words visible in a picture. */
export const labelsAuthor = 'docloom labels';

/** Describes a picture in words. */
export const describe: Asking<PictureItem> = {
  acceptsTruncated: true,
  question: (_picture, { prompt }, image) => (image ? { prompt, image } : undefined),
  apply(picture, answer, { modelName }) {
    const before: { text: string; created_by?: string } | null | undefined = getMeta(picture).description;
    // Keeps the words that the reader found in the picture.
    const text = before?.created_by === labelsAuthor ? `${answer}\n\n${before.text}` : answer;
    mergeMeta(picture, { description: { text, created_by: modelName } });
    picture.annotations = [...(picture.annotations ?? []), { kind: 'description', text, provenance: modelName }];
  },
};

/** True if a picture is large enough on its page and of an allowed class. Pictures without a position or class pass. */
export function isDescribed(
  document: DoclingDocument,
  picture: PictureItem,
  { areaThreshold = 0, allow, deny, minConfidence = 0 }: Enricher,
): boolean {
  if (computePageShare(document, picture) < areaThreshold) return false;
  const confident = getMeta(picture).classification?.predictions.filter(
    ({ confidence }) => (confidence ?? 1) >= minConfidence,
  );
  const kind = findMainClass({ classification: { predictions: confident ?? [] } });
  if (kind === undefined) return !allow;
  return !deny?.includes(kind) && (!allow || allow.includes(kind));
}

function computePageShare({ pages }: DoclingDocument, { prov }: PictureItem): number {
  const [place] = prov;
  const size = pages[String(place?.page_no)]?.size;
  if (!place || !size || size.width <= 0 || size.height <= 0) return 1;
  const [l = 0, t = 0, r = 0, b = 0] = toTopLeft(place.bbox, size.height);
  return (Math.abs(r - l) * Math.abs(b - t)) / (size.width * size.height);
}

function mergeMeta(picture: PictureItem, meta: Record<string, unknown>): void {
  picture.meta = { ...picture.meta, ...meta };
}
