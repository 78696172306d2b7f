import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { AppError } from '../../model/errors';
import { FlowDefinition } from '../../model/flow/flow';
import { parse } from '../../model/validate';
import { operators } from '../../operators/index';

const expectedFlow = 'expected a JSON object with the members `flow_name` and `flow`';

/** Reads a flow from a JSON file. Relative paths of sources are resolved from the folder of the file, unless they stay `as written`. */
export async function readFlowFile(
  file: string,
  paths: 'resolved' | 'as written' = 'resolved',
): Promise<FlowDefinition> {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT')
      throw new AppError('FLOW_NOT_FOUND', `There is no flow file '${file}': expected the path of a JSON file.`);
    if ((error as NodeJS.ErrnoException).code === 'EISDIR')
      throw new AppError('FLOW_INVALID_DATA', `'${file}' is a folder: expected the path of a JSON file.`);
    throw new AppError(
      'FLOW_INVALID_DATA',
      `The flow file '${file}' cannot be read: ${error instanceof Error ? error.message : String(error)}.`,
    );
  });
  if (text.trim() === '') throw new AppError('FLOW_INVALID_DATA', `The flow file '${file}' is empty: ${expectedFlow}.`);
  let value: unknown;
  try {
    value = JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    throw new AppError(
      'FLOW_INVALID_DATA',
      `The flow file '${file}' is not JSON: ${describeSyntaxError(error, text)}.`,
    );
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new AppError('FLOW_INVALID_DATA', `The flow file '${file}' is ${describeKind(value)}: ${expectedFlow}.`);
  const flow = parse(FlowDefinition, value, `The flow file '${file}'`, 'FLOW_INVALID_DATA');
  return paths === 'resolved' ? resolvePaths(flow, path.dirname(path.resolve(file))) : flow;
}

function describeKind(value: unknown): string {
  if (Array.isArray(value)) return 'a list';
  return value === null ? 'null' : `a ${typeof value}`;
}

/** The message of JSON.parse; where it has only an offset, with line and column. */
function describeSyntaxError(error: unknown, text: string): string {
  const message = error instanceof Error ? error.message : String(error);
  const position = /position (\d+)/.exec(message)?.[1];
  if (position === undefined) return message;
  const before = text.slice(0, Number(position)).split('\n');
  return `${message} (line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1})`;
}

function resolvePaths(flow: FlowDefinition, folder: string): FlowDefinition {
  const sources = new Set(operators.filter(({ scope }) => scope === 'source').map(({ name }) => name));
  return {
    ...flow,
    flow: flow.flow.map((operator) =>
      sources.has(operator.type) ? { ...operator, config: makePathsAbsolute(operator.config ?? {}, folder) } : operator,
    ),
  };
}

/** Members with paths of sources, at the top level and in the connection parameters. */
const pathMembers = ['paths', 'root_path'];
const connectionMembers = ['connection_params', 'provider_config'];

function makePathsAbsolute(config: Record<string, unknown>, folder: string): Record<string, unknown> {
  const resolve = (value: unknown): unknown => {
    if (typeof value === 'string') return path.resolve(folder, value);
    return Array.isArray(value) ? value.map(resolve) : value;
  };
  return Object.fromEntries(
    Object.entries(config).map(([key, value]) => {
      if (pathMembers.includes(key)) return [key, resolve(value)];
      if (connectionMembers.includes(key) && typeof value === 'object' && value !== null)
        return [key, makePathsAbsolute(value as Record<string, unknown>, folder)];
      return [key, value];
    }),
  );
}
