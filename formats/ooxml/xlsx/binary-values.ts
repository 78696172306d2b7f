/** Error texts by code (MS-XLS 2.5.10, MS-XLSB 2.5.97.2). */
const errors: Readonly<Record<number, string>> = {
  0x00: '#NULL!',
  0x07: '#DIV/0!',
  0x0f: '#VALUE!',
  0x17: '#REF!',
  0x1d: '#NAME?',
  0x24: '#NUM!',
  0x2a: '#N/A',
  0x2b: '#GETTING_DATA',
};

/** Returns the text that a sheet shows for an error code of binary workbooks. */
export function getErrorText(code: number): string {
  return errors[code] ?? '#N/A';
}

/**
 * Decodes an RK number of binary workbooks: 30 bits of an integer, or the upper bits of a float. The lowest bit means that the
 * value was multiplied by 100.
 */
export function decodeRkNumber(rk: number): number {
  let value = rk >> 2;
  if ((rk & 2) === 0) {
    const bytes = Buffer.alloc(8);
    bytes.writeInt32LE(rk & ~3, 4);
    value = bytes.readDoubleLE(0);
  }
  return rk & 1 ? value / 100 : value;
}
