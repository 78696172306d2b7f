import { type Static, Type } from '@sinclair/typebox';
import {
  ModelConfig,
  PictureDescriptionApi,
  PictureDescriptionLocal,
  VlmModelApi,
  VlmModelLocal,
} from '../vision/model-configs';
import { ChunkingOptions } from './chunking';
import { outputFormats } from './formats';
import { inputFormats } from './input-formats';
import { chunkingPresets, vlmPipelineModels } from './presets';
import { nullable, oneOf, openObject, readDefaults } from './schema-parts';

/** Default end of `page_range`: the last page of any document. */
const lastPage = Number.MAX_SAFE_INTEGER;

const HeadingHierarchyOptions = Type.Object(
  {
    enabled: Type.Boolean({ default: false }),
    use_bookmarks: Type.Boolean({ default: true }),
    use_numbering: Type.Boolean({ default: true }),
    use_style: Type.Boolean({ default: true }),
    use_font_style: Type.Boolean({ default: true }),
    use_outline_levels: Type.Boolean({
      default: true,
      description: 'False: bookmarks only identify headings, not their levels.',
    }),
    style_size_tolerance: Type.Number({ default: 0.05, minimum: 0, maximum: 1 }),
    numbering_schemes: nullable(
      Type.Array(oneOf(['part', 'chapter', 'article', 'roman_u', 'arabic', 'alpha_u', 'alpha_l', 'roman_l'])),
    ),
    max_level: Type.Integer({ default: 6, minimum: 1, maximum: 100 }),
    bookmark_match_threshold: Type.Number({ default: 0.8, minimum: 0, maximum: 1 }),
  },
  {
    default: {},
    $id: 'PdfHeadingHierarchyOptions',
    description:
      'How levels are determined, by the first that applies: the outline (`use_bookmarks`, `use_outline_levels`, `bookmark_match_threshold`), numbers (`use_numbering`, `numbering_schemes`), style (`use_style`, `use_font_style`, `style_size_tolerance`); at most `max_level`.',
  },
);

const documents = {
  from_formats: Type.Array(oneOf(inputFormats, { $id: 'InputFormat' }), {
    default: [...inputFormats],
    description:
      'Formats that may be converted; a document of another format is `skipped`. A list with docx, pptx, html, image, pdf, asciidoc, md and xlsx, which clients send as their default, stands for all formats.',
  }),
  to_formats: Type.Array(oneOf(outputFormats, { $id: 'OutputFormat' }), {
    default: ['md'],
    description:
      'Formats of the result. A reply in the body can hold md, json, html, text, doctags and doclang; archives and buckets also yaml, html_split_page, vtt, latex, dclx and chunks.',
  }),
  image_export_mode: oneOf(['placeholder', 'embedded', 'referenced'], {
    default: 'placeholder',
    description: 'Pictures as a placeholder, embedded in the text, or as files in an archive.',
  }),
  md_page_break_placeholder: Type.String({
    default: '',
    description: 'Text between pages in md; none if empty.',
  }),
  md_compact_tables: Type.Boolean({ default: false, description: 'Write md tables without padding.' }),
  md_dialect: oneOf(['reference', 'github', 'commonmark'], {
    default: 'reference',
    description:
      'Renderer that md is for. `github` and `commonmark` escape every character that would be read as a mark, write styles and tables that Markdown lacks as HTML (`commonmark`: all tables), and name the language of code; `reference` is the form that clients know.',
  }),
  profile: oneOf(['reader', 'reference'], {
    default: 'reader',
    description:
      '`reader` writes what a reader of the page sees; `reference` leaves out what the reference service leaves out, for clients that compare outputs.',
  }),
  include_formulas: Type.Boolean({
    default: false,
    description:
      'Formulas of spreadsheet cells: `formula` of the cell in json, and in brackets after the text of the cell in md, html, text, latex and chunks.',
  }),
  page_range: Type.Unsafe<[number, number]>(
    Type.Array(Type.Integer(), {
      minItems: 2,
      maxItems: 2,
      default: [1, lastPage],
      description:
        'First and last page to convert, counted from 1; for formats with pages. A document that ends before the first one is a `failure`.',
    }),
  ),
  password: nullable(Type.String({ minLength: 1, maxLength: 255, writeOnly: true }), {
    description:
      'Password of protected documents: PDF, Office and OpenDocument. It is kept until the task ends and shown nowhere.',
  }),
  document_timeout: nullable(Type.Number(), {
    description:
      'Timeout per document in seconds; null: the default of the server, which grows with the size of the document.',
  }),
  members: oneOf(['none', 'archives', 'all'], {
    default: 'none',
    description:
      'Files within files that become documents of their own: `archives` opens ZIP, TAR, gzip, 7-Zip and RAR archives and mailboxes, `all` also attachments of messages, notes and PDF files and documents within Office documents. The reply is then an archive, whatever the files contain.',
  }),
  abort_on_error: Type.Boolean({ default: false, description: 'Fail the whole task if a document fails.' }),
};

