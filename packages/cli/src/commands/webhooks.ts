import { readFile } from 'node:fs/promises'
import { fieldsOf } from '@gateway/certify/json'
import type { Copy } from '@gateway/certify/wire/inbox'
import { SignatureError, verify } from '@gateway/sdk'
import { CliError, EXIT } from '../exit.ts'
import { coloured, printable, type Output } from '../io.ts'
import { forward, receiverAddress, type Forwarded, type Target } from '../listen/forward.ts'
import { listen } from '../listen/session.ts'
import { instant } from '../parse.ts'
import type { PgwCommand } from '../pgw-command.ts'
import { readSecret } from '../profile/read-secret.ts'

interface ListenFlags {
  readonly forwardTo?: string
  readonly allowRemote?: boolean
  readonly allowSelfSigned?: boolean
  readonly since?: Date
  readonly printSecret?: boolean
}

/** Forwarded at the same time; more copies wait in the stream. */
const MAX_IN_FLIGHT = 8

export function addListen(program: PgwCommand): void {
  program
    .command('listen')
    .description('copies of your webhooks as they are sent, in the sandbox; real deliveries are not affected')
    .option('--forward-to <url>', 'a receiver on this machine, such as 3000 or https://localhost:3000/hook')
    .option('--allow-remote', 'let --forward-to be another machine')
    .option('--allow-self-signed', 'let --forward-to have any certificate, such as a self-signed one')
    .option(
      '--since <time>',
      'also what was sent since then, one hour at most: how long ago (10m), or a time (2026-01-31T10:00:00Z)',
      instant,
    )
    .option('--print-secret', 'print the secret that signs the copies, and end')
    .does(async ({ output, gateway, settings }, flags: ListenFlags) => {
      const to = targetOf(flags)
      const inFlight = new Set<Promise<void>>()
      await listen({
        gateway: gateway(),
        baseUrl: settings.baseUrl?.value ?? '',
        since: flags.since,
        note: (text) => output.note(text),
        onReady(secret) {
          if (flags.printSecret === true) {
            output.result({ signing_secret: secret }, secret)
            return false
          }
          output.note(
            `listening${to ? `, forwarding to ${to.url.href}` : ''}; pgw listen --print-secret shows the signing secret`,
          )
          return true
        },
        async onCopy(copy) {
          if (inFlight.size >= MAX_IN_FLIGHT) await Promise.race(inFlight)
          const handled = show(copy, to, output).finally(() => inFlight.delete(handled))
          inFlight.add(handled)
        },
      })
    })
}

function targetOf({ forwardTo, allowRemote = false, allowSelfSigned = false }: ListenFlags): Target | undefined {
  if (forwardTo === undefined) return undefined
  return { url: receiverAddress('--forward-to', forwardTo, allowRemote), anyCertificate: allowSelfSigned }
}

const HINTS: Readonly<Record<number, string>> = {
  204: 'warning: the receiver answered 204; only 200 acknowledges a webhook',
  401: 'hint: does the receiver have the secret that pgw listen --print-secret shows?',
}

async function show(copy: Copy, to: Target | undefined, output: Output): Promise<void> {
  const forwarded = to ? await forward(copy, to) : null
  const { txnid, merchantTxnId, status } = fieldsOf(copy.body)
  const [id, sequence] = [copy.headers['webhook-id'] ?? '', Number(copy.headers['webhook-sequence'] ?? 0)]
  const line = { at: new Date().toISOString(), id, sequence, order_id: merchantTxnId, transaction_id: txnid, status, forwarded }
  const name = coloured(printable(String(status)))
  const text = [line.at, name, printable(String(merchantTxnId)), id, ...(forwarded ? [`→ ${describe(forwarded)}`] : [])]
  output.result(line, text.join('  '))
  const hint = HINTS[forwarded?.status_code ?? 0]
  if (hint !== undefined) output.note(hint)
}

function describe({ status_code: status, duration_ms: ms, error }: Forwarded): string {
  return `${error === null ? String(status) : `no answer: ${printable(error)}`} in ${ms} ms`
}

interface VerifyFlags {
  readonly id: string
  readonly timestamp: string
  readonly signature: string
  readonly at?: Date
}

export function addWebhooks(program: PgwCommand): void {
  program
    .command('webhooks')
    .description('look at webhooks')
    .command('verify <file>')
    .description('verify the signature of a body in a file, byte for byte; exits with 1 when it is not genuine')
    .requiredOption('--id <id>', 'the header webhook-id')
    .requiredOption('--timestamp <seconds>', 'the header webhook-timestamp')
    .requiredOption('--signature <signature>', 'the header webhook-signature')
    .option(
      '--at <time>',
      'the time to compare the timestamp with: how long ago (2h), or a time (2026-01-31T10:00:00Z); default: now',
      instant,
    )
    .addHelpText('after', '\nThe signing secret comes from PGW_WEBHOOK_SECRET, a prompt or standard input.')
    .does(async ({ output }, file: string, { id, timestamp, signature, at }: VerifyFlags) => {
      const body = await readFile(file).catch(() => {
        throw new CliError(`The file cannot be read: ${file}`)
      })
      const secret = process.env['PGW_WEBHOOK_SECRET'] || (await readSecret('Signing secret'))
      try {
        const headers = { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signature }
        const event = await verify(body, headers, secret, at ? { now: at } : {})
        output.result({ genuine: true, ...event }, 'genuine')
      } catch (error) {
        if (!(error instanceof SignatureError)) throw error
        output.result({ genuine: false, reason: error.reason }, `not genuine: ${error.reason}`)
        throw new CliError(error.message, EXIT.negative)
      }
    })
}
