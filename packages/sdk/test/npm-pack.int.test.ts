import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempDisposableSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '../../..')
const ENV = { ...process.env, NODE_OPTIONS: '' }
const run = (program: string, args: readonly string[], cwd: string): string =>
  execFileSync(program, args, { cwd, env: ENV, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })

/** A copy of the package, since packing rewrites its manifest for a moment. */
function stage(name: string, folder: string): string {
  const copy = join(folder, 'packages', name)
  const source = join(ROOT, 'packages', name)
  cpSync(source, copy, { recursive: true, filter: (path) => !/node_modules|\/dist$|\/test$/u.test(path.slice(source.length)) })
  cpSync(join(ROOT, 'packages/publish-manifest.mjs'), join(folder, 'packages/publish-manifest.mjs'))
  symlinkSync(join(source, 'node_modules'), join(copy, 'node_modules'))
  for (const file of ['tsconfig.json', 'tsconfig.base.json']) cpSync(join(ROOT, file), join(folder, file))
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  return copy
}

// Proves: sdk/npm-packs-what-pnpm-packs
test.each([
  ['sdk', `import { VERSION } from '@gateway/sdk'; import '@gateway/sdk/express'; console.log(VERSION)`],
  ['cli', `import { execFileSync } from 'node:child_process'; console.log(String(execFileSync('pgw', ['--version'])).trim())`],
])('npm pack makes a tarball of %s that works, as pnpm pack does, and leaves the manifest as it was', (name, program) => {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'npm-pack-'))
  const copy = stage(name, folder.path)
  const before = readFileSync(join(copy, 'package.json'), 'utf8')
  const [tarball = ''] = run('npm', ['pack', '--silent', '--pack-destination', folder.path], copy).trim().split('\n').slice(-1)
  expect(readFileSync(join(copy, 'package.json'), 'utf8')).toBe(before)

  run('pnpm', ['pack', '--out', join(folder.path, 'by-pnpm.tgz')], copy)
  const contentOf = (file: string) => [
    run('tar', ['tzf', file], folder.path).trim().split('\n').toSorted(),
    run('tar', ['xzOf', file, 'package/package.json'], folder.path),
  ]
  expect(contentOf(tarball)).toEqual(contentOf('by-pnpm.tgz'))

  const project = join(folder.path, 'project')
  mkdirSync(project)
  writeFileSync(join(project, 'package.json'), JSON.stringify({ type: 'module', scripts: { test: 'node main.js' } }))
  writeFileSync(join(project, 'main.js'), program)
  run('npm', ['install', '--offline', '--no-audit', '--no-fund', '--silent', join(folder.path, tarball)], project)
  expect(run('npm', ['test', '--silent'], project).trim()).toBe('0.1.0')
  const installed = readFileSync(join(project, 'node_modules/@gateway', name, 'package.json'), 'utf8')
  expect(installed).not.toMatch(/src\/|from-source|workspace:|publishConfig/u)
})
