import { Button, Checkbox, NativeSelect, Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import { texts } from '../../texts';
import {
  addClass,
  addField,
  changeField,
  type DraftClass,
  type DraftField,
  readDraft,
  plainTypes,
  removeClass,
  removeField,
  renameClass,
  renameField,
  setIdentifies,
  setKind,
  type TemplateDraft,
} from './draft';

/** A template as forms, one per class, with its JSON below. */
export function TemplateEditor({ draft, onDraft }: { draft: TemplateDraft; onDraft: (draft: TemplateDraft) => void }) {
  return (
    <div className="template">
      {Object.entries(draft.classes).map(([name, draftClass]) => (
        <ClassForm key={name} {...{ name, draftClass, draft, onDraft }} />
      ))}
      <p className="actions">
        <Button size="xs" variant="default" onClick={() => onDraft(addClass(draft))}>
          {texts.template.addClass}
        </Button>
      </p>
      <details>
        <summary>{texts.template.json}</summary>
        <JsonField draft={draft} onDraft={onDraft} />
      </details>
    </div>
  );
}

interface Editing {
  draft: TemplateDraft;
  onDraft: (draft: TemplateDraft) => void;
}

function ClassForm({ name, draftClass, draft, onDraft }: { name: string; draftClass: DraftClass } & Editing) {
  const isRoot = name === draft.root;
  return (
    <fieldset className="template-class">
      <legend>
        {name} {isRoot ? <span className="state-note">{texts.template.root}</span> : null}
      </legend>
      <div className="filters">
        <NameField
          label={texts.template.className}
          value={name}
          onName={(to) => onDraft(renameClass(draft, name, to))}
        />
        {isRoot ? null : (
          <Button
            size="xs"
            variant="default"
            aria-label={texts.template.removeOne(name)}
            onClick={() => onDraft(removeClass(draft, name))}
          >
            {texts.template.remove}
          </Button>
        )}
      </div>
      {Object.entries(draftClass.fields).map(([field, body]) => (
        <FieldForm key={field} owner={name} name={field} field={body} {...{ draft, onDraft }} />
      ))}
      <Button
        size="xs"
        variant="default"
        aria-label={texts.template.of(texts.template.addField, name)}
        onClick={() => onDraft(addField(draft, name))}
      >
        {texts.template.addField}
      </Button>
    </fieldset>
  );
}

function FieldForm({
  owner,
  name,
  field,
  draft,
  onDraft,
}: { owner: string; name: string; field: DraftField } & Editing) {
  const change = (changes: DraftField) => onDraft(changeField(draft, owner, name, changes));
  const isNode = typeof field.model === 'string';
  const kind = field.model ?? field.type ?? 'str';
  return (
    <div className="template-field" role="group" aria-label={`${owner}.${name}`}>
      <NameField
        label={texts.template.field}
        value={name}
        onName={(to) => onDraft(renameField(draft, owner, name, to))}
      />
      <NativeSelect
        size="xs"
        label={texts.template.kind}
        value={kind}
        data={listKinds(draft, kind)}
        onChange={({ currentTarget: { value } }) => onDraft(setKind(draft, owner, name, value))}
      />
      <TextInput
        size="xs"
        label={texts.template.label}
        value={field.description ?? ''}
        maxLength={500}
        onChange={({ currentTarget: { value } }) => change({ description: value })}
      />
      {isNode ? (
        <TextInput
          size="xs"
          label={texts.template.relation}
          value={field.edge_label ?? ''}
          maxLength={100}
          onChange={({ currentTarget: { value } }) => change({ edge_label: value })}
        />
      ) : null}
      <FieldMarks {...{ owner, name, field, draft, onDraft }} />
    </div>
  );
}

/** Controls for a field: whether it identifies its class, whether it has several values, and its removal. */
function FieldMarks({
  owner,
  name,
  field,
  draft,
  onDraft,
}: { owner: string; name: string; field: DraftField } & Editing) {
  const isId = (draft.classes[owner]?.graph_id_fields ?? []).includes(name);
  const isNode = typeof field.model === 'string';
  const change = (changes: DraftField) => onDraft(changeField(draft, owner, name, changes));
  return (
    <div className="template-marks">
      {isNode ? null : (
        <Checkbox
          size="xs"
          label={texts.template.identifies}
          checked={isId}
          onChange={({ currentTarget: { checked } }) => onDraft(setIdentifies(draft, owner, name, checked))}
        />
      )}
      <Checkbox
        size="xs"
        label={texts.template.many}
        checked={field.is_list ?? false}
        onChange={({ currentTarget: { checked } }) => change({ is_list: checked })}
      />
      <Button
        size="compact-xs"
        variant="subtle"
        aria-label={texts.template.removeOne(`${owner}.${name}`)}
        onClick={() => onDraft(removeField(draft, owner, name))}
      >
        {texts.template.remove}
      </Button>
    </div>
  );
}

function listKinds({ classes }: TemplateDraft, current: string) {
  const plain = plainTypes.map((value) => ({ value: value as string, label: texts.template.types[value] }));
  const nodes = Object.keys(classes).map((value) => ({ value, label: texts.template.thing(value) }));
  const allTypes = [...plain, ...nodes];
  return allTypes.some(({ value }) => value === current) ? allTypes : [{ value: current, label: current }, ...allTypes];
}

/** A field for a name. The name takes effect when the field is left, because everything else refers to it. */
function NameField({ label, value, onName }: { label: string; value: string; onName: (name: string) => void }) {
  const [text, setText] = useState(value);
  return (
    <TextInput
      size="xs"
      label={label}
      value={text}
      maxLength={100}
      onChange={({ currentTarget: { value: next } }) => setText(next)}
      onBlur={() => {
        onName(text.trim());
        // A taken or empty name is rejected, and the old name is restored.
        setText(value);
      }}
    />
  );
}

function JsonField({ draft, onDraft }: Editing) {
  const [invalidText, setInvalidText] = useState<string>();
  const apply = (text: string) => {
    const next = parseDraft(text);
    setInvalidText(next ? undefined : text);
    if (next) onDraft(next);
  };
  return (
    <Textarea
      className="code"
      label={texts.template.json}
      rows={14}
      spellCheck={false}
      value={invalidText ?? JSON.stringify(draft, null, 2)}
      error={invalidText === undefined ? undefined : texts.template.jsonWrong}
      onChange={({ currentTarget: { value } }) => apply(value)}
    />
  );
}

function parseDraft(text: string): TemplateDraft | undefined {
  try {
    return readDraft(JSON.parse(text));
  } catch {
    return undefined;
  }
}
