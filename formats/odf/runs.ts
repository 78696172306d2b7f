import type { Formatting } from '../../document/model';
import { runsOn } from '../../document/run-on';
import { normaliseLink } from '../html/link';
import type { XmlElement } from '../xml/xml';
import type { OdfStyles } from './styles';

/** A piece of a paragraph with one style. */
export interface OdfRun {
  text: string;
  formatting: Formatting | null;
  hyperlink: string | null;
  /** No white space separates the run from the one before it. */
  isRunOn?: boolean | undefined;
}

/** The content of a paragraph. */
export interface OdfText {
  runs: OdfRun[];
  /** The whole text, including the blanks next to links. */
  text: string;
  /** `text:note` elements of the paragraph. */
  notes: XmlElement[];
  /** `office:annotation` elements of the paragraph. */
  comments: XmlElement[];
  /** Frames and shapes of the paragraph, without nested ones. */
  drawings: XmlElement[];
}

// Ruby annotations, layout marks and comment ends.
const skippedElements: ReadonlySet<string> = new Set([
  'text:ruby-text',
  'text:soft-page-break',
  'office:annotation-end',
]);
const maxBlanks = 1000;

/** Reads the text of a paragraph or heading. White space is collapsed as in OpenDocument 1.3 part 3, 6.1.2. */
export function readText(styles: OdfStyles, paragraph: XmlElement): OdfText {
  const read: OdfText = { runs: [], text: '', notes: [], comments: [], drawings: [] };
  const visit = (element: XmlElement, formatting: Formatting | null, link: string | null): void => {
    const add = (text: string) => read.runs.push({ text, formatting, hyperlink: link });
    for (const node of element.children) {
      if (typeof node === 'string') add(node.replace(/[ \t\r\n]+/g, ' '));
      else if (node.name === 'text:s')
        add(' '.repeat(Math.min(Number(node.attributes['text:c'] ?? 1) || 1, maxBlanks)));
      else if (node.name === 'text:tab') add('\t');
      else if (node.name === 'text:line-break') add('\n');
      else if (node.name === 'text:note') read.notes.push(node);
      else if (node.name === 'office:annotation') read.comments.push(node);
      else if (/^(?:draw|dr3d):/.test(node.name)) {
        // A drawing with a link is wrapped in a separate element.
        if (node.name === 'draw:a') visit(node, formatting, link);
        else read.drawings.push(node);
      } else if (!skippedElements.has(node.name)) {
        const href = node.name === 'text:a' ? normaliseLink(node.attributes['xlink:href']) : link;
        visit(node, styles.formatting(node.attributes['text:style-name'], formatting), href);
      }
    }
  };
  visit(paragraph, null, null);
  read.text = read.runs
    .map(({ text }) => text)
    .join('')
    .trim();
  read.runs = normalise(read.runs);
  return read;
}

/** Merges runs with the same style and removes white space at the ends of the text and next to links. */
export function normalise(runs: readonly OdfRun[]): OdfRun[] {
  const joined: OdfRun[] = [];
  for (const run of runs) {
    const last = joined.at(-1);
    if (run.text === '') continue;
    if (last && hasSameStyle(last, run)) {
      last.text += run.text;
      continue;
    }
    const isRunOn = run.isRunOn ?? runsOn(last, run);
    const isLinkEdge = last !== undefined && last.hyperlink !== run.hyperlink;
    if (isLinkEdge) last.text = last.text.trimEnd();
    joined.push({ ...run, isRunOn, text: isLinkEdge ? run.text.trimStart() : run.text });
  }
  while (joined[0]?.text.trim() === '') joined.shift();
  while (joined.at(-1)?.text.trim() === '') joined.pop();
  const first = joined[0];
  if (first) first.text = first.text.trimStart();
  const last = joined.at(-1);
  if (last) last.text = last.text.trimEnd();
  return joined.filter(({ text }) => text !== '');
}

function hasSameStyle(run: OdfRun, other: OdfRun): boolean {
  return run.hyperlink === other.hyperlink && JSON.stringify(run.formatting) === JSON.stringify(other.formatting);
}
