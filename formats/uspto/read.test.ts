import { checkTree } from '../../document/validate';
import { toMarkdown } from '../../document/write/markdown';
import { convertBytes } from '../convert';

async function read(xml: string) {
  const { document, format } = await convertBytes({ bytes: new TextEncoder().encode(xml), name: 'patent.xml' });
  expect(format).toBe('xml_uspto');
  checkTree(document);
  return document;
}

test('a current grant has title, abstract, headings by level, and claims', async () => {
  const document = await read(`<?xml version="1.0"?><!DOCTYPE us-patent-grant SYSTEM "us-patent-grant-v44.dtd" [ ]>
<us-patent-grant><us-bibliographic-data-grant><invention-title>Cup</invention-title><us-references-cited><p>no</p></us-references-cited></us-bibliographic-data-grant>
<abstract><p>A cup with H<sub>2</sub>O.</p></abstract>
<description><p>Before.</p><heading level="1">FIELD</heading><p>Of cups &mdash; m<sup>2</sup>.</p></description>
<claims><claim num="1"><claim-text><b>1</b>. A cup:<claim-text>with a handle.</claim-text></claim-text></claim></claims></us-patent-grant>`);
  expect(toMarkdown(document)).toBe(
    '# Cup\n\n### ABSTRACT\n\nA cup with H₂O.\n\nBefore.\n\n### FIELD\n\nOf cups — m².\n\n### CLAIMS\n\n1. A cup: with a handle.',
  );
});

test('a 2001 application whose document type declares its pictures is read', async () => {
  const document =
    await read(`<!DOCTYPE patent-application-publication SYSTEM "pap.dtd" [<!ENTITY P SYSTEM "P.TIF" NDATA TIF>]>
<patent-application-publication><subdoc-bibliographic-information><title-of-invention>Pen</title-of-invention></subdoc-bibliographic-information>
<subdoc-abstract><paragraph><number>&lsqb;1&rsqb;</number> Writes.</paragraph></subdoc-abstract>
<subdoc-claims><claim><claim-text>1. A pen.</claim-text></claim></subdoc-claims>
<subdoc-drawings><heading lvl="0">Drawings</heading></subdoc-drawings></patent-application-publication>`);
  expect(toMarkdown(document)).toBe('# Pen\n\n### ABSTRACT\n\nWrites.\n\n### CLAIMS\n\n1. A pen.\n\n## Drawings');
});

test('a grant from 2001 to 2004 with upper-case elements is read', async () => {
  const document = await read(`<PATDOC><SDOBI><B540><STEXT><PDAT>Box</PDAT></STEXT></B540></SDOBI>
<SDOAB><BTEXT><PARA><PTEXT><PDAT>A box.</PDAT></PTEXT></PARA></BTEXT></SDOAB>
<SDOCL><CL><CLM ID="CLM-00001"><PARA><PTEXT><PDAT>A lid.</PDAT></PTEXT></PARA></CLM></CL></SDOCL></PATDOC>`);
  expect(toMarkdown(document)).toBe('# Box\n\n### ABSTRACT\n\nA box.\n\n### CLAIMS\n\n1. A lid.');
});

test('groups of a table share one grid; rows that only draw rules are omitted', async () => {
  const document = await read(`<us-patent-application><description><p>See<tables><table>
<tgroup cols="2"><colspec colname="1" colwidth="100pt"/><colspec colname="2" colwidth="100pt"/>
<thead><row><entry namest="1" nameend="2" rowsep="1"/></row><row><entry>A</entry><entry>B</entry></row></thead></tgroup>
<tgroup cols="3"><colspec colname="1" colwidth="100pt"/><colspec colname="2" colwidth="50pt"/><colspec colname="3" colwidth="53pt"/>
<tbody><row><entry>a</entry><entry>b</entry><entry>c</entry></row></tbody></tgroup></table></tables> this.</p></description></us-patent-application>`);
  const { data } = document.tables[0]!;
  expect([data.num_rows, data.num_cols]).toEqual([2, 3]);
  expect(data.table_cells[1]).toMatchObject({ text: 'B', col_span: 2, column_header: true });
  expect(document.texts.at(-1)!.text).toBe('See this.');
});

test('an entry that spans further rows occupies its column there', async () => {
  const document = await read(`<us-patent-application><description><p><tables id="t"><table><tgroup cols="2">
<colspec colname="1" colwidth="50pt"/><colspec colname="2" colwidth="50pt"/>
<tbody><row><entry morerows="1">a</entry><entry>b</entry></row><row><entry>c</entry></row><row><entry>d</entry></row></tbody>
</tgroup></table></tables></p></description></us-patent-application>`);
  const cells = document.tables[0]!.data.table_cells.map((cell) => [
    cell.start_row_offset_idx,
    cell.start_col_offset_idx,
    cell.text,
  ]);
  expect(cells).toEqual([
    [0, 0, 'a'],
    [0, 1, 'b'],
    [1, 1, 'c'],
    [2, 0, 'd'],
  ]);
});

const aps = (text: string, name = 'pftaps.txt') => convertBytes({ bytes: new TextEncoder().encode(text), name });

test('a grant from before 2001 is plain text with fields', async () => {
  const { document, format } = await aps(
    'PATN\r\nWKU  038437213\r\nTTL  Circuit for\r\n      two channels\r\nINVT\r\nNAM  Doe; John\r\nABST\r\nPAL  A circuit.\r\n' +
      'BSUM\r\nPAC  FIELD\r\nPAR  It is known\r\n      from before.\r\n##STR1##\r\n      where R is H.\r\nPA1  Set in.\r\n' +
      'CLMS\r\nSTM  I claim:\r\nNUM  1.\r\nPAR  1. A device:\r\nPA1  a stage.\r\nNUM  2.\r\nPAR  The device of claim 1.\r\n',
  );
  expect(format).toBe('xml_uspto');
  expect(toMarkdown(document)).toBe(
    '# Circuit for two channels\n\n### ABSTRACT\n\nA circuit.\n\n### FIELD\n\nIt is known from before. where R is H.\n\nSet in.\n\n' +
      '### CLAIMS\n\n1. A device: a stage.\n\n2. The device of claim 1.',
  );
  checkTree(document);
});

test('plain-text tables are unchanged; the claim of a design has no number', async () => {
  const { document } = await aps(
    'PATN\nTTL  Cup\nDETD\nTBL       TABLE 1\n      Part   Ohm\n      R1     100\nPAR  After.\nDCLM\nSTM  A cup,\n      as shown.\n',
  );
  expect(document.texts.map(({ label, text }) => [label, text])).toEqual([
    ['title', 'Cup'],
    ['code', 'TABLE 1\nPart   Ohm\nR1     100'],
    ['paragraph', 'After.'],
    ['section_header', 'CLAIMS'],
    ['paragraph', 'A cup, as shown.'],
  ]);
});

test('a text that only mentions the patent is plain text', async () => {
  expect((await aps('PATN is short for patent.', 'note.txt')).format).not.toBe('xml_uspto');
});

test('the text before the claims and references to other claims are kept', async () => {
  const document =
    await read(`<patent-application-publication><subdoc-claims><heading lvl="1">What is claimed is:</heading>
<claim><claim-text>1. A pen.</claim-text></claim>
<claim><claim-text>2. The pen of <dependent-claim-reference><claim-text>claim 1</claim-text></dependent-claim-reference>.</claim-text></claim>
</subdoc-claims></patent-application-publication>`);
  expect(toMarkdown(document)).toBe('### What is claimed is:\n\n### CLAIMS\n\n1. A pen.\n\n2. The pen of claim 1.');
});
