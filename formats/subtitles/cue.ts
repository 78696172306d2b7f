import type { Formatting } from '../../document/model';
import { decodeEntities } from './entities';

/** A piece of a cue with one style and one speaker. */
export interface CueRun {
  text: string;
  formatting: Formatting | null;
  voice: string | undefined;
}

type Mark = 'bold' | 'italic' | 'underline' | 'strikethrough';
/** Formatting by tag. */
const marks: Readonly<Record<string, Mark>> = { b: 'bold', i: 'italic', u: 'underline', s: 'strikethrough' };
const tagNames: ReadonlySet<string> = new Set(['b', 'i', 'u', 's', 'c', 'v', 'lang', 'ruby', 'rt', 'font']);
const tag = /<(\/?)([A-Za-z]*)((?:\.[^\s<>.]+)*)(?:[ \t]+([^ \t<>][^<>]*)?)?>|<[\d:.]+>/g;

/** Tags may be nested this deeply; the inner ones are dropped. A cue of unclosed tags would take quadratic time. */
const maxOpenTags = 32;

/** An open tag. */
interface Span {
  name: string;
  annotation: string;
}

/** Returns the runs of a cue (WebVTT 1, section 4.2.2). Unknown tags are kept as text; classes and languages are dropped. */
export function readCueRuns(text: string): CueRun[] {
  const runs: CueRun[] = [];
  const open: Span[] = [];
  let pending = '';
  const flush = (): void => {
    if (pending !== '') addRun(runs, decodeEntities(pending), open);
    pending = '';
  };
  let at = 0;
  for (const match of text.matchAll(tag)) {
    const [whole, slash, rawName, , annotation] = match;
    pending += text.slice(at, match.index);
    at = match.index + whole.length;
    // A timestamp within a cue only states when the words after it are spoken.
    if (rawName === undefined) continue;
    const name = rawName.toLowerCase();
    if (name !== '' && !tagNames.has(name)) {
      pending += whole;
      continue;
    }
    flush();
    if (slash !== '') closeSpan(open, name);
    else if (open.length < maxOpenTags) open.push({ name, annotation: decodeEntities(annotation ?? '').trim() });
  }
  pending += text.slice(at);
  flush();
  return trimRuns(runs);
}

function closeSpan(open: Span[], name: string): void {
  const index = open.findLastIndex((span) => span.name === name);
  if (index >= 0) open.length = index;
}

function addRun(runs: CueRun[], text: string, open: readonly Span[]): void {
  const formatting: Formatting = {
    bold: false,
    italic: false,
    underline: false,
    strikethrough: false,
    script: 'baseline',
  };
  let isMarked = false;
  for (const { name } of open) {
    const mark = marks[name];
    if (mark === undefined) continue;
    formatting[mark] = true;
    isMarked = true;
  }
  const voice = open.findLast((span) => span.name === 'v' && span.annotation !== '')?.annotation;
  const run: CueRun = { text, formatting: isMarked ? formatting : null, voice };
  const last = runs.at(-1);
  const isSame = last && last.voice === voice && JSON.stringify(last.formatting) === JSON.stringify(run.formatting);
  if (isSame) last.text += text;
  else runs.push(run);
}

/** Trims the ends of the cue; white space between its runs is kept. */
function trimRuns(runs: CueRun[]): CueRun[] {
  const first = runs[0];
  if (first) first.text = first.text.trimStart();
  const last = runs.at(-1);
  if (last) last.text = last.text.trimEnd();
  return runs.filter(({ text }) => text.trim() !== '' || (text !== '' && !text.includes('\n')));
}
