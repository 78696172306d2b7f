import { inputFormats } from './input-formats';

/** Values of `from_formats` that clients know although no reader of this server has them. Such documents are skipped. */
export const unreadFormats = ['mets_gbs', 'audio', 'video', 'afp'] as const;

/** One value of `from_formats`. */
export type InputFormat = (typeof inputFormats)[number];

/** The formats that every release of the reference's clients sends by default, meaning all formats it knows. */
const everyClients: readonly InputFormat[] = ['docx', 'pptx', 'html', 'image', 'pdf', 'asciidoc', 'md', 'xlsx'];

/**
 * The formats that may be read. A list that includes every client's defaults means all formats: it comes from a client that does
 * not know the newer ones. Nobody lists those eight in order to exclude `.odt`.
 */
export function readFormats(input: readonly InputFormat[] | undefined): InputFormat[] {
  const isDefault = input === undefined || everyClients.every((format) => input.includes(format));
  return isDefault ? [...inputFormats] : [...input];
}

/** Names of outputs in results that list files by their kind. */
export const artifactTypes = [
  'json',
  'html',
  'markdown',
  'text',
  'doctags',
  'doclang',
  'yaml',
  'html_split_page',
  'vtt',
  'latex',
  'dclx',
] as const;

/** A file that an output is written to, and where clients find the output. */
interface OutputFile {
  /** With the dot. */
  extension: string;
  mediaType: string;
  /** Undefined for outputs that are not part of such results. */
  artifact?: (typeof artifactTypes)[number];
  /** True if a reply in the body has a member for it. */
  isInBody: boolean;
}

/** Values of `to_formats` that this server writes, in the order of its documentation. */
export const outputFiles = {
  md: { extension: '.md', mediaType: 'text/markdown', artifact: 'markdown', isInBody: true },
  json: { extension: '.json', mediaType: 'application/json', artifact: 'json', isInBody: true },
  yaml: { extension: '.yaml', mediaType: 'application/yaml', artifact: 'yaml', isInBody: false },
  html: { extension: '.html', mediaType: 'text/html', artifact: 'html', isInBody: true },
  html_split_page: { extension: '.pages.html', mediaType: 'text/html', artifact: 'html_split_page', isInBody: false },
  text: { extension: '.txt', mediaType: 'text/plain', artifact: 'text', isInBody: true },
  doctags: { extension: '.doctags', mediaType: 'text/plain', artifact: 'doctags', isInBody: true },
  vtt: { extension: '.vtt', mediaType: 'text/vtt', artifact: 'vtt', isInBody: false },
  doclang: { extension: '.dclg', mediaType: 'application/xml', artifact: 'doclang', isInBody: true },
  dclx: { extension: '.dclx', mediaType: 'application/vnd.doclang+zip', artifact: 'dclx', isInBody: false },
  chunks: { extension: '.chunks.jsonl', mediaType: 'application/jsonl', isInBody: false },
  latex: { extension: '.tex', mediaType: 'application/x-tex', artifact: 'latex', isInBody: false },
} as const satisfies Readonly<Record<string, OutputFile>>;
/** One value of `to_formats`. */
export type OutputFormat = keyof typeof outputFiles;

/** The values of `to_formats`. */
export const outputFormats = Object.keys(outputFiles) as OutputFormat[];

/** Returns the file of an output; undefined if this server does not write it. */
export function findOutputFile(format: string): OutputFile | undefined {
  return Object.hasOwn(outputFiles, format) ? outputFiles[format as OutputFormat] : undefined;
}
