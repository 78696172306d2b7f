import { AppError } from '../../model/errors';
import type { ReadOptions } from '../format';
import { decodeText } from '../text/decode';

/** A line of a calendar or contact file (RFC 5545 3.1, RFC 6350 3.3). Names are in upper case. */
export interface ContentLine {
  name: string;
  parameters: ReadonlyMap<string, string>;
  /** The escaped value. */
  value: string;
}

/** An object of a calendar or contact file with its lines and the objects within it. */
export interface LineComponent {
  name: string;
  lines: ContentLine[];
  components: LineComponent[];
}

/** Reads the objects of a file. An unclosed object ends with the file. Lines without content are skipped. */
export function readComponents(bytes: Uint8Array, { name, limits }: ReadOptions): LineComponent[] {
  const top: LineComponent = { name: '', lines: [], components: [] };
  const open = [top];
  for (const line of unfoldLines(decodeText(bytes, { name }))) {
    const parsed = parseLine(line);
    if (parsed === undefined) continue;
    if (parsed.name === 'BEGIN') {
      const component = { name: parsed.value.trim().toUpperCase(), lines: [], components: [] };
      open.at(-1)!.components.push(component);
      open.push(component);
      if (open.length > limits.maxDepth)
        throw new AppError('DOCUMENT_TOO_LARGE', `'${name}' nests objects more than ${limits.maxDepth} levels deep.`);
    } else if (parsed.name === 'END') {
      const at = open.findLastIndex((component) => component.name === parsed.value.trim().toUpperCase());
      if (at > 0) open.length = at;
    } else open.at(-1)!.lines.push(parsed);
  }
  return top.components;
}

/** Joins lines that continue after a line end and a blank, and lines of quoted-printable values that end with `=`. */
function unfoldLines(text: string): string[] {
  const lines: string[] = [];
  // Parts of an unfinished value. They are joined once, because a value may have a million of them.
  let parts: string[] = [];
  for (const line of text.replaceAll(/\n[ \t]/g, '').split('\n')) {
    if (line.endsWith('=') && (parts.length > 0 || /^[^:]*ENCODING=QUOTED-PRINTABLE/i.test(line))) {
      parts.push(line.slice(0, -1));
      continue;
    }
    lines.push(parts.length === 0 ? line : `${parts.join('')}${line}`);
    parts = [];
  }
  if (parts.length > 0) lines.push(parts.join(''));
  return lines;
}

/** Parses `item1.TEL;TYPE=work,cell:+49 30 1234`; undefined for a line without name and value. */
function parseLine(line: string): ContentLine | undefined {
  // A group prefix, such as `item1.`, only relates lines to each other.
  const match = /^(?:[A-Za-z0-9-]+\.)?([A-Za-z0-9-]+)((?:;[^:;"]*(?:"[^"]*"[^:;"]*)*)*):(.*)$/s.exec(line);
  if (match === null) return undefined;
  const parameters = new Map<string, string>();
  for (const [, key, quoted, plain] of match[2]!.matchAll(/;([^=;:]+)(?:=(?:"([^"]*)"|([^;]*)))?/g)) {
    // Version 2.1 of vCard writes kinds without a parameter name.
    const isKind = quoted === undefined && plain === undefined;
    const [name, value] = isKind ? ['TYPE', key!] : [key!.toUpperCase(), quoted ?? plain!];
    parameters.set(name, parameters.has(name) ? `${parameters.get(name)},${value}` : value);
  }
  const isQuoted = /^quoted-printable$/i.test(parameters.get('ENCODING') ?? '');
  const value = isQuoted ? decodeQuotedPrintable(match[3]!, parameters.get('CHARSET')) : match[3]!;
  return { name: match[1]!.toUpperCase(), parameters, value };
}

function decodeQuotedPrintable(value: string, charset: string | undefined): string {
  const bytes = Buffer.from(
    value.replaceAll(/=([0-9A-Fa-f]{2})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16))),
    'latin1',
  );
  return decodeText(bytes, { name: 'a value', ...(charset === undefined ? {} : { declared: charset }) });
}

/** Decodes the escapes of line ends, commas and semicolons. */
export function decodeValue(value: string): string {
  return value.replaceAll(/\\([nN,;:\\"])/g, (_, sign: string) => (/n/i.test(sign) ? '\n' : sign)).trim();
}

/** Returns the decoded values of all lines with this name. */
export function listValues({ lines }: LineComponent, name: string): string[] {
  return lines
    .filter((line) => line.name === name)
    .map((line) => decodeValue(line.value))
    .filter((value) => value !== '');
}
