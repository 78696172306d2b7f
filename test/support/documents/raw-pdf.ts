/** An object of a PDF: its text, or a stream with the entries of its dictionary except the length. */
export type PdfObject = string | { entries?: string; stream: Uint8Array | string };

/** A PDF of these objects, for content that no PDF library writes. They are numbered from 1; the first is the catalog. */
export function writeRawPdf(objects: readonly PdfObject[]): Uint8Array {
  const parts = [Buffer.from('%PDF-1.7\n')];
  let length = parts[0]!.length;
  const add = (part: Uint8Array | string) => {
    const bytes = Buffer.from(part as string, 'latin1');
    parts.push(bytes);
    length += bytes.length;
  };
  const entries = objects.map((object, index) => {
    const entry = `${String(length).padStart(10, '0')} 00000 n \n`;
    add(`${index + 1} 0 obj\n`);
    if (typeof object === 'string') add(object);
    else {
      add(`<</Length ${object.stream.length}${object.entries ?? ''}>>\nstream\n`);
      add(object.stream);
      add('\nendstream');
    }
    add('\nendobj\n');
    return entry;
  });
  const size = objects.length + 1;
  const table = `xref\n0 ${size}\n0000000000 65535 f \n${entries.join('')}`;
  add(`${table}trailer\n<</Size ${size}/Root 1 0 R>>\nstartxref\n${length}\n%%EOF\n`);
  return new Uint8Array(Buffer.concat(parts));
}

/** A ToUnicode map of a font with codes of one byte. */
export function writeToUnicodeMap(codePoints: ReadonlyMap<number, number>): PdfObject {
  const toHex = (value: number, digits: number) => value.toString(16).padStart(digits, '0');
  const entries = [...codePoints].map(([code, codePoint]) => `<${toHex(code, 2)}> <${toHex(codePoint, 4)}>`);
  const head = '/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /X def /CMapType 2 def';
  const codes = '1 begincodespacerange <00> <ff> endcodespacerange';
  const characters = `${entries.length} beginbfchar\n${entries.join('\n')}\nendbfchar`;
  return { stream: `${head} ${codes} ${characters} endcmap end end` };
}
