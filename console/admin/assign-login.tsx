import { Button, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { FormEvent } from 'react';
import type { IdentityMapInput, IdentityMapReply } from '../../client';
import { api } from '../api';
import { readField } from '../parts/form-texts';
import { Failure } from '../parts/page';
import { texts } from '../texts';

/** Edits the login of one account. The login is stored as a pair of the map; an empty one removes the pair. */
export function AssignLogin({ map, account, login }: { map: IdentityMapReply; account: string; login: string | null }) {
  const queries = useQueryClient();
  const assign = useMutation({
    // Reads the map again, because somebody else may have changed it.
    mutationFn: async (value: string) =>
      api.identityMaps.put(map.map_id, addPair(await api.identityMaps.get(map.map_id), account, value)),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['identity-maps'] }),
  });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    assign.mutate(readField(event, 'login'));
  };
  return (
    <form onSubmit={submit} className="actions">
      <TextInput
        name="login"
        size="xs"
        aria-label={texts.identities.assignOne(account)}
        placeholder={texts.identities.login}
        defaultValue={login ?? ''}
        maxLength={256}
      />
      <Button type="submit" size="xs" variant="default" loading={assign.isPending}>
        {texts.identities.assign}
      </Button>
      {assign.isError ? <Failure error={assign.error} title={texts.identities.assignFailed} isAction /> : null}
    </form>
  );
}

function addPair(map: IdentityMapReply, account: string, login: string): IdentityMapInput {
  const { map_id: _id, updated_at: _at, updated_by: _by, sync: _sync, pairs = [], ...members } = map;
  const others = pairs.filter((pair) => pair.account !== account);
  return { ...members, pairs: login === '' ? others : [...others, { account, login }] };
}
