import type { priceList } from './plain-texts';
import { pack } from './repack';

const header = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const relations = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const packageRelations = 'http://schemas.openxmlformats.org/package/2006/relationships';

/**
 * A workbook with shared strings, dates as serial numbers, and a merged title row in each sheet. Written by hand, because ten
 * parts need no library.
 */
export function writeXlsx(sheets: typeof priceList): Uint8Array {
  const strings: string[] = [];
  const indexString = (text: string) => (strings.includes(text) ? strings.indexOf(text) : strings.push(text) - 1);
  const worksheets = sheets.map((sheet) => writeWorksheet(sheet, indexString));
  return pack({
    '[Content_Types].xml': `${header}<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/>${sheets.map((_, index) => `<Override PartName="/xl/worksheets/sheet${index + 1}.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/>`).join('')}<Override PartName="/xl/styles.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.styles+xml"/><Override PartName="/xl/sharedStrings.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sharedStrings+xml"/></Types>`,
    '_rels/.rels': `${header}<Relationships xmlns="${packageRelations}"><Relationship Id="rId1" Type="${relations}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
    'xl/workbook.xml': `${header}<workbook xmlns="${main}" xmlns:r="${relations}"><sheets>${sheets.map(({ sheet }, index) => `<sheet name="${escape(sheet)}" sheetId="${index + 1}" r:id="rId${index + 1}"/>`).join('')}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': `${header}<Relationships xmlns="${packageRelations}">${sheets.map((_, index) => `<Relationship Id="rId${index + 1}" Type="${relations}/worksheet" Target="worksheets/sheet${index + 1}.xml"/>`).join('')}<Relationship Id="rId${sheets.length + 1}" Type="${relations}/styles" Target="styles.xml"/><Relationship Id="rId${sheets.length + 2}" Type="${relations}/sharedStrings" Target="sharedStrings.xml"/></Relationships>`,
    ...Object.fromEntries(worksheets.map((xml, index) => [`xl/worksheets/sheet${index + 1}.xml`, xml])),
    'xl/styles.xml': `${header}<styleSheet xmlns="${main}"><numFmts count="1"><numFmt numFmtId="164" formatCode="yyyy\\-mm\\-dd"/></numFmts><fonts count="2"><font><sz val="11"/><name val="Calibri"/></font><font><b/><sz val="11"/><name val="Calibri"/></font></fonts><fills count="1"><fill><patternFill patternType="none"/></fill></fills><borders count="1"><border/></borders><cellStyleXfs count="1"><xf/></cellStyleXfs><cellXfs count="3"><xf numFmtId="0" fontId="0" xfId="0"/><xf numFmtId="0" fontId="1" xfId="0" applyFont="1"/><xf numFmtId="164" fontId="0" xfId="0" applyNumberFormat="1"/></cellXfs></styleSheet>`,
    'xl/sharedStrings.xml': `${header}<sst xmlns="${main}" uniqueCount="${strings.length}">${strings.map((text) => `<si><t>${escape(text)}</t></si>`).join('')}</sst>`,
  });
}

function writeWorksheet({ title, rows }: (typeof priceList)[number], indexString: (text: string) => number): string {
  const columns = Math.max(...rows.map((row) => row.length));
  const lines = [[title], ...rows].map((row, index) => {
    const cells = row.map((value, column) => {
      const reference = `r="${String.fromCodePoint(65 + column)}${index + 1}"`;
      if (typeof value === 'number') return `<c ${reference}><v>${value}</v></c>`;
      if (typeof value === 'string')
        return `<c ${reference} t="s"${index < 2 ? ' s="1"' : ''}><v>${indexString(value)}</v></c>`;
      return `<c ${reference} s="2"><v>${toSerialDay(value.date)}</v></c>`;
    });
    return `<row r="${index + 1}">${cells.join('')}</row>`;
  });
  return `${header}<worksheet xmlns="${main}"><sheetData>${lines.join('')}</sheetData><mergeCells count="1"><mergeCell ref="A1:${String.fromCodePoint(64 + columns)}1"/></mergeCells></worksheet>`;
}

/** Days since 30 December 1899, the zero of the 1900 date system after its leap year error. */
function toSerialDay(date: string): number {
  return (Date.parse(`${date}T00:00:00Z`) - Date.UTC(1899, 11, 30)) / 86_400_000;
}

function escape(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/"/g, '&quot;');
}
