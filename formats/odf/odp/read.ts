import { createDocument } from '../../../document/builder';
import type { GroupItem } from '../../../document/model';
import { AppError } from '../../../model/errors';
import { type ReadDocument, getStem } from '../../format';
import { findChild, listElements, type XmlElement } from '../../xml/xml';
import { addBlocks, createContext } from '../blocks';
import { readLine, type OdfContext } from '../context';
import { addDrawing } from '../drawing';
import { createSlideFurniture } from '../furniture';
import { openOdf } from '../package';
import { findPageSize, createProvenance } from '../page-box';

/** Reads a presentation: one group and one page per slide, shapes in file order, speaker's notes in the notes layer. */
export const read: ReadDocument = (bytes, options) => {
  const { name, limits, profile } = options;
  const office = openOdf(bytes, options, 'presentation');
  const slides = listElements(office.body, 'draw:page');
  if (slides.length > limits.maxPages) {
    throw new AppError('DOCUMENT_TOO_LARGE', `'${name}' has ${slides.length} slides; the limit is ${limits.maxPages}.`);
  }
  const context = createContext(createDocument(getStem(name)), office, options);
  const addFurniture = profile === 'reference' ? undefined : createSlideFurniture(context);
  for (const [index, slide] of slides.entries()) {
    const group = addSlide(context, slide, index);
    addFurniture?.(slide, group, (length) => [createProvenance(index + 1, undefined, { width: 0, height: 0 }, length)]);
  }
  return context.builder.document;
};

const hiddenElements: ReadonlySet<string> = new Set(['presentation:notes', 'office:annotation']);

function addSlide(context: OdfContext, slide: XmlElement, index: number): GroupItem {
  const { builder, styles } = context;
  const size = findPageSize(context.office, slide.attributes['draw:master-page-name']);
  builder.page(index + 1, size.width, size.height);
  const group = builder.group('chapter', { name: `slide-${index}` });
  const properties = findChild(
    styles.find('drawing-page', slide.attributes['draw:style-name']),
    'style:drawing-page-properties',
  );
  if (properties?.attributes['presentation:visibility'] === 'hidden') group.meta = { docloom__hidden: true };
  const shapes = listElements(slide).filter(({ name }) => !hiddenElements.has(name));
  const title = findTitle(shapes);
  if (title === undefined) {
    const text = slide.attributes['draw:name'] ?? `slide-${index + 1}`;
    builder.text('title', text, { parent: group, prov: [createProvenance(index + 1, undefined, size, text.length)] });
  }
  for (const shape of shapes) {
    if (shape === title && isEmptyBox(shape)) continue;
    const createProv = (length: number) => [createProvenance(index + 1, shape, size, length)];
    addDrawing(context, shape, { parent: group, prov: createProv, isTitle: shape === title });
  }
  addNotes(context, slide, group, index + 1);
  return group;
}

/**
 * Returns the shape with the title class. Without one, the first shape with text if it is a custom shape, as in converted
 * presentations.
 */
function findTitle(shapes: readonly XmlElement[]): XmlElement | undefined {
  const marked = shapes.find(({ attributes }) => attributes['presentation:class'] === 'title');
  const first = shapes.find((shape) => readLine(shape) !== '');
  return marked ?? (first?.name === 'draw:custom-shape' ? first : undefined);
}

/** True for a placeholder that nobody filled. */
function isEmptyBox(shape: XmlElement): boolean {
  return readLine(shape) === '' && listElements(shape).every(({ name }) => name === 'draw:text-box');
}

function addNotes(context: OdfContext, slide: XmlElement, parent: GroupItem, page: number): void {
  const boxes = listElements(findChild(slide, 'presentation:notes'))
    .filter(({ attributes }) => attributes['presentation:class'] === 'notes')
    .flatMap((frame) => listElements(frame, 'draw:text-box'));
  // Notes are not on the slide.
  const size = { width: 0, height: 0 };
  const createProv = (length: number) => [createProvenance(page, undefined, size, length)];
  for (const box of boxes) addBlocks(context, listElements(box), { parent, layer: 'notes', prov: createProv });
}
