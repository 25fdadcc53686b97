/**
 * `npm run test:packages`: packs the SDK and the CLI with `npm pack`, checks the tarballs with attw and publint, installs them into
 * projects of merchants' kinds, runs these, compiles the code of the READMEs, and prints the sizes. Exits with 1 when one fails.
 */
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ROOT } from '@gateway-infra/system/paths'
import { runCommand } from '@gateway-infra/system/run-command'
import { pack } from './pack.ts'
import { checkReadmes } from './readmes.ts'
import { installable, merchantProjects, runProject, type Tarballs } from './projects.ts'
import { run } from './run.ts'

const PACKAGES = ['sdk', 'cli'] as const
const BIN = join(import.meta.dirname, 'node_modules/.bin')

await runCommand(async () => {
  const folder = mkdtempSync(join(tmpdir(), 'packages-'))
  const failures: string[] = []
  const check = async (what: string, work: () => Promise<string> | string): Promise<void> => {
    try {
      console.log(`ok       ${what}${await work()}`)
    } catch (error) {
      failures.push(what)
      console.log(`FAILED   ${what}\n${error instanceof Error ? error.message : String(error)}`)
    }
  }
  try {
    const tarballs: Tarballs = { sdk: pack('sdk', folder), cli: pack('cli', folder) }
    for (const name of PACKAGES) console.log(`size     @gateway/${name}: ${sizes(tarballs[name])}`)
    for (const name of PACKAGES) await check(`publint @gateway/${name}`, () => publint(tarballs[name]))
    await check('attw @gateway/sdk', () => attw(tarballs.sdk))
    for (const project of merchantProjects(tarballs)) {
      const isObtainable = project.registry.every(installable)
      if (isObtainable) await check(`project ${project.name}`, () => runProject(project, folder))
      else console.log(`skipped  project ${project.name}: ${project.registry.join(', ')} not obtainable`)
    }
    await check('code of the READMEs compiles', () => checkReadmes(tarballs, folder))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
  console.log(failures.length === 0 ? 'all passed' : `failed: ${failures.join(', ')}`)
  return failures.length === 0 ? 0 : 1
})

function sizes(tarball: string): string {
  const listed = run('tar', ['tzvf', tarball], ROOT).trimEnd().split('\n')
  const unpacked = listed.reduce((sum, line) => sum + Number(line.trim().split(/\s+/u)[2]), 0)
  return `${kilobytes(statSync(tarball).size)} packed, ${kilobytes(unpacked)} unpacked, ${listed.length} files`
}

function kilobytes(bytes: number): string {
  return `${(bytes / 1000).toFixed(1)} kB`
}

function publint(tarball: string): string {
  run(join(BIN, 'publint'), ['run', tarball, '--strict'], ROOT)
  return ''
}

function attw(tarball: string): string {
  // Node 22 reads `exports`; the resolution of Node 10, which does not, is left out.
  run(join(BIN, 'attw'), [tarball, '--profile', 'node16'], ROOT)
  return ''
}
