import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const PACKAGE = join(import.meta.dirname, '..')
const exec = promisify(execFile)

/** How a run of `pgw` ended. */
export interface Run {
  readonly exitCode: number | null
  readonly stdout: string
  readonly stderr: string
}

export interface RunOptions {
  readonly env?: Readonly<Record<string, string>>
  readonly input?: string
  readonly cwd?: string
}

/** `pgw` as it is packed, in a folder of its own with nothing else installed. */
export interface Packed {
  readonly folder: string
  run(args: readonly string[], options?: RunOptions): Promise<Run>
  /** For commands that run until they are stopped. */
  start(args: readonly string[], options?: RunOptions): Running
  remove(): void
}

export interface Running {
  readonly child: ChildProcess
  readonly stdout: () => string
  readonly stderr: () => string
  readonly ended: Promise<Run>
}

/** Builds, packs and installs it: what a merchant's developer gets. */
export async function packCli(): Promise<Packed> {
  const folder = mkdtempSync(join(tmpdir(), 'pgw-'))
  const env = environment({}, folder)
  const stage = join(folder, 'stage')
  mkdirSync(stage)
  const { publishConfig, ...manifest } = JSON.parse(readFileSync(join(PACKAGE, 'package.json'), 'utf8')) as {
    publishConfig: object
  }
  writeFileSync(join(stage, 'package.json'), JSON.stringify({ ...manifest, ...publishConfig }))
  const tsdown = join(PACKAGE, 'node_modules/tsdown/dist/run.mjs')
  await exec(process.execPath, [tsdown, '--out-dir', join(stage, 'dist')], { cwd: PACKAGE, env })
  const { stdout } = await exec('npm', ['pack', '--ignore-scripts', '--silent', '--pack-destination', folder], {
    cwd: stage,
    env,
  })
  const project = join(folder, 'project')
  mkdirSync(project)
  writeFileSync(join(project, 'package.json'), '{}')
  const tarball = join(folder, stdout.trim())
  await exec('npm', ['install', '--offline', '--no-audit', '--no-fund', '--silent', tarball], { cwd: project, env })
  const start = (args: readonly string[], options: RunOptions = {}): Running => startIn(folder, args, options)
  return { folder, start, run: (args, options) => start(args, options).ended, remove: () => rmSync(folder, { recursive: true }) }
}

function startIn(folder: string, args: readonly string[], { env = {}, input, cwd = folder }: RunOptions): Running {
  const child = spawn(join(folder, 'project/node_modules/.bin/pgw'), args, { cwd, env: environment(env, folder) })
  const [out, err]: [string[], string[]] = [[], []]
  child.stdout.setEncoding('utf8').on('data', (text: string) => out.push(text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => err.push(text))
  child.stdin.end(input)
  const [stdout, stderr] = [() => out.join(''), () => err.join('')]
  const ended = new Promise<Run>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (exitCode) => resolve({ exitCode, stdout: stdout(), stderr: stderr() }))
  })
  return { child, stdout, stderr, ended }
}

/** Nothing of the tester's own: no profile, no keys, none of Jest's options. */
function environment(env: Readonly<Record<string, string>>, folder: string): NodeJS.ProcessEnv {
  return { PATH: process.env['PATH'], HOME: folder, XDG_CONFIG_HOME: join(folder, 'config'), ...env }
}
