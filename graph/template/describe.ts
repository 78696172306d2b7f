import type { GraphTemplate, TemplateClass, TemplateField } from './model';
import { reachableClasses } from './template';

/** Describes a template in Markdown: a section per class, and a line per relation. */
export function describeTemplate(template: GraphTemplate): string {
  const classes = reachableClasses(template);
  const lines = [
    `# Template ${template.root}`,
    '',
    ...classes.flatMap((templateClass) => listClassLines(template, templateClass)),
  ];
  const relations = classes.flatMap((templateClass) =>
    templateClass.fields.flatMap((field) => listRelationLines(template, templateClass, field)),
  );
  if (relations.length > 0) lines.push('## Relations', '', ...relations, '');
  return lines.join('\n');
}

function listClassLines(template: GraphTemplate, templateClass: TemplateClass): string[] {
  const { name, isEntity, idFields, maxInstances, description, fields } = templateClass;
  const identity =
    idFields.length > 0 ? `identified by ${idFields.map(formatCode).join(', ')}` : 'identified by all of its values';
  const limitText = maxInstances === undefined ? '' : `, at most ${maxInstances}`;
  const kind = isEntity ? `Entity, ${identity}${limitText}.` : 'Component: stays inside its owner.';
  return [
    `## ${toPlainText(name)}${name === template.root ? ' (root)' : ''}`,
    '',
    ...(description ? [toPlainText(description), ''] : []),
    kind,
    '',
    '| field | type | | |',
    '| --- | --- | --- | --- |',
    ...fields.map((field) => {
      const required = field.isRequired ? 'required' : '';
      return `| ${formatCode(field.name)} | ${formatType(field)} | ${required} | ${toPlainText(field.description ?? '')} |`;
    }),
    '',
  ];
}

function formatType({ type, model, isList, choices, container }: TemplateField): string {
  const single = choices ? choices.values.map(formatCode).join(', ') : (model ?? container?.kind ?? type);
  return isList ? `list of ${toPlainText(single)}` : toPlainText(single);
}

function listRelationLines({ classes }: GraphTemplate, templateClass: TemplateClass, field: TemplateField): string[] {
  if (!field.model || classes.get(field.model)?.isEntity === false) return [];
  const many = field.isList ? 'many' : 'one';
  const reverse = field.reverseLabel ? `, back ${formatCode(field.reverseLabel)}` : '';
  const label = formatCode(field.edgeLabel ?? field.name);
  return [`- ${toPlainText(templateClass.name)} ${label} ${toPlainText(field.model)} (${many}${reverse})`];
}

const formatCode = (text: string) => `\`${text.replace(/[`|\n]/g, ' ')}\``;
const toPlainText = (text: string) => text.replace(/\s+/g, ' ').replace(/\|/g, '\\|').replace(/</g, '&lt;');
