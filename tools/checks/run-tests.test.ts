import { onlyUnit } from './run-tests.ts'

test.each([
  [['--selectProjects', 'unit'], true],
  [['--selectProjects', 'unit', '--', 'infra'], true],
  [['--selectProjects', 'unit', 'int'], false],
  [['--selectProjects', 'int'], false],
  [['infra'], false],
])('%j choose the unit tests alone: %s', (args, expected) => {
  expect(onlyUnit(args)).toBe(expected)
})
