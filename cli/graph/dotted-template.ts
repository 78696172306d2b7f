import { existsSync, readFileSync, realpathSync } from 'node:fs';
import Module from 'node:module';
import path from 'node:path';
import { ConfigurationError, type GraphTemplate, templateFrom } from '../../graph';

const suffixes = ['.ts', '.mts', '.cts', '.js', '.mjs', '.cjs'];
/** The name of a folder, module or export: excludes `..` and separators, which could leave the folder. */
const namePattern = /^[A-Za-z_$][\w$-]*$/;

/**
 * Loads a template by dotted path: `shop.invoice.Template` is the export `Template` of `shop/invoice.ts` or `.js` in the folder,
 * never outside it. The module is executed, so the path must come from the user of the command. Throws a ConfigurationError
 * if the path does not exist or the export is not a template.
 */
export async function loadDottedTemplate(value: string, folder: string): Promise<GraphTemplate> {
  const parts = value.split('.');
  const name = parts.pop() ?? '';
  if (![...parts, name].every((part) => namePattern.test(part)))
    throw new ConfigurationError(`The template path '${value}' has parts that are not names`, { template: value });
  const exported = (await loadModule(getModuleFile(value, parts, folder), value))[name];
  if (exported === undefined)
    throw new ConfigurationError(`The module of '${value}' exports no '${name}'`, { template: value });
  if (typeof exported !== 'object' || exported === null)
    throw new ConfigurationError(
      `'${value}' is not a template: it must be a zod object, a JSON Schema or a template file`,
      {
        template: value,
        type: typeof exported,
      },
    );
  const { classes } = exported as { classes?: unknown };
  return classes instanceof Map ? (exported as GraphTemplate) : templateFrom(exported);
}

// Does not follow symbolic links out of the folder.
function getModuleFile(value: string, parts: readonly string[], folder: string): string {
  const root = realpathSync(folder);
  const base = path.join(root, ...parts);
  for (const candidate of [base, path.join(base, 'index')]) {
    const file = suffixes.map((suffix) => candidate + suffix).find((candidate) => existsSync(candidate));
    if (!file) continue;
    const real = realpathSync(file);
    if (real.startsWith(root + path.sep)) return real;
  }
  throw new ConfigurationError(
    `The template '${value}' was not found: there is no module ${parts.join('/')} in ${folder}`,
    {
      template: value,
      folder,
    },
  );
}

async function loadModule(file: string, value: string): Promise<Record<string, unknown>> {
  try {
    return await withBundledModules(async () => {
      if (/\.[cm]?ts$/.test(file)) return compileTemplate(file);
      return (await import(file)) as Record<string, unknown>;
    });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new ConfigurationError(
      `The template '${value}' cannot be loaded: ${reason}`,
      { template: value, reason },
      error,
    );
  }
}

interface CompiledModule extends NodeJS.Module {
  _compile(code: string, file: string): void;
}
type Resolve = (request: string, ...rest: unknown[]) => string;

/** The exports of a TypeScript file, compiled in memory together with its relative imports. */
async function compileTemplate(file: string): Promise<Record<string, unknown>> {
  const { transformSync } = await import('@swc/core');
  const extensions = (
    Module as unknown as { _extensions: Record<string, (module: CompiledModule, name: string) => void> }
  )._extensions;
  const loadTypeScript = extensions['.ts'];
  extensions['.ts'] = (module, name) => {
    const { code } = transformSync(readFileSync(name, 'utf8'), {
      filename: name,
      swcrc: false,
      jsc: { target: 'es2022', parser: { syntax: 'typescript' } },
      module: { type: 'commonjs' },
    });
    module._compile(code, name);
  };
  try {
    return Module.createRequire(file)(file) as Record<string, unknown>;
  } finally {
    if (loadTypeScript) extensions['.ts'] = loadTypeScript;
    else delete extensions['.ts'];
  }
}

// The folder of a template may lack zod and docloom, so ours are used.
async function withBundledModules<T>(work: () => Promise<T>): Promise<T> {
  const resolver = Module as unknown as { _resolveFilename: Resolve };
  const { _resolveFilename: resolve } = resolver;
  resolver._resolveFilename = (request, ...rest) => {
    try {
      return resolve.call(Module, request, ...rest);
    } catch (error) {
      if (request === 'docloom/graph') return require.resolve('../../graph');
      if (request === 'zod' || request.startsWith('zod/')) return require.resolve(request);
      throw error;
    }
  };
  try {
    return await work();
  } finally {
    resolver._resolveFilename = resolve;
  }
}
