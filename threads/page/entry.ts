import { documentFromJson } from '../../document/json/json';
import { viewDocument } from '../../document/view';
import { toHtml } from '../../document/write/html';
import { detectFormat } from '../../formats/detect';
import { AppError } from '../../model/errors';
import type { DrawTask, PageAnswer, PageDrawing, PageTexts, ViewTask } from '../../services/conversion/page-views';
import { narrowImage, openImage } from '../../services/image/images';

/** Longer HTML would take too much memory of the api. */
const maxCharacters = 32 * 1024 * 1024;
/** Larger pictures of pages without text, mostly photographs, are narrowed to the requested width. */
const largePngBytes = 1_000_000;

/** Renders one page of a document. Never throws; null if the document has no such page, or its format no fixed pages. */
export function drawPage({ bytes, name, mimetype, pageNo, width }: DrawTask): Promise<PageAnswer<PageDrawing | null>> {
  return answerWith(name, async () => {
    const format = detectFormat({ name, ...(mimetype === undefined ? {} : { mimetype }), head: bytes });
    if (!format?.loadDrawing) return null;
    const { drawPage: draw } = await format.loadDrawing();
    const drawn = await draw(bytes, { name, pageNo, width, openImage });
    if (!drawn) return null;
    const isWide = drawn.words.length === 0 && drawn.png.length > largePngBytes;
    return isWide ? { ...drawn, png: await narrowImage(drawn.png, width) } : drawn;
  });
}

/** A stored document as its pages, each a JSON text, so that callers can cache single pages. */
export function viewPages({ bytes, name }: ViewTask): Promise<PageAnswer<PageTexts>> {
  return answerWith(name, async () => {
    const { pages, ...whole } = viewDocument(documentFromJson(new TextDecoder().decode(bytes), { trusted: true }));
    const list = pages.map(({ page, width, height, items }) => ({ page, width, height, items: items.length }));
    return {
      overview: JSON.stringify({ ...whole, pages: list }),
      pages: Object.fromEntries(pages.map((page) => [page.page, JSON.stringify(page)])),
    };
  });
}

/** A stored document as one HTML page. Its pictures are embedded, so that the page needs nothing from elsewhere. */
export function writeHtml({ bytes, name }: ViewTask): Promise<PageAnswer<string>> {
  return answerWith(name, async () => {
    const html = toHtml(documentFromJson(new TextDecoder().decode(bytes), { trusted: true }), {
      imageMode: 'embedded',
    });
    if (html.length <= maxCharacters) return html;
    throw new AppError(
      'DOCUMENT_TOO_LARGE',
      `'${name}' has ${html.length} characters as HTML; at most ${maxCharacters} are sent.`,
    );
  });
}

async function answerWith<T>(name: string, work: () => Promise<T>): Promise<PageAnswer<T>> {
  try {
    return { value: await work() };
  } catch (error) {
    if (error instanceof AppError) return { failure: { code: error.code, message: error.message } };
    const reason = error instanceof Error ? error.message : String(error);
    return { failure: { code: 'CONVERSION_FAILED', message: `The pages of '${name}' cannot be shown: ${reason}` } };
  }
}
