import type { ReadDocument } from '../format';
import { decodeText } from '../text/decode';
import { listDescendants, type XmlElement } from '../xml/xml';
import { parseXmlDocument } from '../xml/xml-document';
import { readAps } from './aps';
import { isAps, findPart, writeScript } from './dialect';
import {
  addHeading,
  addParagraph,
  addTitle,
  closeHeadings,
  createPatent,
  openClaims,
  findParent,
  type Patent,
} from './patent';
import { readTable } from './table';

/**
 * Reads a patent: title, abstract, description with its headings and tables, claims. The rest of the bibliography is skipped.
 */
export const read: ReadDocument = (bytes, options) => {
  const { name } = options;
  if (isAps(bytes)) return readAps(decodeText(bytes, { name }), name);
  const patent = createPatent(name);
  addContent(patent, parseXmlDocument(bytes, options));
  return patent.builder.document;
};

function addContent(patent: Patent, parent: XmlElement): void {
  for (const node of parent.children) {
    if (typeof node === 'string') continue;
    switch (findPart(node.name)) {
      case 'abstract':
        addHeading(patent, 'ABSTRACT', 2);
        addContent(patent, node);
        // The description after the abstract does not belong to it, even if it begins without a heading.
        closeHeadings(patent);
        break;
      case 'claims':
        closeHeadings(patent);
        addContent(patent, node);
        break;
      case 'heading':
        addHeading(patent, readLine(patent, node), readLevel(node));
        break;
      case 'claim':
        openClaims(patent);
        addParagraph(patent, readClaim(patent, node));
        break;
      case 'paragraph':
        addParagraph(patent, readLine(patent, node));
        break;
      case 'table':
        addTable(patent, node);
        break;
      case 'skipped':
        break;
      default:
        if (isBibliography(node)) addTitle(patent, readTitle(patent, node));
        else addContent(patent, node);
    }
  }
}

function isBibliography({ name }: XmlElement): boolean {
  return name === 'SDOBI' || name.includes('bibliographic');
}

function readTitle(patent: Patent, bibliography: XmlElement): string {
  const titles = ['invention-title', 'title-of-invention', 'B540'].flatMap((name) =>
    listDescendants(bibliography, name),
  );
  return titles[0] ? readLine(patent, titles[0]) : '';
}

/** Returns the level of a heading. In the file, levels start at 0 for the drawings and at 1 for the description. */
function readLevel({ attributes }: XmlElement): number {
  const level = Number.parseInt(attributes['lvl'] ?? attributes['level'] ?? attributes['LVL'] ?? '1', 10);
  return Math.min(Math.max((Number.isNaN(level) ? 1 : level) + 1, 1), 100);
}

function addTable(patent: Patent, table: XmlElement): void {
  const data = readTable(table, patent.name);
  if (data) patent.builder.table(data, { parent: findParent(patent) });
}

/** Returns the text of a claim. In grants from 2001 to 2004 its number is only in an attribute. */
function readClaim(patent: Patent, claim: XmlElement): string {
  const text = readLine(patent, claim);
  const number = /^CLM-0*(\d+)$/.exec(claim.attributes['ID'] ?? '')?.[1];
  return number === undefined || /^\d/.test(text) ? text : `${number}. ${text}`;
}

/** Returns the text of an element on one line, and adds the tables in it. */
function readLine(patent: Patent, element: XmlElement): string {
  return joinText(patent, element).replace(/\s+/g, ' ').trim();
}

/** Elements whose text is separated from the text around them. */
const separateElements = new Set(['claim-text', 'li', 'LI', 'br', 'ul', 'ol', 'CLM', 'PTEXT', 'dd', 'dt']);

function joinText(patent: Patent, element: XmlElement): string {
  let text = '';
  for (const node of element.children) {
    if (typeof node === 'string') {
      text += node;
      continue;
    }
    const part = findPart(node.name);
    if (part === 'table') addTable(patent, node);
    else if (part === 'sub' || part === 'sup') text += writeScript(joinText(patent, node), part);
    else if (part !== 'skipped') {
      // The reference to the parent claim is part of the sentence.
      const isSeparate = separateElements.has(node.name) && element.name !== 'dependent-claim-reference';
      text += isSeparate ? ` ${joinText(patent, node)} ` : joinText(patent, node);
    }
  }
  return text;
}
