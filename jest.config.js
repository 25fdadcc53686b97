const common = {
  // Node loads the tests and runs TypeScript, as in production.
  testEnvironment: '<rootDir>/tools/checks/bare-environment.js',
  runtime: '<rootDir>/tools/checks/bare-runtime.js',
  transform: {},
  roots: [
    '<rootDir>/services',
    '<rootDir>/packages',
    '<rootDir>/infra',
    '<rootDir>/tools',
    '<rootDir>/e2e',
    '<rootDir>/examples',
  ],
}

/** The suffix names the cost: .test.ts is pure, .int.test.ts needs database and broker, .e2e.test.ts the whole stack. */
export default {
  // Far above what any test takes: a test waits for its own conditions, each with a deadline.
  testTimeout: 180_000,
  // Tests wait more than they compute: with six files at once two cores are busy, with four they idled for a seventh of the time.
  maxWorkers: 6,
  // Always in processes of their own, new ones when they have grown. Run in Jest's process, all files' code is compiled there, and Node
  // can then hang for good while it exits (nodejs/node#54918); Jest ends a worker that does.
  workerIdleMemoryLimit: '1GB',
  testSequencer: './tools/checks/slow-first.js',
  projects: [
    {
      ...common,
      displayName: 'unit',
      testMatch: ['**/*.test.ts'],
      testPathIgnorePatterns: ['\\.int\\.test\\.ts$', '\\.e2e\\.test\\.ts$', '\\.containers\\.test\\.ts$', '/node_modules/'],
    },
    { ...common, displayName: 'int', testMatch: ['**/*.int.test.ts'] },
    {
      ...common,
      displayName: 'e2e',
      testMatch: ['**/*.e2e.test.ts'],
      globalSetup: './e2e/support/shared-stack-setup.ts',
      globalTeardown: './e2e/support/shared-stack-teardown.ts',
    },
  ],
}
