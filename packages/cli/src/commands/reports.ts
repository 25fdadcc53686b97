import { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Command } from 'commander'
import { contextOf } from '../context.ts'
import { CliError, EXIT } from '../exit.ts'
import { day } from '../parse.ts'
import { readReportEnd } from '../report-end.ts'

export function addReports(program: Command): void {
  const reports = program.command('reports').description('movements of money')
  reports
    .command('daily')
    .argument('<date>', 'a day such as 2026-11-21', day)
    .description('print every movement of money on a day in IST, such as 2026-11-21: as CSV, or as JSON with --json')
    .action(async (date: string, _options: object, command: Command) => {
      const { gateway, output } = contextOf(command)
      const format = command.optsWithGlobals<{ json?: boolean }>().json === true ? 'json' : 'csv'
      const report = await gateway().reports.daily(date, { format })
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
