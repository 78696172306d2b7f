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
    ...steps.map((step) => writePart(1, writeStep(step))),
    writePart(2, encodeText(name)),
    ...constants.map((constant) => writePart(5, writeConstant(constant))),
    ...inputs.map((value) => writePart(11, writeValueInfo(value))),
    ...outputs.map((value) => writePart(12, writeValueInfo(value))),
  ];
  return Buffer.concat([
    encodeNumber(1, versions.format),
    writePart(2, encodeText('docloom')),
    writePart(7, graph),
    writePart(8, [writePart(1, encodeText('')), encodeNumber(2, versions.operators)]),
    writePart(8, [writePart(1, encodeText(runtimeDomain)), encodeNumber(2, versions.runtime)]),
  ]);
}

function writeStep({ type, inputs, output, attributes = {}, floats = {}, isOfRuntime }: OnnxStep): Uint8Array[] {
  return [
    ...inputs.map((input) => writePart(1, encodeText(input))),
    writePart(2, encodeText(output)),
    writePart(3, encodeText(output)),
    writePart(4, encodeText(type)),
    ...Object.entries(attributes).map(([name, value]) =>
      writePart(5, [writePart(1, encodeText(name)), encodeNumber(3, value), encodeNumber(20, attributeTypes.int)]),
    ),
    ...Object.entries(floats).map(([name, value]) =>
      writePart(5, [writePart(1, encodeText(name)), writeFloat(2, value), encodeNumber(20, attributeTypes.float)]),
    ),
    ...(isOfRuntime ? [writePart(7, encodeText(runtimeDomain))] : []),
  ];
}

function writeConstant({ name, type, dims, bytes }: OnnxConstant): Uint8Array[] {
  return [
    ...dims.map((size) => encodeNumber(1, size)),
    encodeNumber(2, elementTypes[type]),
    writePart(8, encodeText(name)),
    writePart(9, [bytes]),
  ];
}

function writeValueInfo({ name, type, dims }: OnnxValueInfo): Uint8Array[] {
  const shape = dims.map((size) =>
    writePart(1, typeof size === 'number' ? [encodeNumber(1, size)] : [writePart(2, encodeText(size))]),
  );
  return [
    writePart(1, encodeText(name)),
    writePart(2, [writePart(1, [encodeNumber(1, elementTypes[type]), writePart(2, shape)])]),
  ];
}

function encodeText(value: string): Uint8Array[] {
  return [Buffer.from(value, 'utf8')];
}

/** A member of Protocol Buffers with a length. */
function writePart(field: number, content: readonly Uint8Array[]): Uint8Array {
  const length = content.reduce((sum, item) => sum + item.length, 0);
  return Buffer.concat([writeVariable(field * 8 + 2), writeVariable(length), ...content]);
}

/** A member with an integer. */
function encodeNumber(field: number, value: number): Uint8Array {
  return Buffer.concat([writeVariable(field * 8), writeVariable(value)]);
}

/** A member with a number in single precision. */
function writeFloat(field: number, value: number): Uint8Array {
  const bytes = Buffer.alloc(4);
  bytes.writeFloatLE(value);
  return Buffer.concat([writeVariable(field * 8 + 5), bytes]);
}

/** An integer in groups of seven bits; negative ones have 64 bits. */
function writeVariable(value: number): Uint8Array {
  const bytes: number[] = [];
  let left = BigInt.asUintN(64, BigInt(value));
  for (; left > 127n; left >>= 7n) bytes.push(Number(left & 127n) | 128);
  return Buffer.from([...bytes, Number(left)]);
}
