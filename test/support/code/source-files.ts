import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parseSync } from '@swc/core';

/** The folders whose sources the architecture test reads. */
const sourceFolders = [
  'model',
  'document',
  'formats',
  'graph',
  'client',
  'mcp',
  'services',
  'operators',
  'threads',
  'activities',
  'workflows',
  'api',
  'embedded',
  'cli',
  'console',
  'bench',
  'test',
  'samples',
] as const;

/** A module specifier in any position: import, export from, `import()`, `require()`, `import('…').Type`. */
export interface Import {
  specifier: string;
  /** True if the compiler removes it. */
  typeOnly: boolean;
  line: number;
}

/** A passage that a rule forbids, and its kind. */
export interface Finding {
  what: 'default export' | 'export *' | 'enum' | 'any' | 'clock' | 'environment' | 'fetch';
  line: number;
}

/** The facts about one TypeScript file that the rules need. `name` is the path from the root with forward slashes. */
export interface SourceFile {
  name: string;
  lines: readonly string[];
  imports: readonly Import[];
  findings: readonly Finding[];
  functions: readonly FunctionSize[];
}

/** A named function and its size. */
export interface FunctionSize {
  name: string;
  lines: number;
  parameters: number;
}

type Node = { type?: string; span?: { start: number; end: number }; [member: string]: unknown };

/** Every `.ts` and `.tsx` file of the source folders, parsed. */
export function readSources(root: string): SourceFile[] {
  return sourceFolders
    .flatMap((folder) => namesBelow(root, folder))
    .map((name) => parseSource(name, readFileSync(path.join(root, name), 'utf8')));
}

/** Parses one file; `text` need not be on the disk. */
export function parseSource(name: string, text: string): SourceFile {
  // Spans count bytes from the first token, over all files of a process: a leading `;` marks where this file begins.
  const program = parseSync(`;${text}`, {
    syntax: 'typescript',
    tsx: name.endsWith('.tsx'),
    target: 'es2022',
  }) as unknown as Node & {
    span: { start: number };
  };
  const bytes = Buffer.from(`;${text}`);
  const lineAt = (place: number) =>
    bytes
      .subarray(0, place - program.span.start)
      .toString()
      .split('\n').length;
  const getLine = (node: Node) => lineAt(node.span?.start ?? program.span.start);
  const imports: Import[] = [];
  const findings: Finding[] = [];
  const functions: FunctionSize[] = [];
  walk(program, (node) => {
    const found = getImport(node);
    if (found) imports.push({ ...found, line: getLine(node) });
    const what = toFinding(node);
    if (what) findings.push({ what, line: getLine(node) });
    const named = getFunction(node);
    if (named) {
      const { start, end } = named.body.span ?? program.span;
      const lines = lineAt(end) - lineAt(start) + 1;
      functions.push({ name: named.name, lines, parameters: named.parameters });
    }
  });
  return { name, lines: text.replace(/\n$/, '').split('\n'), imports, findings, functions };
}

function getImport(node: Node): Omit<Import, 'line'> | undefined {
  const source = node['source'] as { value: string } | null | undefined;
  switch (node.type) {
    case 'ImportDeclaration':
    case 'ExportNamedDeclaration':
    case 'ExportAllDeclaration': {
      if (!source) return undefined;
      const specifiers = (node['specifiers'] as { isTypeOnly?: boolean }[] | undefined) ?? [];
      const typeOnly =
        node['typeOnly'] === true ||
        (specifiers.length > 0 && specifiers.every((specifier) => specifier.isTypeOnly === true));
      return { specifier: source.value, typeOnly };
    }
    case 'TsImportType':
      return { specifier: (node['argument'] as { value: string }).value, typeOnly: true };
    case 'TsExternalModuleReference':
      return { specifier: (node['expression'] as { value: string }).value, typeOnly: false };
    case 'CallExpression':
      return calledModule(node);
    default:
      return undefined;
  }
}

/** `import('x')`, `require('x')` and `require.resolve('x')`. */
function calledModule(node: Node): Omit<Import, 'line'> | undefined {
  const callee = node['callee'] as Node;
  const object = callee['object'] as Node | undefined;
  const isCall = callee.type === 'Import' || callee['value'] === 'require' || object?.['value'] === 'require';
  const argument = (node['arguments'] as { expression: Node }[])[0]?.expression;
  if (!isCall || argument?.type !== 'StringLiteral') return undefined;
  return { specifier: argument['value'] as string, typeOnly: false };
}

/** A function declaration, or a function that is the value of a constant or of an object member. */
function getFunction(node: Node): { name: string; body: Node; parameters: number } | undefined {
  const getName = (value: unknown) => (value as Node | undefined)?.['value'] as string | undefined;
  const found = (name: string | undefined, node: Node) =>
    name === undefined ? undefined : { name, body: node, parameters: (node['params'] as unknown[]).length };
  const isFunction = (value: unknown): value is Node =>
    ['ArrowFunctionExpression', 'FunctionExpression'].includes((value as Node | null)?.type ?? '');
  switch (node.type) {
    case 'FunctionDeclaration':
      return found(getName(node['identifier']), node);
    case 'VariableDeclarator':
      return isFunction(node['init']) ? found(getName(node['id']), node['init']) : undefined;
    case 'KeyValueProperty':
      return isFunction(node['value']) ? found(getName(node['key']), node['value']) : undefined;
    case 'MethodProperty':
      return found(getName(node['key']), node);
    case 'ClassMethod':
      return found(getName(node['key']), node['function'] as Node);
    case 'ClassProperty':
      return isFunction(node['value']) ? found(getName(node['key']), node['value']) : undefined;
    default:
      return undefined;
  }
}

function toFinding(node: Node): Finding['what'] | undefined {
  const callee = node['callee'] as Node | undefined;
  switch (node.type) {
    case 'ExportDefaultDeclaration':
    case 'ExportDefaultExpression':
      return 'default export';
    case 'ExportAllDeclaration':
      return 'export *';
    case 'TsEnumDeclaration':
      return 'enum';
    case 'TsKeywordType':
      return node['kind'] === 'any' ? 'any' : undefined;
    case 'MemberExpression':
      return memberFinding(node);
    case 'NewExpression':
      return callee?.['value'] === 'Date' && ((node['arguments'] as unknown[] | null) ?? []).length === 0
        ? 'clock'
        : undefined;
    case 'CallExpression':
      return callee?.['value'] === 'fetch' ? 'fetch' : undefined;
    default:
      return undefined;
  }
}

function memberFinding(node: Node): Finding['what'] | undefined {
  const object = (node['object'] as Node)['value'];
  const property = (node['property'] as Node)['value'];
  if (object === 'process' && property === 'env') return 'environment';
  if ((object === 'Date' || object === 'performance') && property === 'now') return 'clock';
  return undefined;
}

function walk(value: unknown, visit: (node: Node) => void): void {
  if (Array.isArray(value)) {
    for (const member of value) walk(member, visit);
    return;
  }
  if (typeof value !== 'object' || value === null) return;
  if (typeof (value as Node).type === 'string') visit(value as Node);
  for (const member of Object.values(value)) walk(member, visit);
}

function namesBelow(root: string, folder: string): string[] {
  let entries;
  try {
    entries = readdirSync(path.join(root, folder), { withFileTypes: true });
  } catch {
    return []; // a folder that does not exist yet
  }
  return entries.flatMap((entry) => {
    const name = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return entry.name === 'node_modules' ? [] : namesBelow(root, name);
    return /\.tsx?$/.test(name) && !name.endsWith('.d.ts') ? [name] : [];
  });
}
