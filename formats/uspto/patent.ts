import { createDocument, type DocumentBuilder } from '../../document/builder';
import type { NodeItem } from '../../document/model';
import { getStem } from '../format';

/** A patent while it is read. Content after a heading becomes its child. */
export interface Patent {
  builder: DocumentBuilder;
  name: string;
  /** The open heading of each level; the first is the title. */
  parents: (NodeItem | undefined)[];
  hasClaims: boolean;
}

/** Creates an empty patent; `name` is that of the file. */
export function createPatent(name: string): Patent {
  return { builder: createDocument(getStem(name)), name, parents: [], hasClaims: false };
}

/** Adds the first title; empty titles and titles after a heading are ignored. */
export function addTitle(patent: Patent, text: string): void {
  if (text !== '' && patent.parents.length === 0) patent.parents = [patent.builder.text('title', text)];
}

/** Adds a heading and closes those of the same and deeper levels. Level one is on the same level as the title. */
export function addHeading(patent: Patent, text: string, level: number): void {
  if (text === '') return;
  const { parents } = patent;
  const parent = level === 1 ? undefined : parents.slice(0, level - 1).findLast((node) => node !== undefined);
  const heading = patent.builder.heading(level, text, { parent });
  patent.parents = parents.slice(0, level - 1);
  patent.parents[level - 1] = heading;
}

/** Makes the title the parent of the content that follows. */
export function closeHeadings(patent: Patent): void {
  patent.parents.length = Math.min(patent.parents.length, 1);
}

/** Adds a paragraph. Empty paragraphs are skipped. */
export function addParagraph(patent: Patent, text: string): void {
  if (text !== '') patent.builder.text('paragraph', text, { parent: findParent(patent) });
}

/** Returns the innermost open heading, else the title; undefined before both. */
export function findParent({ parents }: Patent): NodeItem | undefined {
  return parents.findLast((node) => node !== undefined);
}

/** Adds the heading of the claims before the first claim. */
export function openClaims(patent: Patent): void {
  if (patent.hasClaims) return;
  addHeading(patent, 'CLAIMS', 2);
  patent.hasClaims = true;
}
