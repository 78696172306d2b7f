import { asciidoc } from './asciidoc';
import { boxnote } from './boxnote';
import { csv } from './csv';
import { doc } from './doc';
import { dclx, doclang } from './doclang';
import { doclingJson } from './docling-json';
import { docx } from './docx';
import { ebcdic } from './ebcdic';
import { eml } from './eml';
import { epub } from './epub';
import type { Format } from './format';
import { html } from './html';
import { image } from './image';
import { jats } from './jats';
import { latex } from './latex';
import { markdown } from './markdown';
import { msg } from './msg';
import { odp } from './odp';
import { ods } from './ods';
import { odt } from './odt';
import { pages } from './pages';
import { pdf } from './pdf';
import { ppt } from './ppt';
import { pptx } from './pptx';
import { subtitles } from './subtitles';
import { text } from './text';
import { uspto } from './uspto';
import { xbrl } from './xbrl';
import { xls } from './xls';
import { xlsx } from './xlsx';

/** Every input format. A new one is a folder and one line here. */
export const formats: readonly Format[] = [
  pdf,
  docx,
  doc,
  pptx,
  ppt,
  xlsx,
  xls,
  markdown,
  html,
  csv,
  ebcdic,
  odt,
  ods,
  odp,
  subtitles,
  epub,
  eml,
  msg,
  doclingJson,
  doclang,
  dclx,
  text,
  jats,
  uspto,
  asciidoc,
  boxnote,
  xbrl,
  latex,
  pages,
  image,
];
