import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker';
import { operators } from '../../operators/index';
import { threadEntries } from '../../threads/entries';
import { parseSource, readSources, type Import, type SourceFile } from '../support/code/source-files';

const root = path.join(__dirname, '..', '..');

/**
 * The imports of each room; rooms with `anything` are the surfaces, the tests and the tools. `typeOnly` adds to `may` for
 * types.
 */
const layers: Record<string, { may: readonly string[] | 'anything'; typeOnly?: readonly string[] }> = {
  model: { may: [] },
  document: { may: ['model'] },
  formats: { may: ['model', 'document'] },
  graph: { may: ['model', 'document'] },
  client: { may: ['model'] },
  mcp: { may: ['model', 'client'] },
  services: { may: ['model', 'document'] },
  threads: { may: ['model', 'document', 'formats', 'graph', 'services'] },
  operators: { may: ['model', 'document', 'formats', 'graph'], typeOnly: ['services'] },
  activities: { may: ['model', 'document', 'formats', 'graph', 'client', 'services', 'operators', 'threads'] },
  workflows: { may: ['model'] },
  // Of the operators the api sees the list and the schemas; the code behind them is loaded in the worker only.
  api: {
    may: [
      'model',
      'document',
      'formats',
      'graph',
      'mcp',
      'services',
      'operators/index',
      'operators/operator',
      'operators/inspection',
      'operators/stores',
      'operators/*/schema',
    ],
  },
  embedded: { may: ['model'] },
  cli: { may: 'anything' },
  console: { may: ['client'] },
  bench: { may: 'anything' },
  test: { may: 'anything' },
  samples: { may: 'anything' },
};

/** Packages that only some rooms may use (a trailing `*` matches a prefix). Other packages are unrestricted. */
const owners: readonly { packages: readonly string[]; places: readonly string[] }[] = [
  // Answers of servers are XML too.
  { packages: ['saxes'], places: ['formats', 'graph', 'services/source/remote/read-xml'] },
  { packages: ['isomorphic-git', 'ssh2', 'imapflow'], places: ['services/source/remote'] },
  { packages: ['ajv', 'ajv-formats'], places: ['model/validate'] },
  {
    packages: ['@hyzyla/pdfium', 'markdown-it', 'parse5', 'csv-parse', 'iconv-lite'],
    places: ['formats', 'graph'],
  },
  {
    packages: [
      'mongodb',
      '@zilliz/*',
      '@lancedb/*',
      '@aws-sdk/*',
      '@smithy/*',
      'pg',
      'neo4j-driver',
      'ldapts',
      'openid-client',
      '@duckdb/*',
      'onnxruntime-node',
      '@huggingface/*',
      'tesseract.js',
      'piscina',
      '@temporalio/client',
      'node:worker_threads',
    ],
    places: ['services', 'threads'],
  },
  { packages: ['node:child_process'], places: ['services', 'embedded', 'cli'] },
  { packages: ['@temporalio/activity', '@temporalio/worker'], places: ['activities'] },
  { packages: ['@temporalio/workflow'], places: ['workflows'] },
  { packages: ['koa', '@koa/router', 'koa-body', 'swagger-ui-dist'], places: ['api'] },
  { packages: ['@modelcontextprotocol/*'], places: ['mcp', 'api/mcp', 'cli/server/mcp'] },
  { packages: ['commander', 'cli-progress'], places: ['cli'] },
  { packages: ['react', 'react-dom', '@mantine/*', '@tanstack/*'], places: ['console'] },
];

/** Pure folders: anything from outside the process is passed as an argument. */
const pure = ['model', 'document', 'formats', 'graph', 'operators', 'workflows'];
const outside = [
  'node:fs',
  'node:fs/promises',
  'node:net',
  'node:tls',
  'node:http',
  'node:https',
  'node:http2',
  'node:dns',
  'node:dgram',
  'node:child_process',
  'node:worker_threads',
  'undici',
];
const tools = new Set(['bench', 'test', 'samples']);

const files = readSources(root);
const isTest = (file: SourceFile) => file.name.endsWith('.test.ts');
const getFolder = (file: { name: string }) => file.name.split('/')[0] ?? '';
const product = files.filter((file) => !isTest(file) && !tools.has(getFolder(file)));

