import { createDocument } from '../../../document/builder';
import type { GroupItem, Provenance } from '../../../document/model';
import { AppError } from '../../../model/errors';
import { type ReadDocument, stemOf } from '../../format';
import { type OdfPackage, openOdf, points } from '../package';
import { addBlocks, createContext } from '../blocks';
import { lineOf, type OdfContext } from '../context';
import { addDrawing } from '../drawing';
import { readOdfStyles } from '../styles';
import { child, descendants, elements, type XmlElement } from '../../xml/xml';

interface Size {
  width: number;
  height: number;
}

/** Reads a presentation: one group and one page per slide, shapes in file order, speaker's notes in the notes layer. */
export const read: ReadDocument = (bytes, { name, limits }) => {
  const office = openOdf(bytes, limits, 'presentation');
  const slides = elements(office.body, 'draw:page');
  if (slides.length > limits.maxPages) {
    throw new AppError('DOCUMENT_TOO_LARGE', `'${name}' has ${slides.length} slides, allowed are ${limits.maxPages}.`);
  }
  const context = createContext(createDocument(stemOf(name)), office, readOdfStyles(office));
  for (const [index, slide] of slides.entries()) addSlide(context, slide, index);
  return context.builder.document;
};

const notShown: ReadonlySet<string> = new Set(['presentation:notes', 'office:annotation']);

function addSlide(context: OdfContext, slide: XmlElement, index: number): void {
  const { builder, styles } = context;
  const size = slideSize(context.office, slide.attributes['draw:master-page-name']);
  builder.page(index + 1, size.width, size.height);
  const group = builder.group('chapter', { name: `slide-${index}` });
  const look = child(styles.find('drawing-page', slide.attributes['draw:style-name']), 'style:drawing-page-properties');
  if (look?.attributes['presentation:visibility'] === 'hidden') group.meta = { docloom__hidden: true };
  const shapes = elements(slide).filter(({ name }) => !notShown.has(name));
  const title = titleOf(shapes);
  if (title === undefined) {
    const text = slide.attributes['draw:name'] ?? `slide-${index + 1}`;
    builder.text('title', text, { parent: group, prov: [provenance(index + 1, undefined, size, text.length)] });
  }
  for (const shape of shapes) {
    const prov = (length: number) => [provenance(index + 1, shape, size, length)];
    addDrawing(context, shape, { parent: group, prov, isTitle: shape === title });
  }
  addNotes(context, slide, group, index + 1);
}

/**
 * Returns the shape with the title class. Without one, the first shape with text if it is a custom shape, as in converted
 * presentations.
 */
function titleOf(shapes: readonly XmlElement[]): XmlElement | undefined {
  const marked = shapes.find(({ attributes }) => attributes['presentation:class'] === 'title');
  const first = shapes.find((shape) => lineOf(shape) !== '');
  return marked ?? (first?.name === 'draw:custom-shape' ? first : undefined);
}

function addNotes(context: OdfContext, slide: XmlElement, parent: GroupItem, page: number): void {
  const boxes = elements(child(slide, 'presentation:notes'))
    .filter(({ attributes }) => attributes['presentation:class'] === 'notes')
    .flatMap((frame) => elements(frame, 'draw:text-box'));
  const size = { width: 0, height: 0 };
  const prov = (length: number) => [provenance(page, undefined, size, length)];
  for (const box of boxes) addBlocks(context, elements(box), { parent, layer: 'notes', prov });
}

/** Returns the position in points from the top left corner. A shape without a position covers the slide. */
function provenance(page: number, shape: XmlElement | undefined, size: Size, length: number): Provenance {
  const { attributes = {} } = shape ?? {};
  const [l, t] = [points(attributes['svg:x']), points(attributes['svg:y'])];
  const [width, height] = [points(attributes['svg:width']), points(attributes['svg:height'])];
  const isPlaced = l !== undefined && t !== undefined && width !== undefined && height !== undefined;
  const box = isPlaced ? { l, t, r: l + width, b: t + height } : { l: 0, t: 0, r: size.width, b: size.height };
  return { page_no: page, bbox: { ...box, coord_origin: 'TOPLEFT' }, charspan: [0, length] };
}

/** Returns the size in the layout of the slide's master; by default the size of new Impress slides. */
function slideSize({ styles }: OdfPackage, master: string | undefined): Size {
  const masters = elements(child(styles, 'office:master-styles'), 'style:master-page');
  const found = masters.find(({ attributes }) => attributes['style:name'] === master) ?? masters[0];
  const name = found?.attributes['style:page-layout-name'];
  const layouts = styles === undefined ? [] : descendants(styles, 'style:page-layout');
  const layout = layouts.find(({ attributes }) => attributes['style:name'] === name);
  const { attributes = {} } = child(layout, 'style:page-layout-properties') ?? {};
  return {
    width: points(attributes['fo:page-width']) ?? 793.7,
    height: points(attributes['fo:page-height']) ?? 446.46,
  };
}
