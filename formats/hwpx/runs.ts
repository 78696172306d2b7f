import { normaliseLink } from '../html/link';
import { normalise, type OdfRun } from '../odf/runs';
import { findChild, listDescendants, listElements, joinText, type XmlElement } from '../xml/xml';
import type { HwpxStyles } from './styles';

/** A part of a paragraph: text, or an object between texts. */
export type Piece = { runs: OdfRun[] } | { object: XmlElement };

/** State while reading a paragraph. */
export interface TextState {
  styles: HwpxStyles;
  /** The addresses of the links that are open, by the id of their field. Fields may span paragraphs. */
  links: Map<string, string | null>;
  /** Ids of deletions that are open. */
  deletions: Set<string>;
  recordDeleted: (text: string) => void;
}

/** Characters by their elements. */
const characters: Readonly<Record<string, string>> = {
  'hp:tab': '\t',
  'hp:lineBreak': '\n',
  'hp:nbSpace': '\u00a0',
  'hp:fwSpace': '\u2003',
  'hp:hyphen': '-',
};
/** Elements of a run that have no text of their own. */
const textless: ReadonlySet<string> = new Set(['hp:secPr', 'hp:colPr', 'hp:linesegarray']);
const controls: ReadonlySet<string> = new Set(['hp:checkBtn', 'hp:radioBtn', 'hp:btn', 'hp:comboBox', 'hp:edit']);

/** Reads the texts and objects of a paragraph in order. */
export function readPieces(paragraph: XmlElement, state: TextState): Piece[] {
  const pieces: Piece[] = [];
  // Notes and comments follow the text.
  const after: Piece[] = [];
  let runs: OdfRun[] = [];
  const flush = () => {
    const joined = normalise(runs);
    if (joined.length > 0) pieces.push({ runs: joined });
    runs = [];
  };
  for (const run of listElements(paragraph, 'hp:run')) {
    const formatting = state.styles.formatting(run.attributes['charPrIDRef']);
    const add = (text: string) => {
      if (text === '') return;
      if (state.deletions.size > 0) state.recordDeleted(text);
      else runs.push({ text, formatting, hyperlink: [...state.links.values()].at(-1) ?? null });
    };
    for (const element of listElements(run)) {
      if (element.name === 'hp:t') addText(element, add, state);
      else if (element.name === 'hp:ctrl') {
        for (const control of listElements(element)) {
          if (control.name === 'hp:autoNum') add(formatNumber(control));
          else if (!trackField(control, state) && !textless.has(control.name)) after.push({ object: control });
        }
      } else if (element.name === 'hp:equation') add(` ${joinText(findChild(element, 'hp:script')).trim()} `);
      else if (element.name === 'hp:compose') add(element.attributes['composeText'] ?? '');
      else if (element.name === 'hp:dutmal') add(formatDoubleText(element));
      else if (element.name === 'hp:textart') add(element.attributes['text'] ?? '');
      else if (controls.has(element.name)) add(readControlText(element));
      else if (!textless.has(element.name)) {
        flush();
        pieces.push({ object: element });
      }
    }
  }
  flush();
  return [...pieces, ...after];
}

function addText(text: XmlElement, add: (text: string) => void, { deletions }: TextState): void {
  for (const node of text.children) {
    if (typeof node === 'string') add(node);
    else if (node.name === 'hp:deleteBegin') deletions.add(node.attributes['Id'] ?? '');
    else if (node.name === 'hp:deleteEnd') deletions.delete(node.attributes['Id'] ?? '');
    else add(characters[node.name] ?? '');
  }
}

/** Opens and closes links. False for controls that are not fields, and for memos, which have their own text. */
function trackField(control: XmlElement, { links }: TextState): boolean {
  const { name, attributes } = control;
  if (name === 'hp:fieldEnd') {
    links.delete(attributes['beginIDRef'] ?? '');
    return true;
  }
  if (name !== 'hp:fieldBegin') return false;
  if (attributes['type'] === 'HYPERLINK') links.set(attributes['id'] ?? '', readLink(control));
  return attributes['type'] !== 'MEMO';
}

/** Returns the address of a link: `https\://example.com;1;0;0;` is a command with further parameters. */
function readLink(field: XmlElement): string | null {
  const parameters = listDescendants(field, 'hp:stringParam');
  const readValue = (name: string) => joinText(parameters.find(({ attributes }) => attributes['name'] === name)).trim();
  const address = readValue('Path') || (readValue('Command').split(/(?<!\\);/)[0] ?? '');
  const plain = address.replace(/\\(.)/g, '$1');
  return /^(?:https?|mailto|ftp|tel):/i.test(plain) ? normaliseLink(plain) : null;
}

/** Formats the number of a caption or note, such as `1)`. */
function formatNumber(control: XmlElement): string {
  const { prefixChar = '', suffixChar = '' } = findChild(control, 'hp:autoNumFormat')?.attributes ?? {};
  return `${prefixChar}${control.attributes['num'] ?? ''}${suffixChar}`;
}

/** Formats a text with a smaller text above or below it (`dutmal`). */
function formatDoubleText(element: XmlElement): string {
  const [main, sub] = ['hp:mainText', 'hp:subText'].map((name) => joinText(findChild(element, name)).trim());
  return sub === '' ? main! : `${main} (${sub})`;
}

function readControlText(element: XmlElement): string {
  const text =
    joinText(findChild(element, 'hp:text')) || element.attributes['selectedValue'] || element.attributes['caption'];
  return text ?? '';
}
