import { type Static, Type } from '@sinclair/typebox';
import { ChunkingOptions } from './chunking';
import { inputFormats, outputFormats } from './formats';
import {
  ModelConfig,
  PictureDescriptionApi,
  PictureDescriptionLocal,
  VlmModelApi,
  VlmModelLocal,
} from './model-configs';
import { chunkingPresets, vlmPipelineModels } from './presets';
import { oneOf, openObject, orNull } from './schema-parts';

/** Where `page_range` ends when nobody says: the last page, whatever its number. */
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
      description: 'False: bookmarks tell that a line is a heading, not its level.',
    }),
    style_size_tolerance: Type.Number({ default: 0.05, minimum: 0, maximum: 1 }),
    numbering_schemes: orNull(
      Type.Array(oneOf(['part', 'chapter', 'article', 'roman_u', 'arabic', 'alpha_u', 'alpha_l', 'roman_l'])),
    ),
    max_level: Type.Integer({ default: 6, minimum: 1, maximum: 100 }),
    bookmark_match_threshold: Type.Number({ default: 0.8, minimum: 0, maximum: 1 }),
  },
  {
    default: {},
    $id: 'PdfHeadingHierarchyOptions',
    description:
      'What tells the levels, the first that applies: the outline (`use_bookmarks`, `use_outline_levels`, `bookmark_match_threshold`), numbers (`use_numbering`, `numbering_schemes`), style (`use_style`, `use_font_style`, `style_size_tolerance`); at most `max_level`.',
  },
);

const documents = {
  from_formats: Type.Array(oneOf(inputFormats, { $id: 'InputFormat' }), {
    default: [...inputFormats],
    description: 'Formats that may be converted. An explicit list that leaves a document out makes it `skipped`.',
  }),
  to_formats: Type.Array(oneOf(outputFormats, { $id: 'OutputFormat' }), {
    default: ['md'],
    description: 'What the result holds. In the body md, json, html, text, doctags and doclang have a place.',
  }),
  image_export_mode: oneOf(['placeholder', 'embedded', 'referenced'], {
    default: 'placeholder',
    description: 'Pictures as a mark, inside the text, or as files that an archive holds.',
  }),
  md_page_break_placeholder: Type.String({
    default: '',
    description: 'Stands between pages in md; empty for nothing.',
  }),
  md_compact_tables: Type.Boolean({ default: false, description: 'Tables in md without filled up columns.' }),
  page_range: Type.Unsafe<[number, number]>(
    Type.Array(Type.Integer(), {
      minItems: 2,
      maxItems: 2,
      default: [1, lastPage],
      description: 'First and last page of documents that have pages, counted from 1.',
    }),
  ),
  document_timeout: orNull(Type.Number(), {
    description: 'Seconds for a document; null: as long as the server allows.',
  }),
  abort_on_error: Type.Boolean({ default: false, description: 'A document that fails makes the task fail.' }),
};

