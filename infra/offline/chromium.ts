/** Chromium for the tests of the hosted page, from Debian: Playwright's own download cannot be reached everywhere. */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { readPaths } from '@gateway-infra/system/paths'
import type { Log } from '@gateway-infra/system/progress'
import { UserError } from '@gateway-infra/system/user-error'
import { installPackages, isRunnable, unlessRunnable } from './debian.ts'

/** Costs less than half the CPU of a whole browser per page. */
const SHELL = '/usr/lib/chromium/chromium-headless-shell'
const PLACES = [SHELL, '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']
/** Fonts for Latin and Devanagari; without the latter Hindi is shown as boxes. */
const FONTS = ['fonts-dejavu-core', 'fonts-lohit-deva']

/**
 * The path of a browser: `CHROMIUM_PATH`, else Debian's headless shell, else an installed browser. Installs the shell and the fonts
 * if they are missing and can be installed. Throws a `UserError` that says what to do when there is no browser.
 */
export async function ensureChromium(log: Log = () => undefined): Promise<string> {
  const reason = whyNotInstallable()
  if (reason === undefined) await installMissing(log)
  const chosen = process.env['CHROMIUM_PATH']
  const found = (chosen ? [chosen] : PLACES).find(isRunnable)
  if (found !== undefined) return found
  const why = reason ?? 'its installation failed'
  throw new UserError(`the tests of the hosted page need Chromium, and ${why}: install it, or set CHROMIUM_PATH to a browser`)
}

/** A failure is only logged: another browser may be installed, and Hindi is not in every test. */
async function installMissing(log: Log): Promise<void> {
  const missing = () => [...unlessRunnable([SHELL], ['chromium-headless-shell']), ...(canWriteHindi() ? [] : FONTS)]
  const logs = { log, logFile: join(readPaths(process.env).cacheDir, 'chromium.log') }
  await installPackages(missing, logs).catch((error: unknown) => log(`continuing without Chromium's packages: ${String(error)}`))
}

/** Also true without fontconfig: such a machine's browser has its own fonts. */
function canWriteHindi(): boolean {
  const { status, stdout } = spawnSync('fc-list', [':lang=hi', 'family'], { encoding: 'utf8' })
  return status !== 0 || stdout.trim() !== ''
}

function whyNotInstallable(): string | undefined {
  if (process.env['CHROMIUM_PATH']) return 'CHROMIUM_PATH names no program that can be run'
  if (!isRunnable('/usr/bin/apt-get')) return 'this machine has no apt-get to install it with'
  if (process.getuid?.() !== 0) return 'installing it needs root'
  return undefined
}
