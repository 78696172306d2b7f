import { existsSync } from 'node:fs';
import path from 'node:path';
import type { InferenceSession, Tensor } from 'onnxruntime-node';
import { AppError } from '../../model/errors';

type Runtime = Pick<typeof import('onnxruntime-node'), 'InferenceSession' | 'Tensor'>;

/** What a model says of one of its inputs; dimensions that it leaves open are names. */
export interface OnnxInput {
  name: string;
  type: string;
  shape: readonly (number | string)[];
}

/** How a model is run. */
export interface OnnxOptions {
  /** Threads of the runtime; by default as many as there are processors. */
  threads?: number;
  /** Inputs differ in length from call to call: memory that was planned for one of them would be kept for all. */
  isVaried?: boolean;
}

/** An open model. */
export interface OnnxSession {
  inputs: readonly OnnxInput[];
  outputs: readonly string[];
  /** Numbers with their shape by name of output. PAGE_MODEL_INVALID when the model refuses its inputs or breaks. */
  run(
    feeds: Readonly<Record<string, OnnxValue>>,
  ): Promise<Record<string, { data: ArrayLike<number | bigint>; dims: readonly number[] }>>;
  close(): Promise<void>;
}

/** Numbers that go into a model. */
export type OnnxValue =
  | { type: 'float32'; data: Float32Array; dims: readonly number[] }
  | { type: 'int64'; data: BigInt64Array; dims: readonly number[] };

/** Where a model lies in its folder: as model hubs keep it, or plain. */
const places = [path.join('onnx', 'model.onnx'), 'model.onnx'];

/** The model file of a folder; undefined when it has none. */
export function onnxFileOf(folder: string): string | undefined {
  return places.map((place) => path.join(folder, place)).find((file) => existsSync(file));
}

/** Opens a model with the runtime for processors. Throws PAGE_MODEL_INVALID, or OPTIONAL_PACKAGE_MISSING without the runtime. */
export async function openOnnxSession(file: string, options: OnnxOptions = {}): Promise<OnnxSession> {
  const runtime = await loadRuntime();
  const session = await openModel(runtime, file, options);
  return {
    inputs: session.inputMetadata.map((input) =>
      input.isTensor
        ? { name: input.name, type: input.type, shape: input.shape }
        : { name: input.name, type: 'no tensor', shape: [] },
    ),
    outputs: session.outputNames,
    async run(feeds) {
      const tensors = Object.entries(feeds).map(([name, value]) => [name, tensorOf(runtime, value)] as const);
      try {
        const found = await session.run(Object.fromEntries(tensors));
        return Object.fromEntries(Object.entries(found).map(([name, { data, dims }]) => [name, numbersOf(data, dims)]));
      } catch (error) {
        throw broken(`The model '${file}' failed`, error);
      }
    },
    close: () => session.release(),
  };
}

async function loadRuntime(): Promise<Runtime> {
  try {
    const loaded = await import('onnxruntime-node');
    // As a CommonJS module it may stand below `default`.
    return (loaded as { default?: Runtime }).default ?? loaded;
  } catch (error) {
    throw new AppError(
      'OPTIONAL_PACKAGE_MISSING',
      'Models that run in the process need the optional package onnxruntime-node: npm install onnxruntime-node.',
      {},
      error,
    );
  }
}

async function openModel(
  { InferenceSession: Session }: Runtime,
  file: string,
  { threads, isVaried }: OnnxOptions,
): Promise<InferenceSession> {
  try {
    return await Session.create(file, {
      executionProviders: ['cpu'],
      ...(threads === undefined ? {} : { intraOpNumThreads: threads, interOpNumThreads: 1 }),
      ...(isVaried ? { enableMemPattern: false } : {}),
      // Idle threads of the runtime would spin, which takes the processor from the other conversions.
      extra: { session: { intra_op: { allow_spinning: '0' } } },
      logSeverityLevel: 3,
    });
  } catch (error) {
    throw broken(`The model '${file}' cannot be opened`, error);
  }
}

function tensorOf({ Tensor: Values }: Runtime, value: OnnxValue): Tensor {
  return value.type === 'float32'
    ? new Values('float32', value.data, value.dims)
    : new Values('int64', value.data, value.dims);
}

function numbersOf(
  data: Tensor['data'],
  dims: readonly number[],
): { data: ArrayLike<number | bigint>; dims: readonly number[] } {
  return { data: data as ArrayLike<number | bigint>, dims };
}

function broken(what: string, error: unknown): AppError {
  const reason = error instanceof Error ? error.message : String(error);
  return new AppError('PAGE_MODEL_INVALID', `${what}: ${reason}`, {}, error);
}
