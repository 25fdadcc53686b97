// node .ci/jest-report.mjs <report> <failures>: prints `passed failed` of Jest's report, and appends what failed to the second file.
import { appendFileSync, readFileSync } from 'node:fs'
import { stripVTControlCharacters } from 'node:util'

const MESSAGE_LINES = 30

const [reportFile, failuresFile] = process.argv.slice(2)
const report = JSON.parse(readFileSync(reportFile, 'utf8'))
const isOurs = (line) => !line.includes('/node_modules/')
const shorten = (message) => stripVTControlCharacters(message).split('\n').filter(isOurs).slice(0, MESSAGE_LINES).join('\n')

for (const suite of report.testResults) {
  const failed = suite.assertionResults.filter(({ status }) => status === 'failed')
  for (const { fullName, failureMessages } of failed) {
    appendFileSync(failuresFile, `── ${suite.name}: ${fullName}\n${failureMessages.map(shorten).join('\n')}\n`)
  }
  // A suite that could not even run has no failed test in it.
  if (suite.status === 'failed' && failed.length === 0)
    appendFileSync(failuresFile, `── ${suite.name}\n${shorten(suite.message)}\n`)
}
console.log(report.numPassedTests, report.numFailedTests + report.numRuntimeErrorTestSuites)
