import { createDocument, type DocumentBuilder } from '../../document/builder';
import type { NodeItem } from '../../document/model';
import { AppError } from '../../model/errors';
import { type ReadDocument, getStem } from '../format';
import { decodeText } from '../text/decode';
import { type CueRun, readCueRuns } from './cue';

/** Files with more cues are rejected: a day of film has about 20,000. */
const maxCues = 500_000;

interface Cue {
  identifier: string | undefined;
  startSeconds: number;
  endSeconds: number;
  text: string;
}

/** Reads WebVTT and SubRip: one text per cue, with its times, speaker and identifier in `source`. */
export const read: ReadDocument = (bytes, { name }) => {
  const text = decodeText(bytes, { name });
  const isWebVtt = /^WEBVTT(?:[ \t\n]|$)/.test(text);
  const cues = parseCues(text, isWebVtt);
  if (cues.length === 0 && !isWebVtt) {
    throw new AppError(
      'DOCUMENT_CORRUPT',
      `'${name}' contains no subtitles: neither the header WEBVTT nor a time was found.`,
    );
  }
  if (cues.length > maxCues) {
    throw new AppError('DOCUMENT_TOO_LARGE', `'${name}' has ${cues.length} subtitles; at most ${maxCues} are read.`);
  }
  const builder = createDocument(getStem(name));
  const title = isWebVtt ? /^WEBVTT[ \t]+(?:-+[ \t]+)?(\S[^\n]*)/.exec(text)?.[1]?.trim() : undefined;
  if (title) builder.text('title', title);
  for (const cue of cues) addCue(builder, cue);
  return builder.document;
};

const time = /^\s*(?:(\d+):)?(\d{1,2}):(\d{1,2})[.,](\d{1,3})\s*$/;

/** Blocks of WebVTT that are not cues. */
const notCue = /^(?:NOTE|STYLE|REGION)\b/;

/** Reads the blocks between empty lines. Blocks without a timing line (NOTE, STYLE, REGION) are not cues. */
function parseCues(text: string, isWebVtt: boolean): Cue[] {
  const cues: Cue[] = [];
  for (const lines of text.split(/\n[ \t]*\n+/).flatMap(splitBlock)) {
    const at = lines.findIndex((line) => line.includes('-->'));
    if (at < 0 || at > 2 || (isWebVtt && notCue.test(lines[0]!))) continue;
    const times = parseTimes(lines[at]!);
    if (times === undefined) continue;
    const label = at > 0 ? lines[at - 1]!.trim() : '';
    const identifier = label === '' || label.startsWith('WEBVTT') ? undefined : label;
    cues.push({
      identifier,
      ...times,
      text: lines
        .slice(at + 1)
        .join(isWebVtt ? '\n' : ' ')
        .trim(),
    });
  }
  return cues;
}

/**
 * Splits a block at timing lines, since the empty line before a cue may be missing. A number directly before a timing line
 * belongs to that cue.
 */
function splitBlock(block: string): string[][] {
  const lines = block
    .split('\n')
    .filter((line, index, blockLines) => line.trim() !== '' || index === blockLines.length - 1);
  if (notCue.test(block)) return [lines];
  const cues: string[][] = [[]];
  let hasTimes = false;
  for (const line of lines) {
    const isTimes = line.includes('-->');
    if (isTimes && hasTimes && parseTimes(line)) {
      const last = cues.at(-1)!;
      cues.push(/^\d+$/.test(last.at(-1)?.trim() ?? '') && last.length > 2 ? last.splice(-1) : []);
    }
    hasTimes ||= isTimes;
    cues.at(-1)!.push(line);
  }
  return cues;
}

/** Parses `00:00:01.000 --> 00:00:04.000 line:0`; undefined for other lines. */
function parseTimes(line: string): Pick<Cue, 'startSeconds' | 'endSeconds'> | undefined {
  const [start = '', endAndSettings = ''] = line.split('-->');
  const startSeconds = parseSeconds(start);
  const endSeconds = parseSeconds(endAndSettings.trim().split(/[ \t]/)[0]!);
  return startSeconds === undefined || endSeconds === undefined ? undefined : { startSeconds, endSeconds };
}

function parseSeconds(text: string): number | undefined {
  const match = time.exec(text);
  if (!match) return undefined;
  const [, hours = '0', minutes, seconds, fraction = ''] = match;
  const millis = Number(fraction.padEnd(3, '0'));
  return (Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds) + millis / 1000;
}

/** Adds a cue. As in the reference, lines before the first change of style are separate texts; all others form one group. */
function addCue(builder: DocumentBuilder, cue: Cue): void {
  const runs = readCueRuns(cue.text);
  const [first] = runs;
  if (!first) return;
  if (runs.length === 1 || (!first.voice && !first.formatting)) {
    const lines = listLines(first.text);
    const last = runs.length === 1 ? '' : (lines.pop() ?? '');
    for (const text of lines) if (text !== '') addRun(builder, cue, { ...first, text });
    if (last.trim() === '') runs.shift();
    else first.text = last;
  }
  const parent = runs.length > 1 ? builder.group('inline', { name: 'WebVTT cue span' }) : undefined;
  for (const run of runs) addRun(builder, cue, { ...run, text: listLines(run.text).join(' ') }, parent);
}

/** Splits at line ends and trims around them; white space at both ends of the text is kept. */
function listLines(text: string): string[] {
  const lines = text.split('\n');
  return lines.map((line, at) => {
    const start = at > 0 ? line.trimStart() : line;
    return at < lines.length - 1 ? start.trimEnd() : start;
  });
}

function addRun(builder: DocumentBuilder, cue: Cue, run: CueRun, parent?: NodeItem): void {
  const item = builder.text('text', run.text, { parent, formatting: run.formatting });
  item.source = [
    {
      kind: 'track',
      start_time: cue.startSeconds,
      end_time: cue.endSeconds,
      ...(cue.identifier === undefined ? {} : { identifier: cue.identifier }),
      ...(run.voice === undefined ? {} : { voice: run.voice }),
    },
  ];
}