// A star matches one part of the path; a pattern also matches everything below it.
function matches(pattern: string, target: string): boolean {
  const want = pattern.split('/');
  const have = target.split('/');
  return want.every((part, index) => part === '*' || part === have[index]);
}

function matchesPackage(pattern: string, specifier: string): boolean {
  if (pattern.endsWith('*')) return specifier.startsWith(pattern.slice(0, -1));
  return specifier === pattern || specifier.startsWith(`${pattern}/`);
}

/** The target of a relative import as a path from the root without extension; undefined for packages. */
function localTarget(file: SourceFile, { specifier }: Import): string | undefined {
  if (!specifier.startsWith('.')) return undefined;
  const target = path.posix.join(path.posix.dirname(file.name), specifier).replace(/\.[jt]sx?$/, '');
  return target.includes('/') ? target : `${target}/index`;
}

function layerProblem(file: SourceFile, item: Import): string | undefined {
  const target = localTarget(file, item);
  const layer = layers[getFolder(file)];
  if (target === undefined || !layer || layer.may === 'anything') return undefined;
  const folder = target.split('/')[0] ?? '';
  if (folder === getFolder(file)) return undefined;
  const allowed = [...layer.may, ...(item.typeOnly ? (layer.typeOnly ?? []) : [])];
  if (allowed.some((pattern) => matches(pattern, target))) return undefined;
  const asType = layer.typeOnly?.some((pattern) => matches(pattern, target)) ? ' (as a type it may)' : '';
  return `${file.name}:${item.line} ${getFolder(file)} may not import '${item.specifier}'${asType}`;
}

function packageProblem(file: SourceFile, item: Import): string | undefined {
  if (item.specifier.startsWith('.') || item.typeOnly) return undefined;
  const specifier = `${!item.specifier.startsWith('node:') && builtIn.has(item.specifier) ? 'node:' : ''}${item.specifier}`;
  const rule = owners.find(({ packages }) => packages.some((pattern) => matchesPackage(pattern, specifier)));
  if (rule && !rule.places.some((place) => matches(place, file.name.replace(/\.tsx?$/, '')))) {
    return `${file.name}:${item.line} '${specifier}' may be used in ${rule.places.join(', ')} only`;
  }
  if (pure.includes(getFolder(file)) && outside.includes(specifier))
    return `${file.name}:${item.line} ${getFolder(file)} is pure and may not use '${specifier}'`;
  return undefined;
}
const builtIn = new Set([
  'fs',
  'fs/promises',
  'net',
  'tls',
  'http',
  'https',
  'http2',
  'dns',
  'dgram',
  'child_process',
  'worker_threads',
]);

const importProblems = (file: SourceFile) =>
  file.imports.flatMap((item) => layerProblem(file, item) ?? packageProblem(file, item) ?? []);

describe('imports between rooms', () => {
  test('every file follows the table', () => {
    expect(product.length).toBeGreaterThan(50);
    expect(product.flatMap(importProblems)).toEqual([]);
  });

  test('the check finds every import syntax, with its line', () => {
    const breaks = (name: string, text: string) => importProblems(parseSource(name, text));
    expect(breaks('operators/x/run.ts', "// é\nimport { a } from '../../services/storage/mongo';")).toEqual([
      "operators/x/run.ts:2 operators may not import '../../services/storage/mongo' (as a type it may)",
    ]);
    expect(
      breaks(
        'operators/x/run.ts',
        "import type { A } from '../../services/storage/mongo';\nimport { type B } from '../../services/storage/mongo';",
      ),
    ).toEqual([]);
    expect(breaks('model/x.ts', "export { a } from '../document/model';")).toHaveLength(1);
    expect(breaks('model/x.ts', "const load = () => import('../formats/format');")).toHaveLength(1);
    expect(breaks('model/x.ts', "type A = import('../formats/format').Format;")).toHaveLength(1);
    expect(breaks('api/x.ts', "const koa = require('koa'); const b = require('mongodb');")).toHaveLength(1);
    expect(
      breaks(
        'api/x.ts',
        "import { config } from '../operators/chunker/schema';\nimport { run } from '../operators/chunker/run';",
      ),
    ).toHaveLength(1);
    expect(breaks('formats/x.ts', "import { readFileSync } from 'fs';")).toHaveLength(1);
    expect(breaks('model/x.ts', "import Ajv from 'ajv';\nimport { Type } from '@sinclair/typebox';")).toHaveLength(1);
    expect(
      breaks(
        'workflows/x.ts',
        "import type { A } from '../model/run/activities';\nimport { b } from '../activities/activities';",
      ),
    ).toHaveLength(1);
  });

  test('every folder with sources is in the table', () => {
    const known = new Set([
      ...Object.keys(layers),
      'bin',
      'deploy',
      'dist',
      'docs',
      'scripts',
      'node_modules',
      'coverage',
    ]);
    const folders = readdirSync(root, { withFileTypes: true }).filter(
      (entry) => entry.isDirectory() && !entry.name.startsWith('.'),
    );
    expect(folders.map((entry) => entry.name).filter((name) => !known.has(name))).toEqual([]);
  });
});

