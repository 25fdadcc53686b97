/** Chromium for the tests of the hosted page, from Debian: Playwright's own download cannot be reached everywhere. */
import { access, constants } from 'node:fs/promises'
import { withLock } from '@gateway-infra/system/lock'
import { run, withOneRetry } from '@gateway-infra/system/run'
import { UserError } from '@gateway-infra/system/user-error'

/** Costs less than half the CPU of a whole browser per page. */
const SHELL = { path: '/usr/lib/chromium/chromium-headless-shell', package: 'chromium-headless-shell' }
const PLACES = [SHELL.path, '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']
/** Fonts for Latin and Devanagari; without the latter Hindi is shown as boxes. */
const FONTS = ['fonts-dejavu-core', 'fonts-lohit-deva']

/**
 * The path of a browser: `CHROMIUM_PATH`, else Debian's headless shell, else an installed browser. Installs the shell and the fonts
 * if they are missing and can be installed. Throws a `UserError` that says what to do when there is no browser.
 */
export async function ensureChromium(log: (line: string) => void = () => undefined): Promise<string> {
  const reason = await whyNotInstallable()
  if (reason === undefined) await withLock('apt-get', async () => installMissing(log))
  const found = await findChromium()
  if (found !== undefined) return found
  const why = reason ?? 'its installation failed'
  throw new UserError(`the tests of the hosted page need Chromium, and ${why}: install it, or set CHROMIUM_PATH to a browser`)
}

/** The installed browser's path, if any. */
async function findChromium(): Promise<string | undefined> {
  const chosen = process.env['CHROMIUM_PATH']
  for (const path of chosen === undefined || chosen === '' ? PLACES : [chosen]) {
    if (await isExecutable(path)) return path
  }
  return undefined
}

/** A failure is only logged: another browser may be installed, and Hindi is not in every test. */
async function installMissing(log: (line: string) => void): Promise<void> {
  const packages = [...((await isExecutable(SHELL.path)) ? [] : [SHELL.package]), ...((await canWriteHindi()) ? [] : FONTS)]
  if (packages.length === 0) return
  await installPackages(packages, log).catch((error: unknown) =>
    log(`continuing without ${packages.join(', ')}: ${String(error)}`),
  )
}

async function installPackages(packages: readonly string[], log: (line: string) => void): Promise<void> {
  log(`installing ${packages.join(', ')} from Debian`)
  const env = { DEBIAN_FRONTEND: 'noninteractive' }
  const patient = ['-o', 'DPkg::Lock::Timeout=300', '-o', 'Acquire::Retries=2']
  await withOneRetry(
    async () => {
      await run('apt-get', [...patient, 'update'], { env })
      await run('apt-get', [...patient, 'install', '-y', '--no-install-recommends', ...packages], { env })
    },
    () => log('installation failed, retrying'),
  )
}

/** Also true without fontconfig: such a machine's browser has its own fonts. */
async function canWriteHindi(): Promise<boolean> {
  const fonts = await run('fc-list', [':lang=hi', 'family']).catch(() => undefined)
  return fonts === undefined || fonts.trim() !== ''
}

async function whyNotInstallable(): Promise<string | undefined> {
  if (process.env['CHROMIUM_PATH']) return 'CHROMIUM_PATH names no program that can be run'
  if (!(await isExecutable('/usr/bin/apt-get'))) return 'this machine has no apt-get to install it with'
  if (process.getuid?.() !== 0) return 'installing it needs root'
  return undefined
}

async function isExecutable(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  )
}
