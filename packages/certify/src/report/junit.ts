import { escapeMarkup as escape, type CheckReport, type Report } from './report.ts'

/** The report as JUnit XML, for CI. `not_observed` becomes `skipped` there, but `pgw certify` still exits with 1. */
export function junitOf({ checks, summary, started_at, ended_at }: Report): string {
  const seconds = (ms: number): string => (ms / 1000).toFixed(3)
  const counts = `tests="${checks.length}" failures="${summary.fail}" skipped="${summary.skipped + summary.not_observed}" errors="0"`
  const time = seconds(Date.parse(ended_at) - Date.parse(started_at))
  const cases = checks.map((check) => {
    const name = escape(`${check.check} ${check.title}`)
    return `    <testcase classname="pgw.certify.${check.name}" name="${name}" time="${seconds(check.duration_ms)}">${outcomeOf(check)}</testcase>`
  })
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites ${counts} time="${time}">`,
    `  <testsuite name="pgw certify" ${counts} time="${time}" timestamp="${escape(started_at)}">`,
    ...cases,
    '  </testsuite>',
    '</testsuites>',
    '',
  ].join('\n')
}

function outcomeOf({ result, reason, clause, transcript }: CheckReport): string {
  const message = escape(reason)
  switch (result) {
    case 'pass':
      return ''
    case 'warn':
      return `<system-out>${escape(`warning: ${reason}`)}</system-out>`
    case 'fail': {
      const exchanges = transcript.map(({ request, response, note }) => `${request.line} ${note} → ${response.line}`)
      return `<failure message="${message}">${escape([clause, ...exchanges].join('\n'))}</failure>`
    }
    case 'skipped':
    case 'not_observed':
      return `<skipped message="${message || result}"/>`
  }
}