const pages = {
  pipeline: oneOf(['legacy', 'standard', 'native', 'vlm', 'asr'], {
    default: 'standard',
    description:
      '`standard` reads the file, `vlm` lets a vision model read page images. `asr` transcribes audio and video, which `standard` does too if the server has a speech model. `legacy` is rejected, as is `asr` without a speech model.',
  }),
  pdf_backend: oneOf(
    [
      'pypdfium2',
      'docling_parse',
      '_docling_parse',
      'threaded_docling_parse',
      'dlparse_v1',
      'dlparse_v2',
      'dlparse_v4',
    ],
    {
      default: 'docling_parse',
      description: 'Accepted for compatibility; every value runs the parser of this server.',
    },
  ),
  do_ocr: Type.Boolean({ default: true, description: 'Recognize the text of pages that have no text layer.' }),
  force_ocr: Type.Boolean({
    default: false,
    description: 'Recognize the text of every page, ignoring its text layer.',
  }),
  ocr_preset: Type.String({
    default: 'auto',
    description:
      'OCR engine: tesseract, or ppocr, if its model pack is installed. auto is tesseract, or ppocr, if installed and it knows all languages, for photos and coarse scans in English, and for Chinese and Japanese without data for tesseract. rapidocr is ppocr with the pack and tesseract without it.',
  }),
  include_ocr_words: Type.Boolean({
    default: false,
    description:
      'Words of recognized pages with their boxes and confidence, in json and yaml: `docloom__words` in `meta` of texts and tables.',
  }),
  ocr_engine: Type.String({ default: 'auto', deprecated: true, description: 'Use ocr_preset.' }),
  ocr_lang: nullable(Type.Array(Type.String()), {
    description:
      'Languages of the text, as language tags (de, zh-Hant) or Tesseract codes; null: the default of the engine. Also as one text (`eng, fra`). Languages without data on the server are reported and ignored as long as another one has some; otherwise the request is refused.',
  }),
  ocr_custom_config: nullable(openObject(), { description: 'Full configuration of an OCR engine; requires `kind`.' }),
  table_mode: oneOf(['fast', 'accurate'], {
    default: 'accurate',
    description:
      '`fast` finds ruled tables; `accurate` also finds tables without rulings, and uses the table model if there is one.',
  }),
  table_cell_matching: Type.Boolean({
    default: true,
    description: 'Take the text of cells from the page instead of a model.',
  }),
  do_table_structure: Type.Boolean({
    default: true,
    description: 'Detect rows and columns of tables; otherwise their content becomes text.',
  }),
  table_structure_preset: nullable(Type.String(), {
    description: 'Name of the table model; `slanet_plus` reads tables without rulings with the model pack slanet-plus.',
  }),
  table_structure_custom_config: nullable(openObject(), {
    description: 'Full configuration of a table model; requires `kind`.',
  }),
  layout_preset: nullable(Type.String(), { description: 'Name of the layout model.' }),
  layout_custom_config: nullable(openObject(), {
    description: 'Full configuration of a layout model; requires `kind`.',
  }),
  do_pdf_heading_hierarchy: Type.Boolean({
    default: false,
    description:
      'Determine heading levels in PDF and images by `pdf_heading_hierarchy_options`; otherwise the reader decides by bookmarks, numbering and font sizes.',
  }),
  pdf_heading_hierarchy_options: HeadingHierarchyOptions,
};

