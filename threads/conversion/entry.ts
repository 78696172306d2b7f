import { documentToJson } from '../../document/json/write';
import type { DoclingDocument } from '../../document/model';
import { joinPlainText } from '../../document/pages';
import { toMarkdown } from '../../document/write/markdown';
import { toReadableText } from '../../document/write/text';
import { type ConvertedDocument, convertBytes } from '../../formats/convert';
import { AppError, asAppError, isDiskFull } from '../../model/errors';
import { computeQuality } from '../../model/review/quality';
import type { ConversionAnswer, ConversionTask } from '../../services/conversion/converter';
import { writePageClock } from '../../services/conversion/page/page-clock';
import { openImage } from '../../services/image/images';
import { createKeptPages } from './kept-pages';
import { loadPageModels } from './page-models';
import { openRecognizer } from './recognizer';
import { openVision } from './vision-work';

type Failure = Extract<ConversionAnswer, { failure: unknown }>['failure'];

function measureQuality(
  { scores, failedPages, coverage }: Pick<ConvertedDocument, 'scores' | 'failedPages' | 'coverage'>,
  recognition: readonly { message: string }[],
) {
  const unread = failedPages.map(({ pageNo }) => pageNo);
  return computeQuality({ scores, unread, coverage, recognition: recognition.map(({ message }) => message) });
}

/** Entry of a conversion thread: converts bytes to finished texts. Never throws; returns failures as a code and a message. */
export async function convert({
  ocr,
  modelsFolder,
  vision,
  pageClock,
  keptRanges,
  password,
  ...file
}: ConversionTask): Promise<ConversionAnswer> {
  try {
    const visionWork = await openVision(vision, { keepsPictures: false });
    const { problems: getRecognitionProblems, ...reading } = await openRecognizer({
      mode: 'auto',
      languages: [],
      modelsFolder,
      ...ocr,
    });
    const {
      document,
      format,
      pages,
      warnings: readWarnings,
      failedPages,
      modelFailures,
      scores,
      coverage,
    } = await convertBytes({
      ...file,
      ...visionWork.reading,
      paged: {
        ...(visionWork.drawing.drawn ? visionWork.drawing : {}),
        ...(password === undefined ? {} : { password }),
      },
      openImage,
      ...(await loadPageModels({ modelsFolder, tableMode: 'accurate' })),
      ...reading,
      ...(pageClock ? writePageClock(pageClock) : {}),
      ...(keptRanges ? { keptPages: createKeptPages(keptRanges, file.bytes) } : {}),
    });
    const problems = await visionWork.enrich(document);
    const recognition = getRecognitionProblems();
    const warnings = [...readWarnings, ...listProblems(failedPages, [...modelFailures, ...recognition], problems)];
    return {
      converted: {
        markdown: toMarkdown(document),
        text: toReadableText(document),
        documentJson: documentToJson(document),
        title: findTitle(document),
        pages,
        format,
        ...(warnings.length > 0 ? { warnings } : {}),
        quality: measureQuality({ scores, failedPages, coverage }, recognition),
      },
    };
  } catch (error) {
    return { failure: toFailure(error, file.name) };
  }
}

function toFailure(error: unknown, name: string): Failure {
  if (error instanceof AppError || isDiskFull(error)) {
    const { code, message } = asAppError(error);
    return { code, message };
  }
  const reason = error instanceof Error ? error.message : String(error);
  return { code: 'CONVERSION_FAILED', message: `The conversion of '${name}' failed: ${reason}` };
}

function listProblems(
  failedPages: ConvertedDocument['failedPages'],
  withCodes: readonly { code: string; message: string }[],
  others: readonly { message: string }[],
): string[] {
  return [
    ...withCodes.map(({ code, message }) => `${message} (${code})`),
    ...failedPages.map(({ pageNo, message, isKept }) => (isKept ? message : `Page ${pageNo} is left out: ${message}`)),
    ...others.map(({ message }) => message),
  ];
}

/** The text of a title with several styles is in the runs below it. */
function findTitle(document: DoclingDocument): string | undefined {
  const { texts } = document;
  const item = texts.find(({ label }) => label === 'title') ?? texts.find(({ label }) => label === 'section_header');
  return (item && joinPlainText(document, item).trim()) || undefined;
}
export { exportDocument } from './export-document';
export { findMembers } from './members';
