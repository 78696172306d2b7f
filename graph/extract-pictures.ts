import type { DoclingDocument } from '../document/model';
import { answerSchema } from './answer-schema';
import { askModel, type Asking } from './ask-model';
import type { ChunkExtract } from './extract-model';
import { type FinishedWork, onceFinished, workKey } from './finished-work';
import { fitAnswer } from './fit-answer';
import { inParallel } from './in-parallel';
import type { ModelImage } from './language-model';
import { objectInAnswer } from './model-answer';
import { pictureQuestion } from './prompts';
import { pageChunks, type SourceChunk } from './source-chunks';
import type { GraphTemplate } from './template';
import type { Attributes } from './value';

/** A page of the source as a picture. */
export interface PagePicture extends ModelImage {
  /** Its number, from 1. */
  page: number;
}

/** The pictures that a converted document keeps of its pages, in their order; a page without one is left out. */
export function pagePictures(source: DoclingDocument | string): PagePicture[] {
  if (typeof source === 'string') return [];
  return Object.values(source.pages)
    .sort((left, right) => left.page_no - right.page_no)
    .flatMap(({ page_no: page, image }) => {
      const found = /^data:(image\/[\w.+-]+);base64,(.+)$/s.exec(image?.uri ?? '');
      return found ? [{ page, mediaType: found[1] ?? '', base64: found[2] ?? '' }] : [];
    });
}

export interface PictureExtraction extends FinishedWork, Asking {
  /** Its text by page is what evidence is looked for in. */
  source: DoclingDocument | string;
  template: GraphTemplate;
  /** Pages asked about at the same time. */
  parallel: number;
}

/** Asks a model that sees about each page. An answer that is no JSON is asked again once; then the page is left out and named. */
export function extractWithPictures(
  pictures: readonly PagePicture[],
  extraction: PictureExtraction,
): Promise<ChunkExtract[]> {
  const texts = new Map(pageChunks(extraction.source).map((chunk) => [chunk.pages[0], chunk]));
  return inParallel(pictures, extraction.parallel, async (picture, id) => {
    const empty: SourceChunk = { id, text: '', headings: [], pages: [picture.page], boxes: [] };
    return extractPage(picture, { ...empty, ...texts.get(picture.page), id }, extraction);
  });
}

async function extractPage(
  picture: PagePicture,
  chunk: SourceChunk,
  extraction: PictureExtraction,
): Promise<ChunkExtract> {
  const { template } = extraction;
  const key = workKey(`page-${picture.page}`, template.root, template.schema, picture.base64);
  const result = await onceFinished(key, extraction, async (): Promise<Attributes> => {
    const answer = await lookAt(picture, extraction);
    if (!answer) return { problems: [`page ${picture.page}: the model answered no JSON object`] };
    const { instance, problems } = fitAnswer(template, template.root, answer);
    const named = problems.map((problem) => `page ${picture.page}: ${problem}`);
    return Object.keys(instance).length === 0 ? { problems: named } : { instance, problems: named };
  });
  return { chunk, ...(result as unknown as Omit<ChunkExtract, 'chunk'>) };
}

async function lookAt(picture: PagePicture, extraction: PictureExtraction): Promise<Attributes | undefined> {
  const { template, model } = extraction;
  const { page, mediaType, base64 } = picture;
  let said: string | undefined;
  for (let attempt = 0; attempt < 2; attempt++) {
    const question = pictureQuestion(template, model, said);
    const request = {
      name: 'page_extraction',
      ...question,
      schema: answerSchema(template.schema),
      images: [{ mediaType, base64 }],
    };
    const { text } = await askModel(extraction, { page }, request);
    const found = objectInAnswer(text);
    if (found) return found;
    said = text;
  }
  return undefined;
}