const pictures = {
  include_images: Type.Boolean({ default: true, description: 'Include pictures; ignored with the mode placeholder.' }),
  include_page_images: Type.Boolean({ default: false, description: 'Include images of whole pages.' }),
  images_scale: Type.Number({ default: 2, description: 'Scale of pictures; 1 is 72 dots per inch.' }),
  do_code_enrichment: Type.Boolean({ default: false, description: 'Read code and detect its language with a model.' }),
  do_formula_enrichment: Type.Boolean({ default: false, description: 'Read formulas as LaTeX with a model.' }),
  do_picture_classification: Type.Boolean({ default: false, description: 'Classify pictures with a model.' }),
  do_chart_extraction: Type.Boolean({ default: false, description: 'Extract the data of charts with a model.' }),
  do_picture_description: Type.Boolean({ default: false, description: 'Describe pictures with a model.' }),
  picture_description_area_threshold: Type.Number({
    default: 0.05,
    description: 'Smallest picture to describe, as a fraction of the page area.',
  }),
  picture_description_preset: nullable(Type.String(), { description: 'Name of the model for picture descriptions.' }),
  picture_description_custom_config: nullable(ModelConfig, {
    description: 'Full configuration of that model, remote or local.',
  }),
  picture_description_local: nullable(PictureDescriptionLocal, {
    deprecated: true,
    description: 'Use picture_description_preset or picture_description_custom_config.',
  }),
  picture_description_api: nullable(PictureDescriptionApi, {
    deprecated: true,
    description: 'Use picture_description_custom_config.',
  }),
  picture_classification_preset: nullable(Type.String(), {
    description: 'Name of the model for picture classification.',
  }),
  picture_classification_custom_config: nullable(ModelConfig, { description: 'Full configuration of that model.' }),
  chart_extraction_preset: nullable(Type.String(), { description: 'Name of the model for charts.' }),
  chart_extraction_custom_config: nullable(ModelConfig, { description: 'Full configuration of that model.' }),
  code_formula_preset: nullable(Type.String(), { description: 'Name of the model for code and formulas.' }),
  code_formula_custom_config: nullable(ModelConfig, { description: 'Full configuration of that model.' }),
};

const pageModels = {
  vlm_pipeline_preset: nullable(Type.String(), { description: 'Name of the vision model that reads pages.' }),
  vlm_pipeline_custom_config: nullable(ModelConfig, { description: 'Full configuration of that model.' }),
  vlm_pipeline_model: nullable(oneOf(vlmPipelineModels), { deprecated: true, description: 'Use vlm_pipeline_preset.' }),
  vlm_pipeline_model_local: nullable(VlmModelLocal, {
    deprecated: true,
    description: 'Use vlm_pipeline_preset or vlm_pipeline_custom_config.',
  }),
  vlm_pipeline_model_api: nullable(VlmModelApi, { deprecated: true, description: 'Use vlm_pipeline_custom_config.' }),
};

const chunks = {
  chunking_options: nullable(ChunkingOptions, { description: 'Chunking options for to_formats `chunks`.' }),
  chunking_preset: nullable(oneOf(chunkingPresets), { description: 'Named chunking options.' }),
};

/**
 * All options of a conversion, with defaults and limits. Unknown members are ignored. A request may omit members that have a
 * default; a validated value has every member.
 */
export const ConvertOptions = Type.Object(
  { ...documents, ...pages, ...pictures, ...pageModels, ...chunks },
  { $id: 'ConvertDocumentsOptions' },
);
export type ConvertOptions = Static<typeof ConvertOptions>;

/** Deprecated options, each with its replacement. */
export const deprecatedOptions = {
  ocr_engine: 'ocr_preset',
  picture_description_local: 'picture_description_preset or picture_description_custom_config',
  picture_description_api: 'picture_description_custom_config',
  vlm_pipeline_model: 'vlm_pipeline_preset',
  vlm_pipeline_model_local: 'vlm_pipeline_preset or vlm_pipeline_custom_config',
  vlm_pipeline_model_api: 'vlm_pipeline_custom_config',
} as const satisfies Partial<Record<keyof ConvertOptions, string>>;

/** The options of a request that sends none. */
export function buildDefaultConvertOptions(): ConvertOptions {
  return { ...readDefaults(ConvertOptions), pdf_heading_hierarchy_options: readDefaults(HeadingHierarchyOptions) };
}

export type { ChunkingOptions } from './chunking';
