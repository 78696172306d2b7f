import { createDocument, type DocumentBuilder } from '../../document/builder';
import type { GroupItem, NodeItem, PictureItem, TableItem, TextItem } from '../../document/model';
import { AppError } from '../../model/errors';
import { type ReadDocument, getStem } from '../format';
import { findChild, listDescendants, listElements, type XmlElement } from '../xml/xml';
import { collapseXml, parseXmlDocument } from '../xml/xml-document';
import { writeCitation } from './citation';
import { readFront } from './front';
import { readFormula, readLine, type Run, readRuns } from './inline';
import { readCaption, readTable } from './table';

interface Article {
  builder: DocumentBuilder;
  name: string;
}

const prefixes = {
  'http://www.w3.org/1998/Math/MathML': '',
  'http://www.w3.org/1999/xlink': 'xlink',
  'http://jats.nlm.nih.gov': '',
};

/** Reads an article: title, authors, affiliations, abstract, sections, references. Responses to the article are skipped. */
export const read: ReadDocument = (bytes, options) => {
  const { name } = options;
  const root = parseXmlDocument(bytes, options, { prefixes });
  const article = root.name === 'article' ? root : listDescendants(root, 'article')[0];
  if (!article)
    throw new AppError('DOCUMENT_CORRUPT', `'${name}' contains no article: its root element is <${root.name}>.`);
  const builder = createDocument(getStem(name));
  const reading: Article = { builder, name };
  // The title is the parent of all content.
  const top = addFront(reading, article);
  const body = findChild(article, 'body');
  if (body) addBlocks(reading, body, top, 0);
  const back = findChild(article, 'back');
  if (back) addBlocks(reading, back, top, 0);
  return builder.document;
};

function addFront({ builder, name }: Article, article: XmlElement): NodeItem {
  const { title, authors, affiliations, abstracts } = readFront(article);
  const top = title === '' ? builder.document.body : builder.text('title', title);
  if (authors.length > 0) builder.text('paragraph', authors.join(', '), { parent: top });
  if (affiliations.length > 0) builder.text('paragraph', affiliations.join('; '), { parent: top });
  for (const abstract of abstracts) addAbstract({ builder, name }, abstract, top);
  return top;
}

/** Adds the abstract as one paragraph in which section titles precede their text. Figures and lists become blocks. */
function addAbstract(article: Article, abstract: XmlElement, top: NodeItem): void {
  const text = listAbstractTexts(abstract).join(' ');
  const otherBlocks = listDescendantBlocks(abstract);
  if (text === '' && otherBlocks.length === 0) return;
  const { builder } = article;
  const heading = builder.heading(1, readLine(findChild(abstract, 'title')) || 'Abstract', { parent: top });
  if (text !== '') builder.text('text', text, { parent: heading });
  for (const block of otherBlocks) addBlock(article, block, heading, 1);
}

function listAbstractTexts(abstract: XmlElement): string[] {
  return listElements(abstract).flatMap((part) => {
    if (part.name === 'sec') {
      const [title, text] = [readTitle(part), listAbstractTexts(part).join(' ')];
      return [/[.:]$/.test(title) || title === '' ? `${title} ${text}`.trim() : `${title}: ${text}`];
    }
    return part.name === 'p' ? [readLine(part, blocks)].filter((text) => text !== '') : [];
  });
}

function listDescendantBlocks(element: XmlElement): XmlElement[] {
  return listElements(element).flatMap((part) => (blocks.has(part.name) ? [part] : listDescendantBlocks(part)));
}

/** Elements of a paragraph that become separate blocks. */
const blocks = new Set(
  'fig fig-group table-wrap table-wrap-group list def-list disp-formula disp-formula-group disp-quote boxed-text code preformat verse-group speech supplementary-material media statement fn'.split(
    ' ',
  ),
);
/** Elements that are read with their parents, or not at all. */
const skippedElements = new Set('title label caption object-id sub-article response floats-group'.split(' '));

function addBlocks(article: Article, parent: XmlElement, node: NodeItem, level: number): void {
  for (const element of listElements(parent)) addBlock(article, element, node, level);
}

