import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { conversionRoutes } from '../../api/conversion/index';
import { routes } from '../../api/routes';
import { commands } from '../../cli/commands';
import { formats } from '../../formats/list';
import { tools } from '../../mcp/tools';
import { settings } from '../../model/config';
import { ConvertOptions } from '../../model/conversion/request/options';
import { errorCatalogue } from '../../model/errors';
import { commonColumns } from '../../model/flow/columns';
import type { FlowDefinition } from '../../model/flow/flow';
import { validateFlow } from '../../model/flow/validation';
import { sourceKinds } from '../../model/source/list';
import { listProblems } from '../../model/validate';
import { operators } from '../../operators/index';

interface DocTables {
  renderTables: (lists: Record<string, unknown>) => Record<string, string>;
  replaceTables: (text: string, tables: Record<string, string>) => string;
  documentationFiles: () => string[];
}
const root = path.join(__dirname, '..', '..');
// Plain JavaScript, so that it runs without a build.
const { documentationFiles, renderTables, replaceTables } = require('../../scripts/doc-tables.js') as DocTables;
const tables = renderTables({
  settings,
  errorCatalogue,
  operators,
  routes,
  conversionRoutes,
  ConvertOptions,
  commands,
  sourceKinds,
  formats,
  commonColumns,
  tools,
});
const files = documentationFiles().map((name) => ({ name, text: readFileSync(path.join(root, name), 'utf8') }));

/** The text outside of code blocks, and the code blocks with their language. */
function parts(text: string): { prose: string; blocks: { language: string; code: string }[] } {
  const blocks: { language: string; code: string }[] = [];
  const prose = text.replace(/^ *```(\w*)[^\n]*\n([\s\S]*?)^ *```$/gm, (_, language: string, code: string) => {
    blocks.push({ language, code });
    return '';
  });
  return { prose, blocks };
}

const splitBlocks = (languages: readonly string[]) =>
  files.flatMap(({ name, text }) =>
    parts(text)
      .blocks.filter(({ language }) => languages.includes(language))
      .map(({ code }) => ({ name, code })),
  );

