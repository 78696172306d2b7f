import type { Properties } from './property-set';

/** A node of the section: its kind (JCID, MS-ONE 2.1.13) and its properties. */
export interface NoteObject {
  kind: number;
  properties: Properties;
}

/** The current state of a page, or of the section itself. */
export interface Space {
  /** Name of the root object by role: 1 is the content, 2 the metadata. */
  roots: ReadonlyMap<number, string>;
  object(name: string): NoteObject | undefined;
  /** The bytes of an attached file or picture. */
  file(name: string): Buffer | undefined;
}

/** A section in either form of its file. */
export interface Section {
  root: Space;
  /** The page with that name; undefined if the file does not contain it. */
  space(name: string): Space | undefined;
}

/** Creates a space that reads each object once, on first use. `read` returns undefined for unknown names. */
export function createSpace({
  roots,
  read,
  file,
}: Pick<Space, 'roots' | 'file'> & { read: (name: string) => NoteObject | undefined }): Space {
  const objects = new Map<string, NoteObject>();
  return {
    roots,
    file,
    object(name) {
      const object = objects.get(name) ?? read(name);
      if (object) objects.set(name, object);
      return object;
    },
  };
}
