import { Option } from 'commander';
import type { ExportedPart } from '../../services/conversion/export';
import { listOf, wholeNumber } from './option-values';

const exportedParts: readonly ExportedPart[] = ['figures', 'tables'];

/** Options for reading documents, and for writing Markdown and chunks. */
export function documentOptions(): Option[] {
  return [
    new Option('--password <text>', 'password of protected documents'),
    new Option('--table-mode <mode>', 'fast finds tables with lines only')
      .choices(['fast', 'accurate'])
      .default('accurate'),
    profileOption(),
    new Option('--page-break <text>', 'text between pages in Markdown'),
    new Option('--compact-tables', 'tables in Markdown without padding'),
    new Option('--md-dialect <name>', 'renderer that the Markdown is for').choices([
      'reference',
      'github',
      'commonmark',
    ]),
    new Option('--tokenizer <name>', 'tokenizer that counts the tokens of chunks').default(
      'sentence-transformers/all-MiniLM-L6-v2',
    ),
    new Option(
      '--export <part>',
      `write ${exportedParts.join(' and ')} as files of their own into NAME.parts; by commas`,
    ).argParser(listOf(exportedParts)),
    new Option('--max-tokens <n>', 'maximum tokens of a chunk').argParser(wholeNumber),
  ];
}

function profileOption(): Option {
  return new Option('--profile <name>', 'reference leaves out what the reference service leaves out')
    .choices(['reader', 'reference'])
    .default('reader');
}
