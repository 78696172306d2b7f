import { addAll } from '../../../model/lists/add-all';
import { findChild, listDescendants, listElements, type XmlElement } from '../../xml/xml';

/** Drawings in a block, in document order. The content of text boxes is not searched. */
export interface Drawings {
  /** Relationship ids of raster or vector images; empty if the image has none. */
  images: string[];
  /** Relationship ids of charts. */
  charts: string[];
  /** Relationship ids of diagram data (SmartArt). */
  diagrams: string[];
  /** True if there are drawings without an image: shapes, diagrams. */
  hasShapes: boolean;
  /** Contents of text boxes (`w:txbxContent`). */
  textBoxes: XmlElement[];
}

const noDrawings: Drawings = { images: [], charts: [], diagrams: [], hasShapes: false, textBoxes: [] };

/** Finds the drawings of a paragraph. Alternate content counts once: the first form that is supported. */
export function findDrawings(block: XmlElement): Drawings {
  if (!mayDraw(block)) return noDrawings;
  const drawings: Drawings = { images: [], charts: [], diagrams: [], hasShapes: false, textBoxes: [] };
  collectDrawings(block, drawings);
  return drawings;
}

/** Most paragraphs have no drawings; this check looks only at runs. */
function mayDraw(block: XmlElement): boolean {
  return block.children.some(
    (node) =>
      typeof node !== 'string' &&
      (isDrawing(node.name) || (node.name !== 'w:pPr' && node.name !== 'w:t' && mayDraw(node))),
  );
}

function isDrawing(name: string): boolean {
  return name === 'w:drawing' || name === 'w:pict' || name === 'w:object' || name === 'mc:AlternateContent';
}

function collectDrawings(element: XmlElement, drawings: Drawings): void {
  for (const node of listElements(element)) {
    if (node.name === 'mc:AlternateContent') collectDrawings(chooseBranch(node), drawings);
    else if (node.name === 'w:txbxContent') drawings.textBoxes.push(node);
    else if (node.name === 'w:drawing') readDrawing(node, drawings);
    else if (node.name === 'v:imagedata') drawings.images.push(node.attributes['r:id'] ?? '');
    else if (node.name !== 'w:del' && node.name !== 'w:moveFrom') collectDrawings(node, drawings);
  }
}

function readDrawing(drawing: XmlElement, drawings: Drawings): void {
  const isBox = (element: XmlElement) => element.name === 'w:txbxContent';
  addOutermostBoxes(drawing, drawings.textBoxes);
  const images = listDescendants(drawing, 'a:blip', isBox);
  const charts = listDescendants(drawing, 'c:chart', isBox);
  addAll(
    drawings.images,
    images.map(({ attributes }) => attributes['r:embed'] ?? ''),
  );
  addAll(
    drawings.charts,
    charts.map(({ attributes }) => attributes['r:id'] ?? ''),
  );
  const diagrams = listDescendants(drawing, 'dgm:relIds', isBox);
  addAll(
    drawings.diagrams,
    diagrams.map(({ attributes }) => attributes['r:dm'] ?? ''),
  );
  if (images.length === 0 && charts.length === 0) drawings.hasShapes = true;
}

/** Finds text boxes that are not inside another one. Nested boxes are read with the content of the outer box. */
function addOutermostBoxes(element: XmlElement, boxes: XmlElement[]): void {
  for (const node of listElements(element)) {
    if (node.name === 'w:txbxContent') boxes.push(node);
    else if (node.name === 'mc:AlternateContent') addOutermostBoxes(chooseBranch(node), boxes);
    else addOutermostBoxes(node, boxes);
  }
}

/** Returns the first choice with a supported drawing, else the fallback (ECMA-376 part 3). */
function chooseBranch(alternate: XmlElement): XmlElement {
  const choices = listElements(alternate, 'mc:Choice');
  const supported = choices.find((choice) =>
    ['w:txbxContent', 'a:blip', 'c:chart'].some((name) => listDescendants(choice, name).length > 0),
  );
  return supported ?? findChild(alternate, 'mc:Fallback') ?? choices[0] ?? alternate;
}
