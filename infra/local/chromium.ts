/** A real browser for the tests of the hosted page: Debian's chromium, since a browser of one's own cannot be had everywhere. */
import { access, constants } from 'node:fs/promises'
import { withLock } from './system/lock.ts'
import { run, withOneRetry } from './system/run.ts'
import { UserError } from './user-error.ts'

const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']
const PACKAGES = ['chromium', 'fonts-dejavu-core']

/**
 * The path of a browser, from `CHROMIUM_PATH` or where Debian puts it; installs Debian's package when there is none.
 * Throws `UserError` with what to do when it cannot.
 */
export async function ensureChromium(log: (line: string) => void = () => undefined): Promise<string> {
  return (await findChromium()) ?? (await withLock('apt-get', () => install(log)))
}

/** `undefined` when this machine has none. */
export async function findChromium(): Promise<string | undefined> {
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
  log('installing chromium from Debian')
  const env = { DEBIAN_FRONTEND: 'noninteractive' }
  const patient = ['-o', 'DPkg::Lock::Timeout=300', '-o', 'Acquire::Retries=2']
  await withOneRetry(
    async () => {
      await run('apt-get', [...patient, 'update'], { env })
      await run('apt-get', [...patient, 'install', '-y', '--no-install-recommends', ...PACKAGES], { env })
    },
    () => log('installing chromium failed, trying once more'),
  )
  const installed = await findChromium()
  if (installed === undefined) throw new UserError('chromium was installed and cannot be found: set CHROMIUM_PATH to it')
  return installed
}

async function whyNotInstallable(): Promise<string | undefined> {
  if (process.env['CHROMIUM_PATH']) return 'CHROMIUM_PATH names no program'
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
