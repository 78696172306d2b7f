import { zipSync, type Zippable } from 'fflate';
import type { DoclingDocument } from '../../document/model';
import { toDoclang } from '../../document/write/doclang';
import { extractImageFiles } from './images';

/** The earliest time that ZIP supports, so that the same document produces the same bytes. */
const mtime = new Date(1980, 0, 1);

/** Writes a DocLang archive: the document, and its pictures as files that it refers to. */
export function toDclx(whole: DoclingDocument): Uint8Array[] {
  const { document, files } = extractImageFiles(whole);
  const entries: Zippable = { 'document.dclg': [Buffer.from(toDoclang(document)), { mtime }] };
  // Pictures are compressed already.
  for (const { name, bytes } of files) entries[name] = [bytes, { mtime, level: 0 }];
  return [zipSync(entries)];
}
