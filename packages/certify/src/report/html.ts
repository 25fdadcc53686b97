import type { Entry, Message } from '../transcript.ts'
import { escapeMarkup as escape, type CheckReport, type Report } from './report.ts'

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

/** The style of the report; it follows the reader's light or dark scheme. */
const STYLE = `
:root { color-scheme: light dark; --text: #1b1f24; --soft: #57606a; --page: #ffffff; --panel: #f6f8fa; --line: #d0d7de;
  --pass: #1a6f37; --fail: #b3261e; --warn: #8a5a00; --none: #57606a; }
@media (prefers-color-scheme: dark) { :root { --text: #e6edf3; --soft: #9aa4af; --page: #0d1117; --panel: #161b22; --line: #30363d;
  --pass: #56d364; --fail: #ff8b82; --warn: #e3b341; --none: #9aa4af; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--text); font: 16px/1.5 system-ui, sans-serif; }
main { max-width: 60rem; margin: 0 auto; padding: 2rem 1rem 4rem; }
h1 { font-size: 1.6rem; line-height: 1.25; margin: 0 0 1.5rem; }
h2 { font-size: 1.2rem; margin: 2rem 0 1rem; }
h3 { font-size: 1rem; margin: 0; }
h1 .pass { color: var(--pass); }
h1 .fail { color: var(--fail); }
.facts { display: grid; grid-template-columns: max-content 1fr; gap: .25rem 1.5rem; margin: 0; }
.facts dt { color: var(--soft); }
.facts dd { margin: 0; overflow-wrap: anywhere; }
.checks { padding-left: 2rem; margin: 0; }
.checks > li { padding: 0 0 1rem .25rem; margin: 0 0 1rem; border-bottom: 1px solid var(--line); }
.badge { display: inline-block; border: 1px solid currentcolor; border-radius: 1rem; padding: 0 .6rem; margin-right: .25rem;
  font-size: .8rem; font-weight: 600; }
.badge.pass { color: var(--pass); }
.badge.fail { color: var(--fail); }
.badge.warn { color: var(--warn); }
.badge.skipped, .badge.not_observed { color: var(--none); }
.clause, .about { color: var(--soft); font-size: .9rem; margin: .25rem 0; }
.reason { margin: .25rem 0; overflow-wrap: anywhere; }
details { margin-top: .5rem; }
summary { cursor: pointer; }
.exchanges { padding-left: 1.5rem; }
pre { background: var(--panel); border: 1px solid var(--line); border-radius: 6px; padding: .6rem .8rem; margin: .25rem 0 .5rem;
  font-size: .8rem; white-space: pre-wrap; overflow-wrap: anywhere; }
`