describe('forbidden code', () => {
  const where = (value: string, among: readonly SourceFile[]) =>
    among.flatMap((file) =>
      file.findings
        .filter((finding) => finding.what === value)
        .map((finding) => `${file.name}:${finding.line} ${value}`),
    );

  test('no default export, except the set-up files that jest calls', () => {
    expect(
      where(
        'default export',
        files.filter((file) => !/^test\/support\/servers\/[a-z-]+-(setup|teardown)\.ts$/.test(file.name)),
      ),
    ).toEqual([]);
  });

  test.each(['export *', 'enum', 'any'])('no %s', (value) => {
    expect(where(value, files)).toEqual([]);
  });

  test.each(['clock', 'environment', 'fetch'])('pure folders use no %s', (value) => {
    expect(
      where(
        value,
        product.filter((file) => pure.includes(getFolder(file))),
      ),
    ).toEqual([]);
  });

  // The SQL process hands PATH, and nothing else, to its child.
  test('the environment is read in entry files only', () => {
    const entries = /^(api\/main|activities\/worker|services\/table\/sql-(child|process)|cli\/.*|embedded\/.*)\.ts$/;
    expect(
      where(
        'environment',
        product.filter((file) => !entries.test(file.name)),
      ),
    ).toEqual([]);
  });

  // A plain timeout that is composed with another signal may be collected before it fires.
  test('time limits of requests are made by createTimeLimit', () => {
    const servers = new Set(['api', 'services', 'operators', 'activities', 'client', 'mcp', 'threads']);
    const plain = product.filter(
      (file) => servers.has(getFolder(file)) && file.lines.some((line) => line.includes('AbortSignal.timeout(')),
    );
    expect(plain.map(({ name }) => name)).toEqual([]);
  });

  test('the check sees each of them', () => {
    const text =
      'export default 1;\nexport * from "./a";\nenum E { A }\nlet a: any;\nnew Date();\nDate.now();\nprocess.env.X;\nfetch("x");\nnew Date(0);';
    const { findings } = parseSource('model/x.ts', text);
    expect(findings.map(({ what, line }) => `${line} ${what}`)).toEqual([
      '1 default export',
      '2 export *',
      '3 enum',
      '4 any',
      '5 clock',
      '6 clock',
      '7 environment',
      '8 fetch',
    ]);
  });
});

describe('names and sizes', () => {
  test('file names are kebab-case and say what is inside', () => {
    const refused = new Set(['util', 'utils', 'common', 'helper', 'helpers', 'types', 'misc', 'shared']);
    const wrong = files
      .map((file) => file.name)
      .filter((name) => {
        const stem = path.posix.basename(name).replace(/(\.test)?\.tsx?$/, '');
        return refused.has(stem) || !/^[a-z0-9]+(-[a-z0-9]+)*$/.test(stem);
      });
    expect(wrong).toEqual([]);
  });

  test('a file over 400 lines has the reason in its first comment (Long because …)', () => {
    const long = files.filter((file) => file.lines.length > 400);
    expect(
      long
        .filter((file) => !/Long because/.test(file.lines.slice(0, 30).join('\n')))
        .map((file) => `${file.name}: ${file.lines.length} lines`),
    ).toEqual([]);
  });
});

