/** OCR engines that a request may name. Engines that are not installed run as `auto`, except `ppocr`, which is only ours. */
export const ocrPresets = [
  'auto',
  'easyocr',
  'kserve_v2_ocr',
  'nemotron-ocr',
  'ocrmac',
  'ppocr',
  'rapidocr',
  'tesserocr',
  'tesseract',
] as const;
/** Presets for table structure; `slanet_plus` is only ours. */
export const tableStructurePresets = [
  'default',
  'slanet_plus',
  'tableformer_v1_accurate',
  'tableformer_v1_fast',
  'tableformer_v2',
] as const;
/** Presets for layout. */
export const layoutPresets = ['default', 'docling_layout_default'] as const;
/** Presets for picture description; `default` is the first model. */
export const pictureDescriptionPresets = ['default', 'smolvlm', 'granite_vision', 'pixtral', 'qwen'] as const;
/** Presets for picture classification. */
export const pictureClassificationPresets = ['default', 'document_figure_classifier_v2'] as const;
/** Presets for chart extraction. */
export const chartExtractionPresets = [
  'default',
  'granite_vision_v4',
  'granite_vision_v4_mlx',
  'granite_vision_v3_3',
] as const;
/** Presets for code and formulas. */
export const codeFormulaPresets = ['default', 'codeformulav2', 'granite_docling'] as const;
/** Presets for page models. */
export const vlmPipelinePresets = [
  'default',
  'granite_docling',
  'smoldocling',
  'deepseek_ocr',
  'granite_vision',
  'pixtral',
  'got_ocr',
  'phi4',
  'qwen',
  'nanonets_ocr2',
  'gemma_12b',
  'gemma_27b',
  'dolphin',
  'glm_ocr',
  'falcon_ocr',
  'lightonocr',
  'unlimited_ocr',
  'chandra_ocr2',
  'dots_ocr',
  'dots_mocr',
] as const;
/** Page models of the deprecated option `vlm_pipeline_model`. */
export const vlmPipelineModels = [
  'smoldocling',
  'smoldocling_vllm',
  'granite_vision',
  'granite_vision_vllm',
  'granite_vision_ollama',
  'got_ocr_2',
  'granite_docling',
  'granite_docling_vllm',
  'nanonets_ocr2',
  'nanonets_ocr2_vllm',
  'nanonets_ocr2_lmstudio',
  'glm_ocr',
  'glm_ocr_vllm',
  'lightonocr',
  'lightonocr_vllm',
  'deepseekocr_ollama',
] as const;
/** Presets for chunking; each is a chunker with its tokenizer. */
export const chunkingPresets = [
  'default',
  'granite_embedding_278m',
  'multilingual_e5_large',
  'minilm_l6',
  'hierarchical',
] as const;
