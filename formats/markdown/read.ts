import MarkdownIt, { type Token } from 'markdown-it';
import { createDocument, type DocumentBuilder } from '../../document/builder';
import { tableCell } from '../../document/grid';
import type { DoclingDocument, GroupItem, NodeItem, TableCell } from '../../document/model';
import { AppError } from '../../model/errors';
import { toCodeLanguage } from '../code/code-language';
import { type ReadDocument, type ReadOptions, getStem } from '../format';
import { readHtml } from '../html/tree';
import { decodeText } from '../text/decode';
import { addFrontMatter, splitFrontMatter } from './front-matter';
import { writeHtml } from './html';
import { addOwned, addParagraph, readRuns } from './runs';

/** Maximum nesting of inline markup; the parser looks ahead this deep for every bracket. */
const maxInlineDepth = 20;

/**
 * Reads Markdown. A document with HTML blocks, even comments, is rendered and read as HTML, so that its tables and sections are
 * recognised; any other is read token by token.
 */
export const read: ReadDocument = (bytes, { name, limits }): DoclingDocument => {
  const { matter, body } = splitFrontMatter(decodeText(bytes, { name }));
  const builder = createDocument(getStem(name));
  addMarkdown(builder, body, { name, limits }, (hasTitle) => addFrontMatter(builder, matter, hasTitle));
  return builder.document;
};

/** Adds the content of a Markdown text. `begin` is called before the first item with whether the text has a title. */
export function addMarkdown(
  builder: DocumentBuilder,
  body: string,
  { name, limits }: Pick<ReadOptions, 'name' | 'limits'>,
  begin: (hasTitle: boolean) => void = () => undefined,
): void {
  // The parser silently drops deeper content, so the levels are checked below.
  const parser = new MarkdownIt({ html: true, maxNesting: limits.maxDepth });
  // Only blocks have been parsed at this point. Markup nested more deeply within a line stays plain text.
  parser.core.ruler.before('inline', 'inline-depth', () => void parser.set({ maxNesting: maxInlineDepth }));
  parser.validateLink = (address) => !/^\s*(?:javascript|vbscript):/i.test(address);
  const tokens = parser.parse(body, {});
  if (tokens.some((token) => token.level >= limits.maxDepth - 1)) {
    throw new AppError('DOCUMENT_TOO_LARGE', `'${name}' nests blocks more than ${limits.maxDepth} levels deep.`);
  }
  const hasTitle = tokens.some((token) => token.type === 'heading_open' && token.tag === 'h1');
  begin(hasTitle);
  if (tokens.some(({ type }) => type === 'html_block')) {
    readHtml(writeHtml(parser, tokens), builder, {
      name,
      limits,
      furniture: 'none',
    });
  } else addBlocks(builder, tokens);
}

function addBlocks(builder: DocumentBuilder, tokens: readonly Token[]): void {
  /** The nodes around the next token; lists and their items add themselves. */
  const parents: NodeItem[] = [builder.document.body];
  /** First numbers of the open lists; undefined for bullets. */
  const starts: (number | undefined)[] = [];
  for (let at = 0; at < tokens.length; at++) {
    const token = tokens[at]!;
    const parent = parents.at(-1)!;
    switch (token.type) {
      case 'heading_open':
        addHeading(builder, Number(token.tag.slice(1)), tokens[at + 1]!, parent);
        at += 2;
        break;
      case 'inline':
        addParagraph(builder, readRuns(token), parent);
        break;
      case 'fence':
      case 'code_block':
        if (token.content.trim() === '') break;
        builder.code(token.content.replace(/\n+$/, ''), {
          parent,
          language: toCodeLanguage(/^\s*\{?\.?([^\s,{}]*)/.exec(token.info)?.[1]),
        });
        break;
      case 'bullet_list_open':
      case 'ordered_list_open':
        parents.push(builder.group('list', { parent }));
        starts.push(token.type === 'ordered_list_open' ? Number(token.attrGet('start') ?? 1) : undefined);
        break;
      case 'list_item_open': {
        const hasText = tokens[at + 1]?.type === 'paragraph_open';
        // An item without text and number is replaced by its content.
        if (!hasText && starts.at(-1) === undefined) {
          parents.push(parent);
          break;
        }
        parents.push(addItem(builder, hasText ? tokens[at + 2] : undefined, parent as GroupItem, starts.at(-1)));
        // The paragraph of the text: its start, content and end.
        if (hasText) at += 3;
        break;
      }
      case 'bullet_list_close':
      case 'ordered_list_close':
        starts.pop();
        parents.pop();
        break;
      case 'list_item_close':
        parents.pop();
        break;
      case 'table_open':
        at = addTable(builder, tokens, at, parent);
        break;
      default:
    }
  }
}

function addHeading(builder: DocumentBuilder, level: number, inline: Token, parent: NodeItem): void {
  const runs = readRuns(inline);
  if (runs.length === 0) return;
  addOwned(builder, runs, (text, style) => {
    const line = text.replaceAll('\n', ' ');
    return level === 1
      ? builder.text('title', line, { parent, ...style })
      : builder.heading(level - 1, line, { parent, ...style });
  });
}

function addItem(
  builder: DocumentBuilder,
  inline: Token | undefined,
  parent: GroupItem,
  start: number | undefined,
): NodeItem {
  // A list that starts at one needs no markers: its items are numbered by position.
  const marker = start === undefined || start === 1 ? '' : `${start + parent.children.length}.`;
  return addOwned(builder, inline ? readRuns(inline) : [], (text, { formatting, hyperlink }) =>
    builder.listItem(text, { parent, formatting, hyperlink, enumerated: start !== undefined, marker }),
  );
}

/** Adds a table. Returns the position of its closing token. */
function addTable(builder: DocumentBuilder, tokens: readonly Token[], from: number, parent: NodeItem): number {
  const cells: TableCell[] = [];
  let [row, column, columns, at] = [-1, 0, 0, from];
  for (; tokens[at]!.type !== 'table_close'; at++) {
    const token = tokens[at]!;
    if (token.type === 'tr_open') [row, column] = [row + 1, 0];
    if (token.type === 'th_open' || token.type === 'td_open') {
      const text = readRuns(tokens[at + 1]!)
        .map((run) => run.text.replaceAll('\n', ' '))
        .join(' ');
      cells.push(tableCell(row, column, text, { column_header: token.type === 'th_open' }));
      column += 1;
      columns = Math.max(columns, column);
    }
  }
  // The reference first reads a table as a paragraph of runs and leaves its empty group before the table. This keeps the trees
  // comparable.
  builder.group('inline', { parent });
  builder.table({ table_cells: cells, num_rows: row + 1, num_cols: columns }, { parent });
  return at;
}
