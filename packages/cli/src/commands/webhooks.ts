import { readFile } from 'node:fs/promises'
import { SignatureError, verify } from '@gateway/sdk'
import { CliError, EXIT } from '../exit.ts'
import { instant } from '../parse.ts'
import type { PgwCommand } from '../pgw-command.ts'
import { readSecret } from '../profile/read-secret.ts'

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
