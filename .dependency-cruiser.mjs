/** No import circle, and no relative import out of a workspace package. Imports of types count. */
const PACKAGE = '^((?:services|packages|infra|tools)/[^/]+|e2e|examples)/'

export default {
  forbidden: [
    {
      name: 'no-circular',
      severity: 'error',
      comment: 'Two modules that import one another, directly or through others, can only be understood together.',
      from: {},
      to: { circular: true },
    },
    {
      name: 'no-relative-packages',
      severity: 'error',
      comment: 'Another package is imported by its name, and only what it exports.',
      from: { path: PACKAGE },
      to: { path: PACKAGE, pathNot: ['^$1/', '/node_modules/'], dependencyTypes: ['local'] },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '(^|/)node_modules/' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'default'],
      extensions: ['.ts', '.mjs', '.js'],
    },
  },
}
