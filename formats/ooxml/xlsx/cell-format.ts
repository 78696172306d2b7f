import { findChild, listElements, type XmlElement } from '../../xml/xml';
import { parseFormatCode, type Section } from './number-format/code';
import { formatDuration, formatIso, writeDate } from './number-format/date';
import { formatGeneral } from './number-format/decimal';
import { writeNumber } from './number-format/number';

/** The visible text of a cell and, if it is less precise, its value: a number, or a date as `2026-03-01 14:30:00`. */
export interface ShownValue {
  text: string;
  value?: number | string;
}

/** Formats cell values as the sheet shows them. */
export interface CellFormats {
  /** `style` is the style index of the cell. */
  number(value: number, style: string | number | undefined): ShownValue;
  /** Returns a text with the additions of its format. */
  text(text: string, style: string | number | undefined): string;
}

/** Reads `xl/styles.xml`. If `starts1904` is set, day 0 is 1904-01-01. */
export function readCellFormats(root: XmlElement | undefined, starts1904: boolean): CellFormats {
  const codes = new Map<string, string>();
  for (const { attributes } of listElements(findChild(root, 'x:numFmts'), 'x:numFmt')) {
    codes.set(attributes['numFmtId'] ?? '', attributes['formatCode'] ?? '');
  }
  const styles = listElements(findChild(root, 'x:cellXfs'), 'x:xf').map(
    ({ attributes }) => attributes['numFmtId'] ?? '0',
  );
  return createCellFormats(codes, styles, starts1904);
}

/** `codes` are the workbook's own formats by number; `styles` holds the format number of each style. */
export function createCellFormats(
  codes: ReadonlyMap<string, string>,
  styles: readonly string[],
  starts1904: boolean,
): CellFormats {
  const byFormat = new Map<string, CellFormat | undefined>();
  const byStyle: (CellFormat | undefined)[] = styles.map((id) => {
    if (!byFormat.has(id)) byFormat.set(id, parseFormat(codes.get(id) ?? getBuiltInFormat(Number(id)), starts1904));
    return byFormat.get(id);
  });
  const findFormat = (style: string | number | undefined) => byStyle[Number(style ?? 0)];
  return {
    number(value, style) {
      if (!Number.isFinite(value)) return { text: '#NUM!' };
      return findFormat(style)?.number(value) ?? showValue(formatGeneral(value), value);
    },
    text: (text, style) => findFormat(style)?.text(text) ?? text,
  };
}

interface CellFormat {
  number: (value: number) => ShownValue;
  text: (text: string) => string;
}

/** Adds the value only if the text does not parse back to it. */
function showValue(text: string, value: number): ShownValue {
  return Number(text) === value && text !== '' ? { text } : { text, value };
}

/** Excel allows 255 characters. A longer code in a small file could make the text of every cell just as long. */
const maxCodeLength = 1_000;

/** Compiles a format code; undefined for `General`. */
function parseFormat(code: string, starts1904: boolean): CellFormat | undefined {
  if (code.length > maxCodeLength) return undefined;
  if (/^\s*(?:general|@)?\s*$/i.test(code)) return undefined;
  const sections = parseFormatCode(code);
  const textSection = sections[3] ?? sections.find(({ kind }) => kind === 'text');
  const numberSections = sections
    .slice(0, 3)
    .filter((section) => section !== textSection || section.kind === 'general');
  return {
    number: (value) => formatNumber(numberSections, value, starts1904),
    text(text) {
      if (textSection?.kind !== 'text') return text;
      return textSection.tokens
        .map((token) => (token.kind === 'text' ? text : token.text))
        .join('')
        .trim();
    },
  };
}

function formatNumber(sections: readonly Section[], value: number, starts1904: boolean): ShownValue {
  const index = findSection(sections, value);
  const section = sections[index];
  if (section === undefined) return showValue(formatGeneral(value), value);
  if (section.kind === 'date') {
    const text = writeDate(section, value, starts1904);
    if (text === undefined) return showValue(formatGeneral(value), value);
    const isSpan = section.tokens.some(({ kind }) => kind === 'elapsed');
    const iso = isSpan ? formatDuration(value) : formatIso(value, starts1904);
    return text.trim() === iso || iso === undefined ? { text: text.trim() } : { text: text.trim(), value: iso };
  }
  // The section for negative numbers defines how the sign is shown.
  const isSigned = value < 0 && (index === 0 || section.condition !== undefined) && !showsSign(section);
  const body = writeNumber(section, Math.abs(value)).trim();
  // The cell still contains a number that its format hides.
  if (body === '')
    return value === 0 || sections.length === 1 ? { text: '', value } : showValue(formatGeneral(value), value);
  const isZero = !/[1-9]/.test(body) && /^[\d.,%\s]*$/.test(body);
  return showValue(isSigned && !isZero ? `-${body}` : body, value);
}

/** True for a section that applies to negative numbers only, and therefore writes their sign itself. */
function showsSign({ condition }: Section): boolean {
  return condition !== undefined && !condition(1) && !condition(0);
}

/** Returns the index of the section for a number: by conditions if there are any, else positive, negative, zero. */
function findSection(sections: readonly Section[], value: number): number {
  if (sections.some(({ condition }) => condition)) {
    const index = sections.findIndex(({ condition }, at) =>
      condition ? condition(value) : at === sections.length - 1,
    );
    return index < 0 ? sections.length : index;
  }
  if (value < 0 && sections.length > 1) return 1;
  return value === 0 && sections.length > 2 ? 2 : 0;
}

/**
 * Built-in formats by number (ECMA-376 part 1, 18.8.30). Locale-dependent formats are written as ISO dates: 14, 22, and those
 * of East Asian editions.
 */
const builtIns: Readonly<Record<number, string>> = {
  1: '0',
  2: '0.00',
  3: '#,##0',
  4: '#,##0.00',
  5: '"$"#,##0_);("$"#,##0)',
  6: '"$"#,##0_);("$"#,##0)',
  7: '"$"#,##0.00_);("$"#,##0.00)',
  8: '"$"#,##0.00_);("$"#,##0.00)',
  9: '0%',
  10: '0.00%',
  11: '0.00E+00',
  12: '# ?/?',
  13: '# ??/??',
  14: 'yyyy\\-mm\\-dd',
  15: 'd-mmm-yy',
  16: 'd-mmm',
  17: 'mmm-yy',
  18: 'h:mm AM/PM',
  19: 'h:mm:ss AM/PM',
  20: 'h:mm',
  21: 'h:mm:ss',
  22: 'yyyy\\-mm\\-dd h:mm',
  37: '#,##0_);(#,##0)',
  38: '#,##0_);(#,##0)',
  39: '#,##0.00_);(#,##0.00)',
  40: '#,##0.00_);(#,##0.00)',
  41: '_(* #,##0_);_(* (#,##0);_(* "-"_);_(@_)',
  42: '_("$"* #,##0_);_("$"* (#,##0);_("$"* "-"_);_(@_)',
  43: '_(* #,##0.00_);_(* (#,##0.00);_(* "-"??_);_(@_)',
  44: '_("$"* #,##0.00_);_("$"* (#,##0.00);_("$"* "-"??_);_(@_)',
  45: 'mm:ss',
  46: '[h]:mm:ss',
  47: 'mmss.0',
  48: '##0.0E+0',
  49: '@',
};

function getBuiltInFormat(id: number): string {
  if ((id >= 27 && id <= 31) || id === 36 || (id >= 50 && id <= 58)) return builtIns[14]!;
  if (id >= 32 && id <= 35) return builtIns[21]!;
  return builtIns[id] ?? '';
}
