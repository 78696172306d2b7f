import type { NodeItem, TextItem } from '../../../document/model';
import { findChild, listDescendants, listElements, type XmlElement } from '../../xml/xml';
import { addChartPicture } from '../ooxml-chart';
import { listDiagramTexts } from '../text';
import { addInserted } from './chunks';
import { findDrawings, type Drawings } from './drawings';
import type { Numbering } from './numbering';
import { getHeadingNumbering } from './outline';
import type { ParagraphContent, Piece } from './runs';
import { type DocumentContext, placeBelow, type Story } from './story';
import type { Styles } from './styles';
import { readTable } from './table';

/** Adds every block of a container (body, header, cell, content control) to the story. */
export function addBlocks(story: Story, container: XmlElement): void {
  for (const block of listElements(container)) addBlock(story, block);
}

function addBlock(story: Story, block: XmlElement): void {
  switch (block.name) {
    case 'w:p':
      addParagraph(story, block);
      break;
    case 'w:tbl':
      story.code.end();
      readTable(story, block);
      break;
    case 'w:sdt':
      for (const content of listElements(block, 'w:sdtContent')) addBlocks(story, content);
      break;
    case 'w:ins':
    case 'w:moveTo':
    case 'w:customXml':
      addBlocks(story, block);
      break;
    case 'w:altChunk':
      addInserted(story, block);
      break;
    case 'mc:AlternateContent':
      addBlocks(story, findChild(block, 'mc:Choice') ?? findChild(block, 'mc:Fallback') ?? block);
      break;
    case 'm:oMathPara':
    case 'm:oMath':
      // Rare: an equation outside any paragraph is read as a paragraph.
      addParagraph(story, { name: 'w:p', attributes: {}, children: [block] });
      break;
    default:
  }
}

function addParagraph(story: Story, paragraph: XmlElement): void {
  const { styles, numbering } = story.context;
  const drawings = findDrawings(paragraph);
  const content = story.runs.read(paragraph);
  const isDrawing =
    drawings.images.length + drawings.charts.length + drawings.textBoxes.length > 0 || drawings.hasShapes;
  if (isDrawing) {
    story.code.end();
    addDrawings(story, drawings);
    if (content.pieces.length === 0 && (drawings.images.length > 0 || drawings.charts.length > 0 || drawings.hasShapes))
      return;
  }
  const kind = styles.getKind(paragraph);
  const place = numbering.resolve(styles.getNumbering(paragraph));
  if (kind.kind === 'text' && place === undefined && story.code.take(styles, paragraph, content)) return;
  story.code.end();
  const added = addText(story, paragraph, content, { kind, place });
  noteComments(story.context, paragraph, added);
}

interface ParagraphRole {
  kind: ReturnType<Styles['getKind']>;
  place: ReturnType<Numbering['resolve']>;
}

function addText(
  story: Story,
  paragraph: XmlElement,
  content: ParagraphContent,
  { kind, place }: ParagraphRole,
): TextItem[] {
  const { outline, context } = story;
  const heading = content.textWithEquations.trim();
  if (kind.kind === 'title') return [outline.title(heading) as TextItem];
  if (kind.kind === 'heading') {
    const numbering = getHeadingNumbering(context.numbering, place);
    const isCounted = numbering === 'shown' && place !== undefined && context.numbering.showsNumbers;
    const number = isCounted ? context.numbering.next(place.number, place.level).marker : undefined;
    return [outline.heading(kind.level, heading, numbering, number) as TextItem];
  }
  if (place !== undefined) return addListItem(story, content, place);
  if (content.pieces.length === 0) {
    outline.blank((parent) => void context.builder.text('text', '', placeBelow(story, parent)));
    return [];
  }
  outline.endList();
  return addPieces(story, content.pieces, outline.parent(), findCheckboxLabel(paragraph));
}

function addListItem(story: Story, { pieces }: ParagraphContent, place: { number: string; level: number }): TextItem[] {
  const { builder, numbering } = story.context;
  const { enumerated, marker } = numbering.next(place.number, place.level);
  if (pieces.length === 0) return [];
  const parent = story.outline.listGroup(place.number, place.level);
  const options = { parent, layer: story.layer, enumerated, marker };
  const [only] = pieces;
  if (pieces.length === 1 && only?.type === 'text') {
    return [builder.listItem(only.text, { ...options, formatting: only.formatting, hyperlink: only.hyperlink })];
  }
  const item = builder.listItem('', options);
  return [item, ...addInline(story, pieces, item)];
}

