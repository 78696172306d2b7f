/** A record of a BIFF stream (MS-XLS 2.1.4) with its continuation records. */
export interface BiffRecord {
  type: number;
  /** Offset of the record in the stream. */
  at: number;
  /** Data of the record itself, followed by the data of each CONTINUE record. */
  parts: readonly Buffer[];
}

/** Types of records that the reader uses (MS-XLS 2.3). */
export const biff = {
  formula: 0x06,
  eof: 0x0a,
  header: 0x14,
  footer: 0x15,
  externalSheet: 0x17,
  name: 0x18,
  note: 0x1c,
  date1904: 0x22,
  externalName: 0x23,
  filePass: 0x2f,
  continue: 0x3c,
  codePage: 0x42,
  obj: 0x5d,
  boundSheet: 0x85,
  mulRk: 0xbd,
  rString: 0xd6,
  xf: 0xe0,
  mergeCells: 0xe5,
  drawingGroup: 0xeb,
  drawing: 0xec,
  sst: 0xfc,
  labelSst: 0xfd,
  supportingBook: 0x1ae,
  textObject: 0x1b6,
  number: 0x203,
  label: 0x204,
  boolErr: 0x205,
  string: 0x207,
  array: 0x221,
  rk: 0x27e,
  format: 0x41e,
  sharedFormula: 0x4bc,
  bof: 0x809,
  bundleHeader: 0x8f,
  series: 0x1003,
  seriesText: 0x100d,
  bar: 0x1017,
  line: 0x1018,
  pie: 0x1019,
  area: 0x101a,
  scatter: 0x101b,
  text: 0x1025,
  objectLink: 0x1027,
  begin: 0x1033,
  radar: 0x103e,
  surface: 0x103f,
  radarArea: 0x1040,
  pointsOf: 0x1065,
} as const;

/** Records of one cell each; one of the type `mulRk` has several. */
export const singleCellTypes: ReadonlySet<number> = new Set([
  biff.labelSst,
  biff.label,
  biff.rString,
  biff.number,
  biff.rk,
  biff.boolErr,
  biff.formula,
]);

/** Yields the records from an offset on. Stops at the end of the stream or at a truncated record. */
export function* iterateRecords(stream: Buffer, start: number): Generator<BiffRecord> {
  let at = start;
  while (at + 4 <= stream.length) {
    const type = stream.readUInt16LE(at);
    const parts: Buffer[] = [];
    const begin = at;
    do {
      const end = at + 4 + stream.readUInt16LE(at + 2);
      if (end > stream.length) return;
      parts.push(stream.subarray(at + 4, end));
      at = end;
    } while (at + 4 <= stream.length && stream.readUInt16LE(at) === biff.continue);
    yield { type, at: begin, parts };
  }
}
