import { type ArtRecord, findChild, readChildren } from '../art-records';

/** The first number of a numbered paragraph; undefined if the paragraph is not numbered. */
export type Numbering = number | undefined;

/** Types of records (MS-PPT 2.13.24). */
const recordTypes = {
  environment: 0x7d0,
  numberings: 0xfac,
  outlineNumberings: 0xfae,
  outlineHeader: 0xfaf,
  tagName: 0xfba,
  tags: 0x1388,
  tag: 0x138a,
  tagContent: 0x138b,
} as const;

/** Tags of the extensions of PowerPoint 2000 and 2002. */
const tagNames = { numbers: '___PPT9', comments: '___PPT10' } as const;

/** Returns the records that later PowerPoint versions store in a tag of a shape, slide or document (MS-PPT 2.3.4). */
export function listAdditions(owner: ArtRecord | undefined, kind: keyof typeof tagNames = 'numbers'): ArtRecord[] {
  for (const tag of owner === undefined ? [] : readChildren(findChild(owner, recordTypes.tags) ?? owner)) {
    if (
      tag.type !== recordTypes.tag ||
      findChild(tag, recordTypes.tagName)?.data.toString('utf16le') !== tagNames[kind]
    )
      continue;
    const data = findChild(tag, recordTypes.tagContent)?.data;
    if (data !== undefined) return readChildren({ type: 0, instance: 0, data, isContainer: true });
  }
  return [];
}

/** Returns the numberings of an atom in order. Character runs refer to them by index (MS-PPT 2.9.66). */
export function readNumberings(atom: ArtRecord | undefined): Numbering[] {
  const numberings: Numbering[] = [];
  if (atom?.type !== recordTypes.numberings) return numberings;
  const { data } = atom;
  let at = 0;
  const readNext = (bytes: 2 | 4): number => {
    const value = at + bytes > data.length ? 0 : bytes === 2 ? data.readUInt16LE(at) : data.readUInt32LE(at);
    at += bytes;
    return value;
  };
  while (at + 12 <= data.length) {
    const paragraphMask = readNext(4);
    if (paragraphMask & 0x800000) at += 2;
    const isNumbered = (paragraphMask & 0x2000000) !== 0 && readNext(2) === 1;
    const scheme = paragraphMask & 0x1000000 ? readNext(4) : 0x10000;
    if (readNext(4) & 0x100000) at += 4;
    const specialMask = readNext(4);
    for (const bit of [1, 2, 4, 0x40]) if (specialMask & bit) at += 2;
    if (specialMask & 0x20) at += 4;
    if (specialMask & 0x200) at += 4 * readNext(4);
    numberings.push(isNumbered ? Math.max(scheme >>> 16, 1) : undefined);
  }
  return numberings;
}

/** Returns the numberings of texts stored in the document, by slide number and text type. */
export function readOutlineNumberings(document: ArtRecord): Map<string, Numbering[]> {
  const numberings = new Map<string, Numbering[]>();
  const container = listAdditions(findChild(document, recordTypes.environment)).find(
    ({ type }) => type === recordTypes.outlineNumberings,
  );
  let key = '';
  for (const record of container === undefined ? [] : readChildren(container)) {
    if (record.type === recordTypes.outlineHeader && record.data.length >= 8) {
      key = `${record.data.readUInt32LE(0)}/${record.data.readUInt32LE(4)}`;
    } else if (record.type === recordTypes.numberings) numberings.set(key, readNumberings(record));
  }
  return numberings;
}
