import { findChild, listDescendants, listElements, type XmlElement } from '../../xml/xml';
import type { OoxmlPackage } from '../package';

/** Properties that shapes inherit from the slide's layout and master. */
export interface Theme {
  /** Returns the placeholders that a placeholder is based on, nearest first: from the layout, then the master. */
  inherited(placeholder: Placeholder): XmlElement[];
  /** Returns the master's text style for a kind of placeholder (`p:bodyStyle`, …). */
  masterStyle(placeholder: Placeholder): XmlElement | undefined;
}

/** A `p:ph` element. Without a type it is a content placeholder (`obj`). */
export interface Placeholder {
  type: string;
  index: string;
}

/** Reads the `p:ph` of a shape; undefined if the shape is not a placeholder. */
export function findPlaceholder(shape: XmlElement): Placeholder | undefined {
  const properties = listElements(shape).find(({ name }) => /^p:nv\w*Pr$/.test(name));
  const placeholder = findChild(findChild(properties, 'p:nvPr'), 'p:ph');
  if (placeholder === undefined) return undefined;
  return { type: placeholder.attributes['type'] ?? 'obj', index: placeholder.attributes['idx'] ?? '0' };
}

// Types of slide placeholders, mapped to the master's placeholder that they inherit from (ECMA-376 part 1, 19.7.10).
const masterTypes: Readonly<Record<string, string>> = {
  ctrTitle: 'title',
  subTitle: 'body',
  obj: 'body',
  tbl: 'body',
  chart: 'body',
  dgm: 'body',
  media: 'body',
  clipArt: 'body',
  pic: 'body',
};

/** Creates the theme of a slide (or notes) part; empty if layout or master are missing. */
export function createTheme(office: OoxmlPackage, part: string): Theme {
  const layoutPart = office.related(part, 'slideLayout');
  const masterPart = layoutPart === undefined ? undefined : office.related(layoutPart, 'slideMaster');
  const layout = layoutPart === undefined ? undefined : office.xml(layoutPart);
  const master = masterPart === undefined ? undefined : office.xml(masterPart);
  const listPlaceholders = (root: XmlElement | undefined): [Placeholder, XmlElement][] =>
    root === undefined
      ? []
      : listDescendants(root, 'p:sp').flatMap((shape) => {
          const placeholder = findPlaceholder(shape);
          return placeholder === undefined ? [] : [[placeholder, shape] as [Placeholder, XmlElement]];
        });
  const inLayout = listPlaceholders(layout);
  const inMaster = listPlaceholders(master);
  const styles = findChild(master, 'p:txStyles');

  return {
    inherited(placeholder) {
      const inherited =
        inLayout.find(([{ index }]) => placeholder.index !== '0' && index === placeholder.index) ??
        inLayout.find(([{ type }]) => type === placeholder.type);
      const type = masterTypes[inherited?.[0].type ?? placeholder.type] ?? inherited?.[0].type ?? placeholder.type;
      const above = inMaster.find(([candidate]) => candidate.type === type);
      return [inherited, above].flatMap((entry) => (entry === undefined ? [] : [entry[1]]));
    },
    masterStyle({ type }) {
      if (type === 'title' || type === 'ctrTitle') return findChild(styles, 'p:titleStyle');
      return findChild(styles, ['body', 'obj', 'subTitle'].includes(type) ? 'p:bodyStyle' : 'p:otherStyle');
    },
  };
}
