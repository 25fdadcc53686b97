/**
 * The first step of every command: brings Node 24, the pinned pnpm and the dependencies, then runs the given program:
 * a TypeScript file of this repository on Node 24, or a program of node_modules/.bin such as eslint.
 * It is plain JavaScript without dependencies, since it runs on whatever Node the machine has (20 or newer) with nothing installed.
 */
import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { constants } from 'node:os'
import { delimiter, dirname, join, resolve } from 'node:path'

/** From it on a server keeps connections longer than it tells clients to (`keepAliveTimeoutBuffer`). */
const NODE_LEAST = [24, 6]
const NODE_VERSION = '24.21.0'
const PNPM_VERSION = '12.21.0'

const ROOT = resolve(import.meta.dirname, '../..')
const CACHE = process.env.STACK_CACHE ? resolve(process.env.STACK_CACHE) : join(ROOT, '.local')
const TOOLS = join(CACHE, 'node')
const STAMP_FILE = join(ROOT, 'node_modules', '.installed')

try {
  process.exitCode = await handOver(await prepare())
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}

/** Makes sure that everything is there; resolves to the path of Node 24. */
async function prepare() {
  mkdirSync(CACHE, { recursive: true })
  if (!toolsAreThere() || !dependenciesAreThere()) {
    const release = await takeLock(`bootstrap ${TOOLS}`)
    try {
      if (!toolsAreThere()) installTools()
      if (!dependenciesAreThere()) installDependencies()
    } finally {
      release()
    }
  }
  return nodePath()
}

function nodePath() {
  return systemNodeIsNew() ? process.execPath : join(TOOLS, 'node_modules/.bin/node')
}

function systemNodeIsNew() {
  const [major, minor] = process.versions.node.split('.').map(Number)
  return major > NODE_LEAST[0] || (major === NODE_LEAST[0] && minor >= NODE_LEAST[1])
}

function toolsAreThere() {
  const pnpm = readJson(join(TOOLS, 'node_modules/pnpm/package.json'))?.version === PNPM_VERSION
  return pnpm && (systemNodeIsNew() || existsSync(join(TOOLS, 'node_modules/.bin/node')))
}

/**
 * The binary is its own npm package for each platform. `node` only fetches it from an install script, and npm is about to stop
 * running those by default; pnpm has its binaries as optional dependencies and works without its script too.
 */
function installTools() {
  say(`installing Node ${NODE_VERSION} and pnpm ${PNPM_VERSION} …`)
  const node = `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}@${NODE_VERSION}`
  const building = `${TOOLS}.building`
  rmSync(building, { recursive: true, force: true })
  mkdirSync(building, { recursive: true })
  const packages = [...(systemNodeIsNew() ? [] : [node]), `pnpm@${PNPM_VERSION}`]
  run('npm', ['install', '--prefix', building, '--ignore-scripts', '--no-audit', '--no-fund', '--save-exact', ...packages])
  rmSync(TOOLS, { recursive: true, force: true })
  renameSync(building, TOOLS)
}

function dependenciesAreThere() {
  try {
    return readFileSync(STAMP_FILE, 'utf8') === fingerprint()
  } catch {
    return false
  }
}

function installDependencies() {
  say('installing dependencies …')
  const before = fingerprint()
  run(nodePath(), [join(TOOLS, 'node_modules/pnpm/bin/pnpm.mjs'), 'install', '--frozen-lockfile'])
  writeFileSync(STAMP_FILE, before)
}

/** Changes with the lockfile and with every package.json of the workspace. */
function fingerprint() {
  const folders = ['services', 'packages', 'infra', 'tools'].flatMap((group) =>
    readdirSync(join(ROOT, group))
      .sort()
      .map((name) => join(group, name)),
  )
  const manifests = ['.', 'e2e', ...folders].map((folder) => join(folder, 'package.json'))
  const hash = createHash('sha256')
  for (const file of ['pnpm-lock.yaml', 'pnpm-workspace.yaml', ...manifests].map((name) => join(ROOT, name)))
    if (existsSync(file)) hash.update(readFileSync(file))
  return hash.digest('hex')
}

/** Node 24 goes first on PATH, so that every program the command starts finds it as `node`. */
function environment(node) {
  return { ...process.env, PATH: [dirname(node), join(ROOT, 'node_modules/.bin'), process.env.PATH].join(delimiter) }
}

async function handOver(node) {
  const [program = '', ...args] = process.argv.slice(2)
  const isScript = program.endsWith('.ts')
  const command = isScript ? node : join(ROOT, 'node_modules/.bin', program)
  const child = spawn(command, isScript ? [join(ROOT, program), ...args] : args, {
    cwd: ROOT,
    stdio: 'inherit',
    env: environment(node),
  })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  return new Promise((done, fail) => {
    child.once('error', fail)
    child.once('exit', (code, signal) => done(signal === null ? code : 128 + constants.signals[signal]))
  })
}

/** Runs a program to its end, with its output on standard error; one more try when it fails, since downloads do. */
function run(command, args, triesLeft = 1) {
  const env = toolsAreThere() ? environment(nodePath()) : process.env
  const { status, signal, error } = spawnSync(command, args, { cwd: ROOT, env, stdio: ['ignore', 2, 2] })
  if (status === 0) return
  const failure = `${command} ${args.join(' ')} failed (${error?.message ?? signal ?? `exit code ${status}`})`
  if (signal !== null || triesLeft === 0) throw new Error(failure)
  say(`${failure}, retrying`)
  run(command, args, triesLeft - 1)
}

/** Only one bootstrap of this folder at a time: the kernel releases the socket when its holder dies. */
async function takeLock(name) {
  const id = `payment-gateway-${createHash('sha256').update(name).digest('hex').slice(0, 24)}`
  const path = process.platform === 'linux' ? `\0${id}` : join(CACHE, `${id}.sock`)
  for (let tries = 0; ; tries++) {
    const server = createServer((socket) => socket.destroy())
    if (await happens(server.listen(path), 'listening')) return () => server.close()
    if (tries === 0) say('another process is installing; waiting for it')
    // Without Linux's abstract sockets, a killed holder leaves its file behind.
    if (process.platform !== 'linux' && !(await happens(connect(path), 'connect'))) rmSync(path, { force: true })
    await new Promise((done) => setTimeout(done, 200))
  }
}

/** Resolves to false when an error comes first. */
function happens(emitter, event) {
  return new Promise((done) => emitter.once(event, () => done(true)).once('error', () => done(false)))
}

function say(line) {
  process.stderr.write(`${line}\n`)
}

function readJson(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return undefined
  }
}
