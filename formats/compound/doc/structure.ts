/** The stories of the text, in order. */
export const storyNames = [
  'body',
  'footnotes',
  'headers',
  'macros',
  'comments',
  'endnotes',
  'textBoxes',
  'boxesOfHeaders',
] as const;
/** The range of each story in the text (MS-DOC 2.4.1). */
export type Stories = Readonly<Record<(typeof storyNames)[number], readonly [from: number, to: number]>>;

/** Indexes of structures in the header (MS-DOC 2.5.6). */
export const structures = {
  styles: 1,
  footnotes: 3,
  commentMarks: 4,
  comments: 5,
  sections: 6,
  headers: 11,
  characters: 12,
  paragraphs: 13,
  fonts: 15,
  pieces: 33,
  commentAuthors: 36,
  shapes: 40,
  endnotes: 47,
  drawings: 50,
  textBoxes: 56,
  lists: 73,
  listUses: 74,
} as const;
/** A part of the text and the location of its bytes. */
export interface TextPiece {
  start: number;
  end: number;
  offset: number;
  width: 1 | 2;
}

/** Returns the ranges of the stories in a text of this length, computed from the lengths in the header. */
export function readStories(main: Buffer, length: number, lengthsAt: number): Stories {
  let at = 0;
  const stories = storyNames.map((name, index) => {
    const from = at;
    at = Math.min(at + main.readUInt32LE(lengthsAt + 4 * index), length);
    return [name, [from, at]] as const;
  });
  return Object.fromEntries(stories) as unknown as Stories;
}

/** Reads the pieces of the text (MS-DOC 2.8.35), which come after the saved property changes. */
export function readPieces(clx: Buffer): TextPiece[] {
  let at = 0;
  while (clx[at] === 1 && at + 3 <= clx.length) at += 3 + clx.readUInt16LE(at + 1);
  if (clx[at] !== 2 || at + 5 > clx.length) return [];
  const plc = clx.subarray(at + 5, at + 5 + clx.readUInt32LE(at + 1));
  const count = Math.max(Math.floor((plc.length - 4) / 12), 0);
  const pieces: TextPiece[] = [];
  for (let index = 0; index < count; index++) {
    const [start, end] = [plc.readUInt32LE(4 * index), plc.readUInt32LE(4 * index + 4)];
    // The offset, with a flag for text of one byte per character, whose offset is doubled.
    const flaggedOffset = plc.readUInt32LE(4 * (count + 1) + 8 * index + 2);
    const isNarrow = (flaggedOffset & 0x40000000) !== 0;
    const offset = flaggedOffset & 0x3fffffff;
    if (end < start || (pieces.at(-1)?.end ?? 0) !== start) return [];
    pieces.push({ start, end, offset: isNarrow ? offset >> 1 : offset, width: isNarrow ? 1 : 2 });
  }
  return pieces;
}
