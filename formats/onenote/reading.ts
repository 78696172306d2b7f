import type { DocumentBuilder } from '../../document/builder';
import type { GroupItem, ImageRef, NodeItem } from '../../document/model';
import type { RecordOmission } from '../coverage';
import { listNames, property } from './properties';
import type { NoteObject, Space } from './section';

/** What reading a page needs. */
export interface Reading {
  builder: DocumentBuilder;
  space: Space;
  /** The group of the page. */
  group: GroupItem;
  /** Level of the heading of the page. */
  level: number;
  /** Objects that were added. No object is on a page twice, except in a damaged file. */
  seen: Set<NoteObject>;
  maxDepth: number;
  image: (data: Buffer) => ImageRef | undefined;
  recordOmission: RecordOmission;
  /** Adds outlines, outline elements and their content in order. */
  addBlocks: (reading: Reading, objects: readonly NoteObject[], place: Place) => void;
}

export interface Place {
  parent: NodeItem;
  depth: number;
}

/** The objects to which a property refers. */
export function listObjects({ space }: Reading, object: NoteObject, id: number): NoteObject[] {
  return listNames(object, id).flatMap((name) => space.object(name) ?? []);
}

/** The blocks inside a block. */
export function listChildren(reading: Reading, object: NoteObject): NoteObject[] {
  return listObjects(reading, object, property.children);
}
