import { createDocument, type DocumentBuilder } from '../../document/builder';
import type { NodeItem } from '../../document/model';
import { type ReadDocument, stemOf } from '../format';
import { descendants, type XmlElement } from '../xml';
import { parseXmlDocument } from '../xml-document';
import { partOf, scripted } from './dialect';
import { tableOf } from './table';

interface Patent {
  builder: DocumentBuilder;
  name: string;
  /** The heading of each level that is open; the first is the title. */
  parents: (NodeItem | undefined)[];
}

/** A patent: title, abstract, description with its headings and tables, claims. The bibliography is left out but for the title. */
export const read: ReadDocument = (bytes, options) => {
  const { name } = options;
  const builder = createDocument(stemOf(name));
  const patent: Patent = { builder, name, parents: [] };
  walk(patent, parseXmlDocument(bytes, options));
  return builder.document;
};

function walk(patent: Patent, parent: XmlElement): void {
  for (const node of parent.children) {
    if (typeof node === 'string') continue;
    switch (partOf(node.name)) {
      case 'abstract':
        addHeading(patent, 'ABSTRACT', 2);
        walk(patent, node);
        // The description that follows is not of the abstract, though it may begin without a heading.
        patent.parents.length = Math.min(patent.parents.length, 1);
        break;
      case 'claims':
        addHeading(patent, 'CLAIMS', 2);
        walk(patent, node);
        break;
      case 'heading':
        addHeading(patent, lineOf(patent, node), levelOf(node));
        break;
      case 'claim':
        addParagraph(patent, claimOf(patent, node));
        break;
      case 'paragraph':
        addParagraph(patent, lineOf(patent, node));
        break;
      case 'table':
        addTable(patent, node);
        break;
      case 'unread':
        break;
      default:
        if (isBibliography(node)) addTitle(patent, node);
        else walk(patent, node);
    }
  }
}

function isBibliography({ name }: XmlElement): boolean {
  return name === 'SDOBI' || name.includes('bibliographic');
}

function addTitle(patent: Patent, bibliography: XmlElement): void {
  const titles = ['invention-title', 'title-of-invention', 'B540'].flatMap((name) => descendants(bibliography, name));
  const text = titles[0] ? lineOf(patent, titles[0]) : '';
  if (text !== '' && patent.parents.length === 0) patent.parents = [patent.builder.text('title', text)];
}

/** Levels count from nought for the drawings and from one for the description. */
function levelOf({ attributes }: XmlElement): number {
  const level = Number.parseInt(attributes['lvl'] ?? attributes['level'] ?? attributes['LVL'] ?? '1', 10);
  return Math.min(Math.max((Number.isNaN(level) ? 1 : level) + 1, 1), 100);
}

function addHeading(patent: Patent, text: string, level: number): void {
  if (text === '') return;
  const { parents } = patent;
  // The title stands for level one.
  const parent = level === 1 ? undefined : parents.slice(0, level - 1).findLast((node) => node !== undefined);
  const heading = patent.builder.heading(level, text, { parent });
  patent.parents = parents.slice(0, level - 1);
  patent.parents[level - 1] = heading;
}

function addParagraph(patent: Patent, text: string): void {
  if (text !== '') patent.builder.text('paragraph', text, { parent: parentOf(patent) });
}

function parentOf({ parents }: Patent): NodeItem | undefined {
  return parents.findLast((node) => node !== undefined);
}

function addTable(patent: Patent, table: XmlElement): void {
  const data = tableOf(table, patent.name);
  if (data) patent.builder.table(data, { parent: parentOf(patent) });
}

/** Claims of the grants of 2001 to 2004 have their number in an attribute only. */
function claimOf(patent: Patent, claim: XmlElement): string {
  const text = lineOf(patent, claim);
  const number = /^CLM-0*(\d+)$/.exec(claim.attributes['ID'] ?? '')?.[1];
  return number === undefined || /^\d/.test(text) ? text : `${number}. ${text}`;
}

/** The text of an element on one line; tables in it are added on the way. */
function lineOf(patent: Patent, element: XmlElement): string {
  return gather(patent, element).replace(/\s+/g, ' ').trim();
}

const parting = new Set(['claim-text', 'li', 'LI', 'br', 'ul', 'ol', 'CLM', 'PTEXT', 'dd', 'dt']);

function gather(patent: Patent, element: XmlElement): string {
  let text = '';
  for (const node of element.children) {
    if (typeof node === 'string') {
      text += node;
      continue;
    }
    const part = partOf(node.name);
    if (part === 'table') addTable(patent, node);
    else if (part === 'sub' || part === 'sup') text += scripted(gather(patent, node), part);
    else if (part !== 'unread') text += parting.has(node.name) ? ` ${gather(patent, node)} ` : gather(patent, node);
  }
  return text;
}
