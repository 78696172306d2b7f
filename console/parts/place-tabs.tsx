import { Tabs } from '@mantine/core';
import type { ReactNode } from 'react';
import { navigate } from '../router';

/** Tabs with separate addresses: `/settings/keys` is the tab `keys` of `/settings`. */
export function PlaceTabs({
  base,
  tab,
  titles,
  children,
}: {
  base: string;
  tab: string;
  titles: Readonly<Record<string, string>>;
  children: ReactNode;
}) {
  return (
    <Tabs value={tab} keepMounted={false} onChange={(value) => navigate(`${base}/${value ?? ''}`)}>
      <Tabs.List>
        {Object.entries(titles).map(([value, title]) => (
          <Tabs.Tab key={value} value={value}>
            {title}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      <Tabs.Panel value={tab} pt={16}>
        {children}
      </Tabs.Panel>
    </Tabs>
  );
}
