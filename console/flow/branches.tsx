import { Button, NativeSelect, Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { FlowDefinition } from '../../client';
import { texts } from '../texts';
import { type Branch, getBranches, type Operator, putBranch, omitBranch } from './draft';

/** The branches of an operator that divides its rows: their names, and the conditions for their rows. */
export function Branches({
  flow,
  step,
  setFlow,
}: {
  flow: FlowDefinition;
  step: Operator;
  setFlow: (flow: FlowDefinition) => void;
}) {
  const branches = Object.entries(getBranches(step));
  const nextName = findFreeName(branches.map(([name]) => name));
  return (
    <section aria-label={texts.flow.branches.title} className="branches">
      <h3>{texts.flow.branches.title}</h3>
      <p className="state-note">{texts.flow.branches.help}</p>
      {branches.map(([name, branch], index) => (
        // The key is the position, because the name is edited here.
        <fieldset key={index} className="branch">
          <legend>{name || texts.flow.branches.unnamed}</legend>
          <TextInput
            label={texts.flow.branches.name}
            value={name}
            onChange={({ currentTarget: { value } }) => {
              if (branches.some(([other]) => other === value)) return;
              setFlow(putBranch(flow, step.name, name, { name: value, branch }));
            }}
          />
          <Conditions
            branch={branch}
            onBranch={(changed) => setFlow(putBranch(flow, step.name, name, { name, branch: changed }))}
          />
          <Button variant="default" size="xs" mt={8} onClick={() => setFlow(omitBranch(flow, step.name, name))}>
            {texts.flow.remove(name)}
          </Button>
        </fieldset>
      ))}
      <Button
        variant="default"
        size="xs"
        onClick={() => setFlow(putBranch(flow, step.name, nextName, { name: nextName, branch: {} }))}
      >
        {texts.flow.branches.add}
      </Button>
    </section>
  );
}

function Conditions({ branch, onBranch }: { branch: Branch; onBranch: (branch: Branch) => void }) {
  const [draft, setDraft] = useState('');
  if (branch.criteria_json !== undefined) return <p className="state-note">{texts.flow.branches.inJson}</p>;
  const { criteria_list: _list, logical_operator: operator, ...others } = branch;
  const lines = branch.criteria_list ?? [];
  return (
    <>
      <Textarea
        label={texts.flow.branches.conditions}
        description={texts.flow.branches.conditionsHelp}
        classNames={{ input: 'json' }}
        spellCheck={false}
        rows={Math.max(2, lines.length + 1)}
        // While somebody types, the draft has empty lines that the branch lacks.
        value={splitLines(draft).join('\n') === lines.join('\n') ? draft : lines.join('\n')}
        onChange={({ currentTarget: { value } }) => {
          setDraft(value);
          const conditions = splitLines(value);
          const join = operator === undefined ? {} : { logical_operator: operator };
          onBranch(conditions.length === 0 ? others : { ...others, ...join, criteria_list: conditions });
        }}
      />
      {lines.length > 1 ? (
        <NativeSelect
          label={texts.flow.branches.join}
          value={/^\s*or\s*$/i.test(operator ?? '') ? 'OR' : 'AND'}
          data={[
            { value: 'AND', label: texts.flow.branches.every },
            { value: 'OR', label: texts.flow.branches.any },
          ]}
          onChange={(event) => onBranch({ ...branch, logical_operator: event.currentTarget.value })}
        />
      ) : null}
    </>
  );
}

function splitLines(text: string): string[] {
  return text.split('\n').filter((line) => line.trim() !== '');
}

function findFreeName(names: readonly string[]): string {
  let count = names.length + 1;
  while (names.includes(`branch-${count}`)) count += 1;
  return `branch-${count}`;
}
