import { execFileSync } from 'node:child_process';
import path from 'node:path';
import lock from '../../package-lock.json';

interface Component {
  name: string;
  version: string;
  licenses?: object[];
}

test('the list of components has everything that runs, with its version, and nothing of development', () => {
  const root = path.join(__dirname, '..', '..');
  const options = { cwd: root, encoding: 'utf8', maxBuffer: 256 * 1024 * 1024 } as const;
  const sbom = JSON.parse(execFileSync('npm', ['run', '--silent', 'sbom'], options)) as {
    metadata: { component: Component };
    components: Component[];
  };
  const places = Object.entries(lock.packages as Record<string, { name?: string; version: string; dev?: boolean }>);
  const expected = places
    .filter(([place, { dev }]) => place !== '' && !dev)
    .map(([place, { name, version }]) => `${name ?? place.slice(place.lastIndexOf('node_modules/') + 13)} ${version}`);
  const found = sbom.components.map(({ name, version }) => `${name} ${version}`);
  expect(found.toSorted()).toEqual([...new Set(expected)].toSorted());
  expect(sbom.metadata.component).toMatchObject({ name: 'docloom', version: lock.version });
});
