import { spawnSync } from 'node:child_process';
import { existsSync, statSync, statfsSync } from 'node:fs';
import path from 'node:path';
import { findInstallation } from './install';
import type { Environment } from './paths';
import { isListening, loopback } from './ports';
import { formatBytes } from './progress';
import type { Context, ServerRecipe, Tool } from './server';
import { listRecipes } from './servers';
import { isAnsweringOk } from './stack-file';
import { findTool, toolHints } from './tools';

/** A program needed for builds, or how to install it. */
export interface ToolFinding {
  tool: 'node' | Tool;
  version?: string;
  path?: string;
  hint?: string;
}

/** One way to get a server, and the obstacles; no obstacles means that it should work. */
export interface Way {
  text: string;
  size: string;
  time: string;
  obstacle?: string;
}

/** The state of a server. `available` is false when it is neither installed nor installable. */
export interface ServerFinding {
  name: string;
  title: string;
  /** `up` cannot run without it. */
  required: boolean;
  found: 'environment' | 'path' | 'cache' | 'nothing';
  detail: string;
  available: boolean;
  ways: Way[];
  ports: { port: number; free: boolean }[];
}

/** The full report of `docloom doctor`. */
export interface Diagnosis {
  ok: boolean;
  tools: ToolFinding[];
  servers: ServerFinding[];
  folders: { name: string; path: string; freeBytes: number }[];
}

const connectWaitMs = 3_000;
const answerWaitMs = 4_000;
const tools: readonly Tool[] = ['java', 'mvn', 'pip3', 'go'];
const requiredServers: readonly string[] = ['temporal', 'mongo', 'search'];

/** Inspects this machine without changing it. Contacts official download hosts only for servers that are missing. */
export async function diagnose(options: { dataDir: string; cacheDir: string; env: Environment }): Promise<Diagnosis> {
  const context: Context = { ...options, log: () => undefined };
  const paths = new Map(tools.map((tool) => [tool, findTool(tool, options.env)]));
  const servers = await Promise.all(
    listRecipes(options.dataDir).map((recipe) => examine(recipe, context, (tool) => paths.get(tool) !== undefined)),
  );
  return {
    ok: servers.every(({ required, available }) => available || !required),
    tools: [
      { tool: 'node', version: process.version, path: process.execPath },
      ...tools.map((tool) => ({ tool, ...(paths.get(tool) ?? { hint: toolHints[tool] }) })),
    ],
    servers,
    folders: [buildFolderFacts('data', options.dataDir), buildFolderFacts('cache', options.cacheDir)],
  };
}

async function examine(recipe: ServerRecipe, context: Context, has: (tool: Tool) => boolean): Promise<ServerFinding> {
  const finding = await locate(recipe, context, has);
  const ways = finding.found === 'nothing' ? await Promise.all(recipe.steps.map((step) => readWay(step, has))) : [];
  const ports = await Promise.all(
    Object.values(recipe.ports).map(async (port) => ({ port, free: !(await isListening(loopback, port)) })),
  );
  const required = requiredServers.includes(recipe.name);
  const available = finding.available ?? ways.some(({ obstacle }) => obstacle === undefined);
  return { name: recipe.name, title: recipe.title, required, ...finding, available, ways, ports };
}

type Located = Pick<ServerFinding, 'found' | 'detail'> & { available?: boolean };

async function locate(recipe: ServerRecipe, context: Context, has: (tool: Tool) => boolean): Promise<Located> {
  if (context.env[recipe.setting]?.trim()) {
    const input = recipe.givenAddress(context.env);
    const alive = input ? await isListening(input.host, input.port, connectWaitMs) : true;
    const address = input ? `${input.host}:${input.port}` : 'a service record';
    return {
      found: 'environment',
      detail: `${recipe.setting} names ${address}${alive ? '' : ', where nothing answers'}`,
      available: alive,
    };
  }
  const installation = findInstallation(recipe, context);
  if (!installation) return { found: 'nothing', detail: 'not installed' };
  // A server that runs on Java also needs it to start, unless it bundles its own.
  const needsJava = recipe.runsOnJava?.(installation) ?? false;
  const detail =
    needsJava && !has('java')
      ? `${installation.path}, but Java is missing: ${toolHints.java}`
      : `${installation.path}${describeVersion(recipe, installation.path)}`;
  return { found: installation.origin === 'path' ? 'path' : 'cache', detail, available: !needsJava || has('java') };
}

function describeVersion(recipe: ServerRecipe, file: string): string {
  if (statSync(file).isDirectory()) return ` (${recipe.version})`;
  const line = spawnSync(file, ['--version'], { encoding: 'utf8', timeout: 10_000 }).stdout?.split('\n')[0]?.trim();
  return line ? ` (${line})` : '';
}

async function readWay(step: ServerRecipe['steps'][number], has: (tool: Tool) => boolean): Promise<Way> {
  const way = { text: step.text, size: step.size, time: step.time };
  const missing = step.needs.filter((tool) => !has(tool));
  if (missing.length > 0)
    return { ...way, obstacle: missing.map((tool) => `${tool} is missing: ${toolHints[tool]}`).join('; ') };
  for (const url of step.asks ?? []) {
    if (!(await isAnsweringOk(url, answerWaitMs)))
      return { ...way, obstacle: `${new URL(url).host} cannot be reached` };
  }
  return way;
}

function buildFolderFacts(name: string, file: string): Diagnosis['folders'][number] {
  let existing = file;
  while (!existsSync(existing)) existing = path.dirname(existing);
  const { bavail, bsize } = statfsSync(existing);
  return { name, path: file, freeBytes: bavail * bsize };
}

function chooseMark({ available, required, found }: ServerFinding): string {
  if (!available) return required ? 'MISSING' : 'missing';
  return found === 'nothing' ? 'to get ' : 'ok     ';
}

/** The diagnosis as lines of text. */
export function describeDiagnosis(diagnosis: Diagnosis): string {
  const lines = ['Programs'];
  for (const { tool, version, path: file, hint } of diagnosis.tools)
    lines.push(`  ${tool.padEnd(6)} ${version ? `${version} (${file})` : `missing: ${hint}`}`);
  lines.push('', 'Servers');
  for (const server of diagnosis.servers) {
    const { available, found, title, detail } = server;
    const mark = chooseMark(server);
    const state =
      found !== 'nothing' ? `${found}, ${detail}` : `${detail}${available ? '; the start that needs it gets it' : ''}`;
    lines.push(`  ${mark} ${title}${server.required ? '' : ' (optional)'}: ${state}`);
    for (const way of server.ways)
      lines.push(
        `            ${way.obstacle ? 'not possible' : 'possible'}: ${way.text} (${way.size}, ${way.time})${way.obstacle ? `: ${way.obstacle}` : ''}`,
      );
    const takenPorts = server.ports.filter(({ free }) => !free).map(({ port }) => port);
    if (takenPorts.length > 0 && server.found !== 'environment')
      lines.push(
        takenPorts.length === 1
          ? `            port ${takenPorts.join()} is in use; a free port is used instead`
          : `            ports ${takenPorts.join(', ')} are in use; free ports are used instead`,
      );
  }
  lines.push('', 'Folders');
  for (const { name, path: file, freeBytes } of diagnosis.folders)
    lines.push(`  ${name.padEnd(6)} ${file} (${formatBytes(freeBytes)} free)`);
  lines.push(
    '',
    diagnosis.ok
      ? 'Everything that is needed is here or can be downloaded.'
      : 'Something needed is missing; see above.',
  );
  return `${lines.join('\n')}\n`;
}
