// node .ci/jest-report.mjs <report> <failures>: prints `passed failed` of Jest's report, and appends what failed to the second file.
import { appendFileSync, readFileSync } from 'node:fs'
import { stripVTControlCharacters } from 'node:util'

const MESSAGE_LINES = 30
const OUTSIDE_THE_TESTS = 'Test suite failed to run'

const [reportFile, failuresFile] = process.argv.slice(2)
const report = JSON.parse(readFileSync(reportFile, 'utf8'))
const isOurs = (line) => !/^\s*at .*\/node_modules\//.test(line)
const shorten = (message) => stripVTControlCharacters(message).split('\n').filter(isOurs).slice(0, MESSAGE_LINES).join('\n')

for (const suite of report.testResults) {
  const failed = suite.assertionResults.filter(({ status }) => status === 'failed')
  for (const { fullName, failureMessages } of failed) {
    appendFileSync(failuresFile, `── ${suite.name}: ${fullName}\n${failureMessages.map(shorten).join('\n')}\n`)
  }
  // An error outside the tests, such as in `afterAll`, belongs to no test.
  if (suite.message.includes(OUTSIDE_THE_TESTS)) appendFileSync(failuresFile, `── ${suite.name}\n${shorten(suite.message)}\n`)
}
console.log(report.numPassedTests, report.numFailedTests + report.numRuntimeErrorTestSuites)