/** The anchors of a file's headings, as Git hosts make them. */
function anchors(text: string): Set<string> {
  const headings = [...parts(text).prose.matchAll(/^#+ (.+)$/gm)].map(([, title = '']) => title);
  return new Set(
    headings.map((title) =>
      title
        .toLowerCase()
        .replace(/[^\p{L}\p{N} _-]/gu, '')
        .replace(/ /g, '-'),
    ),
  );
}

describe('tables', () => {
  test.each(files)('no cell of $name is longer than 300 characters', ({ text }) => {
    const rows = parts(text).prose.match(/^ *\|.*\|$/gm) ?? [];
    const cells = rows.flatMap((row) => row.split(/(?<!\\)\|/).map((cell) => cell.trim()));
    expect(cells.filter((cell) => cell.length > 300)).toEqual([]);
  });

  test.each(files)(
    'those of $name are the lists of the product (node scripts/doc-tables.js writes them)',
    ({ text }) => {
      expect(replaceTables(text, tables)).toBe(text);
    },
  );

  test('every operator has tests; a sample flow and a figure are links and numbers', () => {
    const rows = (tables['operators'] ?? '').split('\n').slice(2);
    expect(rows).toHaveLength(operators.length);
    for (const row of rows) {
      const [name = '', , , , , , tests = '', sample = '', figure = ''] = row.slice(2, -2).split(' | ');
      expect({ name, tests, sample, figure }).toEqual({
        name,
        tests: expect.stringMatching(/^\[run\]\(.*\/run\.test\.ts\)/),
        sample: expect.stringMatching(/^$|\.\.\/samples\/flows\//),
        figure: expect.stringMatching(/^$|^(over )?[1-9][\d,]*$/),
      });
    }
  });

  test('every operator has a README with its purpose, its settings, its columns and an example', () => {
    for (const { name } of operators) {
      const text = readFileSync(path.join(root, 'operators', name, 'README.md'), 'utf8');
      const { prose, blocks } = parts(text);
      expect({ name, head: prose.slice(0, 400) }).toEqual({
        name,
        head: expect.stringMatching(new RegExp(`^# ${name}\\n\\n[A-Z][^|\\n]{30,}`)),
      });
      expect({ name, examples: blocks.some(({ language }) => language === 'json') }).toEqual({ name, examples: true });
      const marks = [...text.matchAll(/<!-- table: ([a-z_:]+) -->/g)].map(([, mark]) => mark);
      expect({ name, marks }).toEqual({ name, marks: [`config:${name}`, `columns:${name}`] });
    }
  });

  test('each of them is defined', () => {
    const all = files.map(({ text }) => text).join('\n');
    expect(Object.keys(tables).filter((name) => !all.includes(`<!-- table: ${name} -->`))).toEqual([]);
  });
});

describe('links', () => {
  test.each(files)('of $name lead to files and headings that exist', ({ name, text }) => {
    const targets = [...parts(text).prose.matchAll(/\]\(([^)\s]+)\)/g)]
      .map(([, target = '']) => target)
      .filter((target) => !/^[a-z]+:/.test(target));
    const broken = targets.filter((target) => {
      const [file = '', anchor] = target.split('#');
      const full = file === '' ? path.join(root, name) : path.join(root, path.dirname(name), file);
      if (!existsSync(full)) return true;
      return anchor !== undefined && !anchors(readFileSync(full, 'utf8')).has(anchor);
    });
    expect(broken).toEqual([]);
  });
});

describe('commands in code blocks', () => {
  const shell = splitBlocks(['sh', 'bash']);
  const uses = shell.flatMap(({ name, code }) =>
    [...code.matchAll(/(?:^|[(|;&]\s*|=\S* )(?:bin\/)?docloom ([a-z]+)([^|)&#\n]*)/gm)].map(
      ([, command = '', rest = '']) => ({ name, command, rest }),
    ),
  );

  test('there are some, and each exists', () => {
    expect(uses.length).toBeGreaterThan(10);
    const known = new Set(commands.map(({ name }) => name));
    expect(uses.filter(({ command }) => !known.has(command))).toEqual([]);
  });

  test.each(commands.map(({ name }) => name))(
    'docloom %s --help exits 0 and names every option that the documents use',
    (command) => {
      const { status, stdout, stderr } = spawnSync(
        process.execPath,
        [path.join(root, 'bin/docloom'), command, '--help'],
        { encoding: 'utf8' },
      );
      expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
      const options = uses
        .filter((use) => use.command === command)
        .flatMap(({ rest }) => rest.match(/--[a-z-]+/g) ?? []);
      expect(options.filter((option) => !stdout.includes(option))).toEqual([]);
    },
  );

  test('npm scripts and node programs exist', () => {
    const { scripts } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as {
      scripts: Record<string, string>;
    };
    const code = shell.map((block) => block.code).join('\n');
    const named = [...code.matchAll(/npm run (?:--silent )?([a-z:-]+)/g)].map(([, script = '']) => script);
    expect(named.filter((script) => !(script in scripts))).toEqual([]);
    const programs = [...code.matchAll(/node ((?:dist|scripts)\/[a-z/-]+)\.js/g)].map(([, program = '']) => program);
    const source = (program: string) => program.replace(/^dist\//, '');
    expect(
      programs.filter(
        (program) =>
          !existsSync(path.join(root, `${source(program)}.ts`)) && !existsSync(path.join(root, `${program}.js`)),
      ),
    ).toEqual([]);
  });
});

describe('names in the text', () => {
  test('every setting exists', () => {
    const compose = readFileSync(path.join(root, 'docker-compose.yml'), 'utf8');
    // Variables that compose itself replaces are not settings.
    const known = new Set([
      ...Object.keys(settings),
      ...[...compose.matchAll(/\$\{([A-Z_]+)/g)].map(([, name = '']) => name),
    ]);
    const unknown = files.flatMap(({ name, text }) =>
      [...text.matchAll(/\b(?:DOCLOOM|SEARCH|LDAP|JWT|TEMPORAL|MONGODB|CORS|DS|PIPE)_[A-Z0-9_]+\b(?!…)/g)]
        .map(([setting]) => setting)
        .filter((word) => !known.has(word) && !(word in errorCatalogue) && !word.startsWith('DOCLOOM_SECRET_'))
        .map((setting) => `${name}: ${setting}`),
    );
    expect(unknown).toEqual([]);
  });

  test('every address of the API exists', () => {
    // The recipes of CONTRIBUTING add a route themselves.
    const examples = new Set(['/api/v1/clock']);
    const known = routes.map(({ path: address }) => new RegExp(`^${address.replace(/\{[^}]+\}/g, '[^/]+')}$`));
    const used = files.flatMap(({ name, text }) =>
      [...text.matchAll(/(?<![\w.])(\/(?:api\/v1|auth)\/[\w{}/.$()-]*[\w})])/g)].map(([, address = '']) => ({
        name,
        address,
      })),
    );
    expect(used.length).toBeGreaterThan(5);
    expect(
      used.filter(({ address }) => !examples.has(address) && !known.some((pattern) => pattern.test(address))),
    ).toEqual([]);
  });

  test('every address of the conversion service exists', () => {
    const known = conversionRoutes.map(
      ({ path: address }) => new RegExp(`^${address.replace(/\{[^}]+\}/g, '[^/]+')}$`),
    );
    // A socket is not a route, and an ellipsis matches the rest.
    const isKnown = (address: string) =>
      address.startsWith('/v1/status/ws/') ||
      (address.endsWith('…') && conversionRoutes.some(({ path: route }) => route.startsWith(address.slice(0, -1)))) ||
      known.some((pattern) => pattern.test(address));
    const used = files
      .filter(({ name }) => name !== 'docs/configuration.md')
      .flatMap(({ name, text }) =>
        [
          ...text.matchAll(
            /(?<![\w.}/])(?:localhost:8080)?(\/v1\/(?:convert|chunk|status|result|tasks|clear|memory|callback)[\w{}/…$]*)/g,
          ),
        ].map(([, address = '']) => ({ name, address })),
      );
    expect(used.length).toBeGreaterThan(20);
    expect(used.filter(({ address }) => !isKnown(address))).toEqual([]);
  });

  test.each(operators.map(({ name, config }) => ({ name, config })))(
    'the README of $name explains every member of its configuration',
    ({ name, config }) => {
      const text = readFileSync(path.join(root, 'operators', name, 'README.md'), 'utf8');
      expect(Object.keys(config.properties).filter((member) => !text.includes(member))).toEqual([]);
    },
  );
});

describe('flows', () => {
  const samples = readdirSync(path.join(root, 'samples/flows')).map((name) => ({
    name,
    code: readFileSync(path.join(root, 'samples/flows', name), 'utf8'),
  }));
  // Custom operators of readers are not known here; test/docs/how-tos.test.ts runs that flow.
  const shownBlocks = splitBlocks(['json']).filter(
    ({ code }) => code.includes('"flow_name"') && !code.includes('"type": "word_count"'),
  );

  test.each([...samples, ...shownBlocks])('the flow in $name is valid, without a warning', ({ code }) => {
    expect(validateFlow(JSON.parse(code) as FlowDefinition, operators)).toEqual({ errors: [], warnings: [] });
  });

  // Blocks that show the whole configuration of one operator.
  const configs = splitBlocks(['json']).flatMap(({ name, code }) => {
    const of = {
      'docs/sources.md': 'ingest_source',
      'docs/models.md': 'embeddings',
      'operators/vectordb/README.md': 'vectordb',
    };
    const type = (of as Record<string, string>)[name];
    const isConfig = type !== undefined && /^\{\s*"(provider|type)":/.test(code) && !code.includes('"config"');
    return isConfig ? [{ name, type, config: JSON.parse(code) as Record<string, unknown> }] : [];
  });

  test('pages show configurations of sources and models', () => {
    expect(configs.map(({ name }) => name)).toEqual(expect.arrayContaining(['docs/sources.md', 'docs/models.md']));
  });

  test.each(configs)(
    'the configuration of $type $config.provider $config.type in $name is valid',
    ({ type, config }) => {
      const operator = operators.find(({ name }) => name === type);
      expect(listProblems(operator!.config, structuredClone(config))).toEqual([]);
      expect(operator!.validate?.(config, new Set()) ?? []).toEqual([]);
    },
  );

  test('there are at least 14 sample flows, and a test with all servers runs each', () => {
    expect(samples.length).toBeGreaterThanOrEqual(14);
    const folder = path.join(root, 'test', 'e2e');
    const tests = readdirSync(folder)
      .filter((name) => name.endsWith('.test.ts'))
      .map((name) => readFileSync(path.join(folder, name), 'utf8'))
      .join('\n');
    // In a call with its name, or as the key of a table of expectations.
    const isRun = (name: string) => new RegExp(`(?:ample|prepare)\\('${name}'|^  '${name}': \\{`, 'm').test(tests);
    expect(samples.filter(({ name }) => !isRun(name.replace('.json', ''))).map(({ name }) => name)).toEqual([]);
  });

  test('every JSON block of the documents can be parsed', () => {
    const broken = splitBlocks(['json']).filter(({ code }) => {
      try {
        JSON.parse(code);
        return false;
      } catch {
        return true;
      }
    });
    expect(broken).toEqual([]);
  });
});
