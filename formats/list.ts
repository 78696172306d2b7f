import { csv } from './csv';
import { docx } from './docx';
import type { Format } from './format';
import { html } from './html';
import { markdown } from './markdown';
import { pdf } from './pdf';
import { pptx } from './pptx';
import { text } from './text';
import { xlsx } from './xlsx';

/** Every input format. A new one is a folder and one line here. */
export const formats: readonly Format[] = [pdf, docx, pptx, xlsx, markdown, html, csv, text];
