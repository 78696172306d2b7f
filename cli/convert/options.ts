import { Option } from 'commander';
import { getServiceName } from '../../formats/format';
import { formats } from '../../formats/list';
import type { ChunkingOptions } from '../../model/conversion/request/chunking';
import type { OutputFormat } from '../../model/conversion/request/formats';
import { inputFormats } from '../../model/conversion/request/input-formats';
import { ConvertOptions } from '../../model/conversion/request/options';
import { parse } from '../../model/validate';
import type { ExportedPart } from '../../services/conversion/export';
import type { MemberOptions } from './members';
import { buildConversionOptions, type ModelOptions } from './models';
import { createListParser } from './option-values';
import { createWholeNumberParser } from './whole-number';

const exportedParts: readonly ExportedPart[] = ['figures', 'tables'];
/** Formats that one of our readers supports. The service knows a few more names and skips those. */
export const readableFormats = inputFormats.filter((name) => formats.some((format) => getServiceName(format) === name));

/** The options of `docloom convert`. */
export interface Options extends ModelOptions, MemberOptions {
  to?: OutputFormat[];
  output: string;
  skipExisting?: boolean;
  stdinName: string;
  jobs: number;
  from?: string[];
  ocr: 'auto' | 'never' | 'force';
  ocrLang?: string[];
  ocrEngine: 'auto' | 'tesseract' | 'ppocr';
  pages?: [number, number];
  imageMode: 'placeholder' | 'embedded' | 'referenced';
  password?: string;
  tableMode: 'fast' | 'accurate';
  tableModel?: 'slanet_plus';
  profile: 'reader' | 'reference';
  pageBreak?: string;
  compactTables?: boolean;
  formulas?: boolean;
  ocrWords?: boolean;
  mdDialect?: 'reference' | 'github' | 'commonmark';
  tokenizer: string;
  maxTokens?: number;
  export?: ExportedPart[];
  /** Undefined: 600 seconds, or the limit of the server. */
  timeout?: number;
  memory: number;
  server?: string;
  json?: boolean;
}

/** Options for reading documents, and for writing Markdown and chunks. */
export function createDocumentOptions(): Option[] {
  return [
    new Option('--ocr-engine <name>', 'engine that recognises text; ppocr needs `docloom models add pp-ocrv5`')
      .choices(['auto', 'tesseract', 'ppocr'])
      .default('auto'),
    new Option('--password <text>', 'password of protected documents'),
    new Option('--table-mode <mode>', 'fast finds tables with lines only')
      .choices(['fast', 'accurate'])
      .default('accurate'),
    new Option(
      '--table-model <name>',
      'model for tables without rulings; needs `docloom models add slanet-plus`',
    ).choices(['slanet_plus']),
    createProfileOption(),
    new Option('--page-break <text>', 'text between pages in Markdown'),
    new Option('--compact-tables', 'tables in Markdown without padding'),
    new Option('--md-dialect <name>', 'renderer that the Markdown is for').choices([
      'reference',
      'github',
      'commonmark',
    ]),
    new Option('--ocr-words', 'recognised words with boxes and confidence in the metadata of JSON'),
    new Option('--formulas', 'formulas of spreadsheet cells after their values'),
    new Option('--tokenizer <name>', 'tokenizer that counts the tokens of chunks').default(
      'sentence-transformers/all-MiniLM-L6-v2',
    ),
    new Option(
      '--export <part>',
      `write ${exportedParts.join(' and ')} as separate files into NAME.parts; separate several with commas`,
    ).argParser(createListParser(exportedParts)),
    new Option('--max-tokens <n>', 'maximum tokens of a chunk').argParser(createWholeNumberParser(1)),
  ];
}

function createProfileOption(): Option {
  return new Option('--profile <name>', 'reference omits what the reference service omits')
    .choices(['reader', 'reference'])
    .default('reader');
}

/** The options of the conversion itself, checked. */
export function buildConvertOptions(options: Options): ConvertOptions {
  const { ocr, ocrLang, ocrEngine, pages, pageBreak, compactTables, mdDialect, from, to = ['md'] } = options;
  return parse(
    ConvertOptions,
    {
      to_formats: to,
      image_export_mode: options.imageMode,
      table_mode: options.tableMode,
      ...(options.tableModel ? { table_structure_preset: options.tableModel } : {}),
      profile: options.profile,
      do_ocr: ocr !== 'never',
      // The split page shows each page beside its picture.
      include_page_images: to.includes('html_split_page') && options.imageMode !== 'placeholder',
      force_ocr: ocr === 'force',
      ocr_preset: ocrEngine,
      ...(ocrLang ? { ocr_lang: ocrLang } : {}),
      ...buildConversionOptions(options),
      ...(from ? { from_formats: from } : {}),
      ...(pages ? { page_range: pages } : {}),
      ...(pageBreak === undefined ? {} : { md_page_break_placeholder: pageBreak }),
      ...(options.ocrWords ? { include_ocr_words: true } : {}),
      ...(options.formulas ? { include_formulas: true } : {}),
      ...(compactTables ? { md_compact_tables: true } : {}),
      ...(mdDialect ? { md_dialect: mdDialect } : {}),
    },
    'The options of the conversion',
  );
}

/** How `--to chunks` cuts documents. */
export function buildChunking({ tokenizer, maxTokens }: Options): ChunkingOptions {
  return {
    chunker: 'hybrid',
    use_markdown_tables: false,
    use_markdown_images: false,
    image_placeholder: '![IMAGE]',
    include_raw_text: false,
    max_tokens: maxTokens ?? null,
    tokenizer,
    merge_peers: true,
  };
}
