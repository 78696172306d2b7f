import type { DoclingDocument } from '../../document/model';
import { buildAnswerSchema } from '../ask/answer-schema';
import { askModel, type ModelCall } from '../ask/ask-model';
import { type Checkpoints, runOnce, checkpointKey } from '../ask/checkpoints';
import type { ModelImage } from '../ask/language-model';
import { mapParallel } from '../ask/map-parallel';
import { findObject } from '../ask/model-answer';
import { buildPictureQuestion } from '../ask/prompts';
import { pageChunks, type SourceChunk } from '../ask/source-chunks';
import type { Attributes } from '../core/value';
import type { GraphTemplate } from '../template/model';
import { fitAnswer } from './fit-answer';
import type { ChunkExtract } from './model';

/** The image of a page of the source. */
export interface PagePicture extends ModelImage {
  /** The page number, from 1. */
  page: number;
}

/** The page images of a converted document, in order; pages without an image are omitted. */
export function pagePictures(source: DoclingDocument | string): PagePicture[] {
  if (typeof source === 'string') return [];
  return Object.values(source.pages)
    .sort((left, right) => left.page_no - right.page_no)
    .flatMap(({ page_no: page, image }) => {
      const match = /^data:(image\/[\w.+-]+);base64,(.+)$/s.exec(image?.uri ?? '');
      return match ? [{ page, mediaType: match[1] ?? '', base64: match[2] ?? '' }] : [];
    });
}

export interface PictureExtraction extends Checkpoints, ModelCall {
  /** The source text, searched by page for evidence. */
  source: DoclingDocument | string;
  template: GraphTemplate;
  /** Number of concurrent requests. */
  parallel: number;
}

/** Sends each page to a vision model. If an answer is not JSON, the request is repeated once; then the page is skipped and reported. */
export function extractWithPictures(
  pictures: readonly PagePicture[],
  extraction: PictureExtraction,
): Promise<ChunkExtract[]> {
  const texts = new Map(pageChunks(extraction.source).map((chunk) => [chunk.pages[0], chunk]));
  return mapParallel(pictures, extraction.parallel, async (picture, id) => {
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
  const key = checkpointKey(`page-${picture.page}`, template.root, template.schema, picture.base64);
  const result = await runOnce(key, extraction, async (): Promise<Attributes> => {
    const answer = await askAboutPicture(picture, extraction);
    if (!answer) return { problems: [`page ${picture.page}: the answer of the model is not a JSON object`] };
    const { instance, problems } = fitAnswer(template, template.root, answer);
    const pageProblems = problems.map((problem) => `page ${picture.page}: ${problem}`);
    return Object.keys(instance).length === 0 ? { problems: pageProblems } : { instance, problems: pageProblems };
  });
  return { chunk, ...(result as unknown as Omit<ChunkExtract, 'chunk'>) };
}

const maxAttempts = 2;

async function askAboutPicture(picture: PagePicture, extraction: PictureExtraction): Promise<Attributes | undefined> {
  const { template, model } = extraction;
  const { page, mediaType, base64 } = picture;
  let unusableAnswer: string | undefined;
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const question = buildPictureQuestion(template, model, unusableAnswer);
    const request = {
      name: 'page_extraction',
      ...question,
      schema: buildAnswerSchema(template.schema),
      images: [{ mediaType, base64 }],
    };
    const { text } = await askModel(extraction, { page }, request);
    const attributes = findObject(text);
    if (attributes) return attributes;
    unusableAnswer = text;
  }
  return undefined;
}
