import { createDocument } from '../../../document/builder';
import type { DoclingDocument } from '../../../document/model';
import { AppError } from '../../../model/errors';
import { type ReadOptions, getStem } from '../../format';
import { findChild, listElements, type XmlElement } from '../../xml/xml';
import { createImages } from '../image';
import { openOoxml } from '../package';
import { reportParts, reportPrintMasters } from '../unread';
import { addSlideComments, readCommentAuthors } from './comments';
import { addMasterTexts } from './masters';
import { addNotes } from './notes';
import { sortForReading, readShapes } from './shapes';
import { addShape } from './slide';
import { emuPerPoint, type SlideContext } from './slide-context';
import { createTheme } from './theme';

/** Reads a presentation: one group and one page per slide, shapes in visual order. */
export function read(bytes: Uint8Array, options: ReadOptions): DoclingDocument {
  const office = openOoxml(bytes, options.limits);
  const presentation = office.xml(office.mainPart);
  const slides = listElements(findChild(presentation, 'p:sldIdLst'), 'p:sldId');
  if (presentation?.name !== 'p:presentation') {
    throw new AppError('DOCUMENT_CORRUPT', `${office.mainPart} holds no presentation (p:presentation was expected).`);
  }
  if (slides.length > options.limits.maxPages) {
    throw new AppError(
      'DOCUMENT_TOO_LARGE',
      `The presentation has ${slides.length} slides; the limit is ${options.limits.maxPages}.`,
    );
  }
  const builder = createDocument(getStem(options.name));
  const size = readSlideSize(presentation);
  const image = createImages(office);
  const authors = readCommentAuthors(office);
  const relations = office.relationships(office.mainPart);
  const masters = new Set<string>();
  for (const [index, { attributes }] of slides.entries()) {
    const part = relations.get(attributes['r:id'] ?? '')?.target;
    const slide = part === undefined ? undefined : office.xml(part);
    builder.page(index + 1, size.width, size.height);
    const group = builder.group('chapter', { name: `slide-${index}` });
    if (part === undefined || slide === undefined) continue;
    if (slide.attributes['show'] === '0' || slide.attributes['show'] === 'false')
      group.meta = { docloom__hidden: true };
    const theme = createTheme(office, part);
    const context: SlideContext = { builder, office, part, theme, image, group, pageNo: index + 1, size };
    for (const shape of sortForReading(readShapes(slide, theme))) addShape(context, shape);
    addMasterTexts(context, masters);
    addNotes(context, options.recordOmission);
    addSlideComments(context, authors);
  }
  reportParts(office, options.recordOmission);
  reportPrintMasters(office, options.recordOmission);
  return builder.document;
}

/** Returns the slide size in points; PowerPoint's default if the file does not set one. */
function readSlideSize(presentation: XmlElement): { width: number; height: number } {
  const size = findChild(presentation, 'p:sldSz');
  const readPoints = (attribute: string, otherwise: number) => {
    const emu = Number(size?.attributes[attribute]);
    return emu > 0 ? emu / emuPerPoint : otherwise;
  };
  return { width: readPoints('cx', 720), height: readPoints('cy', 540) };
}
