/** Chromium for the tests of the hosted page, from Debian: Playwright's own download cannot be reached everywhere. */
import { constants } from 'node:fs'
import { join } from 'node:path'
import { readPaths } from '@gateway-infra/system/paths'
import type { Log } from '@gateway-infra/system/progress'
import { run } from '@gateway-infra/system/run'
import { UserError } from '@gateway-infra/system/user-error'
import { installPackages, unlessRunnable } from './debian.ts'
import { exists } from './files.ts'

/** Costs less than half the CPU of a whole browser per page. */
const SHELL = { path: '/usr/lib/chromium/chromium-headless-shell', package: 'chromium-headless-shell' }
const PLACES = [SHELL.path, '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']
/** Fonts for Latin and Devanagari; without the latter Hindi is shown as boxes. */
const FONTS = ['fonts-dejavu-core', 'fonts-lohit-deva']

/**
 * The path of a browser: `CHROMIUM_PATH`, else Debian's headless shell, else an installed browser. Installs the shell and the fonts
 * if they are missing and can be installed. Throws a `UserError` that says what to do when there is no browser.
 */
export async function ensureChromium(log: Log = () => undefined): Promise<string> {
  const reason = await whyNotInstallable()
  if (reason === undefined) await installMissing(log)
  const chosen = process.env['CHROMIUM_PATH']
  for (const path of chosen ? [chosen] : PLACES) if (await exists(path, constants.X_OK)) return path
  const why = reason ?? 'its installation failed'
  throw new UserError(`the tests of the hosted page need Chromium, and ${why}: install it, or set CHROMIUM_PATH to a browser`)
}

/** A failure is only logged: another browser may be installed, and Hindi is not in every test. */
async function installMissing(log: Log): Promise<void> {
  const missing = async () => [
    ...(await unlessRunnable([SHELL.path], [SHELL.package])),
    ...((await canWriteHindi()) ? [] : FONTS),
  ]
  await installPackages(missing, { log, logFile: join(readPaths(process.env).cacheDir, 'chromium.log') }).catch(
    (error: unknown) => log(`continuing without Chromium's packages: ${String(error)}`),
  )
}

/** Also true without fontconfig: such a machine's browser has its own fonts. */
async function canWriteHindi(): Promise<boolean> {
  const fonts = await run('fc-list', [':lang=hi', 'family']).catch(() => undefined)
  return fonts === undefined || fonts.trim() !== ''
}

async function whyNotInstallable(): Promise<string | undefined> {
  if (process.env['CHROMIUM_PATH']) return 'CHROMIUM_PATH names no program that can be run'
  if (!(await exists('/usr/bin/apt-get', constants.X_OK))) return 'this machine has no apt-get to install it with'
  if (process.getuid?.() !== 0) return 'installing it needs root'
  return undefined
}
