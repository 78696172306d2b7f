import { createDocument, type DocumentBuilder } from '../../document/builder';
import { AppError } from '../../model/errors';
import { toCodeLanguage } from '../code/code-language';
import { type ReadDocument, type ReadOptions, getStem } from '../format';
import { readHtml } from '../html/tree';
import { addMarkdown } from '../markdown/read';
import { createImageShare, type ImageShare } from '../ooxml/image';
import { decodeText } from '../text/decode';

type Json = Record<string, unknown>;

interface Notebook {
  builder: DocumentBuilder;
  options: ReadOptions;
  language: string;
  image: ImageShare<object>;
}

/**
 * Reads the cells in order: Markdown as in Markdown files, code with its language, followed by its printed and drawn output.
 */
export const read: ReadDocument = (bytes, options) => {
  const root = parse(bytes, options.name);
  const cells = findCells(root);
  if (cells === undefined)
    throw new AppError('DOCUMENT_CORRUPT', `'${options.name}' is not a notebook: it has no list of \`cells\`.`);
  const metadata = toObject(root['metadata']);
  const named = toObject(metadata['language_info'])['name'] ?? toObject(metadata['kernelspec'])['language'];
  const builder = createDocument(getStem(options.name));
  const notebook = {
    builder,
    options,
    language: toCodeLanguage(typeof named === 'string' ? named : 'python'),
    image: createImageShare<object>(),
  };
  for (const cell of cells) addCell(notebook, cell);
  return builder.document;
};

function parse(bytes: Uint8Array, name: string): Json {
  try {
    return toObject(JSON.parse(decodeText(bytes, { name })));
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw new AppError('DOCUMENT_CORRUPT', `'${name}' is not a notebook: it is not JSON.`, {}, error);
  }
}

/** Returns an empty object for any other value. */
function toObject(value: unknown): Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {};
}

function listObjects(value: unknown): Json[] {
  return Array.isArray(value) ? value.map(toObject) : [];
}

/** Returns the cells, which format 3 keeps in worksheets; undefined if there are none. */
function findCells(root: Json): Json[] | undefined {
  if (Array.isArray(root['cells'])) return listObjects(root['cells']);
  if (!Array.isArray(root['worksheets'])) return undefined;
  return listObjects(root['worksheets']).flatMap((sheet) => listObjects(sheet['cells']));
}

/** Reads a text, which is a string or a list of lines. */
function readText(value: unknown): string {
  if (Array.isArray(value)) return value.filter((line) => typeof line === 'string').join('');
  return typeof value === 'string' ? value : '';
}

function addCell(notebook: Notebook, cell: Json): void {
  const { builder, options, language } = notebook;
  const source = readText(cell['source'] ?? cell['input']);
  switch (cell['cell_type']) {
    case 'markdown':
      addMarkdown(builder, source, options);
      break;
    case 'heading':
      if (source.trim() !== '')
        addMarkdown(builder, `${'#'.repeat(Number(cell['level']) || 1)} ${source.replaceAll('\n', ' ')}`, options);
      break;
    case 'raw':
      if (source.trim() !== '') builder.text('text', source.trim());
      break;
    case 'code': {
      const cellLanguage = cell['language'];
      if (source.trim() !== '')
        builder.code(source.replace(/\n+$/, ''), {
          language: typeof cellLanguage === 'string' ? toCodeLanguage(cellLanguage) : language,
        });
      for (const output of listObjects(cell['outputs'])) addOutput(notebook, output);
      break;
    }
    default:
  }
}

/** Adds an output. It has its content in several forms, of which the richest supported one is used. */
function addOutput(notebook: Notebook, output: Json): void {
  const { builder, options } = notebook;
  // In format 3 the forms are next to the type, with short names.
  const data = { ...output, ...toObject(output['data']) };
  const readForm = (...names: string[]) =>
    readText(names.map((name) => data[name]).find((value) => value !== undefined));
  if (output['output_type'] === 'stream') {
    addPrinted(builder, readText(output['text']));
    return;
  }
  if (output['output_type'] === 'error' || output['output_type'] === 'pyerr') {
    const trace = Array.isArray(output['traceback']) ? output['traceback'].join('\n') : '';
    addPrinted(builder, trace || `${readText(output['ename'])}: ${readText(output['evalue'])}`);
    return;
  }
  const picture = readForm('image/png', 'png', 'image/jpeg', 'jpeg', 'image/gif');
  const html = readForm('text/html', 'html');
  const plain = readForm('text/plain', 'text');
  if (picture !== '') {
    const content = notebook.image(output, () => Buffer.from(picture, 'base64'));
    builder.picture(content === undefined ? {} : { image: content });
  } else if (readForm('image/svg+xml', 'svg') !== '') builder.picture();
  else if (html !== '' && (isObjectName(plain) || /<(?:table|p|h[1-6]|ul|ol|dl|pre)\b/i.test(html))) {
    readHtml(html, builder, { name: options.name, limits: options.limits, furniture: 'none' });
  } else if (readForm('text/markdown', 'markdown') !== '')
    addMarkdown(builder, readForm('text/markdown', 'markdown'), options);
  else if (readForm('text/latex', 'latex') !== '') addFormula(builder, readForm('text/latex', 'latex'));
  else if (readForm('application/javascript', 'javascript') !== '') options.recordOmission?.('script');
  else addPrinted(builder, plain);
}

/**
 * True for the text form of an object without readable text: `<IPython.core.display.HTML object>`, `<Figure at 0x1112757d0>`.
 */
function isObjectName(text: string): boolean {
  return text === '' || /^<[\w.]+ (?:object|at 0x[\da-f]+)[^>]*>$/i.test(text.trim());
}

function addFormula(builder: DocumentBuilder, latex: string): void {
  const formula = /^\s*(?:\$\$?|\\\[|\\begin\{equation\*?\})([\s\S]*?)(?:\$\$?|\\\]|\\end\{equation\*?\})\s*$/.exec(
    latex,
  )?.[1];
  if (formula === undefined) builder.text('text', latex.trim());
  else builder.text('formula', formula.trim());
}

/** Adds printed text with its lines. Terminal colours are removed; an overwritten line shows its last state. */
function addPrinted(builder: DocumentBuilder, text: string): void {
  const outputText = text
    // oxlint-disable-next-line no-control-regex
    .replaceAll(/\u001b\[[0-9;?]*[A-Za-z]/g, '')
    .split('\n')
    .map((line) => line.replace(/\r+$/, '').split('\r').at(-1)!)
    .join('\n')
    .replace(/^\n+|\s+$/g, '');
  if (outputText !== '') builder.code(outputText, { language: 'unknown' });
}
