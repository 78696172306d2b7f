import lock from '../../package-lock.json';
import own from '../../package.json';

interface Locked {
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
  resolved?: string;
}
const packages = lock.packages as Record<string, Locked>;

/** True when the lock file has a package where Node looks for it from `folder` on upwards. */
function isLocked(name: string, folder: string): boolean {
  for (let from = folder; ; from = from.slice(0, Math.max(from.lastIndexOf('/node_modules/'), 0))) {
    if (`${from}${from === '' ? '' : '/'}node_modules/${name}` in packages) return true;
    if (from === '') return false;
  }
}

test('the lock file has the binaries of every platform, which `npm ci` demands', () => {
  const missing = Object.entries(packages).flatMap(([folder, { dependencies = {}, optionalDependencies = {} }]) =>
    Object.keys({ ...dependencies, ...optionalDependencies })
      .filter((name) => !isLocked(name, folder))
      .map((name) => `${name}, for ${folder}`),
  );
  expect(missing).toEqual([]);
});

test('no package is both for running and for development: npm would take it for the latter', () => {
  const { dependencies, devDependencies } = lock.packages[''];
  expect(Object.keys(dependencies).filter((name) => name in devDependencies)).toEqual([]);
  expect(Object.keys(own.dependencies).filter((name) => name in own.devDependencies)).toEqual([]);
});

test('the lock file names no package hosts', () => {
  expect(Object.entries(packages).filter(([, { resolved }]) => resolved?.startsWith('http'))).toEqual([]);
});
