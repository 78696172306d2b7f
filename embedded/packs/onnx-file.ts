/** Element types of tensors, by their numbers in ONNX. */
export const elementTypes = { float: 1, uint8: 2, int64: 7, int4: 22 } as const;

/** A constant of a graph. */
export interface OnnxConstant {
  name: string;
  type: keyof typeof elementTypes;
  dims: readonly number[];
  bytes: Uint8Array;
}

/** A step of a graph. Numbers in `attributes` are integers; `floats` are not. */
export interface OnnxStep {
  type: string;
  inputs: readonly string[];
  output: string;
  attributes?: Readonly<Record<string, number>>;
  floats?: Readonly<Record<string, number>>;
  /** Set for operators of ONNX Runtime itself. */
  isOfRuntime?: boolean;
}

/** An input or output; named dimensions differ between calls. */
export interface OnnxValueInfo {
  name: string;
  type: keyof typeof elementTypes;
  dims: readonly (number | string)[];
}

/** A model without control flow. */
export interface OnnxGraph {
  name: string;
  inputs: readonly OnnxValueInfo[];
  outputs: readonly OnnxValueInfo[];
  constants: readonly OnnxConstant[];
  steps: readonly OnnxStep[];
}

/** Versions of the file format, and of the operators of ONNX and of ONNX Runtime. */
const versions = { format: 10, operators: 21, runtime: 1 };
const runtimeDomain = 'com.microsoft';
const attributeTypes = { float: 1, int: 2 };

/** The file of the model, as ModelProto of onnx.proto3 defines it. The same graph always gives the same bytes. */
export function writeOnnx({ name, inputs, outputs, constants, steps }: OnnxGraph): Uint8Array {
  const graph = [
    ...steps.map((step) => part(1, writeStep(step))),
    part(2, text(name)),
    ...constants.map((constant) => part(5, writeConstant(constant))),
    ...inputs.map((value) => part(11, writeValueInfo(value))),
    ...outputs.map((value) => part(12, writeValueInfo(value))),
  ];
  return Buffer.concat([
    number(1, versions.format),
    part(2, text('docloom')),
    part(7, graph),
    part(8, [part(1, text('')), number(2, versions.operators)]),
    part(8, [part(1, text(runtimeDomain)), number(2, versions.runtime)]),
  ]);
}

function writeStep({ type, inputs, output, attributes = {}, floats = {}, isOfRuntime }: OnnxStep): Uint8Array[] {
  return [
    ...inputs.map((input) => part(1, text(input))),
    part(2, text(output)),
    part(3, text(output)),
    part(4, text(type)),
    ...Object.entries(attributes).map(([name, value]) =>
      part(5, [part(1, text(name)), number(3, value), number(20, attributeTypes.int)]),
    ),
    ...Object.entries(floats).map(([name, value]) =>
      part(5, [part(1, text(name)), float(2, value), number(20, attributeTypes.float)]),
    ),
    ...(isOfRuntime ? [part(7, text(runtimeDomain))] : []),
  ];
}

function writeConstant({ name, type, dims, bytes }: OnnxConstant): Uint8Array[] {
  return [...dims.map((size) => number(1, size)), number(2, elementTypes[type]), part(8, text(name)), part(9, [bytes])];
}

function writeValueInfo({ name, type, dims }: OnnxValueInfo): Uint8Array[] {
  const shape = dims.map((size) => part(1, typeof size === 'number' ? [number(1, size)] : [part(2, text(size))]));
  return [part(1, text(name)), part(2, [part(1, [number(1, elementTypes[type]), part(2, shape)])])];
}

const text = (value: string): Uint8Array[] => [Buffer.from(value, 'utf8')];

/** A member of Protocol Buffers with a length. */
function part(field: number, content: readonly Uint8Array[]): Uint8Array {
  const length = content.reduce((sum, item) => sum + item.length, 0);
  return Buffer.concat([variable(field * 8 + 2), variable(length), ...content]);
}

/** A member with an integer. */
function number(field: number, value: number): Uint8Array {
  return Buffer.concat([variable(field * 8), variable(value)]);
}

/** A member with a number in single precision. */
function float(field: number, value: number): Uint8Array {
  const bytes = Buffer.alloc(4);
  bytes.writeFloatLE(value);
  return Buffer.concat([variable(field * 8 + 5), bytes]);
}

/** An integer in groups of seven bits; negative ones have 64 bits. */
function variable(value: number): Uint8Array {
  const bytes: number[] = [];
  let left = BigInt.asUintN(64, BigInt(value));
  for (; left > 127n; left >>= 7n) bytes.push(Number(left & 127n) | 128);
  return Buffer.from([...bytes, Number(left)]);
}