const pages = {
  pipeline: oneOf(['legacy', 'standard', 'native', 'vlm', 'asr'], {
    default: 'standard',
    description: '`standard` reads what is written, `vlm` asks a model that sees pages. legacy and asr are refused.',
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
  do_ocr: Type.Boolean({ default: true, description: 'Read pictures of text where a page has no text.' }),
  force_ocr: Type.Boolean({ default: false, description: 'Read every page as a picture.' }),
  ocr_preset: Type.String({ default: 'auto', description: 'Name of the OCR engine.' }),
  ocr_engine: Type.String({ default: 'auto', deprecated: true, description: 'Use ocr_preset.' }),
  ocr_lang: orNull(Type.Array(Type.String()), {
    description:
      'Languages of the text, as tags (de, zh-Hant) or codes of Tesseract; null: as the engine has it. Those without data here are told in `errors` and passed over while another has some.',
  }),
  ocr_custom_config: orNull(openObject(), { description: 'An OCR engine in full; needs `kind`.' }),
  table_mode: oneOf(['fast', 'accurate'], {
    default: 'accurate',
    description:
      '`fast` finds ruled tables, `accurate` those without lines too and asks the model of tables, where there is one.',
  }),
  table_cell_matching: Type.Boolean({ default: true, description: 'Text of cells from the page instead of a model.' }),
  do_table_structure: Type.Boolean({
    default: true,
    description: 'Find rows and columns of tables; else their text stays text.',
  }),
  table_structure_preset: orNull(Type.String(), { description: 'Name of the model of tables.' }),
  table_structure_custom_config: orNull(openObject(), { description: 'A model of tables in full; needs `kind`.' }),
  layout_preset: orNull(Type.String(), { description: 'Name of the model of layout.' }),
  layout_custom_config: orNull(openObject(), { description: 'A model of layout in full; needs `kind`.' }),
  do_pdf_heading_hierarchy: Type.Boolean({
    default: false,
    description:
      'Levels of headings of PDF and images by `pdf_heading_hierarchy_options`; else by bookmarks, numbers and sizes as the reader finds best.',
  }),
  pdf_heading_hierarchy_options: HeadingHierarchyOptions,
};

const pictures = {
  include_images: Type.Boolean({ default: true, description: 'Keep pictures; none with the mode placeholder.' }),
  include_page_images: Type.Boolean({ default: false, description: 'Keep pictures of whole pages.' }),
  images_scale: Type.Number({ default: 2, description: 'Size of pictures; 1 is 72 dots an inch.' }),
  do_code_enrichment: Type.Boolean({ default: false, description: 'Read code and its language by a model.' }),
  do_formula_enrichment: Type.Boolean({ default: false, description: 'Read formulas as LaTeX by a model.' }),
  do_picture_classification: Type.Boolean({ default: false, description: 'Say what kind a picture is of.' }),
  do_chart_extraction: Type.Boolean({ default: false, description: 'Read the figures of charts.' }),
  do_picture_description: Type.Boolean({ default: false, description: 'Describe pictures by a model.' }),
  picture_description_area_threshold: Type.Number({
    default: 0.05,
    description: 'Smallest share of a page that a described picture has.',
  }),
  picture_description_preset: orNull(Type.String(), { description: 'Name of the model that describes pictures.' }),
  picture_description_custom_config: orNull(ModelConfig, { description: 'That model in full; remote or local.' }),
  picture_description_local: orNull(PictureDescriptionLocal, {
    deprecated: true,
    description: 'Use picture_description_preset or picture_description_custom_config.',
  }),
  picture_description_api: orNull(PictureDescriptionApi, {
    deprecated: true,
    description: 'Use picture_description_custom_config.',
  }),
  picture_classification_preset: orNull(Type.String(), { description: 'Name of the model of kinds of pictures.' }),
  picture_classification_custom_config: orNull(ModelConfig, { description: 'That model in full.' }),
  chart_extraction_preset: orNull(Type.String(), { description: 'Name of the model of charts.' }),
  chart_extraction_custom_config: orNull(ModelConfig, { description: 'That model in full.' }),
  code_formula_preset: orNull(Type.String(), { description: 'Name of the model of code and formulas.' }),
  code_formula_custom_config: orNull(ModelConfig, { description: 'That model in full.' }),
};

const pageModels = {
  vlm_pipeline_preset: orNull(Type.String(), { description: 'Name of the model that sees pages.' }),
  vlm_pipeline_custom_config: orNull(ModelConfig, { description: 'That model in full.' }),
  vlm_pipeline_model: orNull(oneOf(vlmPipelineModels), { deprecated: true, description: 'Use vlm_pipeline_preset.' }),
  vlm_pipeline_model_local: orNull(VlmModelLocal, {
    deprecated: true,
    description: 'Use vlm_pipeline_preset or vlm_pipeline_custom_config.',
  }),
  vlm_pipeline_model_api: orNull(VlmModelApi, { deprecated: true, description: 'Use vlm_pipeline_custom_config.' }),
};

const chunks = {
  chunking_options: orNull(ChunkingOptions, { description: 'How to cut chunks, for to_formats `chunks`.' }),
  chunking_preset: orNull(oneOf(chunkingPresets), { description: 'The same by name.' }),
};

/**
 * Every option of a conversion, with its default and limits; members that are not listed are passed over. What has a
 * default may be left out on the wire; a checked value has every member.
 */
export const ConvertOptions = Type.Object(
  { ...documents, ...pages, ...pictures, ...pageModels, ...chunks },
  { $id: 'ConvertDocumentsOptions' },
);
export type ConvertOptions = Static<typeof ConvertOptions>;

/** Options that a newer one replaces, with it. */
export const deprecatedOptions = {
  ocr_engine: 'ocr_preset',
  picture_description_local: 'picture_description_preset or picture_description_custom_config',
  picture_description_api: 'picture_description_custom_config',
  vlm_pipeline_model: 'vlm_pipeline_preset',
  vlm_pipeline_model_local: 'vlm_pipeline_preset or vlm_pipeline_custom_config',
  vlm_pipeline_model_api: 'vlm_pipeline_custom_config',
} as const satisfies Partial<Record<keyof ConvertOptions, string>>;

/** The options of a request that sends none. */
export function defaultConvertOptions(): ConvertOptions {
  const given = Object.entries(ConvertOptions.properties).map(
    ([name, schema]) => [name, structuredClone((schema as { default?: unknown }).default)] as const,
  );
  const options = Object.fromEntries(given) as unknown as ConvertOptions;
  return { ...options, pdf_heading_hierarchy_options: headingDefaults() };
}

function headingDefaults(): ConvertOptions['pdf_heading_hierarchy_options'] {
  const given = Object.entries(HeadingHierarchyOptions.properties).map(
    ([name, schema]) => [name, structuredClone((schema as { default?: unknown }).default)] as const,
  );
  return Object.fromEntries(given) as unknown as ConvertOptions['pdf_heading_hierarchy_options'];
}

export type { ChunkingOptions } from './chunking';
