import { appendDocument } from '../document/append';
import { createDocument } from '../document/builder';
import type { DoclingDocument, Provenance } from '../document/model';
import { walkNodes, isGroup, isText } from '../document/tree';
import { AppError } from '../model/errors';
import type { PageFormat, PageModel } from '../model/page/vision';
import { readDoclang } from './doclang/read';
import { repairDoclang } from './doclang/repair';
import { readDoctags } from './doctags/read';
import { hasTags } from './doctags/tags';
import type { ReadOptions } from './format';
import { readHtml } from './html/tree';
import { read as readMarkdown } from './markdown/read';
import { processConcurrently } from './process-concurrently';

/** A page to show to a model. `draw` is called when the page is processed. The size is in points. */
export interface PageToRead {
  pageNo: number;
  draw: () => Promise<{ png: Uint8Array; width: number; height: number }>;
}

/**
 * Reads pages with a model and returns them in order. A failed page is reported and skipped. If all pages fail, throws one of
 * their errors.
 */
export async function readByModel(
  pages: readonly PageToRead[],
  model: PageModel,
  {
    name,
    stem,
    limits,
    pageFailed,
    onPageDone,
  }: Pick<ReadOptions, 'name' | 'limits' | 'pageFailed' | 'onPageDone'> & {
    stem: string;
  },
): Promise<DoclingDocument> {
  const parts = new Map<number, DoclingDocument>();
  const problems: { pageNo: number; error: AppError }[] = [];
  let done = 0;
  onPageDone?.(0, pages.length);
  const noteDone = () => onPageDone?.((done += 1), pages.length);
  const { remaining, error } = await processConcurrently(pages, {
    concurrency: model.concurrency,
    async work({ pageNo, draw }) {
      const { png, width, height } = await draw();
      const { text, isTruncated } = await model.ask({ png, pageNo });
      if (text === '') throw createAnswerError(`The model gave an empty answer for page ${pageNo}.`);
      parts.set(pageNo, readPage(text, model.format, { name, limits, page: { pageNo, width, height } }));
      if (isTruncated) {
        const error = createAnswerError(`The model's answer for page ${pageNo} was cut off at its length limit.`);
        problems.push({ pageNo, error });
      }
      noteDone();
    },
    failed({ pageNo }, cause) {
      problems.push({ pageNo, error: cause });
      noteDone();
    },
  });
  if (error)
    for (const { pageNo } of remaining)
      problems.push({
        pageNo,
        error: new AppError(error.code, `Page ${pageNo} was not sent to the model: ${error.message}`),
      });
  problems.sort((problem, other) => problem.pageNo - other.pageNo);
  if (parts.size === 0 && problems[0]) throw problems[0].error;
  for (const { pageNo, error: problem } of problems)
    pageFailed?.(pageNo, problem.message, { code: problem.code, isKept: parts.has(pageNo) });
  const { document } = createDocument(stem);
  for (const { pageNo } of pages) {
    const part = parts.get(pageNo);
    if (part) appendDocument(document, part);
  }
  return document;
}

function createAnswerError(message: string): AppError {
  return new AppError('MODEL_ANSWER_INVALID', message);
}

interface AnswerContext {
  name: string;
  limits: ReadOptions['limits'];
  page: { pageNo: number; width: number; height: number };
}

/** Reads one answer as a document of one page. The detected format takes precedence over the requested one. */
function readPage(answer: string, pageFormat: PageFormat, { name, limits, page }: AnswerContext): DoclingDocument {
  const text = removeFence(removeModelMarks(answer));
  const format = detectPageFormat(text, pageFormat);
  if (format === 'doctags') return readDoctags(text, { name, pages: [page] });
  const document =
    format === 'doclang'
      ? readDoclangPage(text, { name, limits, page })
      : readWithoutPlaces(text, format, { name, limits });
  const { pageNo, width, height } = page;
  document.pages[String(pageNo)] = { size: { width, height }, page_no: pageNo };
  for (const { node } of walkNodes(document))
    if (!isGroup(node) && node.prov.length === 0)
      node.prov = [createWholePagePlace(page, isText(node) ? node.text.length : 0)];
  return document;
}

/** Models forget end tags and XML escapes. */
function readDoclangPage(text: string, { name, limits, page }: AnswerContext): DoclingDocument {
  const bytes = new TextEncoder().encode(repairDoclang(text));
  const document = readDoclang(bytes, { name, limits }, () => undefined, page);
  // Only one page was shown, whatever page breaks the answer contains.
  for (const { node } of walkNodes(document))
    if (!isGroup(node)) for (const place of node.prov) place.page_no = page.pageNo;
  document.pages = {};
  return document;
}

function readWithoutPlaces(
  text: string,
  format: Exclude<PageFormat, 'doctags' | 'doclang'>,
  { name, limits }: Pick<AnswerContext, 'name' | 'limits'>,
): DoclingDocument {
  if (format === 'markdown') return readMarkdown(new TextEncoder().encode(text), { name, limits }) as DoclingDocument;
  const builder = createDocument(name);
  if (format === 'html') readHtml(text, builder, { name, limits, furniture: 'none' });
  else
    for (const paragraph of text.split(/\n[ \t]*\n/))
      if (paragraph.trim() !== '') builder.text('text', paragraph.trim());
  return builder.document;
}

function detectPageFormat(text: string, pageFormat: PageFormat): PageFormat {
  if (pageFormat === 'plaintext') return 'plaintext';
  if (/<doclang[\s>]/i.test(text)) return 'doclang';
  if (hasTags(text)) return 'doctags';
  if (/^\s*<(?:!doctype|html|body|div|p|h[1-6]|table|ul|ol|section|article)\b/i.test(text)) return 'html';
  return pageFormat === 'html' ? 'html' : 'markdown';
}

/** Removes labels and coordinates around blocks (`<|ref|>title<|/ref|><|det|>[[0, 0, 9, 9]]<|/det|>`) and end marks. */
function removeModelMarks(text: string): string {
  return text.replace(/<\|ref\|>[^<]*<\|\/ref\|>|<\|det\|>[^<]*<\|\/det\|>|<\|(?:end_of_text|im_end|eot_id)\|>/g, '');
}

/** Removes the code fence (```` ```markdown ````) around a whole answer. */
function removeFence(text: string): string {
  return /^\s*```(?:markdown|md|html|doctags|text|xml)?[ \t]*\n([^]*?)\n?```\s*$/i.exec(text)?.[1] ?? text;
}

/** Returns the position of an item of which only the page is known. */
function createWholePagePlace({ pageNo, width, height }: AnswerContext['page'], length: number): Provenance {
  return {
    page_no: pageNo,
    bbox: { l: 0, t: 0, r: width, b: height, coord_origin: 'TOPLEFT' },
    charspan: [0, length],
  };
}
