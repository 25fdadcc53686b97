/** Chromium for the tests of the hosted page, from Debian: Playwright's own download cannot be reached everywhere. */
import { access, constants } from 'node:fs/promises'
import { withLock } from '@gateway-infra/system/lock'
import { run, withOneRetry } from '@gateway-infra/system/run'
import { UserError } from '@gateway-infra/system/user-error'

/** The headless shell first: a page in it costs less than half the CPU of one in a whole browser. */
const PLACES = [
  '/usr/lib/chromium/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
]
/** Fonts for Latin and Devanagari; without the latter Hindi is shown as boxes. */
const FONTS = ['fonts-dejavu-core', 'fonts-lohit-deva']

/**
 * The path of a browser: `CHROMIUM_PATH`, else Debian's. Installs Debian's package when there is none, or only missing fonts.
 * Throws a `UserError` that says what to do when it cannot be installed.
 */
export async function ensureChromium(log: (line: string) => void = () => undefined): Promise<string> {
  const found = await findChromium()
  if (found === undefined) return withLock('apt-get', () => install(log))
  if (!(await canWriteHindi()) && (await whyNotInstallable()) === undefined) {
    await withLock('apt-get', () => installFonts(log)).catch(() => log('continuing without fonts for Hindi'))
  }
  return found
}

/** The installed browser's path, if any. */
async function findChromium(): Promise<string | undefined> {
  const chosen = process.env['CHROMIUM_PATH']
  for (const path of chosen === undefined || chosen === '' ? PLACES : [chosen]) {
    if (await isExecutable(path)) return path
  }
  return undefined
}

async function install(log: (line: string) => void): Promise<string> {
  const reason = await whyNotInstallable()
  if (reason !== undefined) {
    throw new UserError(
      `the tests of the hosted page need Chromium, and ${reason}: install it, or set CHROMIUM_PATH to a browser`,
    )
  }
  await installPackages(['chromium-headless-shell', ...FONTS], log)
  const installed = await findChromium()
  if (installed === undefined) throw new UserError('chromium was installed but cannot be found: set CHROMIUM_PATH to it')
  return installed
}

/** Installs the browser, unless another process has done so meanwhile. */
async function installFonts(log: (line: string) => void): Promise<void> {
  if (!(await canWriteHindi())) await installPackages(FONTS, log)
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
  if (process.env['CHROMIUM_PATH']) return 'CHROMIUM_PATH is not an executable'
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
