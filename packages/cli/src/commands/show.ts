/** Commands that only show something: timelines, downtimes, settlements and reports. */
import { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Downtime, Settlement, SettlementLine, SettlementsQuery, TimelineEvent } from '@gateway/sdk'
import { CliError, EXIT } from '../exit.ts'
import { printable } from '../io.ts'
import { day, orderId } from '../parse.ts'
import type { PgwCommand } from '../pgw-command.ts'

export function addTimeline(program: PgwCommand): void {
  program
    .command('timeline')
    .argument('<order>', 'the id of the order', orderId)
    .description('show what happened to an order, with its webhooks')
    .does(async ({ output, gateway }, order: string) => {
      const timeline = await gateway().timeline(order)
      const missing = timeline.incomplete.map((source) => `missing now: ${source}`)
      output.result(timeline, [...timeline.events.map(describeEvent), ...missing].join('\n'))
    })
}

function describeEvent({ at, kind, sequence, detail }: TimelineEvent): string {
  const details = Object.entries(detail)
    .filter(([, value]) => value !== null)
    .map(([name, value]) => `${name} ${String(value)}`)
  return [at, kind, ...(sequence === null ? [] : [`change ${sequence}`]), printable(details.join(', '))].join('  ')
}

export function addDowntimes(program: PgwCommand): void {
  program
    .command('downtimes')
    .description('what does not work at the banks and networks now')
    .does(async ({ output, gateway }) => {
      const downtimes = await gateway().downtimes.list()
      output.result({ downtimes }, downtimes.length === 0 ? 'Nothing is down.' : downtimes.map(describeDowntime).join('\n'))
    })
}

function describeDowntime({ method, instrument, severity, began_at, ended_at }: Downtime): string {
  const what = instrument === null ? method : `${method} ${printable(instrument)}`
  return `${severity}  ${what}  since ${began_at}${ended_at === null ? '' : `  until ${ended_at}`}`
}

export function addSettlements(program: PgwCommand): void {
  const settlements = program.command('settlements').description('what the bank has paid to you')
  settlements
    .command('list')
    .description('list settlements, newest first')
    .option('--from <day>', 'of this day or later, such as 2026-01-31', day)
    .option('--to <day>', 'of this day or earlier', day)
    .lists({
      limit: 20,
      list: ({ settlements }, query: SettlementsQuery & { limit: number }) => settlements.list(query),
      describe: ({ settled_on, id, net, lines, utr }: Settlement) =>
        [settled_on, id, `${net} INR`, `${lines} lines`, ...(utr === null ? [] : [utr])].join('  '),
    })
  settlements
    .command('lines <settlement>')
    .description('list the payments, refunds and reversals of a settlement')
    .lists({
      limit: 100,
      list: ({ settlements }, query: { limit: number }, [id = '']) => settlements.lines(id, query),
      describe: ({ kind, order_id, amount, direction, fee, tax, status }: SettlementLine) =>
        [kind, order_id, `${direction === 'debit' ? '-' : ''}${amount} INR`, `fee ${fee}`, `tax ${tax}`, status].join('  '),
    })
}

export function addReports(program: PgwCommand): void {
  const reports = program.command('reports').description('movements of money')
  reports
    .command('daily')
    .argument('<date>', 'a day such as 2026-11-21', day)
    .description('print every movement of money on a day in IST, such as 2026-11-21: as CSV, or as JSON with --json')
    .does(async ({ gateway, output }, date: string) => {
      const report = await gateway().reports.daily(date, { format: output.isJson ? 'json' : 'csv' })
      const ending = keepEnding()
      await pipeline(report, ending.stream, process.stdout, { end: false })
      const end = readReportEnd(ending.text())
      if (!end) throw new CliError('The report was cut off: read it again.', EXIT.unavailable)
      const { asOf, isComplete } = end
      if (!isComplete) output.note(`This day is not complete: the report has what was known by ${asOf}. Read it again later.`)
    })
}

/** Longer than the last line of a report. */
const ENDING_BYTES = 512

/** Passes bytes on and keeps the last ones. */
function keepEnding(): { readonly stream: Transform; readonly text: () => string } {
  let last = Buffer.alloc(0)
  const stream = new Transform({
    transform(piece: Buffer, _encoding, done) {
      last = Buffer.concat([last, piece]).subarray(-ENDING_BYTES)
      done(null, piece)
    },
  })
  return { stream, text: () => last.toString('utf8') }
}

const CSV_END = /(?:^|\n)#end,[^\n]*,(\S+),(true|false)\r?\n$/u
const JSON_END = /"end":\{[^}]*"as_of":"([^"]+)","complete":(true|false)\}\}\s*$/u

/** Reads the last characters of a report; `undefined` when it was cut off. */
export function readReportEnd(text: string): { readonly asOf: string; readonly isComplete: boolean } | undefined {
  const [, asOf, complete] = CSV_END.exec(text) ?? JSON_END.exec(text) ?? []
  return asOf === undefined ? undefined : { asOf, isComplete: complete === 'true' }
}
