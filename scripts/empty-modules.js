'use strict';

/**
 * Python code that replaces packages (and all that is below them) by modules in which every name exists, for programs that import
 * gigabytes and use none of them here. `attribute` is what a name of such a name is: `name`, its text, or `cls`, itself.
 */
function emptyModules(roots, attribute) {
  return `
import importlib.abc, importlib.machinery, sys, types
class Meta(type):
    def __getattr__(cls, name):
        if name.startswith('__'): raise AttributeError(name)
        return ${attribute}
class Empty(types.ModuleType):
    def __getattr__(self, name):
        if name.startswith('__'): raise AttributeError(name)
        made = Meta(name, (), {})
        setattr(self, name, made)
        return made
class Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    roots = {${roots.map((root) => `'${root}'`).join(', ')}}
    def find_spec(self, name, path, target=None):
        if name.split('.')[0] in self.roots: return importlib.machinery.ModuleSpec(name, self, is_package=True)
    def create_module(self, spec):
        made = Empty(spec.name)
        made.__path__ = []
        return made
    def exec_module(self, module): pass
sys.meta_path.append(Finder())
`;
}

module.exports = { emptyModules };