/** Adds equations without other content as formulas. A single run becomes a text, several become an inline group. */
function addPieces(story: Story, pieces: Piece[], parent: NodeItem | undefined, checkbox?: CheckboxLabel): TextItem[] {
  const { builder } = story.context;
  if (pieces.every((piece) => piece.type === 'equation')) {
    return pieces.map(({ latex }) => builder.text('formula', latex, placeBelow(story, parent)));
  }
  const [only] = pieces;
  if (pieces.length > 1 || only?.type !== 'text') return addInline(story, pieces, parent, checkbox);
  return [addRun(story, only, parent, checkbox)];
}

function addInline(story: Story, pieces: Piece[], parent: NodeItem | undefined, checkbox?: CheckboxLabel): TextItem[] {
  const { builder } = story.context;
  const group = builder.group('inline', placeBelow(story, parent));
  return pieces.map((piece, index) =>
    piece.type === 'equation'
      ? builder.text('formula', piece.latex, placeBelow(story, group))
      : addRun(story, piece, group, index === 0 ? checkbox : undefined),
  );
}

function addRun(
  story: Story,
  piece: Extract<Piece, { type: 'text' }>,
  parent: NodeItem | undefined,
  checkbox?: CheckboxLabel,
): TextItem {
  const { formatting, hyperlink, isRunOn } = piece;
  const text = checkbox === undefined ? piece.text : piece.text.replace(/^[☐☑☒□■▪▫✓✗]\s*/u, '');
  return story.context.builder.text(checkbox ?? 'text', text, {
    parent,
    layer: story.layer,
    formatting,
    hyperlink,
    isRunOn,
  });
}

type CheckboxLabel = 'checkbox_selected' | 'checkbox_unselected';

function findCheckboxLabel(paragraph: XmlElement): CheckboxLabel | undefined {
  const hasControl = paragraph.children.some((node) => typeof node !== 'string' && node.name === 'w:sdt');
  const [checkbox] = hasControl ? listDescendants(paragraph, 'w14:checkbox') : [];
  if (checkbox === undefined) return undefined;
  const checked = findChild(checkbox, 'w14:checked')?.attributes['w14:val'];
  return checked === '1' || checked === 'true' ? 'checkbox_selected' : 'checkbox_unselected';
}

function addDrawings(story: Story, drawings: Drawings): void {
  if (drawings.textBoxes.length > 0) addTextBoxes(story, drawings.textBoxes);
  if (drawings.images.length + drawings.charts.length > 0 || drawings.hasShapes) addPictures(story, drawings);
}

function addTextBoxes(story: Story, boxes: readonly XmlElement[]): void {
  story.outline.endList();
  const group = story.context.builder.group('section', {
    ...placeBelow(story, story.outline.parent()),
    name: 'textbox',
  });
  const leave = story.outline.enter(group);
  for (const box of boxes) addBlocks(story, box);
  story.code.end();
  leave();
}

/** Images with this few pixels are only spacers. */
const maxPixelsOfSpacer = 25;

/** Adds images and charts, or one empty picture if there are only shapes; the text of diagrams comes after them. */
function addPictures(story: Story, { images, charts, diagrams }: Drawings): void {
  const { builder, office, image: imageOf } = story.context;
  story.outline.beforeFloating();
  const parent = story.outline.parent();
  const count = images.length + charts.length;
  const area = count > 1 ? builder.group('picture_area', placeBelow(story, parent)) : parent;
  const relations = office.relationships(story.part);
  const getPart = (id: string) => {
    const relation = relations.get(id);
    return relation === undefined || relation.isExternal ? undefined : relation.target;
  };
  for (const id of images) {
    const part = getPart(id);
    const image = part === undefined ? undefined : imageOf(part);
    const isSpacer = image !== undefined && image.size.width * image.size.height <= maxPixelsOfSpacer;
    builder.picture({
      ...placeBelow(story, area),
      ...(image === undefined ? {} : { image }),
      ...(isSpacer ? { layer: 'invisible' } : {}),
    });
  }
  for (const id of charts) {
    const part = getPart(id);
    addChartPicture(builder, part === undefined ? undefined : office.xml(part), placeBelow(story, area));
  }
  if (count === 0) builder.picture(placeBelow(story, parent));
  for (const id of diagrams) {
    const data = office.xml(getPart(id) ?? '');
    for (const text of data === undefined ? [] : listDiagramTexts(data))
      builder.text('text', text, placeBelow(story, parent));
  }
}

const commentMarks = new Set(['w:commentRangeStart', 'w:commentRangeEnd', 'w:commentReference']);

function noteComments({ commented }: DocumentContext, paragraph: XmlElement, added: TextItem[]): void {
  if (commented === undefined || added.length === 0) return;
  const ids = new Set<string>();
  const visit = (element: XmlElement): void => {
    for (const node of listElements(element)) {
      if (commentMarks.has(node.name)) ids.add(node.attributes['w:id'] ?? '');
      else visit(node);
    }
  };
  visit(paragraph);
  for (const id of ids) commented.set(id, [...(commented.get(id) ?? []), ...added]);
}