function addBlock(article: Article, element: XmlElement, node: NodeItem, level: number): void {
  const { builder } = article;
  if (skippedElements.has(element.name)) return;
  switch (element.name) {
    case 'sec':
    case 'app':
    case 'ack':
    case 'notes':
    case 'glossary':
      addSection(article, element, node, level);
      break;
    case 'ref-list':
      addReferences(article, element, node, level);
      break;
    case 'fn-group':
      addFootnotes(article, element, node, level);
      break;
    case 'p':
      addParagraph(article, element, node, level);
      break;
    case 'list':
    case 'def-list':
      addList(article, element, node, level);
      break;
    case 'disp-formula':
      builder.text('formula', readFormula(element), { parent: node });
      break;
    case 'code':
    case 'preformat':
      builder.code(readCode(element), { parent: node });
      break;
    case 'fig':
      addPicture(article, element, node);
      break;
    case 'table-wrap':
      addTables(article, element, node);
      break;
    case 'element-citation':
    case 'mixed-citation':
      builder.text('text', writeCitation(element), { parent: node });
      break;
    case 'fn':
      addNote(article, element, node);
      break;
    case 'media':
    case 'supplementary-material': {
      const caption = findChild(element, 'caption');
      if (caption) addBlocks(article, caption, node, level);
      break;
    }
    default:
      addBlocks(article, element, node, level);
  }
}

function readCode(element: XmlElement): string {
  return element.children
    .map((inner) => (typeof inner === 'string' ? inner : readLine(inner)))
    .join('')
    .replace(/^\n+|\s+$/g, '');
}

const defaultTitles: Record<string, string> = { ack: 'Acknowledgments', glossary: 'Glossary', app: 'Appendix' };

function addSection(article: Article, section: XmlElement, node: NodeItem, level: number): void {
  const title = readTitle(section) || (defaultTitles[section.name] ?? '');
  const heading = title === '' ? node : article.builder.heading(level + 1, title, { parent: node });
  addBlocks(article, section, heading, title === '' ? level : level + 1);
}

/** Returns the number and title of a section. */
function readTitle(section: XmlElement): string {
  return [findChild(section, 'label'), findChild(section, 'title')]
    .map((part) => readLine(part, new Set(['xref'])))
    .filter((text) => text !== '')
    .join(' ');
}

function addRuns({ builder }: Article, runs: readonly Run[], node: NodeItem, label: 'text' | 'footnote' = 'text') {
  if (runs.length === 0) return;
  const parent = runs.length === 1 && label === 'text' ? node : builder.group('inline', { parent: node });
  for (const { text, isFormula, formatting } of runs) {
    builder.text(isFormula ? 'formula' : label, text, { parent, formatting });
  }
}

/** Adds a paragraph. Blocks in it divide it into several texts. */
function addParagraph(article: Article, paragraph: XmlElement, node: NodeItem, level: number): void {
  let inline: XmlElement['children'][number][] = [];
  const flush = (): void => {
    addRuns(
      article,
      readRuns(inline, blocks, (element) => addBlock(article, element, node, level)),
      node,
    );
    inline = [];
  };
  for (const inner of paragraph.children) {
    const isBlock = typeof inner !== 'string' && (blocks.has(inner.name) || inner.name === 'element-citation');
    if (!isBlock) {
      inline.push(inner);
      continue;
    }
    flush();
    addBlock(article, inner, node, level);
  }
  flush();
}

function addList(article: Article, list: XmlElement, node: NodeItem, level: number): void {
  const { builder } = article;
  const title = readTitle(list);
  if (title !== '') builder.text('text', title, { parent: node });
  const enumerated = list.attributes['list-type'] === 'order';
  const group = builder.group('list', { parent: node });
  for (const item of listElements(list)) {
    if (item.name === 'def-item') {
      const text = [findChild(item, 'term'), findChild(item, 'def')].map((part) => readLine(part)).join(': ');
      builder.listItem(text, { parent: group, marker: '' });
    } else if (item.name === 'list-item') addListItem(article, { item, group, enumerated }, level);
  }
}

