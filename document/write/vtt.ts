import { AppError } from '../../model/errors';
import type { DoclingDocument, Formatting, NodeItem, TextItem } from '../model';
import { childrenOf, isText } from '../tree';

/** Deeper items are not written, which bounds the recursion. */
const maxDepth = 500;
/** Cues later than about 30 years are not times of a recording. */
const maxSeconds = 1e9;

interface Times {
  start_time: number;
  end_time: number;
  identifier?: string | null;
  voice?: string | null;
}
interface Cue extends Times {
  payload: string;
}

/**
 * Writes the texts that have times as WebVTT, with speakers, identifiers, bold, italic and underlined text. Runs of one cue are
 * joined. Throws VALIDATION_ERROR if no text has times.
 */
export function toVtt(document: DoclingDocument): string {
  const cues = [...writeCuesBelow(document, document.body)];
  if (cues.length === 0) {
    throw new AppError(
      'VALIDATION_ERROR',
      `'${document.name}' cannot be written as vtt: none of its texts has a start and an end time. Subtitles and transcripts have them.`,
    );
  }
  const title = document.texts.find(({ label }) => label === 'title')?.text ?? '';
  const header = toOneLine(title).replaceAll('-->', '->');
  return `WEBVTT${header === '' ? '' : ` - ${header}`}\n\n${cues.map(writeCueText).join('\n\n')}\n`;
}

function* writeCuesBelow(document: DoclingDocument, parent: NodeItem, depth = 0): Generator<Cue> {
  if (depth > maxDepth) return;
  let cue: Cue | undefined;
  for (const child of childrenOf(document, parent)) {
    const times = isText(child) ? findTimes(child) : undefined;
    if (times && cue && parent.label === 'inline' && isSame(cue, times)) {
      cue.payload += writePayload(child as TextItem, times);
      continue;
    }
    if (cue) yield cue;
    cue = times ? { ...times, payload: writePayload(child as TextItem, times) } : undefined;
    if (!times) yield* writeCuesBelow(document, child, depth + 1);
  }
  if (cue) yield cue;
}

function findTimes({ source, text }: TextItem): Times | undefined {
  if (text === '') return undefined;
  for (const value of source ?? []) {
    const { kind, start_time: start, end_time: end } = value as { kind?: unknown } & Partial<Times>;
    if (kind === 'track' && isTime(start) && isTime(end)) return value as Times;
  }
  return undefined;
}

function isTime(value: unknown): value is number {
  return typeof value === 'number' && value >= 0 && value < maxSeconds;
}

function isSame(times: Times, other: Times): boolean {
  return times.start_time === other.start_time && times.end_time === other.end_time;
}

function writePayload({ text, formatting }: TextItem, { voice }: Times): string {
  const marked = listTags(formatting).reduce((inner, tag) => `<${tag}>${inner}</${tag}>`, escapeCue(text));
  const speaker = typeof voice === 'string' ? toOneLine(voice) : '';
  return speaker === '' ? marked : `<v ${escapeCue(speaker)}>${marked}</v>`;
}

function listTags(formatting: Formatting | null | undefined): string[] {
  const { bold, italic, underline } = formatting ?? {};
  return [bold ? 'b' : '', italic ? 'i' : '', underline ? 'u' : ''].filter(Boolean);
}

/** An empty line would end the cue, and an arrow would begin another. */
function escapeCue(text: string): string {
  return text
    .replace(/[\r\n\u2028\u2029]+/g, '\n')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;');
}

function writeCueText({ identifier, start_time: start, end_time: end, payload }: Cue): string {
  const input = typeof identifier === 'string' ? toOneLine(identifier).replaceAll('-->', '->') : '';
  // These words begin a comment, a style sheet and a region.
  const name = /^(?:NOTE|STYLE|REGION)\b/.test(input) || input === '' ? '' : `${input}\n`;
  const text = payload.replace(/\n{2,}/g, '\n').replace(/^\n|\n$/g, '');
  return `${name}${formatClock(start)} --> ${formatClock(end)}\n${text}`;
}

function formatClock(seconds: number): string {
  const millis = Math.round(seconds * 1_000);
  const writePart = (value: number, digits: number) => String(value).padStart(digits, '0');
  const minutes = Math.floor(millis / 60_000);
  return `${writePart(Math.floor(minutes / 60), 2)}:${writePart(minutes % 60, 2)}:${writePart(Math.floor(millis / 1_000) % 60, 2)}.${writePart(millis % 1_000, 3)}`;
}

function toOneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
