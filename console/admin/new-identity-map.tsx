import { Button, NativeSelect, Textarea, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import type { IdentityMapInput } from '../../client';
import { api } from '../api';
import { Failure, Panel } from '../parts/page';
import { navigate } from '../router';
import { texts } from '../texts';

const words = texts.identities.new;
const emptyDraft = { name: '', places: '', directory: 'system', rule: 'name', prefix: '' };
type Draft = typeof emptyDraft;

/** The form for a new identity map. */
export function NewIdentityMap() {
  const queries = useQueryClient();
  const [draft, setDraft] = useState<Draft>(emptyDraft);
  const [file, setFile] = useState<File | null>(null);
  const create = useMutation({
    mutationFn: async () => api.identityMaps.put(draft.name.trim(), await buildMap(draft, file)),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ['identity-maps'] });
      navigate(`/admin/identities?map=${encodeURIComponent(draft.name.trim())}`);
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    create.mutate();
  };
  const change = (changes: Partial<Draft>) => setDraft({ ...draft, ...changes });
  return (
    <Panel title={words.title}>
      <form onSubmit={submit} className="fields">
        <Fields draft={draft} onChange={change} />
        {draft.directory === 'given' ? (
          <label>
            {words.file}{' '}
            <input
              type="file"
              accept=".json,application/json"
              required
              onChange={({ currentTarget: { files } }) => setFile(files?.[0] ?? null)}
            />
          </label>
        ) : null}
        <div className="actions">
          <Button type="submit" loading={create.isPending} disabled={!draft.name.trim() || !draft.places.trim()}>
            {words.submit}
          </Button>
        </div>
      </form>
      {create.isError ? <Failure error={create.error} title={words.failed} isAction /> : null}
    </Panel>
  );
}

function Fields({ draft, onChange }: { draft: Draft; onChange: (changes: Partial<Draft>) => void }) {
  return (
    <>
      <TextInput
        label={words.name}
        description={words.nameHelp}
        value={draft.name}
        required
        maxLength={63}
        onChange={({ currentTarget: { value } }) => onChange({ name: value })}
      />
      <Textarea
        label={words.places}
        description={words.placesHelp}
        value={draft.places}
        required
        rows={2}
        onChange={({ currentTarget: { value } }) => onChange({ places: value })}
      />
      <div className="filters level">
        <NativeSelect
          label={words.directory}
          description={words.directoryHelp}
          value={draft.directory}
          data={Object.entries(words.directories).map(([value, label]) => ({ value, label }))}
          onChange={({ currentTarget: { value } }) => onChange({ directory: value })}
        />
        <NativeSelect
          label={words.rule}
          value={draft.rule}
          data={Object.entries(words.rules).map(([value, label]) => ({ value, label }))}
          onChange={({ currentTarget: { value } }) => onChange({ rule: value })}
        />
        {draft.rule === 'name' ? (
          <TextInput
            label={words.prefix}
            description={words.prefixHelp}
            value={draft.prefix}
            maxLength={100}
            onChange={({ currentTarget: { value } }) => onChange({ prefix: value })}
          />
        ) : null}
      </div>
    </>
  );
}

function toDirectory(chosen: string): Pick<IdentityMapInput, 'directory' | 'ldap'> {
  if (chosen === 'ldap-sid') return { directory: 'ldap', ldap: { ids: 'sid' } };
  if (chosen === 'ldap-number') return { directory: 'ldap', ldap: { ids: 'number' } };
  return { directory: chosen === 'given' ? 'given' : 'system' };
}

async function buildMap({ places, directory, rule, prefix }: Draft, file: File | null): Promise<IdentityMapInput> {
  return {
    places: places
      .split('\n')
      .map((place) => place.trim())
      .filter(Boolean),
    ...toDirectory(directory),
    ...(rule === 'mail' ? { match: [{ by: 'mail' }] } : {}),
    ...(rule === 'name' ? { match: [{ by: 'name', ...(prefix ? { prefix } : {}) }] } : {}),
    ...(directory === 'given' ? await readAccounts(file) : {}),
  };
}

async function readAccounts(file: File | null): Promise<Pick<IdentityMapInput, 'accounts' | 'groups'>> {
  try {
    const { accounts, groups } = JSON.parse((await file?.text()) ?? '') as IdentityMapInput;
    return { ...(accounts ? { accounts } : {}), ...(groups ? { groups } : {}) };
  } catch (error) {
    throw new Error(words.wrongFile, { cause: error });
  }
}