interface ListEntry {
  item: XmlElement;
  group: GroupItem;
  enumerated: boolean;
}

function addListItem(article: Article, { item, group, enumerated }: ListEntry, level: number): void {
  const [first, ...others] = listElements(item).filter(({ name }) => name !== 'label');
  const hasText = first?.name === 'p';
  const text = hasText ? readLine(first, blocks) : '';
  const marker = readLine(findChild(item, 'label'));
  const added = article.builder.listItem(text, { parent: group, enumerated, marker });
  const inside = hasText
    ? [...listElements(first).filter(({ name }) => blocks.has(name)), ...others]
    : [first, ...others];
  for (const block of inside) if (block) addBlock(article, block, added, level);
}

/** Adds a note from the text or from below a table. */
function addNote({ builder }: Article, note: XmlElement, node: NodeItem): TextItem | undefined {
  const text = [readLine(findChild(note, 'label')), readLine(note, new Set(['label']))]
    .filter((part) => part !== '')
    .join(' ');
  return text === '' ? undefined : builder.text('footnote', text, { parent: node });
}

function addReferences(article: Article, list: XmlElement, node: NodeItem, level: number): void {
  const { builder } = article;
  const heading = builder.heading(level + 1, readTitle(list) || 'References', { parent: node });
  const group = builder.group('list', { parent: heading });
  for (const reference of listElements(list)) {
    if (reference.name === 'ref-list') addReferences(article, reference, heading, level + 1);
    if (reference.name !== 'ref') continue;
    const holder = findChild(reference, 'citation-alternatives') ?? reference;
    for (const citation of listElements(holder).filter(({ name }) => name.endsWith('citation') || name === 'note')) {
      const text = citation.name === 'note' ? readLine(citation) : writeCitation(citation);
      if (text !== '') builder.listItem(text, { parent: group, marker: '' });
    }
  }
}

function addFootnotes(article: Article, group: XmlElement, node: NodeItem, level: number): void {
  const { builder } = article;
  const notes = listElements(group, 'fn');
  if (notes.length === 0) return;
  const heading = builder.heading(level + 1, readTitle(group) || 'Footnotes', { parent: node });
  const list = builder.group('list', { parent: heading, name: 'footnotes' });
  for (const note of notes) {
    const item = builder.listItem('', { parent: list, marker: '' });
    const paragraphs = listElements(note, 'p').flatMap((paragraph) =>
      readRuns(paragraph.children, new Set(), () => {}),
    );
    addRuns(article, paragraphs, item, 'footnote');
  }
}

/** Captions are children of the body and are written with their owner. */
function addCaption({ builder }: Article, owner: TableItem | PictureItem, text: string): void {
  if (text === '') return;
  const caption = builder.text('caption', collapseXml(text));
  owner.captions.push({ $ref: caption.self_ref });
}

/** Skips figures that supplement the previous one; they are available only on the publisher's page. */
function addPicture(article: Article, figure: XmlElement, node: NodeItem): void {
  if (figure.attributes['specific-use'] === 'child-fig') return;
  addCaption(article, article.builder.picture({ parent: node }), readCaption(figure));
}

function addTables(article: Article, wrap: XmlElement, node: NodeItem): void {
  const tables = listDescendants(wrap, 'table');
  for (const [index, table] of tables.entries()) {
    const item = article.builder.table(readTable(table, article.name), { parent: node });
    if (index === 0) addCaption(article, item, readCaption(wrap));
    if (index === tables.length - 1) addTableNotes(article, item, wrap);
  }
  // The table exists only as a picture.
  if (tables.length === 0) addPicture(article, wrap, node);
}

/** Adds the notes below a table as its footnotes. Writers omit them, as in the document model. */
function addTableNotes(article: Article, table: TableItem, wrap: XmlElement): void {
  for (const part of listElements(findChild(wrap, 'table-wrap-foot'))) {
    const note = addNote(article, part, table);
    if (note) table.footnotes.push({ $ref: note.self_ref });
  }
}
