/**
 * The first step of every command: brings Node 24, the pinned pnpm and the dependencies, then runs the given program:
 * a TypeScript file of this repository on Node 24, or a program of node_modules/.bin such as eslint.
 * It is plain JavaScript without dependencies, since it runs on whatever Node the machine has (20 or newer) with nothing installed.
 */
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { createWriteStream, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { constants } from 'node:os'
import { delimiter, dirname, join, resolve } from 'node:path'
import { clearInterval, setInterval } from 'node:timers'

/** From it on a server keeps connections longer than it tells clients to (`keepAliveTimeoutBuffer`). */
const NODE_LEAST = [24, 6]
const NODE_VERSION = '24.21.0'
const PNPM_VERSION = '12.21.0'

const ROOT = resolve(import.meta.dirname, '../..')
const CACHE = process.env.STACK_CACHE ? resolve(process.env.STACK_CACHE) : join(ROOT, '.local')
const TOOLS = join(CACHE, 'node')
const LOG_FILE = join(CACHE, 'bootstrap.log')
const STAMP_FILE = join(ROOT, 'node_modules', '.installed')
const startedAt = Date.now()

try {
  process.exitCode = await handOver(await prepare())
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}

/** Makes sure that everything is there; resolves to the path of Node 24. */
async function prepare() {
  mkdirSync(CACHE, { recursive: true })
  if (!isReady()) {
    const release = await takeLock(`bootstrap ${TOOLS}`)
    try {
      if (!toolsAreThere()) await during(`installing Node ${NODE_VERSION} and pnpm ${PNPM_VERSION}`, installTools)
      if (!dependenciesAreThere()) await during('installing dependencies', installDependencies)
    } finally {
      release()
    }
  }
  return nodePath()
}

function isReady() {
  return toolsAreThere() && dependenciesAreThere()
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
async function installTools() {
  const node = `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}@${NODE_VERSION}`
  const building = `${TOOLS}.building`
  rmSync(building, { recursive: true, force: true })
  mkdirSync(building, { recursive: true })
  const packages = [...(systemNodeIsNew() ? [] : [node]), `pnpm@${PNPM_VERSION}`]
  await run('npm', ['install', '--prefix', building, '--ignore-scripts', '--no-audit', '--no-fund', '--save-exact', ...packages])
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

async function installDependencies() {
  const before = fingerprint()
  await run(nodePath(), [join(TOOLS, 'node_modules/pnpm/bin/pnpm.mjs'), 'install', '--frozen-lockfile'])
  writeFileSync(STAMP_FILE, before)
}

/** Changes with the lockfile and with every package.json of the workspace. */
function fingerprint() {
  const groups = ['services', 'packages', 'infra', 'tools'].map((folder) => join(ROOT, folder)).filter(existsSync)
  const folders = groups.flatMap((group) =>
    readdirSync(group)
      .sort()
      .map((name) => join(group, name)),
  )
  const manifests = [ROOT, join(ROOT, 'e2e'), ...folders].map((folder) => join(folder, 'package.json')).filter(existsSync)
  const hash = createHash('sha256')
  for (const file of [join(ROOT, 'pnpm-lock.yaml'), join(ROOT, 'pnpm-workspace.yaml'), ...manifests])
    hash.update(readFileSync(file))
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

/** Runs a program to its end, with what it prints in the log file; one more try when it fails, since downloads do. */
async function run(command, args, triesLeft = 1) {
  const log = createWriteStream(LOG_FILE, { flags: 'a' })
  const env = toolsAreThere() ? environment(nodePath()) : process.env
  const child = spawn(command, args, { cwd: ROOT, env, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      output = (output + chunk).slice(-2000)
      log.write(chunk)
    })
  }
  const reason = await new Promise((done) => {
    child.once('error', (error) => done(error.message))
    child.once('close', (code, signal) => done(code === 0 ? undefined : `exited with ${code ?? signal}`))
  })
  log.end()
  if (reason === undefined) return
  if (triesLeft === 0) throw new Error(`${command} ${args.join(' ')}: ${reason}\n${output}`)
  say(`${command} failed (${reason}), trying once more`)
  await run(command, args, triesLeft - 1)
}

/** Only one bootstrap of this folder at a time: the kernel gives the socket back when its holder dies. */
async function takeLock(name) {
  const id = `payment-gateway-${createHash('sha256').update(name).digest('hex').slice(0, 24)}`
  const path = process.platform === 'linux' ? `\0${id}` : join(CACHE, `${id}.sock`)
  for (let waiting = false; ; waiting = true) {
    const waiters = new Set()
    const server = createServer((socket) => waiters.add(socket.on('error', () => undefined)))
    const error = await settled(server.listen(path), 'listening')
    if (error === undefined) {
      return () => {
        server.close()
        for (const socket of waiters) socket.destroy()
      }
    }
    if (!waiting) say('another process is installing; waiting for it')
    const holder = connect(path)
    const refused = (await settled(holder, 'connect'))?.code === 'ECONNREFUSED'
    if (refused && process.platform !== 'linux') rmSync(path, { force: true })
    if (!refused) await new Promise((done) => holder.resume().once('close', done))
  }
}

/** Resolves to `undefined` once the event came, to the error if that came first. */
function settled(emitter, event) {
  return new Promise((done) => emitter.once(event, () => done(undefined)).on('error', done))
}

async function during(title, work) {
  const from = Date.now()
  say(`${title} …`)
  const reminder = setInterval(() => say(`${title}: still working`), 15_000)
  try {
    await work()
    say(`${title}: done in ${((Date.now() - from) / 1000).toFixed(1)} s`)
  } finally {
    clearInterval(reminder)
  }
}

function say(line) {
  process.stderr.write(`[${((Date.now() - startedAt) / 1000).toFixed(1).padStart(5)} s] ${line}\n`)
}

function readJson(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return undefined
  }
}
