import { defineOptionalText, createSourceProblem, type SourceKind } from '../kind';
import { readLibrarySettings } from '../library-source';

/** Document libraries of this installation. */
export const library = {
  name: 'library',
  aliases: [],
  summary: 'files that were uploaded into a document library; its owner and its readers may read them',
  settings: {
    library_id: defineOptionalText(
      'library: the document library whose files are read. Its owner and its readers may read them.',
    ),
  },
  credentials: {},
  rights: {
    list: 'The library exists, and everybody whom the run acts for may see it.',
    read: 'The uploaded files are in the store.',
  },
  version: 'the SHA-256 of the content',
  access: 'owner and `readers` of the library',
  problems(config) {
    const { libraryId } = readLibrarySettings(config);
    if (libraryId !== '') return [];
    return [
      createSourceProblem(
        '/connection_params/library_id',
        'No library is named; expected `connection_params.library_id`.',
      ),
    ];
  },
} as const satisfies SourceKind;
