import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { AppError } from '../../model/errors';
import type { Tokenizer } from '../../model/llm/tokenizer';

/** Loads tokenizers by model name. Falls back to the bundled one when a tokenizer is missing, as its `name` shows. */
export interface Tokenizers {
  load(name: string): Promise<Tokenizer>;
}

/** The tokenizer that is bundled with the package. */
export const bundledTokenizer = 'o200k_base';
/** Tokens per chunk when the limit of the model is unknown. */
const defaultMaxTokens = 512;
/** Tokenizers without a limit write a larger one, 1e30. */
const noLimit = 1e7;
/** Token limits of common embedding models, for when only their name is known. */
const knownLimits: Readonly<Record<string, number>> = {
  'sentence-transformers/all-MiniLM-L6-v2': 256,
  'ibm-granite/granite-embedding-278m-multilingual': 512,
  'intfloat/multilingual-e5-large': 512,
};
/** A byte-pair tokenizer needs quadratic time for longer runs without a separator. */
const longestRun = 128;

/**
 * Loads tokenizers by name from `<modelsFolder>/<name>/tokenizer.json`, or else the bundled one; the result has the name of the
 * one loaded. Downloads nothing. Loads each tokenizer once.
 */
export function createTokenizers({ modelsFolder }: { modelsFolder: string | undefined }): Tokenizers {
  const loaded = new Map<string, Promise<Tokenizer>>();
  return {
    load(name) {
      const tokenizer = loaded.get(name);
      if (tokenizer) return tokenizer;
      const loading = load(name, modelsFolder);
      loaded.set(name, loading);
      loading.catch(() => loaded.delete(name));
      return loading;
    },
  };
}

async function load(name: string, modelsFolder: string | undefined): Promise<Tokenizer> {
  const isSafe = /^[\w.-]+(?:\/[\w.-]+)?$/.test(name) && !name.split('/').some((part) => /^\.+$/.test(part));
  const folder = modelsFolder && isSafe ? path.join(modelsFolder, name) : undefined;
  const definition = folder ? await readJson(path.join(folder, 'tokenizer.json')) : undefined;
  if (folder && definition) return openFolder(name, folder, definition);
  return openBundled(knownLimits[name] ?? defaultMaxTokens);
}

async function openBundled(maxTokens: number): Promise<Tokenizer> {
  const { countTokens } = await import('gpt-tokenizer/encoding/o200k_base').catch((error: unknown) => {
    throw new AppError(
      'OPTIONAL_PACKAGE_MISSING',
      'Counting tokens needs the optional package gpt-tokenizer: npm install gpt-tokenizer.',
      {},
      error,
    );
  });
  const none = new Set<string>();
  return {
    name: bundledTokenizer,
    maxTokens,
    count: (text) => countTokens(joinRuns(text), { allowedSpecial: none, disallowedSpecial: none }),
  };
}

async function openFolder(name: string, folder: string, definition: object): Promise<Tokenizer> {
  const { Tokenizer: Loaded } = await import('@huggingface/tokenizers');
  const config = (await readJson(path.join(folder, 'tokenizer_config.json'))) ?? {};
  const sentence = (await readJson(path.join(folder, 'sentence_bert_config.json'))) ?? {};
  try {
    const tokenizer = new Loaded(definition, config);
    return {
      name,
      maxTokens: findLimit(sentence) ?? findLimit(config) ?? knownLimits[name] ?? defaultMaxTokens,
      count: (text) => tokenizer.tokenize(joinRuns(text)).length,
    };
  } catch (error) {
    throw createNotReadableError(path.join(folder, 'tokenizer.json'), error);
  }
}

function findLimit(config: object): number | undefined {
  const { max_seq_length: sequence, model_max_length: model } = config as Record<string, unknown>;
  return [sequence, model].find((value): value is number => Number.isInteger(value) && (value as number) < noLimit);
}

async function readJson(file: string): Promise<object | undefined> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw createNotReadableError(file, error);
  }
  try {
    return JSON.parse(text) as object;
  } catch (error) {
    throw createNotReadableError(file, error);
  }
}

function createNotReadableError(file: string, cause: unknown): AppError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new AppError('INVALID_CONFIGURATION', `The tokenizer file '${file}' could not be read: ${reason}`, {}, cause);
}

/** Splits runs of characters that are longer than any word with a space, and shortens equally long runs of white space. */
function joinRuns(text: string): string {
  return text.length <= longestRun
    ? text
    : text.replace(longRun, '$& ').replace(longBlank, (blank) => blank.slice(0, longestRun));
}
const longRun = new RegExp(`[^\\s]{${longestRun}}`, 'g');
const longBlank = new RegExp(`\\s{${longestRun},}`, 'g');
