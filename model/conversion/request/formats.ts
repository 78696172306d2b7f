/** Values of `from_formats`, with the names that clients of the service use. */
export const inputFormats = [
  'docx',
  'doc',
  'pptx',
  'ppt',
  'html',
  'image',
  'pdf',
  'asciidoc',
  'md',
  'csv',
  'xlsx',
  'xls',
  'odt',
  'ods',
  'odp',
  'xml_uspto',
  'xml_jats',
  'xml_xbrl',
  'xml_doclang',
  'dclx',
  'mets_gbs',
  'json_docling',
  'audio',
  'video',
  'vtt',
  'latex',
  'email',
  'epub',
  'boxnote',
  'iwork_pages',
  'ebcdic',
  'rtf',
  'mhtml',
  'iwork_keynote',
  'iwork_numbers',
  'afp',
] as const;
/** One value of `from_formats`. */
export type InputFormat = (typeof inputFormats)[number];

/** The formats that every release of the reference's clients sends by default, meaning all formats it knows. */
const everyClients: readonly InputFormat[] = ['docx', 'pptx', 'html', 'image', 'pdf', 'asciidoc', 'md', 'xlsx'];

/**
 * The formats that may be read. A list that includes every client's defaults means all formats: it comes from a client that does
 * not know the newer ones. Nobody lists those eight in order to exclude `.odt`.
 */
export function wantedFormats(given: readonly InputFormat[] | undefined): InputFormat[] {
  const isDefault = given === undefined || everyClients.every((format) => given.includes(format));
  return isDefault ? [...inputFormats] : [...given];
}

/** Values of `to_formats`. Formats with neither a member in the in-body result nor a file in archives produce no output. */
export const outputFormats = [
  'md',
  'json',
  'yaml',
  'html',
  'html_split_page',
  'text',
  'doctags',
  'vtt',
  'doclang',
  'dclx',
  'chunks',
  'latex',
] as const;
/** One value of `to_formats`. */
export type OutputFormat = (typeof outputFormats)[number];

/** Maps our readers to the service's format names. A reader that is not listed has the same name. */
const byReader: Readonly<Record<string, InputFormat>> = {
  markdown: 'md',
  text: 'md',
  subtitles: 'vtt',
  eml: 'email',
  msg: 'email',
  docling: 'json_docling',
  'docling-json': 'json_docling',
  docling_json: 'json_docling',
  doclang: 'xml_doclang',
  jats: 'xml_jats',
  uspto: 'xml_uspto',
  xbrl: 'xml_xbrl',
  pages: 'iwork_pages',
};

/** The service's format name for one of our readers; undefined when it has none. */
export function inputFormatOf(reader: string): InputFormat | undefined {
  return byReader[reader] ?? inputFormats.find((format) => format === reader);
}
