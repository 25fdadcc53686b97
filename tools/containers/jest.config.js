import root from '../../jest.config.js'

const [unit] = root.projects

/** Tests of the images themselves: `npm run test:containers`. One at a time, since each brings a stack up. */
export default {
  rootDir: '../..',
  displayName: 'containers',
  testEnvironment: unit.testEnvironment,
  runtime: unit.runtime,
  transform: unit.transform,
  roots: ['<rootDir>/tools/containers'],
  testMatch: ['**/*.containers.test.ts'],
  testTimeout: 240_000,
  maxWorkers: 1,
  reporters: [
    'default',
    ['<rootDir>/tools/containers/node_modules/jest-junit', { outputDirectory: 'reports', outputName: 'containers.xml' }],
  ],
}
