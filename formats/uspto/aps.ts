import type { DoclingDocument } from '../../document/model';
import { findSmallest } from '../extremes';
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

/** Sections with text; all others are bibliography. */
const textSections = new Set(['PATN', 'ABST', 'PARN', 'GOVT', 'BSUM', 'DRWD', 'DETD', 'CLMS', 'DCLM']);
/** A field of a section: three letters, or two and a digit, sometimes followed by a digit for a width. */
const fieldLine = /^([A-Z]{2}[A-Z\d])\d?(?:[ \t]+(.*))?$/;
/** Placeholder for a structure or formula that the files do not contain. */
const drawnPart = /##[A-Z]+\d*##/g;

interface Field {
  tag: string;
  lines: string[];
}

/** Reads title, abstract, description and claims, as for XML documents. */
export function readAps(text: string, name: string): DoclingDocument {
  const patent = createPatent(name);
  for (const { tag, fields } of listSections(text)) {
    if (tag === 'PATN') addTitle(patent, joinField(fields.find((field) => field.tag === 'TTL')));
    else if (tag === 'CLMS' || tag === 'DCLM') addClaims(patent, fields);
    else {
      if (tag === 'ABST') addHeading(patent, 'ABSTRACT', 2);
      for (const field of fields) addField(patent, field);
      if (tag === 'ABST') closeHeadings(patent);
    }
  }
  return patent.builder.document;
}

/** Splits the text into sections with fields. A line without a field name continues the previous field. */
function listSections(text: string): { tag: string; fields: Field[] }[] {
  const sections: { tag: string; fields: Field[] }[] = [];
  for (const line of text.split('\n')) {
    const section = /^([A-Z]{4})\s*$/.exec(line)?.[1];
    const [, tag, value = ''] = fieldLine.exec(line) ?? [];
    const current = sections.at(-1);
    if (section !== undefined) sections.push({ tag: section, fields: [] });
    else if (tag !== undefined) current?.fields.push({ tag, lines: [value] });
    else if (line.trim() !== '') current?.fields.at(-1)?.lines.push(line);
  }
  return sections.filter(({ tag }) => textSections.has(tag));
}

/** Returns the text of a field on one line. */
function joinField(field: Field | undefined): string {
  return (field?.lines.join(' ') ?? '').replace(drawnPart, ' ').replace(/\s+/g, ' ').trim();
}

/** Adds a field. Tables drawn with blanks and rules are kept unchanged. */
function addField(patent: Patent, field: Field): void {
  if (field.tag === 'PAC') addHeading(patent, joinField(field), 2);
  else if (field.tag === 'TBL') {
    const drawing = removeIndent(field.lines);
    if (drawing !== '') patent.builder.code(drawing, { parent: findParent(patent) });
  } else addParagraph(patent, joinField(field));
}

/**
 * Removes the indentation of a table. Only the lines after the first determine it, since the first begins after the field name.
 */
function removeIndent([first = '', ...others]: readonly string[]): string {
  const margin = findSmallest(others.map((line) => line.length - line.trimStart().length));
  const lines = [first.trim(), ...others.map((line) => line.slice(margin).trimEnd())];
  return lines.join('\n').replace(/^\n+/, '');
}

/** Adds the claims. A number begins a claim, and further paragraphs belong to it; a design claim has none. */
function addClaims(patent: Patent, fields: readonly Field[]): void {
  openClaims(patent);
  const isNumbered = fields.some(({ tag }) => tag === 'NUM');
  let number = '';
  let parts: string[] = [];
  const flush = (): void => {
    const text = parts.filter((part) => part !== '').join(' ');
    addParagraph(patent, number === '' || text === '' || /^\d/.test(text) ? text : `${number}. ${text}`);
    parts = [];
  };
  for (const field of fields) {
    // The statement `I claim:` comes before the first claim.
    if (field.tag === 'STM' && isNumbered) continue;
    if (field.tag === 'NUM') {
      flush();
      number = joinField(field).replace(/\D+$/, '');
    } else parts.push(joinField(field));
  }
  flush();
}
