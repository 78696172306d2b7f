import path from 'node:path';
import type { IndexEmbedding } from '../../model/llm/index-embedding';
import { modelPacks } from '../../model/llm/model-packs';
import { onnxFileOf } from '../image/onnx-session';

/** What the type `builtin` stands for on this machine: the first pack of the list that is installed, else hashing. */
export function builtinEmbedding(modelsFolder: string | undefined): IndexEmbedding {
  const found =
    modelsFolder === undefined
      ? undefined
      : modelPacks.find(({ name }) => onnxFileOf(path.resolve(modelsFolder, name)) !== undefined);
  return found ? { type: 'onnx', model_id: found.name } : { type: 'hashing' };
}
