import { hash } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { AppError } from '../../model/errors';
import { withLock } from '../lock';
import { createFolder } from '../paths';

/** A model that the operator added from a folder, as `manifest.json` beside it describes it. */
export interface OwnModel {
  /** Its folder below the models folder. */
  name: string;
  /** As stated when it was added. */
  licence: string;
  files: readonly { to: string; sha256: string; bytes: number }[];
  /** Why the manifest cannot be used. */
  problem?: string;
}

const manifestName = 'manifest.json';
const modelNames = ['model.onnx', 'model_quantized.onnx'].flatMap((name) => [path.join('onnx', name), name]);
/** Files beside the model, if there are any; the last ones tell people what the model is. */
const otherNames = ['tokenizer.json', 'config.json', 'tokenizer_config.json', 'README.md', 'LICENSE'];
/** A folder, or an organisation and a folder, as model hubs name them. */
const namePattern = /^[A-Za-z0-9][\w.-]*(?:\/[A-Za-z0-9][\w.-]*)?$/;

/**
 * Copies a model from a folder into the models folder, with a manifest of its files. `check` gets the name of the copy below the models
 * folder and throws if it cannot be used; then nothing is added. Links are followed, as in the caches of model hubs.
 */
export async function addOwnModel(
  folder: string,
  { name, from, licence }: { name: string; from: string; licence: string | undefined },
  check: (name: string) => Promise<void>,
): Promise<void> {
  if (!namePattern.test(name))
    throw createError(
      `'${name}' is not a name of a model: expected letters, digits, '.', '_' and '-', with one '/' at most.`,
    );
  const model = modelNames.find((file) => existsSync(path.join(from, file)));
  if (model === undefined)
    throw createError(
      `'${name}' is not a pack, and there is no model in ${from}: expected ${modelNames.join(' or ')}.`,
    );
  const stated = licence ?? readLicence(path.join(from, 'README.md'));
  if (!stated) throw createError(`${from} states no licence. State it with --licence, such as --licence Apache-2.0.`);
  createFolder(folder);
  const flatName = name.replace('/', '--');
  await withLock(path.join(folder, '.locks', flatName), async () => {
    const place = path.join(folder, name);
    if (existsSync(place)) throw createError(`${place} exists. Remove it first: docloom models remove ${name}`);
    const partName = `.${flatName}.part`;
    const part = path.join(folder, partName);
    rmSync(part, { recursive: true, force: true });
    try {
      const files = listFiles(from, model).map((file) => copyModelFile(from, part, file));
      await check(partName);
      const manifest: OwnModel = { name, licence: stated, files };
      writeFileSync(path.join(part, manifestName), `${JSON.stringify(manifest, null, 2)}\n`);
      mkdirSync(path.dirname(place), { recursive: true });
      renameSync(part, place);
    } finally {
      rmSync(part, { recursive: true, force: true });
    }
  });
}

/** The models with such a manifest, sorted by name. */
export function listOwnModels(folder: string): OwnModel[] {
  const names = listFolders(folder).flatMap((name) => [
    name,
    ...listFolders(path.join(folder, name)).map((inner) => `${name}/${inner}`),
  ]);
  return names
    .flatMap((name) => readManifest(folder, name) ?? [])
    .toSorted((a, b) => a.name.localeCompare(b.name, 'en'));
}

/** Compares every byte of a model with its manifest. */
export function checkOwnModel(folder: string, { name, files, problem }: OwnModel): 'installed' | { problem: string } {
  if (problem !== undefined) return { problem };
  const place = path.join(folder, name);
  for (const { to, sha256, bytes } of files) {
    const file = path.join(place, to);
    if (!file.startsWith(place + path.sep)) return { problem: `${to} is not inside of its folder` };
    if (!existsSync(file)) return { problem: `${to} is missing` };
    if (statSync(file).size !== bytes) return { problem: `${to} has ${statSync(file).size} bytes instead of ${bytes}` };
    if (hash('sha256', readFileSync(file)) !== sha256)
      return { problem: `${to} has another SHA-256 than when it was added` };
  }
  return 'installed';
}

/** Large models have their weights in files beside the model that begin with its name. */
function listFiles(from: string, model: string): string[] {
  const weights = readdirSync(path.join(from, path.dirname(model)))
    .map((name) => path.join(path.dirname(model), name))
    .filter((file) => file === model || file.startsWith(`${model}_`) || file.startsWith(`${model}.`));
  return [...weights, ...otherNames.filter((name) => existsSync(path.join(from, name)))];
}

function copyModelFile(from: string, part: string, to: string): OwnModel['files'][number] {
  const file = path.join(part, to);
  mkdirSync(path.dirname(file), { recursive: true });
  copyFileSync(path.join(from, to), file);
  return { to, sha256: hash('sha256', readFileSync(file)), bytes: statSync(file).size };
}

/** The licence in the description that model hubs put at the beginning of README.md. */
function readLicence(file: string): string | undefined {
  if (!existsSync(file)) return undefined;
  const [, head = ''] = /^---\r?\n([\s\S]*?)\r?\n---/.exec(readFileSync(file, 'utf8')) ?? [];
  return /^license:\s*["']?([\w.+-]+)/m.exec(head)?.[1];
}

function readManifest(folder: string, name: string): OwnModel | undefined {
  const file = path.join(folder, name, manifestName);
  if (!existsSync(file)) return undefined;
  try {
    const { licence = 'unknown', files } = JSON.parse(readFileSync(file, 'utf8')) as Partial<OwnModel>;
    if (files?.every(({ to }) => typeof to === 'string')) return { name, licence, files };
  } catch {
    // The result is the same as for a manifest of another form.
  }
  return { name, licence: 'unknown', files: [], problem: `${manifestName} is not a manifest of a model` };
}

function listFolders(folder: string): string[] {
  if (!existsSync(folder)) return [];
  const entries = readdirSync(folder, { withFileTypes: true });
  return entries.filter((entry) => entry.isDirectory() && !entry.name.startsWith('.')).map(({ name }) => name);
}

function createError(message: string): AppError {
  return new AppError('VALIDATION_ERROR', message);
}
