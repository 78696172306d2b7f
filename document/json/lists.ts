import type { DoclingDocument, GroupItem, NodeItem, Ref } from '../model';
import { walkNodes, isGroup, nodeAt } from '../tree';

/**
 * Upgrades lists of older versions. Ordered lists become lists whose items alone are ordered, items get a marker, and items
 * outside a list, as older writers left them, are wrapped in one; adjacent items share it.
 */
export function repairLists(document: DoclingDocument): void {
  for (const group of document.groups) if (group.label === 'ordered_list') group.label = 'list';
  for (const item of document.texts) if (item.label === 'list_item') item.marker ??= '-';
  const nodes: NodeItem[] = [document.body, ...[...walkNodes(document)].map(({ node }) => node)];
  for (const node of nodes) {
    const isList = isGroup(node) && node.label === 'list';
    if (!isList && node.children.some((child) => isListItem(document, child))) wrapItems(document, node);
  }
}

function isListItem(document: DoclingDocument, { $ref }: Ref): boolean {
  return nodeAt(document, $ref)?.label === 'list_item';
}

function wrapItems(document: DoclingDocument, parent: NodeItem): void {
  const children: Ref[] = [];
  let list: GroupItem | undefined;
  for (const child of parent.children) {
    const item = isListItem(document, child) ? nodeAt(document, child.$ref) : undefined;
    if (!item) {
      list = undefined;
      children.push(child);
      continue;
    }
    if (!list) {
      list = addList(document, parent, item);
      children.push({ $ref: list.self_ref });
    }
    list.children.push(child);
    item.parent = { $ref: list.self_ref };
  }
  parent.children = children;
}

function addList(document: DoclingDocument, parent: NodeItem, { content_layer }: NodeItem): GroupItem {
  const list: GroupItem = {
    self_ref: `#/groups/${document.groups.length}`,
    parent: { $ref: parent.self_ref },
    children: [],
    content_layer,
    name: 'group',
    label: 'list',
  };
  document.groups.push(list);
  return list;
}
