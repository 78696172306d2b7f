import { findOutputFile } from './formats';
import { ConvertOptions } from './options';

const maxNamed = 5;

/**
 * A sentence about unknown names, such as misspelt options. They are ignored, as clients expect. Names that are not valid in a
 * header are counted but not listed.
 */
export function noteUnknownNames(names: Iterable<string>, kind: 'option' | 'field'): string[] {
  const all = [...new Set(names)];
  if (all.length === 0) return [];
  const named = all.filter((name) => /^[\w.-]{1,60}$/.test(name)).slice(0, maxNamed);
  const more = all.length - named.length;
  const list = [...named, ...(more > 0 ? [`${more} more`] : [])].join(', ');
  const isOne = all.length === 1;
  return [`The ${kind}${isOne ? '' : 's'} ${list} ${isOne ? 'is unknown and was' : 'are unknown and were'} ignored.`];
}

/** The names that are not options. */
export function listUnknownOptions(input: Iterable<string>): string[] {
  return [...input].filter((name) => !isOption(name));
}

/** Sentences about options placed next to `options`, where they are ignored. */
export function noteMisplacedOptions(body: object, place: string): string[] {
  const names = Object.keys(body).filter((name) => name !== 'chunking_options' && isOption(name));
  return names.slice(0, maxNamed).map((name) => `The option ${name} had no effect: options are in ${place}.`);
}

/** Sentences about output formats that the target does not receive. */
export function noteMissingOutputs(formats: readonly string[], target: string): string[] {
  return formats.flatMap((name) => {
    const file = findOutputFile(name);
    if (!file || target !== 'inbody' || file.isInBody) return [];
    return [`The output format ${name} cannot be returned in the body; request the target zip.`];
  });
}

/**
 * Sentences about requested engines and presets that this server does not have. `hasTextModels` is true with the model pack for text
 * recognition, `hasTableModel` with the one for table structure.
 */
export function noteMissingEngines(
  options: ConvertOptions,
  { hasTextModels, hasTableModel }: { hasTextModels: boolean; hasTableModel: boolean },
): string[] {
  const { ocr_preset: engine, layout_preset: layout, table_structure_preset: tables } = options;
  const installed = ['auto', 'tesseract', 'tesserocr', ...(hasTextModels ? ['ppocr', 'rapidocr'] : [])];
  const noteModel = (name: string, input: string | null) =>
    input === null || input === 'default'
      ? []
      : [`The model of ${name} ${input} is not on this server; its own rules and models were used instead.`];
  return [
    ...(installed.includes(engine)
      ? []
      : [`The text recognition ${engine} is not on this server; Tesseract was used instead.`]),
    ...noteModel('layout_preset', layout),
    ...(tables === 'slanet_plus' && hasTableModel ? [] : noteModel('table_structure_preset', tables)),
  ];
}

function isOption(name: string): boolean {
  return Object.hasOwn(ConvertOptions.properties, name);
}
