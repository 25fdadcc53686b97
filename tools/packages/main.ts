/**
 * `npm run test:packages`: packs the SDK and the CLI with pnpm, checks the tarballs with attw and publint, installs them into
 * projects of merchants' kinds, runs these, compiles the code of the READMEs, and prints the sizes. Exits with 1 when one fails.
 */
import { mkdtempDisposableSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ROOT } from '@gateway-infra/system/paths'
import { runCommand } from '@gateway-infra/system/command'
import { installable, PROJECTS, readmeProject, runProject } from './projects.ts'
import { pack, run } from './run.ts'

const BIN = join(import.meta.dirname, 'node_modules/.bin')

await runCommand(() => {
  using temporary = mkdtempDisposableSync(join(tmpdir(), 'packages-'))
  const folder = temporary.path
  const failures: string[] = []
  const check = (what: string, work: () => void): void => {
    try {
      work()
      console.log(`ok       ${what}`)
    } catch (error) {
      failures.push(what)
      console.log(`FAILED   ${what}\n${error instanceof Error ? error.message : String(error)}`)
    }
  }
  const [sdk, cli] = [pack('sdk', folder), pack('cli', folder)]
  console.log(`size     @gateway/sdk: ${sizes(sdk)}\nsize     @gateway/cli: ${sizes(cli)}`)
  check('publint @gateway/sdk', () => run(join(BIN, 'publint'), ['run', sdk, '--strict'], ROOT))
  check('publint @gateway/cli', () => run(join(BIN, 'publint'), ['run', cli, '--strict'], ROOT))
  // Node 22 reads `exports`; the resolution of Node 10, which does not, is left out.
  check('attw @gateway/sdk', () => run(join(BIN, 'attw'), [sdk, '--profile', 'node16'], ROOT))
  for (const project of PROJECTS) {
    const missing = (project.registry ?? []).filter((spec) => !installable(spec))
    if (missing.length === 0) check(`project ${project.name}`, () => runProject(project, folder))
    else console.log(`skipped  project ${project.name}: ${missing.join(', ')} not obtainable`)
  }
  check('code of the READMEs compiles', () => runProject(readmeProject(), folder))
  console.log(failures.length === 0 ? 'all passed' : `failed: ${failures.join(', ')}`)
  return Promise.resolve(failures.length === 0 ? 0 : 1)
})

function sizes(tarball: string): string {
  const listed = run('tar', ['tzvf', tarball], ROOT).trimEnd().split('\n')
  const unpacked = listed.reduce((sum, line) => sum + Number(line.trim().split(/\s+/u)[2]), 0)
  const [packedKb, unpackedKb] = [statSync(tarball).size, unpacked].map((bytes) => (bytes / 1000).toFixed(1))
  return `${packedKb} kB packed, ${unpackedKb} kB unpacked, ${listed.length} files`
}
