import type { DocumentBuilder } from '../../../document/builder';
import type { ContentLayer, DoclingDocument, ImageRef, NodeItem, TextItem } from '../../../document/model';
import type { XmlElement } from '../../xml/xml';
import type { OoxmlPackage } from '../package';
import { createCodeBlock, type CodeBlock } from './code';
import type { Numbering } from './numbering';
import { createOutline, type Outline } from './outline';
import type { RunReader } from './runs';
import type { Styles } from './styles';

/** Documents that the main part inserts (`w:altChunk`), by relationship. */
export type InsertedDocuments = Map<string, DoclingDocument>;

/** Data shared by all parts of a document. */
export interface DocumentContext {
  builder: DocumentBuilder;
  office: OoxmlPackage;
  styles: Styles;
  numbering: Numbering;
  image: (part: string) => ImageRef | undefined;
  headingNumbers: Map<number, number>;
  /** Items by the comment on their paragraph; undefined in a document without comments. */
  commented: Map<string, TextItem[]> | undefined;
  inserted: InsertedDocuments;
  /** Adds every block of a container (body, header, cell, content control) to the story. */
  addBlocks: (story: Story, container: XmlElement) => void;
}

/** Data shared by the blocks of one story (body, header, cell, …). */
export interface Story {
  context: DocumentContext;
  /** The part that relationship ids refer to. */
  part: string;
  runs: RunReader;
  layer: ContentLayer;
  outline: Outline;
  code: CodeBlock;
}

/** Creates a story whose items are added below `root`, by default the body. */
export function createStory(
  context: DocumentContext,
  { part, runs, layer, root }: Pick<Story, 'part' | 'runs' | 'layer'> & { root?: () => NodeItem },
): Story {
  const outline = createOutline(context.builder, layer, context.headingNumbers, root);
  return { context, part, runs, layer, outline, code: createCodeBlock(context.builder, outline, layer) };
}

/** Ends the code block and the list that are still open at the end of a story. */
export function endStory(story: Story): void {
  story.code.end();
  story.outline.endList();
}

/** Returns the options that add an item below `parent` in the story's layer. */
export function placeBelow(story: Pick<Story, 'layer'>, parent: NodeItem | undefined) {
  return parent === undefined ? { layer: story.layer } : { parent, layer: story.layer };
}
