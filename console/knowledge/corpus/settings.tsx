import { Button, Checkbox, NativeSelect } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import type { GraphReply } from '../../../client';
import { api } from '../../api';
import { splitNames } from '../../parts/form-texts';
import { NameField } from '../../parts/name-field';
import { Failure, Panel } from '../../parts/page';
import { texts } from '../../texts';

type Mode = NonNullable<GraphReply['corpus']>['resolution'];

/** Settings of a graph: how it follows its set, how nodes are compared, and who may query it. */
export function Settings({ graph }: { graph: GraphReply }) {
  const queries = useQueryClient();
  const { corpus, readers = [], options } = graph;
  const [follows, setFollows] = useState(corpus?.auto_update ?? false);
  const [mode, setMode] = useState<Mode>(corpus?.resolution ?? 'off');
  const [names, setNames] = useState(readers.join(', '));
  // Only graphs built with a model can use it.
  const modes: readonly Mode[] = options.backend === 'llm' ? ['off', 'rules', 'model'] : ['off', 'rules'];
  const save = useMutation({
    mutationFn: () =>
      api.graphs.change(graph.id, { auto_update: follows, resolution: mode, readers: splitNames(names) }),
    onSuccess: (reply) => {
      setNames((reply.readers ?? []).join(', '));
      queries.setQueryData(['graph', graph.id], reply);
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save.mutate();
  };
  return (
    <Panel title={texts.updates.settings}>
      <form className="fields" onSubmit={submit}>
        <Checkbox
          label={texts.updates.follow}
          description={texts.updates.followHelp}
          checked={follows}
          onChange={(event) => setFollows(event.currentTarget.checked)}
        />
        <NativeSelect
          label={texts.updates.compare}
          value={mode}
          data={modes.map((value) => ({ value, label: texts.updates.compares[value] }))}
          onChange={(event) => setMode(modes.find((mode) => mode === event.currentTarget.value) ?? 'off')}
        />
        <NameField
          kind="user"
          several
          label={texts.updates.readers}
          description={texts.updates.readersHelp}
          spellCheck={false}
          value={names}
          onValue={setNames}
        />
        <div className="actions">
          <Button type="submit" variant="default" loading={save.isPending}>
            {texts.updates.save}
          </Button>
          <span role="status">{save.isSuccess ? texts.updates.saved : null}</span>
        </div>
        {save.isError ? <Failure error={save.error} title={texts.updates.notSaved} isAction /> : null}
      </form>
    </Panel>
  );
}
