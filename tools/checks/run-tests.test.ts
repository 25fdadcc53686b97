import { areAll, onlyUnit } from './run-tests.ts'

test.each([
  [['--selectProjects', 'unit'], true],
  [['--selectProjects', 'unit', '--', 'infra'], true],
  [['--selectProjects', 'unit', 'int'], false],
  [['--selectProjects', 'int'], false],
  [['infra'], false],
])('%j choose the unit tests alone: %s', (args, expected) => {
  expect(onlyUnit(args)).toBe(expected)
})

test.each([
  [[], true],
  [['--', '--json', '--outputFile=reports/jest.json'], true],
  [['--selectProjects', 'int', 'e2e', '--json'], false],
  [['services/order-api'], false],
])('%j run all tests: %s', (args, expected) => {
  expect(areAll(args)).toBe(expected)
})