describe('the list of operators', () => {
  // Code shared by several operators, not operators.
  const shared = new Set(['facts', 'rows']);
  const folders = readdirSync(path.join(root, 'operators'), { withFileTypes: true }).filter(
    (entry) => entry.isDirectory() && !shared.has(entry.name),
  );

  test('contains exactly the operators that have a folder', () => {
    expect(operators.map(({ name }) => name).toSorted()).toEqual(folders.map(({ name }) => name).toSorted());
  });

  test.each(operators.map(({ name }) => name))('%s has schema, run, test and README', (name) => {
    const missing = ['schema.ts', 'run.ts', 'run.test.ts', 'README.md'].filter(
      (file) => !existsSync(path.join(root, 'operators', name, file)),
    );
    expect(missing).toEqual([]);
  });

  test.each(operators.map(({ name, load, scope }) => ({ name, load, scope })))(
    '$name loads code that fits its scope',
    async ({ load, scope }) => {
      const code = await load();
      expect(typeof (scope === 'source' ? code.runSource : code.run)).toBe('function');
    },
  );
});

describe('threads', () => {
  test.each(Object.entries(threadEntries))(
    'the entry of %s exists, and is built where it is loaded from',
    (_name, entry) => {
      const { build } = require(path.join(root, 'scripts', 'build.js')) as { build: () => number };
      build();
      expect(existsSync(path.join(root, entry.replace(/\.js$/, '.ts')))).toBe(true);
      expect(existsSync(path.join(root, 'dist', entry))).toBe(true);
    },
  );

  // Each of them costs every thread, and the start of `docloom convert`, tens of milliseconds and megabytes.
  test('a conversion thread starts without schemas, clients of models, HTML, PDF and mail', () => {
    const script = `require(${JSON.stringify(path.join(root, 'dist', threadEntries.conversion))});
      process.stdout.write(JSON.stringify(Object.keys(require.cache)))`;
    const loaded = JSON.parse(execFileSync(process.execPath, ['-e', script], { encoding: 'utf8' })) as string[];
    const packages = new Set(loaded.flatMap((file) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file)?.[1] ?? []));
    const late = ['@sinclair/typebox', 'ajv', 'undici', 'parse5', '@hyzyla/pdfium', 'postal-mime'];
    expect(late.filter((name) => packages.has(name))).toEqual([]);
    expect(packages).toContain('fflate');
  });

  test('no entry file is named by its path', () => {
    const namedFiles = files.filter(
      (file) =>
        file.name !== 'threads/entries.ts' &&
        /threads['/, ]+(conversion|graph)['/, ]+entry/.test(file.lines.join('\n')),
    );
    expect(namedFiles.map(({ name }) => name)).toEqual([]);
  });
});

describe('the workflow bundle', () => {
  test('contains the workflows, the model and the SDK, but no operator, ajv or driver', async () => {
    const { code } = await bundleWorkflowCode({
      workflowsPath: path.join(root, 'workflows/index.ts'),
      logger: new DefaultLogger('ERROR'),
    });
    const map = /sourceMappingURL=data:application\/json;[^,]*,([A-Za-z0-9+/=]+)/.exec(code)?.[1] ?? '';
    const { sources } = JSON.parse(Buffer.from(map, 'base64').toString()) as { sources: string[] };
    const packages = new Set(
      sources.flatMap((source) => /node_modules\/((?:@[^/]+\/)?[^/]+)(?!.*node_modules)/.exec(source)?.[1] ?? []),
    );
    expect([...packages].toSorted()).toEqual(['@temporalio/common', '@temporalio/workflow', 'long', 'ms', 'nexus-rpc']);
    const own = sources
      .filter((source) => !source.includes('node_modules'))
      // A checkout may lie in a folder that has the name of one of these.
      .map((source) => source.replace(root.slice(1), ''))
      .flatMap((source) => new RegExp(`(?:^|/)(${Object.keys(layers).join('|')})/[^?]*\\.ts`).exec(source)?.[1] ?? []);
    expect([...new Set(own)].toSorted()).toEqual(['model', 'workflows']);
  }, 60_000);
});
