import { asciidoc } from './asciidoc';
import { boxnote } from './boxnote';
import { ics } from './calendar';
import { code } from './code';
import { doc } from './compound/doc';
import { msg } from './compound/msg';
import { ppt } from './compound/ppt';
import { vsd } from './compound/vsd';
import { xls } from './compound/xls';
import { vcf } from './contacts';
import { csv } from './csv';
import { djvu } from './djvu';
import { dclx, doclang } from './doclang';
import { doclingJson } from './docling-json';
import { ebcdic } from './ebcdic';
import { epub } from './epub';
import type { Format } from './format';
import { html } from './html';
import { hwpx } from './hwpx';
import { image } from './image';
import { keynote } from './iwork/keynote';
import { numbers } from './iwork/numbers';
import { pages } from './iwork/pages';
import { jats } from './jats';
import { json } from './json';
import { latex } from './latex';
import { eml } from './mail/eml';
import { mbox } from './mail/mbox';
import { markdown } from './markdown';
import { mhtml } from './mhtml';
import { ipynb } from './notebook';
import { odg } from './odf/odg';
import { odp } from './odf/odp';
import { ods } from './odf/ods';
import { odt } from './odf/odt';
import { onenote } from './onenote';
import { docx } from './ooxml/docx';
import { pptx } from './ooxml/pptx';
import { vsdx } from './ooxml/vsdx';
import { xlsb } from './ooxml/xlsb';
import { xlsx } from './ooxml/xlsx';
import { pdf } from './pdf';
import { rtf } from './rtf';
import { subtitles } from './subtitles';
import { svg } from './svg';
import { text } from './text';
import { uspto } from './uspto';
import { xbrl } from './xbrl';
import { xml } from './xml';
import { xps } from './xps';

/** Every input format. To add one, add a folder and a line here. */
export const formats: readonly Format[] = [
  pdf,
  docx,
  doc,
  pptx,
  ppt,
  xlsx,
  xlsb,
  vsdx,
  vsd,
  xps,
  djvu,
  hwpx,
  onenote,
  xls,
  markdown,
  html,
  mhtml,
  rtf,
  csv,
  ebcdic,
  odt,
  ods,
  odp,
  odg,
  subtitles,
  epub,
  mbox,
  eml,
  msg,
  ics,
  vcf,
  ipynb,
  doclingJson,
  doclang,
  dclx,
  text,
  jats,
  uspto,
  asciidoc,
  boxnote,
  xbrl,
  svg,
  latex,
  pages,
  keynote,
  numbers,
  image,
  json,
  xml,
  code,
];

/** Returns the format with this registry name. */
export function findFormat(name: string): Format | undefined {
  return formats.find((format) => format.name === name);
}
