import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { InvalidArgumentError } from 'commander'
import { certify } from '@gateway/certify/certify'
import { CHECKS } from '@gateway/certify/checks/all'
import { htmlOf } from '@gateway/certify/report/html'
import { junitOf } from '@gateway/certify/report/junit'
import { lineOf, type Report } from '@gateway/certify/report/report'
import { CliError, EXIT } from '../exit.ts'
import { printable } from '../io.ts'
import { isLoopback, receiverAddress } from '../listen/forward.ts'
import { listen } from '../listen/session.ts'
import { wholeNumber } from '../parse.ts'
import type { PgwCommand } from '../pgw-command.ts'
import { requireSandbox } from '../profile/settings.ts'

interface CertifyFlags {
  readonly forwardTo: string
  readonly probe?: string
  readonly host: string
  readonly port: number
  readonly allowRemote?: boolean
  readonly only?: number[]
  readonly report?: string
}

const DEFAULT_PORT = 4010
const MAX_PORT = 65_535

const HELP = `
Before you start: configure a test instance of your shop with the proxy (http://127.0.0.1:${DEFAULT_PORT}) as the gateway's base URL,
the credential that pgw uses, and the signing secret that pgw listen --print-secret prints. Stop pgw listen.
If your test instance uses another signing secret, set PGW_WEBHOOK_SECRET to it.

The probe shows what your shop does. Without it, effects are not observed and nothing is certified:
  POST <probe>/orders {"order_id"}  creates an order at the gateway as your shop does, under this id or another one
  GET  <probe>/orders/<order id>    answers {"state": "paid" or another text, "fulfilled": how many times}

Exits with 0 when every selected check passed, and with 1 when one failed or was not observed.`

export function addCertify(program: PgwCommand): void {
  program
    .command('certify')
    .description(
      'certify your receiver in the sandbox before you get live keys: 18 checks with faults, forged and repeated webhooks',
    )
    .requiredOption('--forward-to <url>', 'your receiver, such as localhost:3000/hook')
    .option('--probe <url>', 'the probe of your test instance, such as localhost:3000')
    .option('--port <number>', 'where the proxy listens', port, DEFAULT_PORT)
    .option('--host <address>', 'the address where the proxy listens', '127.0.0.1')
    .option('--allow-remote', 'allow a receiver or probe on another machine, and a --host that other machines can reach')
    .option('--only <numbers>', 'run only these checks, such as 7,8', checkNumbers)
    .option('--report <folder>', 'write certification.json, certification.html and certification.xml (JUnit) there')
    .addHelpText('after', HELP)
    .does(async ({ settings, output, gateway }, flags: CertifyFlags) => {
      requireSandbox(settings)
      const isRemoteAllowed = flags.allowRemote === true
      if (!isRemoteAllowed && !isLoopback(flags.host))
        throw new CliError(`${flags.host} can be reached from other machines: use 127.0.0.1, or allow it with --allow-remote`)
      const signingSecret = process.env['PGW_WEBHOOK_SECRET'] || undefined
      const report = await certify({
        gateway: gateway(),
        gatewayUrl: settings.baseUrl?.value ?? '',
        listen,
        receiver: receiverAddress('--forward-to', flags.forwardTo, isRemoteAllowed),
        probe: flags.probe === undefined ? undefined : receiverAddress('--probe', flags.probe, isRemoteAllowed),
        host: flags.host,
        port: flags.port,
        signingSecret,
        only: flags.only,
        secrets: settings.keySecret ? [settings.keySecret.value] : [],
        note: (text) => output.note(printable(text)),
      })
      if (flags.report !== undefined) output.note(`report: ${await writeReport(flags.report, report)}`)
      const shown = report.checks.filter(({ result }) => result !== 'skipped').flatMap((check) => lineOf(check).split('\n'))
      output.result(report, shown.map(printable).join('\n'))
      requireNoFailure(report)
      output.note(verdictOf(report))
    })
}

function requireNoFailure({ certified, summary }: Report): void {
  const { fail, not_observed: notObserved } = summary
  if (certified || fail + notObserved === 0) return
  const parts = [...(fail > 0 ? [`${fail} failed`] : []), ...(notObserved > 0 ? [`${notObserved} not observed`] : [])]
  throw new CliError(`Not certified: ${parts.join(', ')}`, EXIT.negative)
}

/** Of a run without a failure. */
function verdictOf({ certified, checks, summary }: Report): string {
  if (certified) return `Certified: all ${checks.length} checks passed`
  return `${checks.length - summary.skipped} chosen checks passed; only a run of all ${checks.length} certifies`
}

/** @returns the path of the HTML report */
async function writeReport(folder: string, report: Report): Promise<string> {
  const page = join(folder, 'certification.html')
  try {
    await mkdir(folder, { recursive: true })
    await writeFile(join(folder, 'certification.json'), `${JSON.stringify(report, null, 2)}\n`)
    await writeFile(page, htmlOf(report))
    await writeFile(join(folder, 'certification.xml'), junitOf(report))
    return page
  } catch (error) {
    throw new CliError(`The report cannot be written to ${folder}: ${error instanceof Error ? error.message : String(error)}`)
  }
}

function checkNumbers(text: string): number[] {
  const numbers = text.split(',').map(wholeNumber)
  const unknown = numbers.find((number) => !CHECKS.some(({ check }) => check === number))
  if (unknown !== undefined) throw new InvalidArgumentError(`There is no check ${unknown}: use 1 to ${CHECKS.length}.`)
  return numbers
}

function port(text: string): number {
  const number = wholeNumber(text)
  if (number > MAX_PORT) throw new InvalidArgumentError(`A port is a number from 0 to ${MAX_PORT}; 0 means any free port.`)
  return number
}
