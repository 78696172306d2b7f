import type { DoclingDocument } from '../../document/model';
import type { Detection, PageModels, RegionLabel, ShareBox } from '../../model/page/page-models';
import { defaultLimits, type PageOptions, type ReadOptions } from '../format';
import { draw, type Drawing } from './pdf-test-support';
import { read } from './read';

/** Width and height of A4 in points. */
export const [pageWidth, pageHeight] = [595.28, 841.89];

/** A box given in points from the upper left corner, as pdfkit draws. */
export const at = (x: number, y: number, width: number, height: number): ShareBox => ({
  x0: x / pageWidth,
  y0: y / pageHeight,
  x1: (x + width) / pageWidth,
  y1: (y + height) / pageHeight,
});

/** A region detected by a layout model. */
export const region = (label: RegionLabel, box: ShareBox, score = 0.9): Detection<RegionLabel> => ({
  label,
  score,
  box,
});

/** A layout model that detects the same regions on every page. */
export const detect = (...regions: Detection<RegionLabel>[]): PageModels => ({
  layout: () => Promise.resolve(regions),
});

/** Reads an A4 PDF with these models; model failures are added to `warnings`. */
export async function readSeen(
  content: (pdf: Drawing) => void,
  models: PageModels,
  { paged, warnings = [] }: { paged?: PageOptions; warnings?: string[] } = {},
): Promise<DoclingDocument> {
  const bytes = await draw(content);
  const modelFailed: ReadOptions['modelFailed'] = ({ stage, code, message }) =>
    void warnings.push(`${stage}: ${message} (${code})`);
  return read(bytes, { name: 'a.pdf', limits: defaultLimits, models, modelFailed, ...(paged ? { paged } : {}) });
}

/** Writes a line of text at a point measured from the upper left corner. */
export const line = (pdf: Drawing, text: string, x: number, y: number) =>
  pdf.fontSize(11).text(text, x, y, { lineBreak: false });
