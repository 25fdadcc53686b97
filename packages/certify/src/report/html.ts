import type { Entry, Message } from '../transcript.ts'
import { escapeMarkup as escape } from './escape.ts'
import type { CheckReport, Report } from './report.ts'
import { STYLE } from './style.ts'

const WORDS = { pass: 'passed', fail: 'failed', warn: 'warning', skipped: 'skipped', not_observed: 'not observed' } as const

/** The report as one page without scripts and without external files. */
export function htmlOf(report: Report): string {
  const { certified, checks } = report
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${certified ? 'Certified' : 'Not certified'}: webhook receiver</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>Webhook receiver: <span class="${certified ? 'pass' : 'fail'}">${certified ? 'certified' : 'not certified'}</span></h1>
${factsOf(report)}
<h2>Checks</h2>
<ol class="checks">
${checks.map(checkOf).join('\n')}
</ol>
</main>
</body>
</html>
`
}

function factsOf({ receiver, probe, gateway, started_at, ended_at, summary }: Report): string {
  const counts = Object.entries(WORDS).flatMap(([result, word]) => {
    const count = Object.entries(summary).find(([name]) => name === result)?.[1] ?? 0
    return count === 0 ? [] : [`${count} ${word}${result === 'warn' && count > 1 ? 's' : ''}`]
  })
  const facts: [string, string][] = [
    ['Result', counts.join(', ')],
    ['Receiver', receiver],
    ['Probe', probe ?? 'none: effects were not observed'],
    ['Gateway', gateway],
    ['From', started_at],
    ['To', ended_at],
  ]
  return `<dl class="facts">\n${facts.map(([name, value]) => `<dt>${name}</dt><dd>${escape(value)}</dd>`).join('\n')}\n</dl>`
}

function checkOf({ check, title, clause, result, reason, transcript }: CheckReport): string {
  const why = reason === '' ? '' : `<p class="reason">${escape(reason)}</p>`
  const what = transcript.length === 1 ? '1 exchange' : `${transcript.length} exchanges`
  const exchanges = `<details><summary>${what}</summary>\n<ol class="exchanges">\n${transcript.map(entryOf).join('\n')}\n</ol>\n</details>`
  return `<li value="${check}" id="check-${check}">
<h3><span class="badge ${result}">${WORDS[result]}</span> ${escape(title)}</h3>
<p class="clause">${escape(clause)}</p>
${why}
${transcript.length === 0 ? '' : exchanges}
</li>`
}

function entryOf({ at, kind, note, request, response }: Entry): string {
  const kinds = { webhook: 'webhook sent', call: 'call of the test instance', probe: 'probe' } as const
  const about = [at, kinds[kind], ...(note === '' ? [] : [note])].join(' · ')
  return `<li><p class="about">${escape(about)}</p>${messageOf(request)}${messageOf(response)}</li>`
}

function messageOf({ line, headers, body }: Message): string {
  const lines = [line, ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`), ...(body === '' ? [] : ['', body])]
  return `<pre tabindex="0">${escape(lines.join('\n'))}</pre>`
}
