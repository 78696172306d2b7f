import { createDocument, type DocumentBuilder } from '../../document/builder';
import type { NodeItem } from '../../document/model';
import { stemOf } from '../format';

/** A patent that is being read: what stands below a heading hangs under it. */
export interface Patent {
  builder: DocumentBuilder;
  name: string;
  /** The heading of each level that is open; the first is the title. */
  parents: (NodeItem | undefined)[];
  hasClaims: boolean;
}

/** A patent without content yet; `name` is the file's. */
export function createPatent(name: string): Patent {
  return { builder: createDocument(stemOf(name)), name, parents: [], hasClaims: false };
}

/** The first title counts; empty ones and those behind a heading are passed over. */
export function addTitle(patent: Patent, text: string): void {
  if (text !== '' && patent.parents.length === 0) patent.parents = [patent.builder.text('title', text)];
}

/** Closes the headings of its level and below; level one stands beside the title. */
export function addHeading(patent: Patent, text: string, level: number): void {
  if (text === '') return;
  const { parents } = patent;
  const parent = level === 1 ? undefined : parents.slice(0, level - 1).findLast((node) => node !== undefined);
  const heading = patent.builder.heading(level, text, { parent });
  patent.parents = parents.slice(0, level - 1);
  patent.parents[level - 1] = heading;
}

/** What follows hangs under the title again. */
export function closeHeadings(patent: Patent): void {
  patent.parents.length = Math.min(patent.parents.length, 1);
}

/** Empty paragraphs are left out. */
export function addParagraph(patent: Patent, text: string): void {
  if (text !== '') patent.builder.text('paragraph', text, { parent: parentOf(patent) });
}

/** The innermost open heading, else the title; undefined before both. */
export function parentOf({ parents }: Patent): NodeItem | undefined {
  return parents.findLast((node) => node !== undefined);
}

/** The heading of the claims, before the first of them. */
export function openClaims(patent: Patent): void {
  if (patent.hasClaims) return;
  addHeading(patent, 'CLAIMS', 2);
  patent.hasClaims = true;
}
