import path from 'node:path';
import type { IndexEmbedding } from '../../model/llm/index-embedding';
import { embeddingPacks } from '../../model/llm/model-packs';
import { findOnnxFile } from '../image/onnx-session';

/** The embedding that type `builtin` uses on this machine: the first installed model pack of the list, else hashing. */
export function getBuiltinEmbedding(modelsFolder: string | undefined): IndexEmbedding {
  const modelPack =
    modelsFolder === undefined
      ? undefined
      : embeddingPacks.find(({ name }) => findOnnxFile(path.resolve(modelsFolder, name)) !== undefined);
  return modelPack ? { type: 'onnx', model_id: modelPack.name } : { type: 'hashing' };
}
