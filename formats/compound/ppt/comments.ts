import type { DocumentBuilder } from '../../../document/builder';
import { formatCommentHead } from '../../comment-head';
import { type ArtRecord, findChild, readChildren } from '../art-records';
import { listAdditions } from './numbering';

const comment = { container: 0x2ee0, atom: 0x2ee1, text: 0xfba };
/** Instance numbers of the texts in a comment (MS-PPT 2.5.22). */
const part = { author: 0, text: 1, initials: 2 };

/** Adds every comment of a slide as a group in the notes layer, as in newer presentations. */
export function addComments(builder: DocumentBuilder, slide: ArtRecord, pageNo: number): void {
  const comments = listAdditions(slide, 'comments').filter(({ type }) => type === comment.container);
  for (const [index, record] of comments.entries()) {
    const readLine = (instance: number) =>
      (findChild(record, comment.text, instance)?.data.toString('utf16le') ?? '').replaceAll('\r', '\n').trim();
    const text = readLine(part.text);
    if (text === '') continue;
    const [author, initials] = [readLine(part.author), readLine(part.initials)];
    const atom = readChildren(record).find(({ type }) => type === comment.atom)?.data;
    const head = formatCommentHead({ author, initials, time: atom && readTime(atom) });
    const group = builder.group('comment_section', { name: `comment-slide${pageNo}-${index + 1}`, layer: 'notes' });
    builder.text('text', head === '' ? text : `${head}: ${text}`, { parent: group, layer: 'notes' });
  }
}

/** Returns the local time of the author: two-byte numbers after the comment number (MS-DTYP 2.3.13). */
function readTime(atom: Buffer): string | undefined {
  if (atom.length < 20) return undefined;
  const [year, month, , day, hour, minute, second, millisecond] = Array.from({ length: 8 }, (_, index) =>
    atom.readUInt16LE(4 + 2 * index),
  ) as [number, number, number, number, number, number, number, number];
  const time = new Date(Date.UTC(year, month - 1, day, hour, minute, second, millisecond));
  return month >= 1 && month <= 12 && !Number.isNaN(time.getTime()) ? time.toISOString().slice(0, 23) : undefined;
}
