import { existsSync } from 'node:fs';
import path from 'node:path';
import type { InferenceSession, Tensor } from 'onnxruntime-node';
import { AppError } from '../../model/errors';

type Runtime = Pick<typeof import('onnxruntime-node'), 'InferenceSession' | 'Tensor'>;

/** Description of a model's input. Dynamic dimensions are names. */
export interface OnnxInput {
  name: string;
  type: string;
  shape: readonly (number | string)[];
}

/** Options of running a model. */
export interface OnnxOptions {
  /** Threads of the runtime. Default: the number of processors. */
  threads?: number;
  /** Set when inputs differ in length between calls; otherwise the memory planned for one length would be kept for all. */
  isVaried?: boolean;
}

/** An open model. */
export interface OnnxSession {
  inputs: readonly OnnxInput[];
  outputs: readonly string[];
  /** Returns values and shape by output name. Throws PAGE_MODEL_INVALID when the model rejects its inputs or fails. */
  run(
    feeds: Readonly<Record<string, OnnxValue>>,
  ): Promise<Record<string, { data: ArrayLike<number | bigint>; dims: readonly number[] }>>;
  close(): Promise<void>;
}

/** An input tensor. */
export type OnnxValue =
  | { type: 'float32'; data: Float32Array; dims: readonly number[] }
  | { type: 'int64'; data: BigInt64Array; dims: readonly number[] };

/** Paths of the model inside its folder: that of model hubs, or directly in the folder; the quantized model if it is the only one. */
const places = ['model.onnx', 'model_quantized.onnx'].flatMap((name) => [path.join('onnx', name), name]);

/** The model file in a folder; undefined when there is none. */
export function findOnnxFile(folder: string): string | undefined {
  return places.map((place) => path.join(folder, place)).find((file) => existsSync(file));
}

/** Opens a model with the CPU runtime. Throws PAGE_MODEL_INVALID, or OPTIONAL_PACKAGE_MISSING without the runtime. */
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
      const tensors = Object.entries(feeds).map(([name, value]) => [name, toTensor(runtime, value)] as const);
      try {
        const outputs = await session.run(Object.fromEntries(tensors));
        return Object.fromEntries(
          Object.entries(outputs).map(([name, { data, dims }]) => [
            name,
            { data: data as ArrayLike<number | bigint>, dims },
          ]),
        );
      } catch (error) {
        throw createBrokenError(`The model '${file}' failed`, error);
      }
    },
    close: () => session.release(),
  };
}

async function loadRuntime(): Promise<Runtime> {
  try {
    const loaded = await import('onnxruntime-node');
    // A CommonJS module may be wrapped in `default`.
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
      // Idle threads of the runtime would spin and take CPU time from other conversions.
      extra: { session: { intra_op: { allow_spinning: '0' } } },
      logSeverityLevel: 3,
    });
  } catch (error) {
    throw createBrokenError(`The model '${file}' cannot be opened`, error);
  }
}

function toTensor({ Tensor: Values }: Runtime, value: OnnxValue): Tensor {
  return value.type === 'float32'
    ? new Values('float32', value.data, value.dims)
    : new Values('int64', value.data, value.dims);
}

function createBrokenError(problem: string, error: unknown): AppError {
  const reason = error instanceof Error ? error.message : String(error);
  return new AppError('PAGE_MODEL_INVALID', `${problem}: ${reason}`, {}, error);
}
