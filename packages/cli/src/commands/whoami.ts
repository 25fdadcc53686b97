import type { Command } from 'commander'
import { CliError, EXIT } from '../exit.ts'
import { contextOf } from '../context.ts'
import { isLive, type Setting } from '../profile/settings.ts'
import { isAccepted } from './login.ts'

export function addWhoami(program: Command): void {
  program
    .command('whoami')
    .description('show which gateway and credential are used, where each value comes from, and whether they are accepted')
    .action(async (_options: object, command: Command) => {
      const { settings, output, gateway } = contextOf(command)
      const { profile, baseUrl, keyId, keySecret } = settings
      const accepted = await isAccepted(gateway())
      const environment = keyId && isLive(keyId.value) ? 'production' : 'sandbox'
      const shown = { profile, base_url: baseUrl, key_id: keyId, key_secret: { from: keySecret?.from }, environment, accepted }
      const line = (name: string, setting: Setting | undefined) =>
        `${name.padEnd(12)}${setting?.value ?? '-'}  (${setting?.from ?? '-'})`
      const lines = [
        line('gateway', baseUrl),
        line('credential', keyId),
        `${'secret'.padEnd(12)}not shown  (${keySecret?.from ?? '-'})`,
        `${'environment'.padEnd(12)}${environment}`,
        `${'profile'.padEnd(12)}${profile}`,
      ]
      output.result(shown, lines.join('\n'))
      if (!accepted) throw new CliError('The gateway does not accept this credential: run pgw login', EXIT.authentication)
    })
}
