import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import protobuf from 'protobufjs';

/** The members of the ONNX format that simple graphs need, with the numbers and names of its specification. */
const format = `
  syntax = "proto3";
  message Tensor { repeated int64 dims = 1; int32 data_type = 2; string name = 8; bytes raw_data = 9; }
  message Attribute { string name = 1; int64 i = 3; repeated int64 ints = 8; int32 type = 20; }
  message Node { repeated string input = 1; repeated string output = 2; string op_type = 4; repeated Attribute attribute = 5; }
  message Dimension { oneof value { int64 dim_value = 1; string dim_param = 2; } }
  message Shape { repeated Dimension dim = 1; }
  message TensorType { int32 elem_type = 1; Shape shape = 2; }
  message Type { TensorType tensor_type = 1; }
  message ValueInfo { string name = 1; Type type = 2; }
  message Graph { repeated Node node = 1; string name = 2; repeated Tensor initializer = 5; repeated ValueInfo input = 11; repeated ValueInfo output = 12; }
  message Opset { string domain = 1; int64 version = 2; }
  message Model { int64 ir_version = 1; string producer_name = 2; Graph graph = 7; repeated Opset opset_import = 8; }
`;
/** The numbers of the element types. */
export const elementTypes = { float: 1, int64: 7, bool: 9 } as const;
type ElementType = keyof typeof elementTypes;
const attributeTypes = { int: 2, ints: 7 };

type Dims = readonly (number | string)[];

/** Builds a graph; every operation returns the name of its result. */
export interface OnnxGraph {
  input(name: string, type: ElementType, dims: Dims): string;
  /** Floats; no dims make a scalar. */
  constant(values: readonly number[], dims?: readonly number[]): string;
  integers(values: readonly number[], dims?: readonly number[]): string;
  /** An operation of opset 13; numbers and lists of numbers are its attributes. */
  apply(operation: string, inputs: readonly string[], attributes?: Record<string, number | readonly number[]>): string;
  output(name: string, value: string, type: ElementType, dims: Dims): void;
  /** Returns the graph as an ONNX model. */
  write(file: string): void;
}

/** Starts a graph. */
export function createOnnxGraph(): OnnxGraph {
  const node: object[] = [];
  const initializer: object[] = [];
  const [inputs, outputs]: [object[], object[]] = [[], []];
  let count = 0;
  const fresh = () => `v${(count += 1)}`;
  const info = (name: string, type: ElementType, dims: Dims) => ({
    name,
    type: {
      tensorType: {
        elemType: elementTypes[type],
        shape: { dim: dims.map((dim) => (typeof dim === 'number' ? { dimValue: dim } : { dimParam: dim })) },
      },
    },
  });
  const keep = (type: ElementType, data: ArrayBufferLike, dims: readonly number[]) => {
    const name = fresh();
    initializer.push({ name, dims: [...dims], dataType: elementTypes[type], rawData: new Uint8Array(data) });
    return name;
  };
  return {
    input(name, type, dims) {
      inputs.push(info(name, type, dims));
      return name;
    },
    constant: (values, dims = []) => keep('float', Float32Array.from(values).buffer, dims),
    integers: (values, dims = []) => keep('int64', BigInt64Array.from(values.map(BigInt)).buffer, dims),
    apply(operation, from, attributes = {}) {
      const name = fresh();
      const attribute = Object.entries(attributes).map(([key, value]) =>
        typeof value === 'number'
          ? { name: key, i: value, type: attributeTypes.int }
          : { name: key, ints: [...value], type: attributeTypes.ints },
      );
      node.push({ opType: operation, input: [...from], output: [name], attribute });
      return name;
    },
    output(name, value, type, dims) {
      node.push({ opType: 'Identity', input: [value], output: [name] });
      outputs.push(info(name, type, dims));
    },
    write(file) {
      const message = protobuf.parse(format).root.lookupType('Model');
      const model = {
        irVersion: 8,
        producerName: 'docloom-test',
        opsetImport: [{ domain: '', version: 13 }],
        graph: { name: 'test', node, initializer, input: inputs, output: outputs },
      };
      mkdirSync(path.dirname(file), { recursive: true });
      writeFileSync(file, message.encode(message.fromObject(model)).finish());
    },
  };
}
