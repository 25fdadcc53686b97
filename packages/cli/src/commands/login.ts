import { ApiError, Gateway } from '@gateway/sdk'
import { CliError, EXIT } from '../exit.ts'
import type { CommandContext, PgwCommand } from '../pgw-command.ts'
import { profilePath, readLocalStack, readProfile, writeProfile, type Profile } from '../profile/profile-file.ts'
import { readSecret } from '../profile/read-secret.ts'
import { isLive, type Setting } from '../profile/settings.ts'

export function addLogin(program: PgwCommand): void {
  program
    .command('login')
    .description('keep a sandbox credential in a profile; the secret comes from a prompt, standard input or PGW_KEY_SECRET')
    .option('--local', 'the seeded merchant of the gateway that npm start runs, from .local/stack.json')
    .does(async (context, { local }: { local?: boolean }) => {
      const profile = local === true ? readLocalStack(process.cwd(), process.env) : await ask(context)
      await requireAccepted(profile)
      const { profile: name } = context.settings
      noteReplaced(context, readProfile(name, process.env), profile)
      writeProfile(name, profile, process.env)
      const { base_url, key_id } = profile
      const file = profilePath(name, process.env)
      context.output.result({ profile: name, base_url, key_id, file }, `logged in to ${base_url} as ${key_id} (profile ${name})`)
    })
}

/** Says which gateway and credential the profile held before: a second clone or gateway should have a profile of its own. */
function noteReplaced({ settings, output }: CommandContext, before: Profile | undefined, { base_url, key_id }: Profile): void {
  if (!before || (before.base_url === base_url && before.key_id === key_id)) return
  const { profile: name } = settings
  output.note(`replaced profile ${name}, which was ${before.key_id} at ${before.base_url}; --profile NAME keeps both`)
}

async function ask({ settings: { baseUrl, keyId, networkUrl } }: CommandContext): Promise<Profile> {
  if (!baseUrl) throw new CliError('Which gateway? pgw login --base-url <url> --key-id <id>, or pgw login --local')
  if (!keyId) throw new CliError('Which credential? pgw login --key-id <id>')
  if (isLive(keyId.value)) throw new CliError('Live keys are not kept: set PGW_KEY_ID and PGW_KEY_SECRET where you need them')
  const key_secret = process.env['PGW_KEY_SECRET']?.trim() || (await readSecret(`Secret of ${keyId.value}`))
  const network = networkUrl ? { network_url: networkUrl.value } : {}
  return { base_url: baseUrl.value, key_id: keyId.value, key_secret, ...network }
}

/** A wrong secret is found now, not at the first payment. */
async function requireAccepted({ base_url: baseUrl, key_id, key_secret }: Profile): Promise<void> {
  const gateway = new Gateway({ baseUrl, credentials: { key_id, key_secret } })
  if (!(await isAccepted(gateway)))
    throw new CliError(`The gateway does not accept ${key_id} with this secret`, EXIT.authentication)
}

/** True when the gateway accepts the credential, whatever its scopes. */
async function isAccepted(gateway: Gateway): Promise<boolean> {
  try {
    await gateway.deliveries.list({ limit: 1 }).page()
    return true
  } catch (error) {
    if (error instanceof ApiError && error.code === 'scope_missing') return true
    if (error instanceof ApiError && error.status === 401) return false
    throw error
  }
}

export function addWhoami(program: PgwCommand): void {
  program
    .command('whoami')
    .description('show which gateway and credential are used, where each value comes from, and whether they are accepted')
    .does(async ({ settings, output, gateway }) => {
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
