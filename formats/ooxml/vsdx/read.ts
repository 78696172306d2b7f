import { createDocument, type DocumentBuilder } from '../../../document/builder';
import type { DoclingDocument, ImageRef, Provenance } from '../../../document/model';
import { AppError } from '../../../model/errors';
import { formatCommentHead } from '../../comment-head';
import { type ReadOptions, getStem } from '../../format';
import { sortReadingRows } from '../../reading-rows';
import { findChild, listDescendants, listElements, joinText, type XmlElement } from '../../xml/xml';
import { createImages } from '../image';
import { openOoxml, type OoxmlPackage } from '../package';
import { reportParts } from '../unread';
import { findCell, type FindMaster, listPlacedShapes } from './shapes';

interface Drawing {
  builder: DocumentBuilder;
  office: OoxmlPackage;
  find: FindMaster;
  image: (part: string) => ImageRef | undefined;
  options: ReadOptions;
}

/** Reads a drawing: a group and a page for each page, its texts and pictures row by row; texts of backgrounds as furniture. */
export function read(bytes: Uint8Array, options: ReadOptions): DoclingDocument {
  const office = openOoxml(bytes, options.limits);
  if (office.xml(office.mainPart)?.name !== 'vs:VisioDocument') {
    throw new AppError('DOCUMENT_CORRUPT', `${office.mainPart} holds no drawing (VisioDocument was expected).`);
  }
  const builder = createDocument(getStem(options.name));
  const drawing = { builder, office, find: readMasters(office), image: createImages(office), options };
  const list = office.related(office.mainPart, 'pages');
  const pages = readPartList(office, list, 'vs:Page');
  if (pages.length > options.limits.maxPages) {
    throw new AppError(
      'DOCUMENT_TOO_LARGE',
      `The drawing has ${pages.length} pages; the limit is ${options.limits.maxPages}.`,
    );
  }
  let number = 0;
  for (const page of pages) {
    const isBackground = page.entry.attributes['Background'] === '1';
    if (!isBackground) number += 1;
    addPage(drawing, page, isBackground ? undefined : number);
  }
  addComments(drawing);
  reportParts(office, options.recordOmission);
  return builder.document;
}

interface ListedPart {
  entry: XmlElement;
  part: string;
}

/** Returns the entries of a list of pages or masters with their parts. */
function readPartList(office: OoxmlPackage, list: string | undefined, name: string): ListedPart[] {
  if (list === undefined) return [];
  const relations = office.relationships(list);
  return listElements(office.xml(list), name).flatMap((entry) => {
    const part = relations.get(findChild(entry, 'vs:Rel')?.attributes['r:id'] ?? '')?.target;
    return part === undefined ? [] : [{ entry, part }];
  });
}

/** Returns a lookup of the masters' shapes. Each master is indexed when a shape first refers to it. */
function readMasters(office: OoxmlPackage): FindMaster {
  const parts = new Map(
    readPartList(office, office.related(office.mainPart, 'masters'), 'vs:Master').map(({ entry, part }) => [
      entry.attributes['ID'] ?? '',
      part,
    ]),
  );
  const shapes = new Map<string, Map<string, XmlElement>>();
  return (master, shape) => {
    let masterShapes = shapes.get(master);
    if (masterShapes === undefined) {
      const root = office.xml(parts.get(master) ?? '');
      const elements = root === undefined ? [] : listDescendants(root, 'vs:Shape');
      masterShapes = new Map(elements.map((element) => [element.attributes['ID'] ?? '', element]));
      shapes.set(master, masterShapes);
    }
    return shape === undefined ? masterShapes.values().next().value : masterShapes.get(shape);
  };
}

function addPage(
  { builder, office, find, image, options }: Drawing,
  page: ListedPart,
  number: number | undefined,
): void {
  const { entry, part } = page;
  const sheet = findChild(entry, 'vs:PageSheet');
  const readValue = (name: string, otherwise: number) => Number(findCell(sheet, name)) || otherwise;
  // Scaled drawings have positions in real-world size.
  const pointsPerInch = (72 * readValue('PageScale', 1)) / readValue('DrawingScale', 1);
  const [width, height] = [readValue('PageWidth', 8.5), readValue('PageHeight', 11)];
  const layer = number === undefined ? 'furniture' : 'body';
  const name = entry.attributes['Name'] ?? entry.attributes['NameU'] ?? `page ${number}`;
  const parent = builder.group('chapter', { name, layer });
  if (number !== undefined) builder.page(number, width * pointsPerInch, height * pointsPerInch);
  const relations = office.relationships(part);
  for (const shape of sortReadingRows(listPlacedShapes(office.xml(part), { height, pointsPerInch, find }))) {
    const { left: l, top: t, right: r, bottom: b, text, picture, data } = shape;
    const placeItem = (length: number): { parent: typeof parent; layer: typeof layer; prov: Provenance[] } => {
      const bbox = { l, t, r, b, coord_origin: 'TOPLEFT' as const };
      return { parent, layer, prov: number === undefined ? [] : [{ page_no: number, bbox, charspan: [0, length] }] };
    };
    if (picture !== undefined) {
      const content = image(relations.get(picture)?.target ?? '');
      builder.picture({ ...placeItem(0), ...(content === undefined ? {} : { image: content }) });
    }
    if (text !== '') builder.text('text', text, placeItem(text.length));
    for (const field of data) options.recordOmission?.('shape data field', field);
  }
}

/** Adds the comments of reviewers as notes. */
function addComments({ builder, office }: Drawing): void {
  const part = office.related(office.mainPart, 'comments');
  const root = part === undefined ? undefined : office.xml(part);
  if (root === undefined) return;
  const authors = new Map(
    listDescendants(root, 'vs:AuthorEntry').map(({ attributes }) => [attributes['ID'], attributes['Name'] ?? '']),
  );
  for (const comment of listDescendants(root, 'vs:CommentEntry')) {
    const text = joinText(comment).trim();
    if (text === '') continue;
    const author = authors.get(comment.attributes['AuthorID']) ?? '';
    const group = builder.group('comment_section', {
      name: `comment-page-${comment.attributes['PageID']}`,
      layer: 'notes',
    });
    const head = formatCommentHead({ author });
    builder.text('text', head === '' ? text : `${head}: ${text}`, { parent: group, layer: 'notes' });
  }
}
